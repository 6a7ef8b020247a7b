/*
 * Reading perf.data: a file, a pipe, a saved pipe stream, compressed or not, of either byte order.
 *
 * perfdata_open() makes them all alike: afterwards the events, the header and the records can be
 * read, the records as often as one likes and from any chunk. What cannot be read twice (a pipe) or
 * not in place (compressed data) is spooled to an unnamed temporary file first, so memory does not
 * grow with the input. Damage is a diagnostic (partial), not a failure, as long as there is
 * something to show.
 */
#ifndef KILN_PERFDATA_H
#define KILN_PERFDATA_H

#include "base/diag.h"
#include "base/err.h"
#include "perfdata/record.h"

struct perfdata;

struct perfdata_options {
	const char *temp_dir; /* for spooling; NULL = /tmp */
};

/* path "-" is standard input. NULL and *err on failure. */
struct perfdata *perfdata_open(const char *path, const struct perfdata_options *opt,
			       struct diags *diags, struct err *err);
void perfdata_close(struct perfdata *pd);

/* --- events ------------------------------------------------------------------------------- */

struct perfdata_event {
	struct attr attr;
	struct str
		name; /* as recorded ("cpu-clock:u"); made up from the attr when nowhere recorded */
	struct str unit;
	double scale;
	const uint64_t *ids;
	size_t id_count;
	uint32_t leader;  /* index of the group's leader; itself when it leads or is alone */
	uint32_t members; /* of the group it leads; 1 when alone */
	struct str group_name;
};

size_t perfdata_event_count(const struct perfdata *pd);
const struct perfdata_event *perfdata_event(const struct perfdata *pd, size_t i);

/* The event a record belongs to: by id where there are several, the only one otherwise. NULL when
 * its id is unknown. */
const struct perfdata_event *perfdata_event_of(const struct perfdata *pd, const struct record *r);
size_t perfdata_event_index(const struct perfdata *pd, const struct perfdata_event *ev);

/* --- header ------------------------------------------------------------------------------- */

enum perfdata_feature {
	FEAT_TRACING_DATA = 1,
	FEAT_BUILD_ID = 2,
	FEAT_HOSTNAME = 3,
	FEAT_OSRELEASE = 4,
	FEAT_VERSION = 5,
	FEAT_ARCH = 6,
	FEAT_NRCPUS = 7,
	FEAT_CPUDESC = 8,
	FEAT_CPUID = 9,
	FEAT_TOTAL_MEM = 10,
	FEAT_CMDLINE = 11,
	FEAT_EVENT_DESC = 12,
	FEAT_CPU_TOPOLOGY = 13,
	FEAT_NUMA_TOPOLOGY = 14,
	FEAT_BRANCH_STACK = 15,
	FEAT_PMU_MAPPINGS = 16,
	FEAT_GROUP_DESC = 17,
	FEAT_AUXTRACE = 18,
	FEAT_STAT = 19,
	FEAT_CACHE = 20,
	FEAT_SAMPLE_TIME = 21,
	FEAT_MEM_TOPOLOGY = 22,
	FEAT_CLOCKID = 23,
	FEAT_DIR_FORMAT = 24,
	FEAT_BPF_PROG_INFO = 25,
	FEAT_BPF_BTF = 26,
	FEAT_COMPRESSED = 27,
	FEAT_CPU_PMU_CAPS = 28,
	FEAT_CLOCK_DATA = 29,
	FEAT_HYBRID_TOPOLOGY = 30,
	FEAT_PMU_CAPS = 31,
	FEAT_LAST_KNOWN = 34,
};

/* Strings are NULL when not recorded; numbers 0. */
struct perfdata_header {
	bool pipe, swapped, compressed, unfinished;
	uint64_t data_offset, data_size, feature_offset; /* 0 for pipes */
	uint64_t file_size;
	int64_t captured_on;  /* mtime of the input, seconds since 1970 */
	uint64_t features[4]; /* bitmap: bit n of the file's feature set */
	const char *hostname, *os_release, *version, *arch, *cpu_desc, *cpu_id;
	uint32_t cpus_available, cpus_online;
	uint64_t total_mem_kb;
	const char *const *cmdline;
	size_t cmdline_count;
	uint64_t first_sample_time, last_sample_time;
	uint64_t clockid_resolution;
	uint32_t comp_version, comp_type, comp_level, comp_ratio, comp_mmap_len;
	struct str tracing_data; /* the TRACING_DATA payload, kept whole; empty when none */
};

const struct perfdata_header *perfdata_header(const struct perfdata *pd);
static inline bool perfdata_has(const struct perfdata_header *h, unsigned feature)
{
	return feature < 256 && (h->features[feature / 64] >> (feature % 64) & 1);
}

/* Raw payload of a feature section (borrowed; empty when absent). In the writer's byte order. */
struct str perfdata_feature(const struct perfdata *pd, unsigned feature);

/* Build ids from the BUILD_ID feature or from pipe records (not those inside MMAP2). */
size_t perfdata_build_id_count(const struct perfdata *pd);
const struct rec_build_id *perfdata_build_id(const struct perfdata *pd, size_t i);

/* Symbols inside the recording: each cursor is one row for embedded_object(), embedded_symbol(). */
size_t perfdata_embedded_count(const struct perfdata *pd);
struct cursor perfdata_embedded(const struct perfdata *pd, size_t i);

/* perf_event names as PMU_MAPPINGS says; empty str when unknown. */
struct str perfdata_pmu_name(const struct perfdata *pd, uint32_t type);

/* --- records ------------------------------------------------------------------------------ */

/* The record stream is cut into chunks of a few MB that begin at record borders, so that several
 * threads can read different ones. A record never crosses chunks. Chunks are known after open. */
size_t perfdata_chunk_count(const struct perfdata *pd);
uint64_t perfdata_chunk_end(const struct perfdata *pd, size_t chunk); /* as an offset */

struct perfdata_iter {
	struct perfdata *pd;
	const uint8_t *p, *end;
	uint64_t offset; /* of p in the input (in the decompressed stream where compressed) */
	size_t chunk, last_chunk;
};

/* Over chunks [first, last). Each thread has its own iterator. Records that only carry compressed
 * or header data (COMPRESSED*, HEADER_ATTR …) have been taken in by open and are still shown,
 * except COMPRESSED and COMPRESSED2, whose contents take their place. */
void perfdata_iter_init(struct perfdata_iter *it, struct perfdata *pd, size_t first, size_t last);
bool perfdata_next(struct perfdata_iter *it, struct record *r);

/* A record at an offset seen before in record.offset. Borrowed: the mapping stays until close. */
MUST_USE bool perfdata_record_at(struct perfdata *pd, uint64_t offset, struct record *r);

/* The input's pages up to here will not be needed soon: keeps memory flat on large files. Called by
 * the iterator itself at the end of a chunk. */
void perfdata_release(struct perfdata *pd, size_t chunk);

#endif
