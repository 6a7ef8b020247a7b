#include "capture/groups.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/out.h"
#include "capture/terms.h"
#include "perfdata/perfdata.h"
#include "perfdata/writer.h"

#define NO_NAME "{anon_group}" /* what perf calls a group without a name */

static size_t index_of(const struct counters *cs, const struct counter *c)
{
	return (size_t)(c - cs->v.v);
}

static bool is_member(const struct counters *cs, const struct counter *c)
{
	return c->leader != index_of(cs, c);
}

/* The kernel enables and disables a group by its leader. With S each sample holds all counts of its
 * group, which the kernel cannot do for children; members sample only if a term says so. */
static void configure_member(struct counters *cs, struct counter *c)
{
	struct counter *leader = &cs->v.v[c->leader];
	c->attr.flags &= ~(uint64_t)(ATTR_DISABLED | ATTR_ENABLE_ON_EXEC);
	if (!leader->event->sample_read)
		return;
	c->attr.sample_type = leader->attr.sample_type;
	if (!(c->event->terms.set & (TERM_PERIOD | TERM_FREQ))) {
		c->attr.sample_period = 0;
		c->attr.flags &= ~(uint64_t)ATTR_FREQ;
	}
}

static void configure_read(struct counters *cs, struct counter *c)
{
	if (!c->event->sample_read)
		return;
	c->attr.sample_type |= PERF_SAMPLE_READ;
	if (cs->v.v[c->leader].members > 1) {
		c->attr.read_format |= PERF_FORMAT_GROUP;
		c->attr.flags &= ~(uint64_t)ATTR_INHERIT;
	}
}

static void find_groups(struct counters *cs, const struct event_list *events)
{
	for (size_t i = 0; i < cs->v.n; i++) {
		struct counter *c = &cs->v.v[i];
		c->leader = i;
		c->members = 1;
		if (!c->event || !c->event->group)
			continue;
		const struct event_group *g = &events->groups.v[c->event->group - 1];
		c->leader = g->first;
		c->group_name = g->name;
		if (c->leader == i)
			c->members = g->count;
	}
}

/* The kernel would only say EINVAL. A weak group is taken apart then. */
static bool check_member(const struct counters *cs, const struct counter *c, struct err *err)
{
	if (!(c->attr.flags & (ATTR_PINNED | ATTR_EXCLUSIVE)) || c->event->weak)
		return true;
	err_set(err, ERR_USAGE, "event %s: only the first of a group may be pinned or exclusive",
		c->name);
	return err_hint(err, "give the modifier D or e to %s or to the group",
			cs->v.v[c->leader].name);
}

bool groups_configure(struct counters *cs, const struct capture_plan *plan, struct err *err)
{
	find_groups(cs, plan->events);
	for (size_t i = 0; i < cs->v.n; i++) {
		struct counter *c = &cs->v.v[i];
		if (!c->event)
			continue;
		if (!terms_apply(c, err))
			return false;
		configure_read(cs, c);
		if (!is_member(cs, c))
			continue;
		if (!check_member(cs, c, err))
			return false;
		configure_member(cs, c);
	}
	return true;
}

bool groups_fd(const struct counters *cs, const struct counter *c, int32_t tid, int32_t cpu,
	       int *fd)
{
	*fd = -1;
	if (!is_member(cs, c))
		return true;
	/* Both are opened in the same order, so the search mostly ends where it begins. */
	const struct counter *leader = &cs->v.v[c->leader];
	for (size_t k = 0; k < leader->fds.n; k++) {
		size_t at = (c->fds.n + k) % leader->fds.n;
		if (leader->fds.v[at].tid == tid && leader->fds.v[at].cpu == cpu) {
			*fd = leader->fds.v[at].fd;
			return true;
		}
	}
	return false;
}

void groups_dissolve(struct counters *cs, const struct counter *member)
{
	size_t first = member->leader, n = cs->v.v[first].members;
	const struct attr leader = cs->v.v[first].attr;
	const uint64_t start = leader.flags & (ATTR_DISABLED | ATTR_ENABLE_ON_EXEC);
	for (size_t i = first; i < first + n; i++) {
		struct counter *c = &cs->v.v[i];
		c->leader = i;
		c->members = 1;
		c->group_name = NULL;
		c->attr.flags |= start;
		c->attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
		if (!c->attr.sample_period) { /* its leader sampled for it */
			c->attr.sample_period = leader.sample_period;
			c->attr.flags |= leader.flags & ATTR_FREQ;
		}
	}
}

bool groups_wants_cpu(const struct counter *c, int32_t cpu)
{
	struct cpu_list cpus = {0};
	if (cpu < 0 || !c->event || !c->event->cpus)
		return true;
	bool known = cpus_parse(&cpus, str_of(c->event->cpus), NULL);
	bool wanted = !known || cpus_has(&cpus, (uint32_t)cpu);
	vec_free(&cpus.v);
	return wanted;
}

bool groups_read(const struct counters *cs, const struct counter *c, const struct counter_fd *f,
		 uint64_t values[3])
{
	/* A group: the number of members, the times, then value, id and lost of each. An event
	 * alone: its value, the times, id and lost. */
	bool group = c->attr.read_format & PERF_FORMAT_GROUP;
	size_t times = c->attr.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 2 : 0;
	size_t n = group ? cs->v.v[c->leader].members : 1;
	size_t size = ((group ? 1 : 0) + times + 3 * n) * sizeof(uint64_t);
	uint64_t *all = mem_zalloc(size);
	bool found = false;
	if (read(f->fd, all, size) != (ssize_t)size) {
		free(all);
		return false;
	}
	for (size_t i = 0; group && i < n && !found; i++) {
		memcpy(values, all + 1 + times + 3 * i, 3 * sizeof *values);
		found = values[1] == f->id;
	}
	if (!group) {
		values[0] = all[0];
		memcpy(values + 1, all + 1 + times, 2 * sizeof *values);
		found = true;
	}
	free(all);
	return found;
}

bool groups_write(const struct counters *cs, struct perfdata_writer *w, struct err *err)
{
	uint32_t n = 0;
	struct out o;
	for (size_t i = 0; i < cs->v.n; i++)
		n += cs->v.v[i].members > 1;
	if (!n)
		return true;
	out_memory(&o);
	out_bytes(&o, &n, sizeof n);
	for (size_t i = 0; i < cs->v.n; i++) {
		const struct counter *c = &cs->v.v[i];
		uint32_t place[2] = {(uint32_t)i, c->members};
		if (c->members < 2)
			continue;
		feature_string(&o, c->group_name ? c->group_name : NO_NAME);
		out_bytes(&o, place, sizeof place);
	}
	bool ok = perfdata_writer_feature(w, FEAT_GROUP_DESC, o.buf, o.n, err);
	(void)out_finish(&o);
	return ok;
}
