/*
 * A file: header, id arrays, attrs, records, feature table, feature payloads. The header is written
 * twice: first without the size of the records, at the end with it.
 * A pipe: 16 bytes, then records only.
 * A directory: such a file, `data`, and data.0, data.1 … with records alone.
 */
#include "perfdata/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/out.h"
#include "perfdata/emit.h"
#include "perfdata/writer_file.h"

#define HEADER_BYTES 104
#define PIPE_HEADER_BYTES 16

/* --- open, begin --- */

static void fail_create(const char *path, int error, struct err *err)
{
	struct str name = str_basename(str_of(path));
	int dir = (int)(name.p - path);
	err_sys(err, error, "cannot create %s", path);
	if (error == EMFILE)
		err_hint(err, "raise the limit of open files: ulimit -n 1024");
	else if (error == ENOENT && dir > 0)
		err_hint(err, "make the directory first: mkdir -p %.*s", dir, path);
	else
		err_hint(err, "name another file with -o");
}

static struct perfdata_writer *writer_new(int fd, const char *name)
{
	struct perfdata_writer *w = mem_zalloc(sizeof *w);
	stream_init(&w->main, fd, name);
	out_memory(&w->event_desc);
	return w;
}

static int create(const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		fail_create(path, errno, err);
	return fd;
}

struct perfdata_writer *perfdata_writer_open(const char *path, struct err *err)
{
	bool to_stdout = !strcmp(path, "-");
	int fd = to_stdout ? dup(STDOUT_FILENO) : create(path, err);
	struct stat st;
	if (fd < 0)
		return NULL;
	struct perfdata_writer *w = writer_new(fd, to_stdout ? "standard output" : path);
	w->pipe = to_stdout || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode);
	return w;
}

static bool open_files(struct perfdata_writer *w, const char *dir, size_t count, struct err *err)
{
	w->files = mem_calloc(count, sizeof *w->files);
	for (size_t i = 0; i < count; i++) {
		char path[PATH_MAX];
		snprintf(path, sizeof path, "%s/data.%zu", dir, i);
		int fd = create(path, err);
		if (fd < 0)
			return false;
		stream_init(&w->files[w->file_count++], fd, path);
	}
	return true;
}

struct perfdata_writer *perfdata_writer_open_dir(const char *path, size_t files, struct err *err)
{
	char data[PATH_MAX];
	const uint64_t version = 1;
	int n = snprintf(data, sizeof data, "%s/data", path);
	bool long_name = n < 0 || (size_t)n >= sizeof data - sizeof "4294967295";
	if (long_name || mkdir(path, 0700) != 0) {
		fail_create(path, long_name ? ENAMETOOLONG : errno, err);
		return NULL;
	}
	int fd = create(data, err);
	if (fd < 0)
		return NULL;
	struct perfdata_writer *w = writer_new(fd, data);
	if (open_files(w, path, files, err) &&
	    perfdata_writer_feature(w, FEAT_DIR_FORMAT, &version, sizeof version, err))
		return w;
	(void)!perfdata_writer_close(w, NULL);
	return NULL;
}

bool perfdata_writer_is_pipe(const struct perfdata_writer *w)
{
	return w->pipe;
}

uint64_t perfdata_writer_bytes(const struct perfdata_writer *w)
{
	uint64_t sum = stream_bytes(&w->main);
	for (size_t i = 0; i < w->file_count; i++)
		sum += stream_bytes(&w->files[i]);
	return sum;
}

bool perfdata_writer_compress(struct perfdata_writer *w, unsigned level, struct err *err)
{
	w->level = level;
	if (!stream_compress(&w->main, level, err))
		return false;
	for (size_t i = 0; i < w->file_count; i++)
		if (!stream_compress(&w->files[i], level, err))
			return false;
	return true;
}

void perfdata_writer_async(struct perfdata_writer *w, unsigned blocks)
{
	stream_async(&w->main, blocks);
}

bool perfdata_writer_submit(struct perfdata_writer *w, struct err *err)
{
	return stream_submit(&w->main, err);
}

bool writer_put(struct perfdata_writer *w, const struct out *o, struct err *err)
{
	struct iovec v = {.iov_base = o->buf, .iov_len = o->n};
	return perfdata_write(w, &v, 1, err);
}

static void put_names(struct out *o, const struct writer_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct writer_event *ev = &events[i];
		size_t name = strlen(ev->name), size = (size_t)round_up(8 + 16 + name + 1, 8);
		/* Without an id there is no telling whose name it is, unless there is one only. */
		if ((!ev->id_count && count > 1) || size > UINT16_MAX)
			continue;
		put_record_header(o, RECORD_EVENT_UPDATE, 0, size);
		put_u64(o, 2); /* kind: name */
		put_u64(o, ev->id_count ? ev->ids[0] : 0);
		out_bytes(o, ev->name, name);
		put_zeros(o, size - 24 - name);
	}
}

void writer_put_header(struct out *o, const struct perfdata_writer *w, uint64_t data_size,
		       const uint64_t features[4])
{
	out_cstr(o, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "2ELIFREP" : "PERFILE2");
	put_u64(o, HEADER_BYTES);
	put_u64(o, w->attr_entry);
	put_u64(o, w->attrs_offset);
	put_u64(o, w->attrs_size);
	put_u64(o, w->data_offset);
	put_u64(o, data_size);
	put_zeros(o, 16); /* event types, of the first version */
	out_bytes(o, features, 4 * sizeof *features);
}

static void put_file_start(struct out *o, struct perfdata_writer *w,
			   const struct writer_event *events, size_t count)
{
	uint32_t attr_size = attr_size_of(events, count);
	uint64_t ids = HEADER_BYTES;
	w->attrs_offset = HEADER_BYTES;
	for (size_t i = 0; i < count; i++)
		w->attrs_offset += events[i].id_count * 8;
	w->attr_entry = attr_size + 16;
	w->attrs_size = count * w->attr_entry;
	w->data_offset = w->attrs_offset + w->attrs_size;
	writer_put_header(o, w, 0, (const uint64_t[4]){0});
	for (size_t i = 0; i < count; i++)
		out_bytes(o, events[i].ids, events[i].id_count * 8);
	for (size_t i = 0; i < count; i++) {
		put_attr(o, &events[i].attr, attr_size);
		put_u64(o, ids);
		put_u64(o, events[i].id_count * 8);
		ids += events[i].id_count * 8;
	}
}

static bool put_pipe_start(struct out *o, const struct writer_event *events, size_t count,
			   struct err *err)
{
	/* perf before 6.4 looks for the ids behind an attr of its own size: 128 since 5.13. */
	const uint32_t attr_size = ATTR_BYTES;
	out_cstr(o, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "2ELIFREP" : "PERFILE2");
	put_u64(o, PIPE_HEADER_BYTES);
	for (size_t i = 0; i < count; i++) {
		size_t size = 8 + attr_size + events[i].id_count * 8;
		if (size > UINT16_MAX)
			return err_set(err, ERR_UNSUPPORTED,
				       "event %s has %zu ids, more than a pipe can carry",
				       events[i].name, events[i].id_count);
		put_record_header(o, RECORD_HEADER_ATTR, 0, size);
		put_attr(o, &events[i].attr, attr_size);
		out_bytes(o, events[i].ids, events[i].id_count * 8);
	}
	return true;
}

bool perfdata_writer_begin(struct perfdata_writer *w, const struct writer_event *events,
			   size_t count, struct err *err)
{
	struct out o;
	out_memory(&o);
	bool ok = true;
	if (w->pipe)
		ok = put_pipe_start(&o, events, count, err);
	else
		put_file_start(&o, w, events, count);
	put_names(&o, events, count);
	feature_event_desc(&w->event_desc, events, count);
	ok = ok && writer_put(w, &o, err);
	(void)out_finish(&o);
	w->begun = ok;
	w->main.cut = ok && !w->pipe;
	for (size_t i = 0; i < w->file_count; i++)
		w->files[i].cut = true;
	for (unsigned i = 0; ok && w->pipe && i < ARRAY_LEN(w->features); i++)
		if (w->features[i].p)
			ok = writer_send_feature(w, i, w->features[i].p, w->features[i].n, err);
	return ok;
}

/* --- records --- */

bool perfdata_writer_flush(struct perfdata_writer *w, struct err *err)
{
	bool ok = stream_flush(&w->main, err);
	for (size_t i = 0; i < w->file_count; i++)
		ok = stream_flush(&w->files[i], ok ? err : NULL) && ok;
	return ok;
}

bool perfdata_write(struct perfdata_writer *w, const struct iovec *iov, int count, struct err *err)
{
	return stream_write(&w->main, iov, count, err);
}

struct perfdata_stream *perfdata_writer_stream(struct perfdata_writer *w, size_t i)
{
	return w->file_count ? &w->files[i] : &w->main;
}

bool perfdata_stream_write(struct perfdata_stream *s, const struct iovec *iov, int count,
			   struct err *err)
{
	return stream_write(s, iov, count, err);
}

bool perfdata_stream_flush(struct perfdata_stream *s, struct err *err)
{
	return stream_flush(s, err);
}
