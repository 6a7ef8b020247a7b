#include "ingest/sample_filter.h"

#define MAX_CPUS 65536

static bool parse_numbers(const char *text, const char *what, bool ranges, void *list,
			  struct err *err)
{
	VEC(uint64_t) *out = list;
	struct str rest = str_of(text), tail;
	while (rest.p) {
		struct str item = str_split(rest, ',', &tail);
		struct str last_text;
		struct str first_text = ranges ? str_split(item, '-', &last_text) : item;
		uint64_t first, last;
		if (!ranges || !last_text.p)
			last_text = first_text;
		if (!str_to_u64(str_trim(first_text), 10, &first) ||
		    !str_to_u64(str_trim(last_text), 10, &last) || last < first ||
		    (ranges && last > MAX_CPUS))
			return err_set(err, ERR_USAGE, "\"%.*s\" is not a %s", (int)item.n, item.p,
				       what);
		for (uint64_t v = first; v <= last; v++)
			vec_push(out, v);
		rest = tail;
	}
	return true;
}

bool sample_filter_parse(struct sample_filter *f, const char *comms, const char *pids,
			 const char *tids, const char *cpus, struct err *err)
{
	*f = (struct sample_filter){.any = comms || pids || tids || cpus};
	struct str rest = str_of(comms), tail;
	while (rest.p) {
		vec_push(&f->comms, str_split(rest, ',', &tail));
		rest = tail;
	}
	return (!pids || parse_numbers(pids, "process id", false, &f->pids, err)) &&
	       (!tids || parse_numbers(tids, "thread id", false, &f->tids, err)) &&
	       (!cpus || parse_numbers(cpus, "CPU", true, &f->cpus, err));
}

void sample_filter_free(struct sample_filter *f)
{
	vec_free(&f->comms);
	vec_free(&f->pids);
	vec_free(&f->tids);
	vec_free(&f->cpus);
	time_filter_free(&f->times);
}

static bool has(const uint64_t *v, size_t n, uint64_t wanted)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == wanted)
			return true;
	return n == 0;
}

bool sample_filter_accepts(const struct sample_filter *f, struct str comm, int32_t pid, int32_t tid,
			   uint32_t cpu, uint64_t time)
{
	if (!time_filter_accepts(&f->times, time))
		return false;
	if (!f->any)
		return true;
	bool named = f->comms.n == 0;
	for (size_t i = 0; i < f->comms.n && !named; i++)
		named = str_eq(f->comms.v[i], comm);
	return named && has(f->pids.v, f->pids.n, (uint32_t)pid) &&
	       has(f->tids.v, f->tids.n, (uint32_t)tid) && has(f->cpus.v, f->cpus.n, cpu);
}
