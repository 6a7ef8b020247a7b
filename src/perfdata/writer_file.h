/*
 * Inside of the writer; only for the files that make it up: writer.c opens and begins, stream.c
 * writes records, writer_end.c keeps features and finishes.
 */
#ifndef KILN_WRITER_FILE_H
#define KILN_WRITER_FILE_H

#include "base/out.h"
#include "perfdata/stream.h"
#include "perfdata/writer.h"

struct perfdata_writer {
	struct perfdata_stream main;
	struct perfdata_stream *files; /* of a directory: the rings' own */
	size_t file_count;
	bool pipe, begun;
	unsigned level; /* of compression; 0: none */
	uint64_t attrs_offset, attrs_size, attr_entry, data_offset;
	struct out event_desc;
	struct {
		uint8_t *p;
		size_t n;
	} features[256];
};

/* Sends a feature through a pipe; drops what a pipe cannot carry. */
MUST_USE bool writer_send_feature(struct perfdata_writer *w, unsigned feature, const void *p,
				  size_t n, struct err *err);

/* Writes the bytes as they are. */
MUST_USE bool writer_put(struct perfdata_writer *w, const struct out *o, struct err *err);

/* The header of a file. */
void writer_put_header(struct out *o, const struct perfdata_writer *w, uint64_t data_size,
		       const uint64_t features[4]);

#endif
