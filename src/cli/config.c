#include "cli/config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"

static const char *only_file(void)
{
	const char *path = getenv("PERF_CONFIG");
	return path && *path ? path : NULL;
}

const char *config_user_path(char *buf, size_t size)
{
	const char *home = getenv("HOME");
	if (only_file())
		return only_file();
	if (!home || !*home)
		return NULL;
	snprintf(buf, size, "%s/.perfconfig", home);
	return buf;
}

static void load_file(struct config_set *s, const char *path, bool system)
{
	struct str text;
	struct err err = {0};
	unsigned bad;
	if (access(path, R_OK) != 0)
		return;
	if (!file_read(path, CONFIG_MAX_BYTES, &text, &err)) {
		fprintf(stderr, "%s: %s\n", cli_name(), err.text);
		return;
	}
	if (!config_parse(s, text, system, &bad))
		fprintf(stderr, "bad config file line %u in %s\n", bad, path);
	free((void *)text.p);
}

/* Settings name programs and directories: those of strangers are not taken. */
static bool is_ours(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0 || !st.st_size)
		return false;
	if (st.st_uid == geteuid() || st.st_uid == 0)
		return true;
	fprintf(stderr, "File %s not owned by current user or root, ignoring it.\n", path);
	return false;
}

void config_load(struct config_set *s, enum config_files which)
{
	char buf[PATH_MAX];
	const char *user = config_user_path(buf, sizeof buf);
	*s = (struct config_set){0};
	if (only_file()) {
		if (which != CONFIG_ONLY_SYSTEM)
			load_file(s, only_file(), false);
		return;
	}
	if (which != CONFIG_ONLY_USER)
		load_file(s, CONFIG_SYSTEM, true);
	if (which != CONFIG_ONLY_SYSTEM && user && is_ours(user))
		load_file(s, user, false);
}

bool config_save(const struct config_set *s, bool system, struct err *err)
{
	char buf[PATH_MAX], temp[PATH_MAX];
	const char *path = system ? CONFIG_SYSTEM : config_user_path(buf, sizeof buf);
	if (!path)
		return err_set(err, ERR_USAGE,
			       "HOME is not set, so there is no place for settings");
	int n = snprintf(temp, sizeof temp, "%s.XXXXXX", path);
	int fd = n > 0 && (size_t)n < sizeof temp ? mkostemp(temp, O_CLOEXEC) : -1;
	if (fd < 0)
		return err_sys(err, errno, "cannot write %s", path);
	struct out o;
	out_fd(&o, fd);
	config_print(&o, s, system);
	bool ok = out_finish(&o) && fchmod(fd, 0644) == 0;
	ok = close(fd) == 0 && ok && rename(temp, path) == 0;
	if (!ok) {
		err_sys(err, o.error ? o.error : errno, "cannot write %s", path);
		unlink(temp);
	}
	return ok;
}

bool config_bool(const char *name, const char *value, bool *out, struct err *err)
{
	static const char *const yes[] = {"true", "yes", "on"}, *const no[] = {"false", "no", "off",
									       ""};
	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		if (!strcasecmp(value, yes[i])) {
			*out = true;
			return true;
		}
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		if (!strcasecmp(value, no[i])) {
			*out = false;
			return true;
		}
	int64_t number;
	if (!str_to_i64(str_of(value), &number))
		return err_set(err, ERR_USAGE, "%s is true or false, not \"%s\"", name, value);
	*out = number != 0;
	return true;
}
