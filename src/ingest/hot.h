/* The objects that most samples were taken in. */
#ifndef KILN_HOT_H
#define KILN_HOT_H

#include "profile/profile.h"

/* One per cent of the samples and more, or among the first twenty. weights: by object id, count of
 * them. The caller frees *out. */
size_t hot_objects(const uint64_t *weights, size_t count, object_id **out);

#endif
