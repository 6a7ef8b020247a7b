/*
 * A text file about each event that was opened, for the outside test suite that judges what a
 * recorder asks of the kernel: directory/event-TYPE-CONFIG-FD, one "name=value" line per field.
 */
#ifndef KILN_ATTR_FILE_H
#define KILN_ATTR_FILE_H

#include "base/err.h"
#include "perfdata/attr.h"

MUST_USE bool attr_file_write(const char *dir, const struct attr *a, int fd, int group_fd,
			      int32_t tid, int32_t cpu, struct err *err);

#endif
