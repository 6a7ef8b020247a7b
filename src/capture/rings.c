#include "capture/rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "capture/perf_event.h"

#define DEFAULT_RING (512 << 10) /* what kernel.perf_event_mlock_kb allows every user */
#define LARGE_RING (4 << 20)
#define LARGE_RINGS_TOTAL (64 << 20)

/* Gives each open event its ring's number, making rings for places not seen before. The first event
 * at a place owns its ring. */
static void place_events(struct rings *r, struct counters *cs)
{
	struct u64map places = {0};
	for (size_t i = 0; i < cs->v.n; i++)
		for (size_t k = 0; k < cs->v.v[i].fds.n; k++) {
			struct counter_fd *f = &cs->v.v[i].fds.v[k];
			bool backward = cs->v.v[i].attr.flags & ATTR_WRITE_BACKWARD;
			uint64_t place = f->cpu >= 0 ? (uint64_t)f->cpu
						     : (uint64_t)1 << 32 | (uint32_t)f->tid;
			place |= (uint64_t)backward << 33;
			uint32_t *known = u64map_get(&places, place);
			if (known) {
				f->ring = *known;
				continue;
			}
			f->ring = (uint32_t)r->v.n;
			u64map_put(&places, place, f->ring);
			vec_push(&r->v,
				 (struct ring){.fd = f->fd, .cpu = f->cpu, .backward = backward});
		}
	u64map_free(&places);
}

static size_t default_pages(size_t rings)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = DEFAULT_RING;
	if (geteuid() == 0)
		while (size < LARGE_RING && size * 2 * rings <= LARGE_RINGS_TOTAL)
			size *= 2;
	return MAX(size / page, (size_t)1);
}

static void unmap_all(struct rings *r)
{
	for (size_t i = 0; i < r->v.n; i++)
		ring_unmap(&r->v.v[i]);
}

static bool map_all(struct rings *r)
{
	for (size_t i = 0; i < r->v.n; i++)
		if (!ring_map(&r->v.v[i], r->v.v[i].fd, r->pages)) {
			int error = errno;
			unmap_all(r);
			errno = error;
			return false;
		}
	return true;
}

static bool fail_map(const struct rings *r, int error, struct err *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE),
	       cpus = (size_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
	/* With the page in front of each, and as the limit counts: for each CPU. */
	size_t kb = (r->v.n * (r->pages + 1) + cpus - 1) / cpus * page >> 10;
	uint64_t now = 0;
	err_sys(err, error, "cannot map %zu ring buffers of %zu kB", r->v.n, r->pages * page >> 10);
	if (error != EPERM)
		return err_hint(err, "a smaller -m takes less memory");
	if (file_read_u64(MLOCK_FILE, &now) && kb <= now)
		return err_hint(err,
				"other recorders of this user hold the memory: end them, or sudo "
				"sysctl -w kernel.perf_event_mlock_kb=%zu",
				(size_t)now + kb);
	return err_hint(err, "a smaller -m, or: sudo sysctl -w kernel.perf_event_mlock_kb=%zu", kb);
}

static void tell_shrunk(const struct rings *r, const struct capture_plan *plan)
{
	char limit[32] = "?", text[256];
	(void)!file_read_line(MLOCK_FILE, limit, sizeof limit);
	snprintf(text, sizeof text,
		 "ring buffers of %zu kB only: kernel.perf_event_mlock_kb=%s is used up (ulimit -l "
		 "counts too)",
		 r->pages * (size_t)sysconf(_SC_PAGESIZE) >> 10, limit);
	if (plan->note)
		plan->note(text);
}

/* As far as an ordinary user may. */
static bool raise_memory_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_MEMLOCK, &limit) == 0;
}

static bool map_shrinking(struct rings *r, const struct capture_plan *plan, struct err *err)
{
	size_t first = r->pages;
	bool raised = false;
	while (!map_all(r)) {
		int error = errno;
		if (error == EPERM && !raised) {
			raised = true;
			if (raise_memory_limit())
				continue;
		}
		if (plan->ring_pages || r->pages == 1 || (error != EPERM && error != ENOMEM))
			return fail_map(r, error, err);
		r->pages /= 2;
	}
	if (r->pages < first)
		tell_shrunk(r, plan);
	return true;
}

bool rings_open(struct rings *r, struct counters *cs, const struct capture_plan *plan,
		struct err *err)
{
	place_events(r, cs);
	r->pages = plan->ring_pages ? plan->ring_pages : default_pages(r->v.n);
	if (!map_shrinking(r, plan, err))
		return false;
	for (size_t i = 0; i < cs->v.n; i++)
		for (size_t k = 0; k < cs->v.v[i].fds.n; k++) {
			const struct counter_fd *f = &cs->v.v[i].fds.v[k];
			int owner = r->v.v[f->ring].fd;
			if (f->fd != owner && ioctl(f->fd, PERF_EVENT_IOC_SET_OUTPUT, owner) != 0)
				return err_sys(err, errno, "cannot direct event %s to its ring",
					       cs->v.v[i].name);
		}
	return true;
}

void rings_close(struct rings *r)
{
	unmap_all(r);
	vec_free(&r->v);
}
