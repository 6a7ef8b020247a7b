/*
 * The session: who ran where and when. Built in pass 1 from the side-band records (mmap, comm,
 * fork, exit, ksymbol …) and then asked, in any order of time: which thread was this, what was its
 * name, which object lay at this address? A reused pid is another process. No symbol names here.
 *
 * Sole owner of time state. After session_seal() it is read-only and may be shared by threads.
 */
#ifndef KILN_SESSION_H
#define KILN_SESSION_H

#include "base/diag.h"
#include "base/hash.h"
#include "perfdata/record.h"

struct session;

enum object_kind {
	OBJECT_FILE,   /* an ELF file, read by path */
	OBJECT_KERNEL, /* the kernel's own text, named by kallsyms */
	OBJECT_MODULE, /* a kernel module */
	OBJECT_BPF,    /* one BPF program or trampoline: its only symbol is its own name */
	OBJECT_ANON,   /* anonymous executable memory: JIT code, named by /tmp/perf-PID.map */
	OBJECT_VDSO,
	OBJECT_OTHER, /* [heap], [stack], //anon data …: never has symbols */
};

struct session_object {
	enum object_kind kind;
	string_id path; /* long name as perf prints it */
	string_id name; /* short name */
	struct build_id build_id;
	int32_t pid; /* OBJECT_ANON: whose map file; OBJECT_FILE: one process that mapped it */
	uint64_t start, end; /* OBJECT_BPF, kernel, modules: address range; else 0 */
	uint64_t identity;   /* tells files of one path apart that have no build id: a hash of the
				inode */
};

struct session *session_new(void);
void session_free(struct session *s);

/* Pass 1: takes in one record; others than side-band are ignored. `who` is its trailer (time 0 when
 * not recorded). Records may come in any order of time. */
void session_apply(struct session *s, const struct record *r, const struct sample_id *who,
		   struct diags *d);

/* From the BUILD_ID feature: the id of an object with this path whose MMAP2 said none. The path
 * must live until seal. */
void session_set_build_id(struct session *s, const struct rec_build_id *id);

/* Code made at run time (JIT), as a perf map or jitdump tells it. It lies on top of
 * memory, not of files that have names of their own. All before seal. */
struct session_code {
	int32_t pid;
	uint64_t time; /* from when on; 0: since ever */
	uint64_t start, end;
	object_id object;
	bool first; /* nothing was there before: what was sampled there even earlier is this too */
};
/* which: tells those of one path apart. */
object_id session_code_object(struct session *s, int32_t pid, struct str path, uint64_t which);
/* In the order told, per process. */
void session_add_code(struct session *s, const struct session_code *c);

/* Orders everything by time and builds the look-up tables. */
void session_seal(struct session *s);

/* --- after seal ----------------------------------------------------------------------------- */

/* A thread as it was at `time`. process tells the owners of a reused pid apart (0: never
 * announced).*/
struct session_who {
	int32_t pid, tid;
	uint32_t process;
	string_id comm;   /* may well be empty */
	bool named;       /* else the comm is not known yet: perf script prints ":TID" */
	bool named_later; /* then comm is the name it gets; perf report knows it in the end */
};
struct session_who session_who_at(const struct session *s, int32_t pid, int32_t tid, uint64_t time);

/* When the latest process of this number began; 0: before the recording, or nobody knows. */
uint64_t session_started(const struct session *s, int32_t pid);

/* What a process was called in the end; false: it never was. */
bool session_last_comm(const struct session *s, uint32_t process, string_id *comm);

/* Counts the changes of a process's (and the kernel's) address space up to `time`: equal epochs
 * mean that every address means the same. */
uint64_t session_epoch_at(const struct session *s, uint32_t process, uint64_t time);

/* What lies around an address: the same answer holds for every ip in [lo, hi) at that epoch. */
struct session_place {
	object_id object; /* 0: no mapping */
	uint64_t bias;    /* ip + bias is the address in the object's own space */
	uint64_t lo, hi;
};
/* kernel: look among kernel maps instead of the process's. */
struct session_place session_place_at(const struct session *s, uint32_t process, bool kernel,
				      uint64_t ip, uint64_t time);

size_t session_object_count(const struct session *s); /* ids 1 .. count-1 */
const struct session_object *session_object(const struct session *s, object_id id);
struct str session_str(const struct session *s, string_id id);

/* The kernel's own text; 0 when no record spoke of it. */
object_id session_kernel_object(const struct session *s);

/* Address of the kernel's _text (or _stext) while recording; 0 when unknown. */
uint64_t session_kernel_text(const struct session *s);

#endif
