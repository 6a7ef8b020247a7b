/*
 * The main() of a fuzzer where there is no libFuzzer: runs it once over each file given, and over
 * each file of each directory given. Crashes and sanitizers end it; nothing else can fail, so it
 * says how many inputs there were and complains when there were none.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		return false;
	}
	struct stat st;
	size_t size = fstat(fileno(f), &st) == 0 ? (size_t)st.st_size : 0;
	/* Exactly as long as the input: one byte too far is one byte out of bounds. */
	uint8_t *data = malloc(size ? size : 1);
	bool ok = data && fread(data, 1, size, f) == size;
	fclose(f);
	if (ok)
		LLVMFuzzerTestOneInput(data, size);
	else
		fprintf(stderr, "%s: cannot read\n", path);
	free(data);
	return ok;
}

static bool replay_directory(const char *path, size_t *count)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort);
	if (n < 0) {
		perror(path);
		return false;
	}
	bool ok = true;
	for (int i = 0; i < n; i++) {
		char file[4096];
		snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.') {
			ok = replay_file(file) && ok;
			++*count;
		}
		free(names[i]);
	}
	free(names);
	return ok;
}

int main(int argc, char **argv)
{
	bool ok = true;
	size_t count = 0;
	for (int i = 1; i < argc; i++) {
		struct stat st;
		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode)) {
			ok = replay_directory(argv[i], &count) && ok;
		} else {
			ok = replay_file(argv[i]) && ok;
			count++;
		}
	}
	printf("%zu inputs replayed\n", count);
	return ok && count ? EXIT_SUCCESS : EXIT_FAILURE;
}
