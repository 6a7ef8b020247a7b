#include "resolve/kernel.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

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

void kernel_symbols_load(struct kernel_symbols *k, const struct session *s,
			 const struct resolve_options *opt)
{
	struct build_id recorded = session_object(s, session_kernel_object(s))->build_id;
	struct err err = {0};
	if (!try_all(k, &recorded, opt, &err)) {
		kallsyms_free(&k->kallsyms);
		if (k->embedded)
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
}

const struct symbol *kernel_symbol(const struct kernel_symbols *k, const struct session_object *o,
				   uint64_t addr)
{
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
	if (!k->loaded && k->embedded)
		return symtab_find(k->embedded, addr);
	addr -= k->delta;
	return k->loaded && addr >= k->start && addr < k->end;
}
