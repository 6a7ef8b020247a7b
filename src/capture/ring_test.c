#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/ring.h"

enum { SIZE = 4096, RECORD = 40 };

/* A backward ring as the kernel fills it: each record in front of the one before. */
struct fake {
	struct perf_event_mmap_page page;
	_Alignas(8) uint8_t data[SIZE];
	struct ring ring;
};

static void start(struct fake *f)
{
	memset(f, 0, sizeof *f);
	f->ring = (struct ring){.page = &f->page, .data = f->data, .size = SIZE, .backward = true};
}

static void add_record(struct fake *f, uint32_t number)
{
	uint8_t record[RECORD] = {0};
	struct perf_event_header h = {.type = number, .size = RECORD};
	memcpy(record, &h, sizeof h);
	f->page.data_head -= RECORD;
	for (size_t i = 0; i < RECORD; i++)
		f->data[(f->page.data_head + i) & (SIZE - 1)] = record[i];
}

/* Takes all; returns how many records, the newest's number in *newest. */
static size_t take(struct fake *f, uint32_t *newest)
{
	struct iovec iov[2] = {{0}};
	uint8_t all[SIZE];
	size_t n = 0;
	int count = ring_take_backward(&f->ring, iov);
	for (int i = 0; i < count; i++) {
		memcpy(all + n, iov[i].iov_base, iov[i].iov_len);
		n += iov[i].iov_len;
	}
	assert_int_equal(n % RECORD, 0);
	if (n)
		memcpy(newest, all, sizeof *newest);
	return n / RECORD;
}

static void latest_come_first_and_once(void **state)
{
	(void)state;
	struct fake f;
	uint32_t newest = 0;
	start(&f);
	assert_int_equal(take(&f, &newest), 0);
	for (uint32_t i = 1; i <= 3; i++)
		add_record(&f, i);
	assert_int_equal(take(&f, &newest), 3);
	assert_int_equal(newest, 3);
	assert_int_equal(take(&f, &newest), 0);
	add_record(&f, 4);
	assert_int_equal(take(&f, &newest), 1);
	assert_int_equal(newest, 4);
}

static void the_oldest_are_written_over(void **state)
{
	(void)state;
	struct fake f;
	uint32_t newest = 0;
	start(&f);
	for (uint32_t i = 1; i <= 1000; i++)
		add_record(&f, i);
	/* The one that is cut in two is left out. */
	assert_int_equal(take(&f, &newest), SIZE / RECORD);
	assert_int_equal(newest, 1000);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latest_come_first_and_once),
		cmocka_unit_test(the_oldest_are_written_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
