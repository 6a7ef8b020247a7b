#include "base/tar.h"

#include <stdio.h>

/* Fields of a header: where they begin and how long they are. */
enum {
	NAME = 0,
	NAME_SIZE = 100,
	MODE = 100,
	UID = 108,
	GID = 116,
	SIZE = 124,
	TIME = 136,
	SUM = 148,
	TYPE = 156,
	LINK = 157,
	LINK_SIZE = 100,
	MAGIC = 257,
	PREFIX = 345,
	PREFIX_SIZE = 155,
};

/* --- writing ---------------------------------------------------------------------------------- */

static void put_octal(char *field, int digits, uint64_t value)
{
	for (int i = digits; i-- > 0; value >>= 3)
		field[i] = (char)('0' + (value & 7));
}

static unsigned sum_of(const char *block)
{
	unsigned sum = 0;
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= SUM && i < SUM + 8 ? ' ' : (uint8_t)block[i];
	return sum;
}

static void put_block(struct out *o, const struct tar_entry *e)
{
	char block[TAR_BLOCK] = {0};
	memcpy(block + NAME, e->name.p, MIN(e->name.n, (size_t)NAME_SIZE));
	if (e->link.n)
		memcpy(block + LINK, e->link.p, MIN(e->link.n, (size_t)LINK_SIZE));
	put_octal(block + MODE, 7, e->mode & 07777);
	put_octal(block + UID, 7, 0);
	put_octal(block + GID, 7, 0);
	if (e->size >> 33) { /* more than eleven octal digits: GNU's binary form */
		block[SIZE] = (char)0x80;
		for (int i = 0; i < 8; i++)
			block[SIZE + 4 + i] = (char)(e->size >> (56 - 8 * i));
	} else {
		put_octal(block + SIZE, 11, e->size);
	}
	put_octal(block + TIME, 11, e->time > 0 ? (uint64_t)e->time : 0);
	block[TYPE] = e->type;
	memcpy(block + MAGIC, "ustar  ", 8); /* GNU's, for the long names */
	put_octal(block + SUM, 6, sum_of(block));
	block[SUM + 7] = ' ';
	out_bytes(o, block, sizeof block);
}

static void put_long(struct out *o, char type, struct str text)
{
	struct tar_entry e = {
		.type = type, .size = text.n + 1, .mode = 0644, .name = STR("././@LongLink")};
	put_block(o, &e);
	out_str(o, text);
	static const char zeros[TAR_BLOCK];
	out_bytes(o, zeros, 1 + tar_padding(e.size));
}

void tar_header(struct out *o, const struct tar_entry *e)
{
	if (e->link.n > LINK_SIZE)
		put_long(o, TAR_LONG_LINK, e->link);
	if (e->name.n > NAME_SIZE)
		put_long(o, TAR_LONG_NAME, e->name);
	put_block(o, e);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Octal digits, blanks or NUL behind them; or GNU's binary form. */
static bool read_number(const char *field, size_t size, uint64_t *out)
{
	*out = 0;
	size_t i = 0;
	if ((uint8_t)field[0] == 0x80) {
		for (i = 1; i < size; i++) {
			if (*out >> 56)
				return false;
			*out = *out << 8 | (uint8_t)field[i];
		}
		return true;
	}
	while (i < size && field[i] == ' ')
		i++;
	for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
		*out = *out << 3 | (unsigned)(field[i] - '0');
	for (; i < size; i++)
		if (field[i] && field[i] != ' ')
			return false;
	return true;
}

static struct str read_text(const char *field, size_t size)
{
	return str_make(field, strnlen(field, size));
}

bool tar_parse(const char *block, struct tar_entry *e, char *scratch)
{
	*e = (struct tar_entry){0};
	uint64_t sum, mode, time;
	bool empty = block[0] == 0 && memcmp(block, block + 1, TAR_BLOCK - 1) == 0;
	if (empty)
		return true;
	if (!read_number(block + SUM, 8, &sum) || sum != sum_of(block) ||
	    !read_number(block + SIZE, 12, &e->size) || !read_number(block + MODE, 8, &mode) ||
	    !read_number(block + TIME, 12, &time) || e->size > INT64_MAX - TAR_BLOCK)
		return false;
	e->type = block[TYPE] ? block[TYPE] : TAR_FILE;
	e->mode = (uint32_t)(mode & 07777);
	e->time = (int64_t)(time & INT64_MAX);
	e->name = read_text(block + NAME, NAME_SIZE);
	e->link = read_text(block + LINK, LINK_SIZE);
	struct str prefix = read_text(block + PREFIX, PREFIX_SIZE);
	if (prefix.n && memcmp(block + MAGIC, "ustar\0", 6) == 0) {
		int n = snprintf(scratch, 257, "%.*s/%.*s", (int)prefix.n, prefix.p, (int)e->name.n,
				 e->name.p);
		e->name = str_make(scratch, (size_t)n);
	}
	return true;
}
