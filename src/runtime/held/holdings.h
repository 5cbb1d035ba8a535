/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which devices hold the current content of an array's bytes. Some device always does. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spans/spans.h"

struct holdings {
    struct holding {
        uint64_t end;     /* it begins where the one before it ends */
        uint32_t devices; /* a bit each; neighbours differ */
    } * piece;
    size_t count, capacity;
    const struct holdings_value *value; /* whose pieces they are; NULL: their own */
};

/* What holdings were once, and may be again: it stays as it is, and outlasts all holdings
   that are it. These have pieces of their own again as soon as they change. */
struct holdings_value {
    struct holding *piece;
    size_t count;
    uint64_t digest;
    uint32_t whole; /* the devices that hold everything */
};
/* They become it. */
void holdings_take(struct holdings *h, const struct holdings_value *v);
/* It is made of their pieces, and they become it; free() these. */
void holdings_to_value(struct holdings *h, uint64_t digest, struct holdings_value *out);
bool holdings_are_value(const struct holdings *h, const struct holdings_value *v);
uint64_t holdings_digest(const struct holdings *h);

/* All of `bytes`, not 0. */
void holdings_open(struct holdings *h, uint64_t bytes, uint32_t devices);
void holdings_close(struct holdings *h);
void holdings_copy(struct holdings *to, const struct holdings *from);

/* From now on just these devices hold the bytes: they were written. */
void holdings_set(struct holdings *h, uint64_t first, uint64_t end, uint32_t devices);
/* These do, too: the bytes were sent to them. */
void holdings_add(struct holdings *h, uint64_t first, uint64_t end, uint32_t devices);

/* So of many ranges, which are in order and apart: at once, for each by itself moves what
   is behind it. */
struct holdings_range {
    uint64_t first, end;
};
void holdings_add_each(struct holdings *h, const struct holdings_range *range, size_t count,
                       uint32_t devices);
void holdings_set_each(struct holdings *h, const struct holdings_range *range, size_t count,
                       uint32_t devices);

/* Told of each stretch of the spans that just `devices` of those in `mask` do not hold, in
   order: at the cost of what there is less of, spans or pieces, and of what is told. */
typedef void holdings_see(void *context, uint64_t first, uint64_t end, uint32_t devices);
struct holdings_unlike {
    uint32_t mask, devices;
    holdings_see *see;
    void *context;
};
void holdings_each_unlike(const struct holdings *h, const struct spans *spans,
                          const struct holdings_unlike *u);

/* The piece with that byte. */
size_t holdings_find(const struct holdings *h, uint64_t byte);
/* Whether just these hold the bytes, which are one piece then, or part of one. */
bool holdings_are(const struct holdings *h, uint64_t first, uint64_t end, uint32_t devices);
/* Whether all of these hold all of the bytes. */
bool holdings_hold(const struct holdings *h, uint64_t first, uint64_t end,
                   uint32_t devices);
/* Whether all of these devices hold everything. */
bool holdings_whole(const struct holdings *h, uint32_t devices);
