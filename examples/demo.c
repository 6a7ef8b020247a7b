/*
 * Something to profile: a small bakery of numbers. Every round reads orders, prices them and sorts
 * them; the flame graph shows exactly that tree, with the recursion of the sort on the right.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ORDERS 4096

struct order {
	uint64_t customer;
	double price;
};

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t hash_name(const char *name)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 0x100000001b3u;
	return h;
}

static void read_order(struct order *o, uint64_t *state)
{
	char line[64];
	snprintf(line, sizeof line, "customer-%llu", (unsigned long long)random_next(state) % 9973);
	o->customer = hash_name(line);
}

static void read_orders(struct order *orders, uint64_t *state)
{
	for (int i = 0; i < ORDERS; i++)
		read_order(&orders[i], state);
}

static double simulate_oven(uint64_t seed)
{
	double heat = (double)(seed % 1000);
	for (int i = 0; i < 60; i++)
		heat = heat * 0.97 + (double)(random_next(&seed) % 64);
	return heat;
}

static void price_orders(struct order *orders)
{
	for (int i = 0; i < ORDERS; i++)
		orders[i].price = simulate_oven(orders[i].customer | 1);
}

static void merge(struct order *a, int middle, int n, struct order *scratch)
{
	int left = 0, right = middle;
	for (int i = 0; i < n; i++)
		scratch[i] = right >= n || (left < middle && a[left].price <= a[right].price)
				     ? a[left++]
				     : a[right++];
	memcpy(a, scratch, (size_t)n * sizeof *a);
}

static void sort_orders(struct order *a, int n, struct order *scratch)
{
	if (n < 2)
		return;
	sort_orders(a, n / 2, scratch);
	sort_orders(a + n / 2, n - n / 2, scratch);
	merge(a, n / 2, n, scratch);
}

static double bake_round(uint64_t *state)
{
	static struct order orders[ORDERS], scratch[ORDERS];
	read_orders(orders, state);
	price_orders(orders);
	sort_orders(orders, ORDERS, scratch);
	return orders[ORDERS / 2].price;
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = seconds() + (argc > 1 ? atof(argv[1]) : 2.0);
	uint64_t state = 42;
	double median = 0;
	while (seconds() < end)
		median = bake_round(&state);
	printf("median price %.2f\n", median);
	return 0;
}
