/* One line behind a recording whose stacks are bad, while it is still easy to make a better one. */
#include <stdio.h>
#include <sys/stat.h>

#include "analyze/quality.h"
#include "cli/common.h"
#include "cli/record_options.h"

#define SIZE_MAX_READ ((off_t)16 << 20) /* bytes: what takes no time to speak of */
#define SAMPLES_MIN 50                  /* fewer say little */
#define GOOD_PERCENT 90.0

static void judge(const struct profile *p, event_id event)
{
	struct quality q;
	char text[512];
	quality_measure(p, event, &q);
	double whole = quality_percent(q.whole, q.stacks);
	const char *worst = "", *cure = quality_cut_cure(&q);
	if (q.ends.n && q.broken >= q.cut) {
		struct str name = profile_str(p, q.ends.v[0].name);
		worst = name.n ? name.p : "[unknown]";
		cure = quality_cure(q.ends.v[0].fault);
	}
	if (q.stacks >= SAMPLES_MIN && whole < GOOD_PERCENT) {
		snprintf(
			text, sizeof text,
			"only %.0f %% of the stacks are whole%s%s: %s (report --quality tells more)",
			whole, *worst ? "; most others end in " : "", worst, cure);
		record_note(text);
	}
	quality_free(&q);
}

void record_quality(const char *path)
{
	struct stat st;
	struct diags unsaid = {0};
	struct input_options in = {.input = path, .inlines = INLINE_NONE};
	struct ingest_options io;
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > SIZE_MAX_READ)
		return;
	input_options_fill(&in, &io);
	struct ingest *ingest = ingest_open(path, &io, &unsaid, NULL);
	if (!ingest)
		return;
	const struct profile *p = ingest_profile(ingest);
	if (ingest_aggregate(ingest, NULL))
		for (uint32_t i = 1; i < p->events.n; i++)
			if (p->events.v[i].has_stacks && p->events.v[i].samples) {
				judge(p, (event_id){i});
				break;
			}
	ingest_close(ingest);
}
