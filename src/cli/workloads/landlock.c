/*
 * System calls with arguments that a tracer can show by name (an enum) or as structs. They fail, as
 * there is no such descriptor: only that they are made matters. The types are our own because older
 * systems have no linux/landlock.h.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/workloads/workloads.h"

#ifndef SYS_landlock_add_rule
#define SYS_landlock_add_rule 445
#endif

enum { RULE_PATH_BENEATH = 1, RULE_NET_PORT = 2 };
#define ACCESS_FS_READ_FILE (UINT64_C(1) << 2)
#define ACCESS_NET_CONNECT_TCP (UINT64_C(1) << 1)

struct path_beneath {
	uint64_t allowed_access;
	int32_t parent_fd;
};

struct net_port {
	uint64_t allowed_access;
	uint64_t port;
};

int landlock(int argc, char *const *argv)
{
	(void)argc;
	(void)argv;
	const int no_such_ruleset = 11, flags = 45;
	struct path_beneath path = {.allowed_access = ACCESS_FS_READ_FILE, .parent_fd = 14};
	struct net_port port = {.allowed_access = ACCESS_NET_CONNECT_TCP, .port = 19};
	(void)!syscall(SYS_landlock_add_rule, no_such_ruleset, RULE_PATH_BENEATH, &path, flags);
	(void)!syscall(SYS_landlock_add_rule, no_such_ruleset, RULE_NET_PORT, &port, flags);
	return 0;
}
