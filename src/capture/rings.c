#include "capture/rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "capture/perf_event.h"

#define LEAST_RING ((uint64_t)512 << 10)   /* what kernel.perf_event_mlock_kb allows every user */
#define USUAL_RING ((uint64_t)16 << 20)    /* a tenth of a second of all that two CPUs can do */
#define SIDE_BAND_RING ((uint64_t)2 << 20) /* where whole builds may come and go */
#define LARGEST_RING ((uint64_t)16 << 20)
#define ALL_RINGS ((uint64_t)64 << 20) /* together; more where there is much memory */
#define HELD_UP_MS 500 /* how long a recorder may have to wait for a CPU or a disk */

/* Entries of what has no fixed length, as they often are. */
#define CHAIN_ENTRIES 64
#define BRANCH_BYTES (32 * 24)
#define RAW_BYTES 64

/* Gives each open event its ring's number, making rings for places not seen before. The first event
 * at a place owns its ring. */
static void place_events(struct rings *r, struct counters *cs)
{
	struct u64map places = {0};
	for (size_t i = 0; i < cs->v.n; i++)
		for (size_t k = 0; k < cs->v.v[i].fds.n; k++) {
			struct counter_fd *f = &cs->v.v[i].fds.v[k];
			bool backward = cs->v.v[i].attr.flags & ATTR_WRITE_BACKWARD;
			uint64_t place = f->cpu >= 0 ? (uint64_t)f->cpu
						     : (uint64_t)1 << 32 | (uint32_t)f->tid;
			place |= (uint64_t)backward << 33;
			uint32_t *known = u64map_get(&places, place);
			if (known) {
				f->ring = *known;
				continue;
			}
			f->ring = (uint32_t)r->v.n;
			u64map_put(&places, place, f->ring);
			vec_push(&r->v,
				 (struct ring){.fd = f->fd, .cpu = f->cpu, .backward = backward});
		}
	u64map_free(&places);
}

static uint64_t sample_bytes(const struct attr *a)
{
	const uint64_t others = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |
				PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER |
				PERF_SAMPLE_REGS_INTR;
	uint64_t fields = a->sample_type;
	uint64_t n = 8 + 8 * (uint64_t)__builtin_popcountll(fields & ~others);
	n += fields & PERF_SAMPLE_CALLCHAIN ? CHAIN_ENTRIES * 8 : 0;
	n += fields & PERF_SAMPLE_RAW ? RAW_BYTES : 0;
	n += fields & PERF_SAMPLE_BRANCH_STACK ? BRANCH_BYTES : 0;
	n += fields & PERF_SAMPLE_STACK_USER ? a->sample_stack_user + 16 : 0;
	n += 8 * (uint64_t)__builtin_popcountll(a->sample_regs_user);
	n += 8 * (uint64_t)__builtin_popcountll(a->sample_regs_intr);
	return n;
}

uint64_t rings_wanted(const struct counters *cs, size_t rings, uint64_t memory)
{
	uint64_t per_second = 0, size = LEAST_RING;
	uint64_t limit = MAX(ALL_RINGS, memory / 64) / MAX(rings, (size_t)1);
	bool unknown = false, everything = false;
	for (size_t i = 0; i < cs->v.n; i++) {
		const struct counter *c = &cs->v.v[i];
		everything |= c->dummy;
		if (c->attr.flags & ATTR_FREQ && !c->dummy)
			per_second += c->attr.sample_period * sample_bytes(&c->attr);
		else
			unknown |= !c->dummy; /* as often as it happens */
	}
	uint64_t least = unknown ? USUAL_RING : everything ? SIDE_BAND_RING : 0;
	uint64_t wanted = MAX(per_second * HELD_UP_MS / 1000, least);
	while (size < wanted && size < LARGEST_RING && size * 2 <= limit)
		size *= 2;
	return size;
}

static size_t default_pages(const struct counters *cs, size_t rings)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * page;
	return (size_t)MAX(rings_wanted(cs, rings, memory) / page, (uint64_t)1);
}

static void unmap_all(struct rings *r)
{
	for (size_t i = 0; i < r->v.n; i++)
		ring_unmap(&r->v.v[i]);
}

static bool map_all(struct rings *r)
{
	for (size_t i = 0; i < r->v.n; i++)
		if (!ring_map(&r->v.v[i], r->v.v[i].fd, r->pages)) {
			int error = errno;
			unmap_all(r);
			errno = error;
			return false;
		}
	return true;
}

static bool fail_map(const struct rings *r, int error, struct err *err)
{
	size_t kb = r->pages * (size_t)sysconf(_SC_PAGESIZE) >> 10;
	uint64_t limit = 0;
	err_sys(err, error, "cannot map %zu ring buffers of %zu kB", r->v.n, kb);
	if (error != EPERM)
		return err_hint(err, "a smaller -m takes less memory");
	(void)!file_read_u64(MLOCK_FILE, &limit);
	return err_hint(err, "%s, or: sudo sysctl -w kernel.perf_event_mlock_kb=%" PRIu64,
			r->pages == 1 ? "end the other recordings of this user, which hold it all"
				      : "a smaller -m",
			limit + kb + 4);
}

static void tell_shrunk(const struct rings *r, const struct capture_plan *plan)
{
	char limit[32] = "?", text[256];
	(void)!file_read_line(MLOCK_FILE, limit, sizeof limit);
	snprintf(text, sizeof text,
		 "ring buffers of %zu kB only: kernel.perf_event_mlock_kb=%s is used up (ulimit -l "
		 "counts too)",
		 r->pages * (size_t)sysconf(_SC_PAGESIZE) >> 10, limit);
	if (plan->note)
		plan->note(text);
}

/* As far as an ordinary user may. */
static bool raise_memory_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_MEMLOCK, &limit) == 0;
}

static bool map_shrinking(struct rings *r, const struct capture_plan *plan, struct err *err)
{
	size_t first = r->pages;
	bool raised = false;
	while (!map_all(r)) {
		int error = errno;
		if (error == EPERM && !raised) {
			raised = true;
			if (raise_memory_limit())
				continue;
		}
		if (plan->ring_pages || r->pages == 1 || (error != EPERM && error != ENOMEM))
			return fail_map(r, error, err);
		r->pages /= 2;
	}
	if (r->pages < MIN(first, LEAST_RING / (uint64_t)sysconf(_SC_PAGESIZE)))
		tell_shrunk(r, plan);
	return true;
}

bool rings_open(struct rings *r, struct counters *cs, const struct capture_plan *plan,
		struct err *err)
{
	place_events(r, cs);
	r->pages = plan->ring_pages ? plan->ring_pages : default_pages(cs, r->v.n);
	if (!map_shrinking(r, plan, err))
		return false;
	for (size_t i = 0; i < cs->v.n; i++)
		for (size_t k = 0; k < cs->v.v[i].fds.n; k++) {
			const struct counter_fd *f = &cs->v.v[i].fds.v[k];
			int owner = r->v.v[f->ring].fd;
			if (f->fd != owner && ioctl(f->fd, PERF_EVENT_IOC_SET_OUTPUT, owner) != 0)
				return err_sys(err, errno, "cannot direct event %s to its ring",
					       cs->v.v[i].name);
		}
	return true;
}

void rings_close(struct rings *r)
{
	unmap_all(r);
	vec_free(&r->v);
}
