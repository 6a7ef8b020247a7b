/* The rows of a timed view: filled in file order, then put in order of time. */
#ifndef KILN_ROWS_H
#define KILN_ROWS_H

#include "ingest/ingest.h"

void rows_push(struct ingest_rows *rows, const struct ingest_row *row);

/* Stable. The input is a handful of runs that are in order already (one per CPU and flush), so this
 * merges runs instead of sorting. */
void rows_sort(struct ingest_rows *rows);

#endif
