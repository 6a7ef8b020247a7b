#include "render/palette.h"

#include "base/hash.h"
#include "profile/profile.h"

const char *const palette_names[PALETTE_COUNT] = {
	"hot",  "mem",    "io",   "red",  "green", "blue", "yellow", "purple",
	"aqua", "orange", "grey", "java", "js",    "perl", "kernel",
};

/* From the first colour to the first plus the second; each channel by its own part of the hash. */
struct hue {
	uint8_t from[3], span[3];
};

static const struct hue hues[] = {
	[PALETTE_HOT] = {{205, 0, 0}, {50, 230, 55}},
	[PALETTE_MEM] = {{0, 190, 0}, {0, 50, 210}},
	[PALETTE_IO] = {{80, 80, 190}, {60, 60, 55}},
	[PALETTE_RED] = {{205, 60, 60}, {45, 70, 70}},
	[PALETTE_GREEN] = {{60, 195, 60}, {60, 50, 60}},
	[PALETTE_BLUE] = {{85, 100, 205}, {60, 60, 50}},
	[PALETTE_YELLOW] = {{180, 180, 40}, {50, 50, 40}},
	[PALETTE_PURPLE] = {{190, 75, 190}, {50, 60, 50}},
	[PALETTE_AQUA] = {{50, 165, 165}, {60, 50, 50}},
	[PALETTE_ORANGE] = {{190, 95, 0}, {60, 60, 20}},
	[PALETTE_GREY] = {{165, 165, 165}, {45, 45, 45}},
};

const char *palette_background(enum palette p)
{
	switch (p) {
	case PALETTE_MEM:
	case PALETTE_GREEN:
		return "#d8f0d8";
	case PALETTE_IO:
	case PALETTE_BLUE:
	case PALETTE_AQUA:
	case PALETTE_PURPLE:
		return "#e0e0ff";
	case PALETTE_GREY:
		return "#e0e0e0";
	default:
		return "#eeeeb0";
	}
}

static bool holds(struct str s, const char *what)
{
	return s.p && s.n && memmem(s.p, s.n, what, strlen(what));
}

/* "java/util/Map:.get", "Lorg/x/Y:.z", "org.x.Y.z" */
static bool is_java(struct str s)
{
	return str_starts(s, "java/") || str_starts(s, "jdk/") || str_starts(s, "javax/") ||
	       str_starts(s, "org/") || str_starts(s, "com/") || str_starts(s, "sun/") ||
	       str_starts(s, "io/") || (str_starts(s, "L") && holds(s, "/")) ||
	       (holds(s, ".") && holds(s, ":") && !holds(s, "::"));
}

struct traits {
	bool kernel, jit, inlined;
};

static enum palette by_kind(enum palette p, struct str name, struct traits t)
{
	if (t.kernel)
		return PALETTE_ORANGE;
	if (p == PALETTE_KERNEL)
		return PALETTE_HOT;
	if (t.inlined)
		return PALETTE_AQUA;
	if (t.jit || (p == PALETTE_JAVA && is_java(name)) ||
	    (p == PALETTE_JS && (holds(name, ".js") || holds(name, "/"))) ||
	    (p == PALETTE_PERL && (str_starts(name, "Perl_") || holds(name, ".pl"))))
		return PALETTE_GREEN;
	return holds(name, "::") || holds(name, "std::") ? PALETTE_YELLOW : PALETTE_RED;
}

/* Three numbers in [0, 1). Alike names: the first characters decide, each less than the one before;
 * the last channels look at the whole name a little so that neighbours can be told apart. */
static void vary(struct str name, bool similar, double v[3])
{
	uint64_t h = hash_str(name);
	for (size_t i = 0; i < 3; i++)
		v[i] = (double)(h >> (16 * i) & 0xffff) / 65536;
	if (!similar)
		return;
	double sum = 0, weight = 0.5;
	for (size_t i = 0; i < name.n && i < 8; i++, weight /= 2)
		sum += weight * ((unsigned char)name.p[i] * 37 % 64) / 64;
	v[1] = sum;
	v[0] = (sum * 7 + v[0]) / 8;
	v[2] = (sum * 7 + v[2]) / 8;
}

uint32_t palette_color(enum palette p, struct str name, unsigned kind, unsigned flags, bool similar)
{
	struct traits t = {
		.kernel = kind == CODE_KERNEL || kind == CODE_GUEST_KERNEL ||
			  str_ends(name, "_[k]"),
		.jit = flags & FRAME_JIT || str_ends(name, "_[j]"),
		.inlined = flags & FRAME_INLINED || str_ends(name, "_[i]"),
	};
	/* By convention these separate stacks that were put together. */
	if (str_is(name, "-") || str_is(name, "--"))
		return 0xa0a0a0;
	const struct hue *hue = &hues[p >= PALETTE_JAVA ? by_kind(p, name, t) : p];
	double v[3];
	vary(name, similar, v);
	/* Blue over blue tells little: where red and green move together they stay together. */
	if (hue->from[0] == hue->from[1])
		v[0] = v[1];
	uint32_t color = 0;
	for (size_t i = 0; i < 3; i++)
		color = color << 8 | (uint32_t)(hue->from[i] + hue->span[i] * v[i]);
	return color;
}
