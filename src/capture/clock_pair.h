/* One moment by two clocks: CLOCK_MONOTONIC, which jitdumps have, and the recording's. */
#ifndef KILN_CLOCK_PAIR_H
#define KILN_CLOCK_PAIR_H

#include "base/base.h"

/* clockid: the recording's; -1: the kernel's own, which no call reads but every record shows; less:
 * none. Both are 0 when it cannot be found out. */
void clock_pair(int32_t clockid, uint64_t *monotonic, uint64_t *recording);

#endif
