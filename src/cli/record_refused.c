/* perf's options that kiln record does not have, each with its reason. */
#include "cli/record_options.h"

const struct record_refused refused_off_cpu = {
	"--off-cpu is not there yet: kiln cannot measure waiting times in the kernel",
	"-e sched:sched_switch -g -a records where threads stop running"};
const struct record_refused refused_snapshot = {
	"-S (--snapshot) is for hardware traces (Intel PT, CoreSight), which kiln does not record",
	"--overwrite keeps the latest samples, and SIGUSR2 writes them"};
const struct record_refused refused_aux_sample = {
	"--aux-sample is for hardware traces (Intel PT, CoreSight), which kiln does not record",
	"-b samples the last taken branches, where the CPU has them"};
const struct record_refused refused_kcore = {
	"--kcore is not there: kiln keeps the names of kernel functions, not a copy of the kernel",
	"without it, names of the kernel functions that were hit are in the recording"};
const struct record_refused refused_debuginfod = {
	"--debuginfod is not there: kiln record makes no copies of files, so it downloads none",
	"--embed=all puts the symbols of all files that were hit into the recording"};
const struct record_refused refused_clang = {
	"--clang-path and --clang-opt are for BPF programs as events (-e program.c), which kiln does "
	"not compile",
	"events are tracepoints, probes and counters: kiln list"};
const struct record_refused refused_vmlinux = {
	"--vmlinux is for BPF programs as events (-e program.c), which kiln does not compile",
	"symbols of the kernel come from /proc/kallsyms"};

bool record_refuse(void *value, const char *text, bool negated, struct err *err)
{
	const struct record_refused *why = value;
	(void)text;
	if (negated)
		return true;
	err_set(err, ERR_UNSUPPORTED, "%s", why->sentence);
	return err_hint(err, "%s", why->hint);
}
