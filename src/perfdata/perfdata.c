/* Opening, what can be asked afterwards, and the record iterator. */
#include "perfdata/perfdata.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/attr_name.h"
#include "perfdata/reader.h"

/* EVENT_UPDATE kinds */
enum { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME };

static struct perfdata_event *event_of_id(struct perfdata *pd, uint64_t id)
{
	if (pd->events.n == 1 || !id)
		return pd->events.n ? &pd->events.v[0] : NULL;
	const uint32_t *index = u64map_get(&pd->by_id, id);
	return index ? &pd->events.v[*index] : NULL;
}

static void apply_updates(struct perfdata *pd)
{
	for (size_t i = 0; i < pd->updates.n; i++) {
		const struct pending_update *u = &pd->updates.v[i];
		struct perfdata_event *ev = event_of_id(pd, u->id);
		struct cursor c = cursor_of(u->text.p, u->text.n, pd->swap);
		if (!ev)
			continue;
		if (u->kind == UPDATE_SCALE) {
			uint64_t bits = cursor_u64(&c);
			if (!c.bad)
				memcpy(&ev->scale, &bits, sizeof bits);
		} else if (u->kind == UPDATE_UNIT || u->kind == UPDATE_NAME) {
			struct str text = arena_str(&pd->arena, cursor_text(&c, cursor_left(&c)));
			*(u->kind == UPDATE_UNIT ? &ev->unit : &ev->name) = text;
		}
	}
	vec_free(&pd->updates);
}

static bool settle_events(struct perfdata *pd, struct err *err)
{
	if (!pd->events.n) {
		const struct diag *g = pd->diags ? pd->diags->of : NULL;
		const char *why = g && g[DIAG_TRUNCATED].count ? g[DIAG_TRUNCATED].first
				  : g && g[DIAG_CORRUPT].count ? g[DIAG_CORRUPT].first
							       : "";
		return err_set(err, ERR_INPUT,
			       "%s describes no events, so nothing in it can be read%s%s", pd->name,
			       *why ? ": " : "", why);
	}
	apply_updates(pd);
	for (size_t i = 0; i < pd->events.n; i++)
		if (!pd->events.v[i].name.n)
			pd->events.v[i].name = attr_name(&pd->events.v[i].attr, &pd->arena);
	const struct attr *first = &pd->events.v[0].attr;
	pd->sample_has_id = attr_id_in_sample(first, &pd->sample_id_word);
	pd->trailer_has_id = attr_id_in_trailer(first, &pd->trailer_id_word);
	return true;
}

static int open_input(const char *path, struct err *err)
{
	if (!strcmp(path, "-"))
		return dup(STDIN_FILENO);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		int error = errno;
		err_sys(err, error, "cannot open %s", path);
		if (error == ENOENT)
			err_hint(err, "run `kiln record` first, or name a file with -i");
		else if (error == EACCES)
			err_hint(err, "it was recorded by another user; try `sudo`");
	}
	return fd;
}

static bool open_all(struct perfdata *pd, const char *path, struct err *err)
{
	CLEANUP(close_fd) int fd = open_input(path, err);
	struct stat st;
	if (fd < 0)
		return false;
	bool directory = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
	if (directory) {
		pd->name = arena_printf(&pd->arena, "%s/data", path);
		close_fd(&fd);
		fd = open_input(pd->name, err);
		if (fd < 0)
			return false;
	}
	struct segment data;
	if (!spool_map(pd, fd, err) || !header_read(pd, &data, err) || !walk(pd, &data, err))
		return false;
	if (directory && !directory_read(pd, path, err))
		return false;
	header_features(pd);
	features_decode(pd);
	return settle_events(pd, err);
}

struct perfdata *perfdata_open(const char *path, const struct perfdata_options *opt,
			       struct diags *diags, struct err *err)
{
	struct perfdata *pd = mem_zalloc(sizeof *pd);
	pd->name = strcmp(path, "-") ? arena_strdup(&pd->arena, path) : "standard input";
	pd->temp_dir = opt ? opt->temp_dir : NULL;
	pd->diags = diags;
	if (open_all(pd, path, err))
		return pd;
	perfdata_close(pd);
	return NULL;
}

void perfdata_close(struct perfdata *pd)
{
	if (!pd)
		return;
	for (size_t i = 0; i < pd->maps.n; i++)
		file_unmap(&pd->maps.v[i]);
	vec_free(&pd->maps);
	vec_free(&pd->events);
	vec_free(&pd->embedded);
	vec_free(&pd->updates);
	vec_free(&pd->build_ids);
	vec_free(&pd->chunks);
	u64map_free(&pd->by_id);
	arena_free(&pd->arena);
	free(pd);
}

size_t perfdata_event_count(const struct perfdata *pd)
{
	return pd->events.n;
}

const struct perfdata_event *perfdata_event(const struct perfdata *pd, size_t i)
{
	return &pd->events.v[i];
}

size_t perfdata_event_index(const struct perfdata *pd, const struct perfdata_event *ev)
{
	return (size_t)(ev - pd->events.v);
}

const struct perfdata_event *perfdata_event_of(const struct perfdata *pd, const struct record *r)
{
	if (pd->events.n == 1)
		return &pd->events.v[0];
	bool sample = r->type == PERF_RECORD_SAMPLE;
	if (!(sample ? pd->sample_has_id : pd->trailer_has_id))
		return &pd->events.v[0];
	size_t words = r->body_size / 8;
	size_t at = sample ? pd->sample_id_word : words - pd->trailer_id_word;
	if (at >= words)
		return NULL;
	uint64_t id = load64(r->body + at * 8);
	id = r->swap ? swap64(id) : id;
	/* Records made by the recorder itself carry no id. */
	if (!id)
		return &pd->events.v[0];
	const uint32_t *index = u64map_get(&pd->by_id, id);
	return index ? &pd->events.v[*index] : NULL;
}

const struct perfdata_header *perfdata_header(const struct perfdata *pd)
{
	return &pd->header;
}

struct str perfdata_feature(const struct perfdata *pd, unsigned feature)
{
	return feature < ARRAY_LEN(pd->features) ? pd->features[feature] : (struct str){NULL, 0};
}

size_t perfdata_build_id_count(const struct perfdata *pd)
{
	return pd->build_ids.n;
}

const struct rec_build_id *perfdata_build_id(const struct perfdata *pd, size_t i)
{
	return &pd->build_ids.v[i];
}

size_t perfdata_embedded_count(const struct perfdata *pd)
{
	return pd->embedded.n;
}

struct cursor perfdata_embedded(const struct perfdata *pd, size_t i)
{
	return cursor_of(pd->embedded.v[i].p, pd->embedded.v[i].n, pd->swap);
}

struct str perfdata_pmu_name(const struct perfdata *pd, uint32_t type)
{
	for (size_t i = 0; i < pd->pmu_count; i++)
		if (pd->pmus[i].type == type)
			return pd->pmus[i].name;
	return STR("");
}

size_t perfdata_chunk_count(const struct perfdata *pd)
{
	return pd->chunks.n;
}

uint64_t perfdata_chunk_end(const struct perfdata *pd, size_t chunk)
{
	return pd->chunks.v[chunk].offset + pd->chunks.v[chunk].n;
}

static void iter_enter(struct perfdata_iter *it)
{
	const struct chunk *k = &it->pd->chunks.v[it->chunk];
	it->p = k->p;
	it->end = k->p + k->n;
	it->offset = k->offset;
}

void perfdata_iter_init(struct perfdata_iter *it, struct perfdata *pd, size_t first, size_t last)
{
	*it = (struct perfdata_iter){
		.pd = pd, .chunk = first, .last_chunk = MIN(last, pd->chunks.n)};
	if (it->chunk < it->last_chunk)
		iter_enter(it);
}

/* To the next chunk that has something; false at the end. */
static bool iter_advance(struct perfdata_iter *it)
{
	if (it->chunk >= it->last_chunk)
		return false;
	perfdata_release(it->pd, it->chunk);
	if (++it->chunk >= it->last_chunk)
		return false;
	iter_enter(it);
	return true;
}

bool perfdata_next(struct perfdata_iter *it, struct record *r)
{
	const bool swap = it->pd->swap;
	for (;;) {
		/* Sizes were checked by the walk, but the file may have changed since. */
		size_t span = record_span(it->p, (size_t)(it->end - it->p), swap);
		if (UNLIKELY(!span)) {
			if (!iter_advance(it))
				return false;
			continue;
		}
		*r = record_view(it->p, swap, it->offset);
		it->p += span;
		it->offset += span;
		if (LIKELY(r->type != RECORD_COMPRESSED && r->type != RECORD_COMPRESSED2))
			return true;
	}
}

bool perfdata_record_at(struct perfdata *pd, uint64_t offset, struct record *r)
{
	size_t low = 0, high = pd->chunks.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct chunk *k = &pd->chunks.v[mid];
		if (offset < k->offset) {
			high = mid;
		} else if (offset >= k->offset + k->n) {
			low = mid + 1;
		} else {
			const uint8_t *p = k->p + (offset - k->offset);
			if (!record_span(p, (size_t)(k->p + k->n - p), pd->swap))
				return false;
			*r = record_view(p, pd->swap, offset);
			return true;
		}
	}
	return false;
}

void perfdata_release(struct perfdata *pd, size_t chunk)
{
	map_release(pd->chunks.v[chunk].p, pd->chunks.v[chunk].n);
}
