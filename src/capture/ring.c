#include "capture/ring.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cursor.h"

bool ring_map(struct ring *r, int fd, size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	/* What we cannot write to the kernel takes for a ring that nobody empties. */
	int prot = r->backward ? PROT_READ : PROT_READ | PROT_WRITE;
	void *p = mmap(NULL, (pages + 1) * page, prot, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return false;
	*r = (struct ring){
		.fd = fd,
		.cpu = r->cpu,
		.page = p,
		.data = (uint8_t *)p + page,
		.size = pages * page,
		.backward = r->backward,
	};
	return true;
}

void ring_unmap(struct ring *r)
{
	if (r->page)
		munmap(r->page, r->size + (size_t)(r->data - (uint8_t *)r->page));
	r->page = NULL;
}

uint64_t ring_head(const struct ring *r)
{
	/* Pairs with the kernel's release of data_head: records up to it are complete. */
	return __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

int ring_pieces(const struct ring *r, uint64_t head, struct iovec iov[2])
{
	size_t n = (size_t)(head - r->tail);
	if (!n)
		return 0;
	size_t at = (size_t)r->tail & (r->size - 1);
	size_t first = MIN(n, r->size - at);
	iov[0] = (struct iovec){.iov_base = r->data + at, .iov_len = first};
	iov[1] = (struct iovec){.iov_base = r->data, .iov_len = n - first};
	return n > first ? 2 : 1;
}

/* Whole records from the start of n bytes at position `from`; the oldest may be cut. */
static size_t whole_records(const struct ring *r, uint64_t from, size_t n)
{
	size_t at = 0;
	while (n - at >= sizeof(struct perf_event_header)) {
		size_t size = load16(r->data + ((from + at) & (r->size - 1)) + 6);
		if (size < sizeof(struct perf_event_header) || size > n - at)
			break;
		at += size;
	}
	return at;
}

int ring_take_backward(struct ring *r, struct iovec iov[2])
{
	uint64_t head = ring_head(r);
	/* Positions go down, and below zero. */
	size_t n = (size_t)MIN(r->tail - head, (uint64_t)r->size);
	struct ring from = *r;
	from.tail = head;
	n = whole_records(r, head, n);
	r->tail = head;
	return ring_pieces(&from, head + n, iov);
}

void ring_take(struct ring *r, size_t n)
{
	r->tail += n;
	/* All reads of the data come before the kernel may overwrite it. */
	__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}
