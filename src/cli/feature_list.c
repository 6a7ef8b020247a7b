#include "cli/feature_list.h"

#include "version.h"

/* Scripts ask whether a thing works, not by which library: what kiln does itself is on. */
const struct feature features[] = {
	{"aio", "HAVE_AIO_SUPPORT", true},
	{"bpf", "HAVE_LIBBPF_SUPPORT", false},
	{"debuginfod", "HAVE_DEBUGINFOD_SUPPORT", false},
	{"dwarf", "HAVE_DWARF_SUPPORT", true},
	{"dwarf_getlocations", "HAVE_DWARF_GETLOCATIONS_SUPPORT", true},
	{"dwarf-unwind", "HAVE_DWARF_UNWIND_SUPPORT", true},
	{"auxtrace", "HAVE_AUXTRACE_SUPPORT", false},
	{"libbfd", "HAVE_LIBBFD_SUPPORT", false},
	{"libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", false},
	{"libcrypto", "HAVE_LIBCRYPTO_SUPPORT", false},
	{"libdw-dwarf-unwind", "HAVE_LIBDW_SUPPORT", true},
	{"libelf", "HAVE_LIBELF_SUPPORT", true},
	{"libnuma", "HAVE_LIBNUMA_SUPPORT", false},
	{"libperl", "HAVE_LIBPERL_SUPPORT", false},
	{"libpfm4", "HAVE_LIBPFM", KILN_HAVE_PFM},
	{"libpython", "HAVE_LIBPYTHON_SUPPORT", false},
	{"libslang", "HAVE_SLANG_SUPPORT", false},
	{"libtraceevent", "HAVE_LIBTRACEEVENT", true},
	{"libunwind", "HAVE_LIBUNWIND_SUPPORT", false},
	{"lzma", "HAVE_LZMA_SUPPORT", KILN_HAVE_LZMA},
	{"numa_num_possible_cpus", "HAVE_LIBNUMA_SUPPORT", false},
	{"zlib", "HAVE_ZLIB_SUPPORT", true},
	{"zstd", "HAVE_ZSTD_SUPPORT", true},
	{0},
};

void feature_print(struct out *o, const struct feature *f)
{
	out_fmt(o, "%22s: [ %s ]  # %s\n", f->name, f->on ? "on " : "OFF", f->macro);
}
