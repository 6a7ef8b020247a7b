/*
 * Prints what the DWARF reader knows about addresses, in addr2line's format, so that it can be
 * compared with addr2line and llvm-symbolizer.
 *
 * usage: dwarf_at [-q] [-t THREADS] FILE < ADDRESSES (hexadecimal, one per line)
 *
 * Per address a line with it, then for each frame, innermost first, two lines: the function ("??"
 * when unknown) and FILE:LINE:COLUMN ("??:0:0"). -t looks up all of them at once on that many
 * threads; without it they are looked up one by one. -q prints only how many frames there are, to
 * measure. Finds DWO files, FILE.dwp, and the file that .gnu_debugaltlink names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "object/dwarf.h"
#include "object/elf_file.h"

_Noreturn void mem_exhausted(size_t bytes)
{
	fprintf(stderr, "dwarf_at: out of memory: %zu bytes\n", bytes);
	exit(1);
}

/* Files stay mapped to the end. */
static bool sections_of(const char *path, struct dwarf_sections *out, struct str *alt_link)
{
	struct mapped map;
	struct elf_file f;
	struct elf_section s;
	if (!file_map(path, &map, NULL) || !elf_open(&f, map.p, map.n))
		return false;
	*out = (struct dwarf_sections){.swap = f.swap, .relocatable = f.type == ET_REL};
	for (uint32_t i = 1; elf_section(&f, i, &s); i++) {
		struct str *slot = dwarf_section_slot(out, s.name);
		if (slot)
			*slot = s.data;
		if (alt_link && str_is(s.name, ".gnu_debugaltlink"))
			*alt_link = str_make(s.data.p, strnlen(s.data.p, s.data.n));
	}
	return true;
}

struct finder {
	const char *binary;
	struct dwarf_sections package;
	int have_package; /* 0: not tried, 1: yes, -1: no */
};

static bool find_split(void *ctx, const struct dwarf_split *want, struct dwarf_sections *out)
{
	struct finder *f = ctx;
	char path[4096];
	if (!f->have_package) {
		snprintf(path, sizeof path, "%s.dwp", f->binary);
		f->have_package = sections_of(path, &f->package, NULL) ? 1 : -1;
	}
	if (f->have_package == 1) {
		*out = f->package;
		return true;
	}
	struct dwarf_file file = {.comp_dir = want->comp_dir, .name = want->name};
	struct arena a = {0};
	bool found = sections_of(dwarf_file_path(&file, &a).p, out, NULL);
	arena_free(&a);
	return found;
}

static void print(uint64_t addr, const struct dwarf_frame *f, size_t n)
{
	struct arena a = {0};
	printf("0x%" PRIx64 "\n", addr);
	if (!n)
		puts("??\n??:0:0");
	for (size_t i = 0; i < n; i++) {
		struct str path = f[i].file ? dwarf_file_path(f[i].file, &a) : STR("??");
		struct str name = f[i].function.n ? f[i].function : STR("??");
		printf("%.*s\n%.*s:%u:%u\n", (int)name.n, name.p, (int)path.n, path.p, f[i].line,
		       f[i].column);
	}
	arena_free(&a);
}

int main(int argc, char **argv)
{
	int threads = 0;
	bool quiet = false;
	size_t total = 0;
	for (int c; (c = getopt(argc, argv, "qt:")) != -1;) {
		if (c == 't')
			threads = atoi(optarg);
		else if (c == 'q')
			quiet = true;
		else
			return 2;
	}
	struct dwarf_sections s, alt;
	struct str alt_link = STR("");
	if (optind + 1 != argc || !sections_of(argv[optind], &s, &alt_link)) {
		fprintf(stderr, "usage: dwarf_at [-q] [-t THREADS] ELF-FILE < ADDRESSES\n");
		return 2;
	}
	if (alt_link.n && sections_of(alt_link.p, &alt, NULL))
		s.alt = &alt;
	struct finder finder = {.binary = argv[optind]};
	struct dwarf *d = dwarf_new(&s, find_split, &finder);

	VEC(uint64_t) addrs = {0};
	for (char line[64]; fgets(line, sizeof line, stdin);)
		vec_push(&addrs, strtoull(line, NULL, 16));
	if (threads) {
		struct pool *pool = pool_new((unsigned)threads);
		struct dwarf_results r;
		dwarf_lookup(d, addrs.v, addrs.n, pool, &r);
		for (size_t i = 0; i < addrs.n; i++) {
			total += r.at[i].n;
			if (!quiet)
				print(addrs.v[i], r.at[i].v, r.at[i].n);
		}
		dwarf_results_free(&r);
		pool_free(pool);
	} else {
		for (size_t i = 0; i < addrs.n; i++) {
			struct dwarf_frame frames[512];
			size_t n = dwarf_frames_at(d, addrs.v[i], frames, ARRAY_LEN(frames));
			total += n;
			if (!quiet)
				print(addrs.v[i], frames, n);
		}
	}
	if (quiet)
		printf("%zu frames\n", total);
	vec_free(&addrs);
	dwarf_free(d);
	return 0;
}
