/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Range set: ordered ranges that neither overlap nor touch. A set starts zeroed. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    uint64_t first, end;
};

struct spans {
    struct span *span;
    size_t count, capacity;
};

void spans_add(struct spans *s, uint64_t first,
               uint64_t end); /* an empty range is allowed */
void spans_join(struct spans *into, const struct spans *of);
/* Reduces the set to at most `most` ranges, at least 1, by including the smallest gaps. */
void spans_coarsen(struct spans *s, size_t most);
/* Includes gaps of at most `most` bytes. Without `all`, a gap must also not exceed the
   range after it. */
void spans_close(struct spans *s, uint64_t most, bool all);
/* Index of the first range that ends after `byte`. s->count: none. */
size_t spans_from(const struct spans *s, uint64_t byte);
bool spans_meet(const struct spans *a,
                const struct spans *b); /* true if they have a byte in common */
/* Number of ranges of `a` that overlap `b`, at most `most`. */
size_t spans_meetings(const struct spans *a, const struct spans *b, size_t most);
bool range_set_contains(const struct spans *s, const struct spans *all_of);
void spans_clear(struct spans *s);
