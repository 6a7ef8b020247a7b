#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/out.h"
#include "session/session.h"

#define EXEC 4 /* PROT_EXEC */

/* A world under construction: records go straight into the session. */
struct world {
	struct session *s;
	struct diags diags;
};

static void u32(struct out *o, uint32_t v)
{
	out_bytes(o, &v, sizeof v);
}

static void u64(struct out *o, uint64_t v)
{
	out_bytes(o, &v, sizeof v);
}

static void text(struct out *o, const char *s)
{
	out_bytes(o, s, strlen(s) + 1);
	while (o->n % 8)
		out_char(o, '\0');
}

static void apply(struct world *w, uint32_t type, uint16_t misc, struct out *body, uint64_t time)
{
	struct record r = {.type = type,
			   .misc = misc,
			   .size = (uint16_t)(body->n + 8),
			   .body = (const uint8_t *)body->buf,
			   .body_size = body->n};
	session_apply(w->s, &r, &(struct sample_id){.time = time}, &w->diags);
	(void)out_finish(body);
}

static void map_inode(struct world *w, uint16_t misc, int32_t pid, uint64_t addr, uint64_t len,
		      uint64_t pgoff, uint32_t prot, const char *path, uint64_t inode,
		      uint64_t time)
{
	struct out o;
	out_memory(&o);
	u32(&o, (uint32_t)pid);
	u32(&o, (uint32_t)pid);
	u64(&o, addr);
	u64(&o, len);
	u64(&o, pgoff);
	u64(&o, 0); /* major, minor */
	u64(&o, inode);
	u64(&o, 0);
	u32(&o, prot);
	u32(&o, 2);
	text(&o, path);
	apply(w, PERF_RECORD_MMAP2, misc, &o, time);
}

static void map_misc(struct world *w, uint16_t misc, int32_t pid, uint64_t addr, uint64_t len,
		     uint64_t pgoff, uint32_t prot, const char *path, uint64_t time)
{
	map_inode(w, misc, pid, addr, len, pgoff, prot, path, 1, time);
}

static void map(struct world *w, int32_t pid, uint64_t addr, uint64_t len, uint64_t pgoff,
		const char *path, uint64_t time)
{
	map_misc(w, PERF_RECORD_MISC_USER, pid, addr, len, pgoff, EXEC, path, time);
}

static void comm(struct world *w, int32_t pid, int32_t tid, const char *name, uint64_t time)
{
	struct out o;
	out_memory(&o);
	u32(&o, (uint32_t)pid);
	u32(&o, (uint32_t)tid);
	text(&o, name);
	apply(w, PERF_RECORD_COMM, 0, &o, time);
}

static void fork_misc(struct world *w, uint16_t misc, int32_t pid, int32_t tid, int32_t ppid,
		      int32_t ptid, uint64_t time)
{
	struct out o;
	out_memory(&o);
	u32(&o, (uint32_t)pid);
	u32(&o, (uint32_t)ppid);
	u32(&o, (uint32_t)tid);
	u32(&o, (uint32_t)ptid);
	u64(&o, time);
	apply(w, PERF_RECORD_FORK, misc, &o, time);
}

static void ksymbol(struct world *w, uint64_t addr, uint32_t len, bool gone, const char *name,
		    uint64_t time)
{
	struct out o;
	out_memory(&o);
	u64(&o, addr);
	u32(&o, len);
	u32(&o, 1 | (gone ? 1u << 16 : 0));
	text(&o, name);
	apply(w, PERF_RECORD_KSYMBOL, 0, &o, time);
}

static int begin(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	w->s = session_new();
	*state = w;
	return 0;
}

static int end(void **state)
{
	struct world *w = *state;
	session_free(w->s);
	free(w);
	return 0;
}

static const char *comm_at(struct world *w, int32_t pid, int32_t tid, uint64_t time)
{
	return session_str(w->s, session_who_at(w->s, pid, tid, time).comm).p;
}

/* The path of what lies at an address of a process; "" for nothing. */
static const char *path_at(struct world *w, int32_t pid, uint64_t ip, uint64_t time, uint64_t *addr)
{
	struct session_who who = session_who_at(w->s, pid, pid, time);
	struct session_place p = session_place_at(w->s, who.process, false, ip, time);
	if (addr)
		*addr = ip + p.bias;
	return p.object.v ? session_str(w->s, session_object(w->s, p.object)->path).p : "";
}

static void a_thread_is_named_by_its_latest_comm(void **state)
{
	struct world *w = *state;
	comm(w, 10, 10, "late", 50);
	comm(w, 10, 10, "early", 20);
	session_seal(w->s);
	assert_false(session_who_at(w->s, 10, 10, 19).named);
	assert_string_equal(comm_at(w, 10, 10, 19), "early"); /* in the end */
	assert_string_equal(comm_at(w, 10, 10, 20), "early");
	assert_string_equal(comm_at(w, 10, 10, 49), "early");
	assert_string_equal(comm_at(w, 10, 10, 50), "late");
	assert_string_equal(comm_at(w, 0, 0, 1), "swapper");
}

static void a_name_may_be_empty(void **state)
{
	struct world *w = *state;
	comm(w, 10, 10, "", 20);
	session_seal(w->s);
	assert_false(session_who_at(w->s, 10, 10, 19).named);
	assert_true(session_who_at(w->s, 10, 10, 19).named_later);
	assert_true(session_who_at(w->s, 10, 10, 20).named);
	assert_false(session_who_at(w->s, 11, 11, 20).named);
	assert_true(session_who_at(w->s, 0, 0, 1).named);
}

static void a_child_begins_with_its_parents_name_and_maps(void **state)
{
	struct world *w = *state;
	comm(w, 10, 10, "parent", 0);
	map(w, 10, 0x1000, 0x1000, 0x400, "/bin/parent", 0);
	fork_misc(w, 0, 11, 11, 10, 10, 100);
	map(w, 10, 0x9000, 0x1000, 0, "/lib/later", 150);
	map(w, 11, 0x1000, 0x800, 0, "/bin/child", 200);
	session_seal(w->s);
	uint64_t addr;
	assert_string_equal(comm_at(w, 11, 11, 100), "parent");
	assert_string_equal(path_at(w, 11, 0x1010, 150, &addr), "/bin/parent");
	assert_int_equal(addr, 0x410);
	assert_string_equal(path_at(w, 11, 0x1010, 200, &addr), "/bin/child");
	assert_int_equal(addr, 0x10);
	/* the part not covered stays; what the parent maps later is not the child's */
	assert_string_equal(path_at(w, 11, 0x1900, 200, NULL), "/bin/parent");
	assert_string_equal(path_at(w, 11, 0x9000, 300, NULL), "");
	assert_string_equal(path_at(w, 10, 0x9000, 300, NULL), "/lib/later");
}

static void a_reused_pid_is_another_process(void **state)
{
	struct world *w = *state;
	comm(w, 1, 1, "init", 0);
	fork_misc(w, 0, 20, 20, 1, 1, 10);
	comm(w, 20, 20, "first", 11);
	map(w, 20, 0x1000, 0x1000, 0, "/bin/first", 12);
	fork_misc(w, 0, 20, 20, 1, 1, 50);
	comm(w, 20, 20, "second", 51);
	map(w, 20, 0x2000, 0x1000, 0, "/bin/second", 52);
	session_seal(w->s);
	assert_string_equal(comm_at(w, 20, 20, 40), "first");
	assert_string_equal(comm_at(w, 20, 20, 50), "init");
	assert_string_equal(comm_at(w, 20, 20, 60), "second");
	assert_string_equal(path_at(w, 20, 0x1000, 40, NULL), "/bin/first");
	assert_string_equal(path_at(w, 20, 0x1000, 60, NULL), "");
	uint32_t first = session_who_at(w->s, 20, 20, 40).process;
	uint32_t second = session_who_at(w->s, 20, 20, 60).process;
	assert_int_not_equal(first, second);
	string_id last;
	assert_true(session_last_comm(w->s, first, &last));
	assert_string_equal(session_str(w->s, last).p, "first");
	assert_true(session_last_comm(w->s, second, &last));
	assert_string_equal(session_str(w->s, last).p, "second");
	assert_false(session_last_comm(w->s, 0, &last));
}

/* As a container sees the world outside of it. */
static void all_outside_of_a_container_are_one(void **state)
{
	struct world *w = *state;
	map(w, 0, 0x1000, 0x1000, 0, "/bin/first", 10);
	comm(w, 0, 0, "first", 10);
	fork_misc(w, 0, 0, 0, 0, 0, 20);
	comm(w, 0, 0, "second", 30);
	fork_misc(w, 0, 7, 7, 0, 0, 40); /* into the container */
	session_seal(w->s);
	assert_string_equal(comm_at(w, 0, 0, 9), "swapper");
	assert_string_equal(comm_at(w, 0, 0, 10), "first");
	assert_string_equal(path_at(w, 0, 0x1000, 10, NULL), "/bin/first");
	assert_string_equal(comm_at(w, 0, 0, 20), "first");
	assert_string_equal(path_at(w, 0, 0x1000, 20, NULL), "");
	assert_string_equal(comm_at(w, 0, 0, 30), "second");
	assert_string_equal(comm_at(w, 7, 7, 40), "second");
}

static void threads_share_the_maps_of_their_process(void **state)
{
	struct world *w = *state;
	map(w, 30, 0x1000, 0x1000, 0, "/bin/p", 0);
	fork_misc(w, 0, 30, 31, 30, 30, 10);
	comm(w, 30, 31, "worker", 11);
	map(w, 30, 0x5000, 0x1000, 0, "/lib/dlopened", 20);
	session_seal(w->s);
	struct session_who t = session_who_at(w->s, 30, 31, 30);
	assert_int_equal(t.process, session_who_at(w->s, 30, 30, 30).process);
	assert_string_equal(session_str(w->s, t.comm).p, "worker");
	assert_true(session_place_at(w->s, t.process, false, 0x5000, 30).object.v);
	assert_false(session_place_at(w->s, t.process, false, 0x5000, 19).object.v);
}

static void made_up_forks_inherit_no_maps(void **state)
{
	struct world *w = *state;
	map(w, 1, 0x1000, 0x1000, 0, "/sbin/init", 0);
	fork_misc(w, 1 << 13, 40, 40, 1, 1, 0);
	session_seal(w->s);
	assert_string_equal(path_at(w, 40, 0x1000, 10, NULL), "");
}

static void jit_code_is_absolute_and_belongs_to_a_perf_map(void **state)
{
	struct world *w = *state;
	map(w, 50, 0x7000, 0x1000, 0x7000, "//anon", 0);
	map_misc(w, PERF_RECORD_MISC_USER, 50, 0x9000, 0x1000, 0, 0, "//anon", 0);
	map(w, 50, 0xa000, 0x1000, 0, "[vdso]", 0);
	session_seal(w->s);
	uint64_t addr;
	assert_string_equal(path_at(w, 50, 0x7010, 1, &addr), "/tmp/perf-50.map");
	assert_int_equal(addr, 0x7010);
	assert_string_equal(path_at(w, 50, 0x9010, 1, &addr), "//anon");
	assert_string_equal(path_at(w, 50, 0xa010, 1, &addr), "[vdso]");
	assert_int_equal(addr, 0x10);
}

static void kernel_symbols_come_and_go(void **state)
{
	struct world *w = *state;
	map_misc(w, PERF_RECORD_MISC_KERNEL, -1, 0xffff0000, 0x1000, 0xffff0000, EXEC,
		 "[kernel.kallsyms]_text", 0);
	ksymbol(w, 0xffffa000, 0x100, false, "bpf_prog_1", 10);
	ksymbol(w, 0xffffa000, 0x100, true, "bpf_prog_1", 20);
	session_seal(w->s);
	object_id kernel = session_kernel_object(w->s);
	assert_true(kernel.v);
	assert_int_equal(session_kernel_text(w->s), 0xffff0000);
	assert_int_equal(session_place_at(w->s, 0, true, 0xffff0010, 0).object.v, kernel.v);
	assert_int_equal(session_place_at(w->s, 0, true, 0xffffa010, 9).object.v, 0);
	object_id bpf = session_place_at(w->s, 0, true, 0xffffa010, 10).object;
	assert_string_equal(session_str(w->s, session_object(w->s, bpf)->path).p, "bpf_prog_1");
	assert_int_equal(session_place_at(w->s, 0, true, 0xffffa010, 20).object.v, 0);
	assert_int_not_equal(session_epoch_at(w->s, 0, 9), session_epoch_at(w->s, 0, 10));
}

static void list_build_id(struct world *w, int byte)
{
	struct rec_build_id id = {.pid = 1, .path = STR("/bin/p")};
	id.build_id.size = 20;
	memset(id.build_id.bytes, byte, 20);
	session_set_build_id(w->s, &id);
}

/* The first byte of the id of what lies at 0x1000; 0: it has none. */
static int build_id_at(struct world *w, int32_t pid)
{
	struct session_who who = session_who_at(w->s, pid, pid, 1);
	object_id o = session_place_at(w->s, who.process, false, 0x1000, 1).object;
	return session_object(w->s, o)->build_id.bytes[0];
}

static void the_header_gives_build_ids_that_mmaps_lack(void **state)
{
	struct world *w = *state;
	map_inode(w, PERF_RECORD_MISC_USER, 60, 0x1000, 0x1000, 0, EXEC, "/bin/p", 1, 0);
	map_inode(w, PERF_RECORD_MISC_USER, 61, 0x1000, 0x1000, 0, EXEC, "/bin/p", 2, 0);
	map(w, 62, 0x1000, 0x1000, 0, "/bin/q", 0);
	list_build_id(w, 7);
	session_seal(w->s);
	assert_int_equal(build_id_at(w, 60), 7);
	assert_int_equal(build_id_at(w, 61), 7);
	assert_int_equal(build_id_at(w, 62), 0);
}

static void files_of_one_path_have_their_own_build_ids(void **state)
{
	struct world *w = *state;
	for (uint64_t i = 0; i < 3; i++)
		map_inode(w, PERF_RECORD_MISC_USER, 60 + (int32_t)i, 0x1000, 0x1000, 0, EXEC,
			  "/bin/p", 100 + i, 0);
	list_build_id(w, 7);
	list_build_id(w, 7);
	list_build_id(w, 8);
	session_seal(w->s);
	assert_int_equal(build_id_at(w, 60), 7);
	assert_int_equal(build_id_at(w, 61), 8);
	assert_int_equal(build_id_at(w, 62), 0);
}

static void malformed_records_are_counted_not_believed(void **state)
{
	struct world *w = *state;
	struct out o;
	out_memory(&o);
	u32(&o, 1);
	apply(w, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &o, 0);
	session_seal(w->s);
	assert_int_equal(w->diags.of[DIAG_BAD_RECORD].count, 1);
	assert_true(diags_partial(&w->diags));
}

/* Forks of forks of forks …: must end, and soon. */
static void a_tower_of_forks_is_no_trouble(void **state)
{
	struct world *w = *state;
	map(w, 1, 0x1000, 0x1000, 0, "/bin/root", 0);
	for (int32_t pid = 2; pid < 20000; pid++) {
		fork_misc(w, 0, pid, pid, pid - 1, pid - 1, (uint64_t)pid);
		if (pid % 100 == 0)
			map(w, pid, 0x100000, 0x1000, 0, "/lib/x", (uint64_t)pid);
	}
	session_seal(w->s);
	assert_string_equal(path_at(w, 90, 0x1000, 100000, NULL), "/bin/root");
	for (uint64_t i = 0; i < 10000; i++)
		(void)path_at(w, 19999, 0x5000 + i, 100000, NULL);
}

static object_id code(struct world *w, int32_t pid, uint64_t start, uint64_t end, uint64_t time,
		      uint64_t which, bool first)
{
	object_id o = session_code_object(w->s, pid, STR("map"), which);
	session_add_code(w->s, &(struct session_code){.pid = pid,
						      .time = time,
						      .start = start,
						      .end = end,
						      .object = o,
						      .first = first});
	return o;
}

static object_id at(struct world *w, int32_t pid, uint64_t ip, uint64_t time)
{
	struct session_who who = session_who_at(w->s, pid, pid, time);
	return session_place_at(w->s, who.process, false, ip, time).object;
}

static void code_made_at_run_time_hides_mappings(void **state)
{
	struct world *w = *state;
	comm(w, 10, 10, "x", 0);
	map(w, 10, 0x1000, 0x3000, 0, "//anon", 5);
	object_id first = code(w, 10, 0x1000, 0x1100, 20, 0, true);
	object_id second = code(w, 10, 0x1080, 0x1180, 30, 1, false);
	/* The memory is marked as code again and again: that says nothing. */
	map(w, 10, 0x1000, 0x3000, 0, "//anon", 40);
	/* A library comes to lie where code was. */
	map(w, 10, 0x1100, 0x1000, 0, "/lib/x.so", 50);
	session_seal(w->s);
	assert_int_equal(at(w, 10, 0x1000, 10).v, first.v); /* told a little late */
	assert_int_equal(at(w, 10, 0x1080, 29).v, first.v);
	assert_int_equal(at(w, 10, 0x1080, 30).v, second.v);
	assert_int_equal(at(w, 10, 0x1080, 45).v, second.v);
	assert_int_equal(at(w, 10, 0x1100, 45).v, second.v);
	/* Nobody maps anything else without a word. */
	object_id library = at(w, 10, 0x1100, 55);
	assert_int_equal(session_object(w->s, library)->kind, OBJECT_FILE);
	assert_int_equal(at(w, 10, 0x1080, 55).v, second.v);
	assert_int_equal(session_object(w->s, at(w, 10, 0x2800, 45))->kind, OBJECT_ANON);
	/* What an address means changes when code takes the place of other code. */
	uint32_t process = session_who_at(w->s, 10, 10, 29).process;
	assert_int_not_equal(session_epoch_at(w->s, process, 29),
			     session_epoch_at(w->s, process, 30));
}

static void code_is_of_the_process_that_had_the_number_then(void **state)
{
	struct world *w = *state;
	comm(w, 10, 10, "x", 0);
	fork_misc(w, 0, 11, 11, 10, 10, 10);
	object_id old = code(w, 11, 0x1000, 0x1100, 20, 0, true);
	fork_misc(w, 0, 11, 11, 10, 10, 100);
	object_id new = code(w, 11, 0x1000, 0x1100, 120, 1, true);
	/* A child runs its parent's code, until it makes its own. */
	fork_misc(w, 0, 12, 12, 11, 11, 150);
	map(w, 11, 0x1000, 0x1000, 0, "//anon", 101);
	session_seal(w->s);
	assert_int_equal(at(w, 11, 0x1000, 99).v, old.v);
	assert_int_equal(at(w, 11, 0x1000, 105).v, new.v);
	assert_int_equal(at(w, 12, 0x1000, 160).v, new.v);
	assert_int_equal(at(w, 10, 0x1000, 160).v, 0);
	assert_int_equal(session_started(w->s, 11), 100);
	assert_int_equal(session_started(w->s, 13), 0);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
		TEST(a_thread_is_named_by_its_latest_comm),
		TEST(a_name_may_be_empty),
		TEST(a_child_begins_with_its_parents_name_and_maps),
		TEST(a_reused_pid_is_another_process),
		TEST(all_outside_of_a_container_are_one),
		TEST(threads_share_the_maps_of_their_process),
		TEST(made_up_forks_inherit_no_maps),
		TEST(jit_code_is_absolute_and_belongs_to_a_perf_map),
		TEST(kernel_symbols_come_and_go),
		TEST(the_header_gives_build_ids_that_mmaps_lack),
		TEST(files_of_one_path_have_their_own_build_ids),
		TEST(malformed_records_are_counted_not_believed),
		TEST(a_tower_of_forks_is_no_trouble),
		TEST(code_made_at_run_time_hides_mappings),
		TEST(code_is_of_the_process_that_had_the_number_then),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
