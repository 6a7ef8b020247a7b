/*
 * The files that were mapped during a recording, each with its build id: read from the file for
 * mappings that exist already, taken from the kernel's records for those that come. At the end they
 * are the header's list of build ids. Several threads may note files at once.
 */
#ifndef KILN_MAPPED_FILES_H
#define KILN_MAPPED_FILES_H

#include <pthread.h>

#include "base/build_id.h"
#include "base/hash.h"

struct mapped_file {
	string_id path;
	struct build_id build_id; /* size 0: not known yet */
	bool looked;              /* the file has been asked */
	bool kernel;
};

struct mapped_files {
	pthread_mutex_t lock; /* over all below */
	struct strtab paths;
	VEC(struct mapped_file) v;
	struct u64map by_path;  /* string_id -> index in v */
	struct u64map by_inode; /* hash of device and inode -> index in v */
};

#define MAPPED_FILES_INIT ((struct mapped_files){.lock = PTHREAD_MUTEX_INITIALIZER})
void mapped_files_free(struct mapped_files *f);

/* Notes a path with its build id (size 0: unknown). The first id given stays. */
void mapped_files_note(struct mapped_files *f, struct str path, const struct build_id *id,
		       bool kernel);

/* The build id of a file mapped by a process, read once per device and inode; size 0: it has none.
 * `open_path` tells where the very file can be opened (it may have been deleted or live in another
 * mount namespace), and is asked for a file not seen before only. */
struct build_id mapped_files_build_id(struct mapped_files *f, struct str path, uint64_t device,
				      uint64_t inode, const char *(*open_path)(void *ctx),
				      void *ctx);

/* The payload of the BUILD_ID feature; asks the files whose id no record carried. */
struct out;
void mapped_files_feature(struct mapped_files *f, struct out *o);

#endif
