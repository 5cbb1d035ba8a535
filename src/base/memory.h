/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Host memory. Bookkeeping is small, so these functions abort if memory runs out. Device
   memory is different: see PROACT_ENOSPACE. */

#include <stddef.h>

/* Zeroed memory for `count` elements of `size` bytes. Release with free(). */
void *must_calloc(size_t count, size_t size);
char *must_strdup(const char *text);
char *must_strndup(const char *text, size_t length);

/* Grows `array` (NULL at first) so that index `count` exists: doubles the capacity and
   keeps the contents. `*capacity` counts elements of `size` bytes. The new part is not
   zeroed. */
void *must_grow(void *array, size_t count, size_t *capacity, size_t size);

/* Memory that is freed together. An arena starts zeroed; arena_clear() frees everything. */
struct arena {
    struct arena_block *blocks, *kept, *spare;
};

void *arena_alloc(struct arena *a, size_t bytes); /* zeroed, aligned to 16 bytes */
/* Like arena_alloc(), but arena_rewind() does not release the memory. */
void *arena_keep(struct arena *a, size_t bytes);
void arena_clear(struct arena *a);

/* Fill state of an arena. */
struct arena_mark {
    struct arena_block *block;
    size_t used;
};

struct arena_mark arena_mark(const struct arena *a);
/* Releases the memory allocated after the mark. */
void arena_rewind(struct arena *a, struct arena_mark to);
