/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/held/wants.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

/* Tables are made anew so often; then all goes to all for good. */
enum { NUMBER_MAX = 16 };
enum { STRETCHES_MAX = 1024, PIECES_MAX = 1024 };

static uint32_t count_of(const struct kernel_binding *b)
{
    return b->transfer.slot_count * b->transfer.devices->count;
}

static struct transfer_need *make(const struct kernel_binding *b)
{
    return must_calloc(count_of(b) + 1u, sizeof(struct transfer_need));
}

static void drop(const struct kernel_binding *b, struct transfer_need *of)
{
    for (uint32_t n = 0; of && n < count_of(b); n++)
        need_clear(&of[n]);
    free(of);
}

static void clear(const struct kernel_binding *b, struct transfer_need *of)
{
    for (uint32_t n = 0; n < count_of(b); n++)
        need_clear(&of[n]);
}

static void copy(const struct kernel_binding *b, struct transfer_need *to,
                 const struct transfer_need *from)
{
    clear(b, to);
    for (uint32_t n = 0; n < count_of(b); n++)
        need_join(&to[n], &from[n]);
}

static bool differ(const struct kernel_binding *b, const struct transfer_need *one,
                   const struct transfer_need *other)
{
    for (uint32_t n = 0; n < count_of(b); n++)
        if (need_differs(&one[n], &other[n]))
            return true;
    return false;
}

void wants_open(struct kernel_binding *b)
{
    if (!b->wants)
        b->wants = must_calloc(1, sizeof *b->wants);
    b->wants->seen = make(b);
    b->wants->before = make(b);
}

void wants_open_for_nobody(struct kernel_binding *b, const struct launching *l)
{
    b->wants = must_calloc(1, sizeof *b->wants);
    b->wants->told = make(b);
    for (unsigned s = 0; s < b->transfer.slot_count; s++) {
        const struct proact_array *a = launching_slot_array(l, s);

        b->wants->told[s * b->transfer.devices->count].all = a && a->is_shared;
    }
}

void wants_close(struct kernel_binding *b)
{
    if (!b->wants)
        return;
    drop(b, b->wants->told);
    drop(b, b->wants->seen);
    drop(b, b->wants->before);
    free(b->wants);
    b->wants = NULL;
}

bool wants_is_replaced(const struct kernel_binding *b)
{
    return b->wants->is_replaced;
}

bool wants_are_known(const struct kernel_binding *b)
{
    return b->wants->is_launched || (b->wants->number && !b->wants->follows_nobody);
}

const struct transfer_need *wants_told(const struct kernel_binding *b, unsigned slot)
{
    return b->wants->told ? &b->wants->told[slot * b->transfer.devices->count] : NULL;
}

const struct transfer_need *wants_read(const struct kernel_binding *b, unsigned slot)
{
    const struct binding_wants *w = b->wants;
    const struct transfer_need *of = w->told && w->number ? w->told
                                     : w->is_launched     ? w->seen
                                                          : NULL;

    return of ? &of[slot * b->transfer.devices->count] : NULL;
}

uint64_t wants_digest(const struct kernel_binding *b, unsigned slot)
{
    const struct transfer_need *told = wants_told(b, slot);
    uint64_t digest = 1;

    for (unsigned d = 0; told && d < b->transfer.devices->count; d++) {
        digest = hash_mix(digest + told[d].all + 2 * told[d].spans.count);
        if (told[d].spans.count)
            digest = hash_bytes(told[d].spans.span,
                                told[d].spans.count * sizeof *told[d].spans.span, digest);
    }
    return told ? digest | 1 : 0;
}

void wants_see(const struct proact_array *a, unsigned device,
               const struct transfer_need *need)
{
    const struct kernel_binding *b = a->writer;

    if (b && !a->session->looks)
        need_join(&b->wants->seen[a->writer_slot * b->transfer.devices->count + device],
                  need);
}

void wants_restart(struct kernel_binding *b)
{
    struct binding_wants *w = b->wants;
    struct transfer_need *seen = w->seen;

    w->seen = w->before;
    w->before = seen;
    clear(b, w->seen);
    w->is_launched = true;
}

bool wants_is_scattered(const struct kernel_binding *b, unsigned slot)
{
    size_t stretches = 0;

    for (unsigned d = 0; d < b->transfer.devices->count; d++)
        stretches += b->tables[slot]->tables->table[d].extent_count;
    return stretches > STRETCHES_MAX || b->wants->leaves_pieces;
}

/* The first launches of all find the array as the host left it. */
void wants_note_pieces(const struct kernel_binding *b, unsigned slot, size_t pieces)
{
    b->wants->leaves_pieces |= pieces > PIECES_MAX && wants_told(b, slot);
}

/* Whether anybody reads what another writes. */
static bool crosses(const struct kernel_binding *b, const struct transfer_need *seen)
{
    const unsigned devices = b->transfer.devices->count;

    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        for (unsigned owner = 0; owner < devices; owner++) {
            const struct spans *owned = &b->tables[s]->tables->table[owner].owned;

            for (unsigned d = 0; d < devices; d++) {
                const struct transfer_need *need = &seen[s * devices + d];

                if (d != owner && owned->count &&
                    (need->all || spans_meet(&need->spans, owned)))
                    return true;
            }
        }
    return false;
}

/* The host may look at the first device's replica of these at any time. */
static void see_shared(const struct kernel_binding *b, struct transfer_need *seen)
{
    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        seen[s * b->transfer.devices->count].all |= b->array[s]->is_shared;
}

static bool is_all(const struct kernel_binding *b, const struct transfer_need *of)
{
    for (uint32_t n = 0; n < count_of(b); n++)
        if (!of[n].all)
            return false;
    return true;
}

static bool is_scattered(const struct kernel_binding *b)
{
    bool is = false;

    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        is |= wants_is_scattered(b, s);
    return is;
}

/* After the first launch at once; later where two times the same was read. */
static bool is_time(const struct kernel_binding *b)
{
    const struct binding_wants *w = b->wants;

    if (!w->is_launched || w->number > NUMBER_MAX || b->transfer.plan.everywhere)
        return false;
    if (is_scattered(b))
        return w->told != NULL;
    if (!w->number)
        return w->told ? differ(b, w->seen, w->told) : !is_all(b, w->seen);
    return w->told && differ(b, w->seen, w->told) && !differ(b, w->seen, w->before);
}

struct binding_wants *wants_change(struct kernel_binding *b)
{
    struct binding_wants *w = b->wants, *next;
    const struct transfer_plan *plan = &b->transfer.plan;
    bool is_last = w->number == NUMBER_MAX || is_scattered(b);

    see_shared(b, w->seen);
    if (!is_time(b))
        return NULL;
    if (transfer_sends_to_all(plan)) {
        if (!w->told && crosses(b, w->seen))
            return NULL;
        is_last |= crosses(b, w->seen);
    }
    next = must_calloc(1, sizeof *next);
    next->number = is_last ? NUMBER_MAX + 1 : w->number + 1;
    next->leaves_pieces = w->leaves_pieces;
    if (!is_last) {
        next->told = make(b);
        copy(b, next->told, w->seen);
    }
    next->follows_nobody = !w->number && w->told;
    w->is_replaced = true;
    return next;
}
