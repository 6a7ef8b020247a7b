/* Recordings as a whole in the file system, be they files or directories. */
#ifndef KILN_RECORDING_PATH_H
#define KILN_RECORDING_PATH_H

#include "base/err.h"

/* Moves a recording out of the way, to PATH.old, in place of an older one; *moved tells whether
 * there was one. A directory that is no recording stays where it is: what cannot be moved is for
 * the one who creates the new recording to say. Fails when PATH.old is something else than a
 * recording. */
MUST_USE bool recording_keep_old(const char *path, bool *moved, struct err *err);

/* Removes the recording and puts PATH.old back, if there is one to be. */
void recording_take_back(const char *path, bool moved);

/* Removes a file, or a directory that holds a recording and nothing else. False with errno;
 * ENOTEMPTY when there is more in it. */
MUST_USE bool recording_remove(const char *path);

#endif
