/* Frames as perf script prints them; `fields` are of enum text_field. */
#ifndef KILN_FRAME_TEXT_H
#define KILN_FRAME_TEXT_H

#include "base/out.h"
#include "profile/profile.h"

/* "ADDR SYM+0xOFF (DSO)", the address being the one sampled; with a source line, that follows on a
 * line of its own. */
void frame_text(struct out *o, const struct profile *p, frame_id id, uint64_t ip, uint32_t fields);

/* The same with a tab before and an end of line behind. */
void frame_text_line(struct out *o, const struct profile *p, frame_id id, uint64_t ip,
		     uint32_t fields);

/* One of the frames that a call chain's frame was expanded to: "(inlined)" stands for the object of
 * all but the last, and offsets are those in the function it was inlined into. */
void frame_text_inlined(struct out *o, const struct profile *p, frame_id id,
			const struct profile_frame *own, uint32_t fields);

/* " SYM+0xOFF (DSO)" */
void frame_text_place(struct out *o, const struct profile *p, frame_id id, uint32_t fields);

/* 16 columns, padded with blanks. */
void frame_text_hex(struct out *o, uint64_t v);

#endif
