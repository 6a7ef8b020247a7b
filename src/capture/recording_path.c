#include "capture/recording_path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

static bool old_name(const char *path, char old[PATH_MAX])
{
	int n = snprintf(old, PATH_MAX, "%s.old", path);
	return n > 0 && n < PATH_MAX;
}

/* "data", "data.0", "data.1" … */
static bool is_part(const char *name)
{
	struct str rest, word = str_split(str_of(name), '.', &rest);
	uint64_t n;
	return str_is(word, "data") && (!rest.p || str_to_u64(rest, 10, &n));
}

static bool is_link(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static bool only_parts(DIR *d)
{
	struct dirent *e;
	while ((e = readdir(d)))
		if (!is_link(e->d_name) && !is_part(e->d_name))
			return false;
	return true;
}

static bool is_recording_dir(const char *path)
{
	DIR *d = opendir(path);
	struct stat st;
	bool ok = d && fstatat(dirfd(d), "data", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		  S_ISREG(st.st_mode) && only_parts(d);
	if (d)
		closedir(d);
	return ok;
}

bool recording_remove(const char *path)
{
	if (unlink(path) == 0)
		return true;
	if (errno != EISDIR && errno != EPERM)
		return false;
	if (!is_recording_dir(path)) {
		errno = ENOTEMPTY;
		return false;
	}
	DIR *d = opendir(path);
	if (!d)
		return false;
	for (struct dirent *e; (e = readdir(d));)
		if (is_part(e->d_name))
			(void)unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	return rmdir(path) == 0;
}

bool recording_keep_old(const char *path, bool *moved, struct err *err)
{
	char old[PATH_MAX];
	struct stat st;
	*moved = false;
	if (!old_name(path, old) || lstat(path, &st) != 0 ||
	    !(S_ISDIR(st.st_mode) ? is_recording_dir(path) : S_ISREG(st.st_mode) && st.st_size > 0))
		return true;
	/* Only a directory is not simply replaced, and does not replace. */
	if ((S_ISDIR(st.st_mode) || (lstat(old, &st) == 0 && S_ISDIR(st.st_mode))) &&
	    !recording_remove(old) && errno != ENOENT) {
		err_sys(err, errno, "cannot remove %s to keep the recording %s there", old, path);
		return err_hint(err, "name another place with -o");
	}
	*moved = rename(path, old) == 0;
	return true;
}

void recording_take_back(const char *path, bool moved)
{
	char old[PATH_MAX];
	(void)!recording_remove(path);
	if (moved && old_name(path, old))
		(void)rename(old, path);
}
