#include "resolve/kernel.h"

#include <stdio.h>
#include <stdlib.h>

#include <sys/utsname.h>

#include "base/file.h"
#include "object/debug_search.h"

/* kallsyms of the largest kernels are about 15 MB. */
#define KALLSYMS_MAX ((size_t)256 << 20)

static bool running_build_id(struct build_id *id)
{
	struct str notes;
	if (!file_read("/sys/kernel/notes", 1 << 20, &notes, NULL))
		return false;
	bool ok = build_id_from_notes(notes.p, notes.n, id);
	free((void *)notes.p);
	return ok;
}

/* Reads and parses one file; false when unreadable, hidden or not kallsyms. */
static bool try_file(struct kernel_symbols *k, const char *path, struct err *err)
{
	struct str text;
	if (!file_read(path, KALLSYMS_MAX, &text, err))
		return false;
	kallsyms_free(&k->kallsyms);
	bool ok = kallsyms_parse(&k->kallsyms, text, err);
	free((void *)text.p);
	if (ok && k->kallsyms.hidden)
		ok = err_set(err, ERR_PERMISSION, "%s hides the kernel's addresses", path);
	return ok;
}

static bool try_cache(struct kernel_symbols *k, const struct build_id *id, const char *dir)
{
	char hex[2 * BUILD_ID_MAX + 1], path[4096];
	if (!dir || !id->size)
		return false;
	build_id_hex(id, hex);
	snprintf(path, sizeof path, "%s/.build-id/%.2s/%s/kallsyms", dir, hex, hex + 2);
	return try_file(k, path, NULL);
}

static bool try_all(struct kernel_symbols *k, const struct build_id *recorded,
		    const struct resolve_options *opt, struct err *err)
{
	if (opt->kallsyms)
		return try_file(k, opt->kallsyms, err);
	struct build_id running = {0};
	bool same = !recorded->size || !running_build_id(&running) ||
		    build_id_eq(recorded, &running);
	if (same && try_file(k, "/proc/kallsyms", err))
		return true;
	if (try_cache(k, recorded, opt->build_id_dir))
		return true;
	if (!same) {
		err_set(err, ERR_INPUT,
			"kernel names are missing: it was recorded on another kernel");
		err_hint(err, "give that kernel's symbols with --kallsyms FILE");
	} else {
		err_hint(
			err,
			"run as root, or `sysctl kernel.kptr_restrict=0`, or give --kallsyms FILE");
	}
	return false;
}

/* From the first to the last symbol that is no module's. */
static void find_range(struct kernel_symbols *k)
{
	const struct kallsyms *ks = &k->kallsyms;
	size_t first = 0, last = ks->table.syms.n;
	while (first < last && ks->module_of.v[first])
		first++;
	while (last > first && ks->module_of.v[last - 1])
		last--;
	if (first < last) {
		k->start = ks->table.syms.v[first].start;
		k->end = ks->table.syms.v[last - 1].end;
	}
}

/* --- the image ------------------------------------------------------------------------------- */

static void load_image(struct kernel_symbols *k, const struct session *s,
		       const struct build_id *recorded, const char *path)
{
	struct err err = {0};
	uint64_t text, recorded_text = session_kernel_text(s);
	k->has_image = symtab_load_vmlinux(&k->image, path, recorded, &text, &err);
	if (!k->has_image) {
		symtab_free(&k->image);
		diag_add(&k->diags, DIAG_NO_KALLSYMS, 1, "no symbols from the kernel's image: %s",
			 err.text);
		diag_hint(&k->diags, DIAG_NO_KALLSYMS, "give the vmlinux of the kernel that ran");
		return;
	}
	k->image_delta = recorded_text && text ? recorded_text - text : 0;
}

/* Where distributions put the image with its debug information; those of the running kernel, which
 * the build id must confirm. */
static bool find_image(const struct build_id *id, const char *symfs, char *path, size_t size)
{
	static const char *const places[][2] = {{"/usr/lib/debug/boot/vmlinux-", ""},
						{"/usr/lib/debug/lib/modules/", "/vmlinux"},
						{"/lib/modules/", "/build/vmlinux"},
						{"/boot/vmlinux-", ""}};
	struct object_source src = {.symfs = symfs};
	struct build_id its;
	struct utsname name;
	if (!id->size || uname(&name) != 0)
		return false;
	if (debug_path_of_id(&src, id, path, size) && object_build_id(path, &its, NULL) &&
	    build_id_eq(&its, id))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		snprintf(path, size, "%s%s%s%s", source_symfs(&src), places[i][0], name.release,
			 places[i][1]);
		if (object_build_id(path, &its, NULL) && build_id_eq(&its, id))
			return true;
	}
	return false;
}

void kernel_lines_open(struct kernel_symbols *k, const struct session *s,
		       const struct resolve_options *opt)
{
	struct build_id recorded = session_object(s, session_kernel_object(s))->build_id;
	char path[4096];
	if (k->debug_tried)
		return;
	k->debug_tried = true;
	if (opt->vmlinux) {
		if (k->has_image)
			k->debug = debug_info_open_file(opt->vmlinux);
		return;
	}
	struct symtab unused;
	uint64_t text, recorded_text = session_kernel_text(s);
	if (!recorded_text || !find_image(&recorded, opt->symfs, path, sizeof path))
		return;
	if (symtab_load_vmlinux(&unused, path, &recorded, &text, NULL) && text) {
		k->image_delta = recorded_text - text;
		k->debug = debug_info_open_file(path);
	}
	symtab_free(&unused);
}

void kernel_symbols_load(struct kernel_symbols *k, const struct session *s,
			 const struct resolve_options *opt)
{
	struct build_id recorded = session_object(s, session_kernel_object(s))->build_id;
	struct err err = {0};
	if (opt->vmlinux)
		load_image(k, s, &recorded, opt->vmlinux);
	if (!try_all(k, &recorded, opt, &err)) {
		kallsyms_free(&k->kallsyms);
		if (k->embedded || k->has_image)
			return;
		diag_add(&k->diags, DIAG_NO_KALLSYMS, 1, "no kernel symbols: %s", err.text);
		if (err.hint[0])
			diag_hint(&k->diags, DIAG_NO_KALLSYMS, "%s", err.hint);
		return;
	}
	k->loaded = true;
	find_range(k);
	uint64_t text = session_kernel_text(s);
	if (text && k->kallsyms.text && text != k->kallsyms.text) {
		/* Those that came with the recording are of the very boot, modules and all. */
		if (k->embedded && !opt->kallsyms) {
			k->loaded = false;
			return;
		}
		k->moved = true;
		k->delta = text - k->kallsyms.text;
	}
}

void kernel_symbols_free(struct kernel_symbols *k)
{
	kallsyms_free(&k->kallsyms);
	symtab_free(&k->image);
	debug_info_close(k->debug);
}

static bool in_image(const struct kernel_symbols *k, const struct session_object *o)
{
	return k->has_image && o->kind == OBJECT_KERNEL;
}

uint64_t kernel_symbol_delta(const struct kernel_symbols *k, const struct session_object *o)
{
	return in_image(k, o) ? k->image_delta : k->delta;
}

bool kernel_knows_modules(const struct kernel_symbols *k)
{
	return k->loaded ? !k->moved : k->embedded != NULL;
}

const struct symbol *kernel_symbol(const struct kernel_symbols *k, const struct session_object *o,
				   uint64_t addr)
{
	if (in_image(k, o))
		return symtab_find(&k->image, addr - k->image_delta);
	if (!k->loaded && k->embedded)
		return symtab_find(k->embedded, addr);
	if (!k->loaded || (k->moved && o->kind == OBJECT_MODULE))
		return NULL;
	const struct symbol *s = symtab_find(&k->kallsyms.table, addr - k->delta);
	/* Symbols that only look like a module's (trampolines) are not the kernel's either. */
	if (s && o->kind == OBJECT_KERNEL && k->kallsyms.module_of.v[s - k->kallsyms.table.syms.v])
		return NULL;
	return s;
}

bool kernel_symbols_cover(const struct kernel_symbols *k, uint64_t addr)
{
	if (k->has_image && symtab_find(&k->image, addr - k->image_delta))
		return true;
	if (!k->loaded && k->embedded)
		return symtab_find(k->embedded, addr);
	addr -= k->delta;
	return k->loaded && addr >= k->start && addr < k->end;
}
