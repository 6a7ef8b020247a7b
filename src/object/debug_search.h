/*
 * Where the file of an object may be, and its debug file: perf's places, in perf's order. Every
 * file must have the build id that was recorded, if one was: that makes the order safe.
 */
#ifndef KILN_DEBUG_SEARCH_H
#define KILN_DEBUG_SEARCH_H

#include "object/elf_file.h"
#include "object/object.h"

struct debug_candidate {
	const char *path;
	struct mapped map; /* whoever takes the file clears this */
	struct elf_file elf;
};

struct debug_search {
	const struct object_source *src;
	/* Called with every file that is there, in order. Gives true when nothing more is needed.
	 */
	bool (*offer)(void *ctx, struct debug_candidate *c);
	void *ctx;

	/* filled in */
	struct build_id id;    /* recorded, else that of the file itself; size 0: none */
	bool done;             /* offer() had enough */
	bool changed;          /* the file at the recorded path is another one */
	struct build_id found; /* … with this build id, if any */
};

void debug_search(struct debug_search *s);

/* The prefix of every path; "" when there is none. */
static inline const char *source_symfs(const struct object_source *src)
{
	return src->symfs ? src->symfs : "";
}

/* Debug files of this build id: ".build-id/xx/yyyy.debug" below the system's debug directory. False
 * when the path would be too long. */
bool debug_path_of_id(const struct object_source *src, const struct build_id *id, char *path,
		      size_t size);

#endif
