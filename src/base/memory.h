/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Host memory. Bookkeeping is small, so running out of it is not a state worth a branch:
   these abort. Device memory is different: see PROACT_ENOSPACE. */

#include <stddef.h>

/* Zeroed memory for `count` things of `size` bytes; free() it. */
void *must_calloc(size_t count, size_t size);
char *must_strdup(const char *text);
char *must_strndup(const char *text, size_t length);

/* Grows `array` (NULL at first) so that index `count` exists: doubles, keeps the content.
   `*capacity` counts elements of `size` bytes; the new part is not zeroed. */
void *must_grow(void *array, size_t count, size_t *capacity, size_t size);

/* Memory that is freed all at once. Start from zero; arena_clear() frees everything. */
struct arena {
    struct arena_block *blocks, *kept, *spare;
};

void *arena_alloc(struct arena *a, size_t bytes); /* zeroed, aligned to 16 */
/* As arena_alloc(), and arena_rewind() takes it not back. */
void *arena_keep(struct arena *a, size_t bytes);
void arena_clear(struct arena *a);

/* How far an arena is filled. */
struct arena_mark {
    struct arena_block *block;
    size_t used;
};

struct arena_mark arena_mark(const struct arena *a);
/* Takes back what was allocated since the mark was set. */
void arena_rewind(struct arena *a, struct arena_mark to);
