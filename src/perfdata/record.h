/*
 * Records: a borrowed view of one perf record's bytes, and decoders that turn it into plain
 * structs. Every decoder checks sizes first and returns false on a record that does not hold what
 * its type promises; text and arrays stay borrowed from the record.
 *
 * Record type numbers are the kernel's (linux/perf_event.h); the ones made by tools are below.
 */
#ifndef KILN_RECORD_H
#define KILN_RECORD_H

#include <linux/perf_event.h>

#include "base/base.h"
#include "base/build_id.h"
#include "base/cursor.h"
#include "base/str.h"
#include "perfdata/attr.h"

enum tool_record {
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_EVENT_TYPE = 65,
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_AUXTRACE_ERROR = 72,
	RECORD_THREAD_MAP = 73,
	RECORD_CPU_MAP = 74,
	RECORD_STAT_CONFIG = 75,
	RECORD_STAT = 76,
	RECORD_STAT_ROUND = 77,
	RECORD_EVENT_UPDATE = 78,
	RECORD_TIME_CONV = 79,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82,
	RECORD_COMPRESSED2 = 83,
	RECORD_BPF_METADATA = 84,
	RECORD_SCHEDSTAT_CPU = 85,
	RECORD_SCHEDSTAT_DOMAIN = 86,
};

/* The kernel's, but not named by older headers. */
#define RECORD_AUX_OUTPUT_HW_ID 21
#define MISC_CPUMODE_MASK 7
#define MISC_COMM_EXEC (1 << 13)
#define MISC_MMAP_DATA (1 << 13)
#define MISC_SWITCH_OUT (1 << 13)
#define MISC_MMAP_BUILD_ID (1 << 14)
#define MISC_BUILD_ID_SIZE (1 << 15)
#define MISC_LOST_FILTERED (1 << 15) /* LOST_SAMPLES: a filter has dropped them */

struct record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;       /* as in the header, header included */
	const uint8_t *body; /* behind the 8-byte header */
	size_t body_size;
	uint64_t offset; /* where in the input, for messages */
	bool swap;       /* the writer had the other byte order */
};

/* "MMAP2", "SAMPLE" …; "UNKNOWN" for types nobody has named. */
const char *record_type_name(uint32_t type);
bool record_type_known(uint32_t type);

static inline struct cursor record_cursor(const struct record *r)
{
	return cursor_of(r->body, r->body_size, r->swap);
}

/* MMAP and MMAP2. */
struct rec_mmap {
	int32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t major, minor;
	uint64_t inode, inode_generation;
	uint32_t prot, flags;
	struct build_id build_id;
	struct str path;
	bool v2;
};
struct rec_comm {
	int32_t pid, tid;
	struct str comm;
	bool exec;
};
/* FORK and EXIT. */
struct rec_task {
	int32_t pid, ppid, tid, ptid;
	uint64_t time;
};
struct rec_lost {
	uint64_t id, lost;
};
struct rec_namespaces {
	int32_t pid, tid;
	size_t count;
	struct {
		uint64_t dev, inode;
	} ns[16];
};
struct rec_ksymbol {
	uint64_t addr;
	uint32_t len;
	uint16_t ksym_type;
	uint16_t flags; /* 1: the symbol goes away */
	struct str name;
};
struct rec_bpf {
	uint16_t kind; /* 1 load, 2 unload */
	uint16_t flags;
	uint32_t id;
	uint8_t tag[8];
};
struct rec_cgroup {
	uint64_t id;
	struct str path;
};
struct rec_throttle {
	uint64_t time, id, stream_id;
};
/* SWITCH_CPU_WIDE; SWITCH has no body. */
struct rec_switch {
	int32_t other_pid, other_tid;
};
struct rec_build_id {
	int32_t pid;
	struct build_id build_id;
	struct str path;
};

MUST_USE bool record_mmap(const struct record *r, struct rec_mmap *out);
MUST_USE bool record_comm(const struct record *r, struct rec_comm *out);
MUST_USE bool record_task(const struct record *r, struct rec_task *out);
MUST_USE bool record_lost(const struct record *r, struct rec_lost *out);
MUST_USE bool record_lost_samples(const struct record *r, uint64_t *lost);
MUST_USE bool record_namespaces(const struct record *r, struct rec_namespaces *out);
MUST_USE bool record_ksymbol(const struct record *r, struct rec_ksymbol *out);
MUST_USE bool record_bpf(const struct record *r, struct rec_bpf *out);
MUST_USE bool record_cgroup(const struct record *r, struct rec_cgroup *out);
MUST_USE bool record_throttle(const struct record *r, struct rec_throttle *out);
MUST_USE bool record_switch_cpu_wide(const struct record *r, struct rec_switch *out);
MUST_USE bool record_build_id(const struct record *r, struct rec_build_id *out);

/* What a record says about itself: from a sample's fields, or from the trailer of other records. */
struct sample_id {
	int32_t pid, tid; /* -1 when not recorded */
	uint64_t time;    /* 0 when not recorded */
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu; /* UINT32_MAX when not recorded */
};

/* The trailer of a record that is not a sample; all "not recorded" when attr has no sample_id_all.
 */
MUST_USE bool record_trailer(const struct record *r, const struct attr *a, struct sample_id *out);

struct branch_entry {
	uint64_t from, to, flags;
};

/* One decoded sample; absent fields are zero, except that a period not recorded is the attr's
 * sample_period, as in perf. Arrays are borrowed and in the writer's byte order
 * unless said otherwise. */
struct sample {
	struct sample_id who;
	uint64_t ip, addr, period;
	uint16_t misc; /* of the record */
	uint8_t cpumode;
	const uint64_t *chain; /* native byte order (swapped into the decoder's scratch) */
	size_t chain_count;
	const uint8_t *raw;
	uint32_t raw_size;
	const uint8_t *read; /* read_format block, undecoded */
	size_t read_size;
	const uint8_t *branches; /* branch_count * 24 bytes */
	size_t branch_count;
	uint64_t branch_hw_idx;
	uint64_t user_abi;
	const uint8_t *user_regs; /* one u64 per bit of attr.sample_regs_user */
	const uint8_t *user_stack;
	uint64_t user_stack_size;  /* bytes in the record */
	uint64_t user_stack_valid; /* bytes the kernel really copied */
	uint64_t intr_abi;
	const uint8_t *intr_regs;
	uint64_t weight;
	uint16_t ins_lat, p_stage_cyc;
	uint64_t data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	const uint8_t *aux;
	uint64_t aux_size;
};

/* Scratch for byte-swapped call chains; zero-initialised is ready. */
struct sample_scratch {
	uint64_t *words;
	size_t cap;
};
void sample_scratch_free(struct sample_scratch *s);

/* Where the thread was in user space; false when its registers were not recorded. machine: as the
 * header's arch says, NULL: the one we run on. */
bool sample_user_ip(const struct sample *s, const struct attr *a, const char *machine, bool swap,
		    uint64_t *ip);

MUST_USE bool record_sample(const struct record *r, const struct attr *a, struct sample_scratch *s,
			    struct sample *out);

#endif
