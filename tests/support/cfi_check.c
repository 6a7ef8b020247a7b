/*
 * Compares a file's CFI table with what readelf says about the same file.
 *
 *   readelf -wNF FILE | cfi_check FILE [DEBUG-FILE]
 *
 * Every row readelf prints is looked up; prints "N rows, N wrong" and the first wrong ones. With
 * "-t FILE" it only builds the table, and prints its size, the time that took, and the time it
 * takes to load it from a cache.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "object/cfi.h"

_Noreturn void mem_exhausted(size_t bytes)
{
	fprintf(stderr, "out of memory: %zu bytes\n", bytes);
	exit(1);
}

static const char *const x86_names[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
					"rbp", "rsp", "r8",  "r9",  "r10", "r11",
					"r12", "r13", "r14", "r15", "ra"};

static int reg_number(const struct arch *a, const char *name)
{
	if (!strcmp(name, "ra"))
		return a->dwarf.ra;
	if (a == &arch_arm64) {
		if (!strcmp(name, "sp"))
			return 31;
		return name[0] == 'x' ? atoi(name + 1) : -1;
	}
	for (size_t i = 0; i < ARRAY_LEN(x86_names); i++)
		if (!strcmp(name, x86_names[i]))
			return (int)i;
	return -1;
}

static void show_cfa(const struct cfi_table *t, const struct cfi_rule *r, char *out, size_t n)
{
	char reg[16];
	if (t->arch == &arch_x86_64)
		snprintf(reg, sizeof reg, "%s", x86_names[r->reg]);
	else
		snprintf(reg, sizeof reg, r->reg == 31 ? "sp" : "x%d", r->reg);
	if (r->cfa == CFI_REG)
		snprintf(out, n, "%s%+d", reg, r->value);
	else
		snprintf(out, n, "exp");
}

static void show_save(const struct cfi_table *t, const struct cfi_rule *r, int reg, char *out,
		      size_t n)
{
	const struct cfi_save *s = cfi_saves(t, r);
	snprintf(out, n, "u");
	for (unsigned i = 0; i < r->save_count; i++, s++) {
		if (s->reg != reg)
			continue;
		if (s->how == CFI_AT_CFA)
			snprintf(out, n, "c%+d", s->value);
		else if (s->how == CFI_CFA_PLUS)
			snprintf(out, n, "v%+d", s->value);
		else if (s->how == CFI_AT_REG || s->how == CFI_AT_EXPR)
			snprintf(out, n, "exp");
		else if (s->how == CFI_IS_EXPR)
			snprintf(out, n, "vexp");
		else if (s->how == CFI_SAME)
			snprintf(out, n, "s");
		else if (s->how == CFI_IN_REG)
			snprintf(out, n, "reg");
	}
}

static bool same(const char *ours, const char *theirs)
{
	if (!strcmp(ours, theirs))
		return true;
	/* It calls "breg + constant" an expression though it is a plain rule. */
	if (!strcmp(theirs, "exp") && (ours[0] == 'r' || ours[0] == 'x' || ours[0] == 's'))
		return true;
	if (!strcmp(ours, "reg"))
		return theirs[0] == 'r' || theirs[0] == 'x';
	return !strcmp(ours, "u") && !strcmp(theirs, "s");
}

static size_t rows, wrong;

static void check_row(const struct cfi_table *t, const struct elf_file *f, uint64_t vaddr,
		      char **columns, int column_count, char *rest)
{
	const struct elf_load *l = elf_load_of(f, vaddr);
	if (!l || !l->executable)
		return;
	const struct cfi_rule *r = cfi_find(t, vaddr - l->vaddr + l->offset);
	rows++;
	char *save = NULL, *word = strtok_r(rest, " \n", &save), ours[64] = "none";
	if (r)
		show_cfa(t, r, ours, sizeof ours);
	bool good = word && same(ours, word);
	if (!good && wrong < 10)
		printf("%lx: CFA is %s, not %s\n", (unsigned long)vaddr, word, ours);
	for (int i = 0; i < column_count && good && r; i++) {
		word = strtok_r(NULL, " \n", &save);
		if (word && word[0] == '(') /* "r10 (r10)" */
			word = strtok_r(NULL, " \n", &save);
		int reg = reg_number(t->arch, columns[i]);
		if (reg < 0 || !word)
			continue;
		show_save(t, r, reg, ours, sizeof ours);
		good = same(ours, word);
		if (!good && wrong < 10)
			printf("%lx: %s is %s, not %s\n", (unsigned long)vaddr, columns[i], word,
			       ours);
	}
	wrong += !good;
}

static void compare(const struct cfi_table *t, const struct elf_file *f)
{
	char line[2048], head[2048];
	char *columns[80];
	int column_count = 0;
	bool in_fde = false;
	uint64_t fde_end = 0;
	while (fgets(line, sizeof line, stdin)) {
		char *save = NULL;
		if (strstr(line, " FDE ") || strstr(line, " CIE ")) {
			in_fde = strstr(line, " FDE ") != NULL;
			char *range = strstr(line, "..");
			fde_end = range ? strtoull(range + 2, NULL, 16) : 0;
			/* Functions that were thrown away. */
			if (strstr(line, "pc=0000000000000000.."))
				in_fde = false;
			continue;
		}
		if (strstr(line, "LOC ")) {
			memcpy(head, line, sizeof head);
			column_count = -2; /* LOC and CFA are no registers */
			for (char *w = strtok_r(head, " \n", &save); w && column_count < 80;
			     w = strtok_r(NULL, " \n", &save), column_count++)
				if (column_count >= 0)
					columns[column_count] = w;
			continue;
		}
		char *end;
		uint64_t vaddr = strtoull(line, &end, 16);
		if (in_fde && end == line + 16 && *end == ' ' && vaddr < fde_end)
			check_row(t, f, vaddr, columns, column_count, end);
	}
}

static double now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void show_times(const struct cfi_table *t, double built)
{
	char dir[] = "/tmp/cfi_check-XXXXXX", path[128];
	struct build_id id = {20, {0xab}};
	struct cfi_table again;
	if (!mkdtemp(dir))
		return;
	cfi_cache_store(t, dir, &id, UINT64_MAX);
	double start = now();
	bool loaded = cfi_cache_load(&again, dir, &id);
	double took = now() - start;
	printf("%u rows, %u rules, %u saves, %u bytes of expressions, %zu bytes; built in %.1f ms, "
	       "%s in %.1f ms\n",
	       t->row_count, t->rule_count, t->save_count, t->expr_size, t->block_size, built,
	       loaded ? "loaded" : "not loaded", took);
	cfi_free(&again);
	char hex[2 * BUILD_ID_MAX + 1];
	build_id_hex(&id, hex);
	snprintf(path, sizeof path, "%s/%s.cfi", dir, hex);
	unlink(path);
	rmdir(dir);
}

int main(int argc, char **argv)
{
	bool timing = argc > 1 && !strcmp(argv[1], "-t");
	argv += timing;
	argc -= timing;
	struct mapped map, debug_map = {0};
	struct elf_file f, debug;
	struct cfi_table t;
	if (argc < 2 || !file_map(argv[1], &map, NULL) || !elf_open(&f, map.p, map.n))
		return 2;
	if (argc > 2 &&
	    (!file_map(argv[2], &debug_map, NULL) || !elf_open(&debug, debug_map.p, debug_map.n)))
		return 2;
	double start = now();
	if (!cfi_build_elf(&t, &f, debug_map.p ? &debug : NULL)) {
		printf("no CFI\n");
		return 1;
	}
	if (timing) {
		show_times(&t, now() - start);
	} else {
		compare(&t, &f);
		printf("%zu rows, %zu wrong\n", rows, wrong);
	}
	cfi_free(&t);
	file_unmap(&map);
	file_unmap(&debug_map);
	return wrong || (!timing && !rows);
}
