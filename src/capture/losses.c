/* What was lost, in words: which event, on which CPU, how much, when. */
#include <stdio.h>

#include "base/out.h"
#include "capture/run.h"

#define EVENTS_TOLD 8
#define CPUS_TOLD 8

/* "N samples of EVENT: N on CPU 0, N on CPU 1"; threads' events without a CPU count as one. */
static bool put_event(struct out *o, const struct counter *k)
{
	uint64_t total = 0, left = 0;
	size_t told = 0;
	struct out places;
	out_memory(&places);
	for (size_t i = 0; i < k->fds.n; i++) {
		const struct counter_fd *f = &k->fds.v[i];
		uint64_t lost = f->lost;
		bool first = f->cpu >= 0;
		/* With several threads a CPU has several: all are told at the first. */
		for (size_t n = 0; first && n < i && n < k->fds.n; n++)
			first = k->fds.v[n].cpu != f->cpu;
		total += lost;
		for (size_t n = i + 1; first && n < k->fds.n; n++)
			lost += k->fds.v[n].cpu == f->cpu ? k->fds.v[n].lost : 0;
		if (!first || !lost)
			continue;
		if (told == CPUS_TOLD) {
			left++;
			continue;
		}
		out_fmt(&places, "%s%" PRIu64 " on CPU %d", told++ ? ", " : ": ", lost, f->cpu);
	}
	if (total)
		out_fmt(o, "lost %" PRIu64 " %s%s%.*s", total,
			k->dummy ? "side-band records" : "samples of ", k->dummy ? "" : k->name,
			(int)places.n, places.buf);
	if (left)
		out_fmt(o, " and on %" PRIu64 " more CPUs", left);
	(void)out_finish(&places);
	return total;
}

static void tell(const struct capture *c, struct out *o)
{
	out_char(o, '\0');
	c->plan->note(o->buf);
	o->n = 0;
}

static double since_start(const struct scan_counts *s, uint64_t time)
{
	return time > s->start_time ? (double)(time - s->start_time) / 1e9 : 0;
}

void losses_tell(const struct capture *c)
{
	struct out o;
	size_t told = 0;
	if (!c->plan->note)
		return;
	const struct scan_counts counts = readers_counts(c), *s = &counts;
	out_memory(&o);
	for (size_t i = 0; i < c->counters.v.n && told < EVENTS_TOLD; i++)
		if (put_event(&o, &c->counters.v.v[i])) {
			tell(c, &o);
			told++;
		}
	if (s->lost) {
		out_cstr(&o, "a ring buffer was full ");
		if (s->lost_times == 1)
			out_cstr(&o, "once");
		else
			out_fmt(&o, "%" PRIu64 " times", s->lost_times);
		out_fmt(&o, ", from %.3f s to %.3f s after the first sample, for %.1f ms at most",
			since_start(s, s->first_lost), since_start(s, s->last_lost),
			(double)s->longest_gap / 1e6);
		tell(c, &o);
	} else if (c->lost_samples) {
		c->plan->note("a ring buffer was full when the recording ended");
	}
	(void)out_finish(&o);
}
