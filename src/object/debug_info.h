/*
 * All debug information of one object: the file that holds its DWARF, the file this shares parts
 * with (dwz), and the files that hold the rest of split units (.dwo, .dwp). What is compressed is
 * unpacked when the object is opened.
 */
#ifndef KILN_DEBUG_INFO_H
#define KILN_DEBUG_INFO_H

#include "object/dwarf.h"
#include "object/object.h"

struct debug_info;

/* NULL: no debug information was found that belongs to this object. Thread-safe. */
struct debug_info *debug_info_open(const struct object_source *src);
/* From one file, of whatever build id: a kernel image. */
struct debug_info *debug_info_open_file(const char *path);
void debug_info_close(struct debug_info *d);

/* Owned by d. Its addresses are those of the ELF file. */
struct dwarf *debug_info_dwarf(const struct debug_info *d);

/* From an offset in the file, as symbol tables have it, to an address of the ELF file; false when
 * no code is there. */
bool debug_info_vaddr(const struct debug_info *d, uint64_t offset, uint64_t *vaddr);

#endif
