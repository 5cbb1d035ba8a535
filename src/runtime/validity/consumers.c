/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/validity/consumers.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/request/need.h"

/* limit of successive bindings; after that a slot goes to every device for good */
enum { NUMBER_MAX = 16 };
enum { COPIES_MAX = 1024, PARTS_MAX = 256 };

/* Set of reads: the digests of their needs, in ascending order. */
struct reads {
    uint64_t *digest;
    size_t count, capacity;
};

static uint32_t count_of(const struct kernel_binding *b)
{
    return b->transfer.slot_count * b->transfer.devices->count;
}

static struct reads *make(const struct kernel_binding *b)
{
    return must_calloc(count_of(b) + 1u, sizeof(struct reads));
}

static struct transfer_need *make_needs(const struct kernel_binding *b)
{
    return must_calloc(count_of(b) + 1u, sizeof(struct transfer_need));
}

static void drop(const struct kernel_binding *b, struct reads *of)
{
    for (uint32_t n = 0; of && n < count_of(b); n++)
        free(of[n].digest);
    free(of);
}

static void clear(const struct kernel_binding *b, struct reads *of)
{
    for (uint32_t n = 0; n < count_of(b); n++)
        of[n].count = 0;
}

static void copy(const struct kernel_binding *b, struct reads *to, const struct reads *from)
{
    clear(b, to);
    for (uint32_t n = 0; n < count_of(b); n++)
        for (size_t i = 0; i < from[n].count; i++) {
            to[n].digest =
                must_grow(to[n].digest, to[n].count, &to[n].capacity, sizeof *to[n].digest);
            to[n].digest[to[n].count++] = from[n].digest[i];
        }
}

static void drop_parts(struct consumers *w)
{
    for (size_t n = 0; n < w->part_count; n++)
        need_clear(&w->part[n]);
    w->part_count = 0;
}

static const struct transfer_need *part_of(const struct consumers *w, uint64_t digest)
{
    for (size_t n = 0; n < w->part_count; n++)
        if (w->part[n].digest == digest)
            return &w->part[n];
    return NULL;
}

/* Returns false if the digest is already in the set. */
static bool add_read(struct reads *r, uint64_t digest)
{
    size_t at = r->count;

    while (at && r->digest[at - 1] >= digest)
        if (r->digest[--at] == digest)
            return false;
    r->digest = must_grow(r->digest, r->count, &r->capacity, sizeof *r->digest);
    memmove(&r->digest[at + 1], &r->digest[at], (r->count - at) * sizeof *r->digest);
    r->digest[at] = digest;
    r->count++;
    return true;
}

/* Records a read. Above PARTS_MAX distinct needs, a read is not recorded and its data is
   fetched instead. */
static void add(struct consumers *w, struct reads *r, const struct transfer_need *need)
{
    const uint64_t digest = need_digest(need);

    const bool is_known = part_of(w, digest) != NULL;

    if ((!is_known && w->part_count == PARTS_MAX) || !add_read(r, digest) || is_known)
        return;
    w->part = must_grow(w->part, w->part_count, &w->part_capacity, sizeof *w->part);
    struct transfer_need *part = &w->part[w->part_count++];

    *part = (struct transfer_need){0};
    need_join(part, need);
    part->digest = digest;
}

/* Union of the needs in `r`. Every digest was added after the last drop_parts(), so its
   need is available. */
static void join(const struct consumers *w, const struct reads *r,
                 struct transfer_need *out)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct transfer_need *part = part_of(w, r->digest[i]);

        if (part)
            need_join(out, part);
    }
}

static bool differ(const struct kernel_binding *b, const struct reads *one,
                   const struct reads *other)
{
    for (uint32_t n = 0; n < count_of(b); n++)
        if (one[n].count != other[n].count ||
            (one[n].count && memcmp(one[n].digest, other[n].digest,
                                    one[n].count * sizeof *one[n].digest) != 0))
            return true;
    return false;
}

void consumers_create(struct kernel_binding *b)
{
    if (!b->consumers)
        b->consumers = must_calloc(1, sizeof *b->consumers);
    b->consumers->observed = make(b);
    b->consumers->before = make(b);
    if (!b->consumers->push_reads)
        b->consumers->push_reads = make(b);
}

void consumers_create_empty(struct kernel_binding *b, const struct launching *l)
{
    b->consumers = must_calloc(1, sizeof *b->consumers);
    b->consumers->push_targets = make_needs(b);
    for (unsigned s = 0; s < b->transfer.slot_count; s++) {
        const struct proact_array *a = launching_slot_array(l, s);

        b->consumers->push_targets[s * b->transfer.devices->count].all = a && a->is_shared;
    }
}

void consumers_destroy(struct kernel_binding *b)
{
    struct consumers *w = b->consumers;

    if (!w)
        return;
    for (uint32_t n = 0; w->push_targets && n < count_of(b); n++)
        need_clear(&w->push_targets[n]);
    free(w->push_targets);
    drop(b, w->push_reads);
    drop(b, w->observed);
    drop(b, w->before);
    drop_parts(w);
    free(w->part);
    free(w);
    b->consumers = NULL;
}

bool consumers_is_replaced(const struct kernel_binding *b)
{
    return b->consumers->is_replaced;
}

bool consumers_are_known(const struct kernel_binding *b)
{
    return b->consumers->is_launched ||
           (b->consumers->number && !b->consumers->follows_nobody);
}

const struct transfer_need *consumers_push_targets(const struct kernel_binding *b,
                                                   unsigned slot)
{
    return b->consumers->push_targets
               ? &b->consumers->push_targets[slot * b->transfer.devices->count]
               : NULL;
}

bool consumers_predicted_read(const struct kernel_binding *b, unsigned slot,
                              unsigned device, struct transfer_need *into)
{
    const struct consumers *w = b->consumers;
    const uint32_t at = slot * b->transfer.devices->count + device;

    if (w->push_targets && w->number)
        need_join(into, &w->push_targets[at]);
    else if (w->is_launched)
        join(w, &w->observed[at], into);
    else
        return false;
    return true;
}

uint64_t consumers_digest(const struct kernel_binding *b, unsigned slot)
{
    const struct transfer_need *push_targets = consumers_push_targets(b, slot);
    uint64_t digest = 1;

    for (unsigned d = 0; push_targets && d < b->transfer.devices->count; d++) {
        digest = hash_mix(digest + push_targets[d].all + 2 * push_targets[d].spans.count);
        if (push_targets[d].spans.count)
            digest = hash_bytes(
                push_targets[d].spans.span,
                push_targets[d].spans.count * sizeof *push_targets[d].spans.span, digest);
    }
    return push_targets ? digest | 1 : 0;
}

void consumers_note_read(const struct proact_array *a, unsigned device,
                         const struct transfer_need *need)
{
    const struct kernel_binding *b = a->writer;

    if (b && !a->session->looks && (need->all || need->spans.count))
        add(b->consumers,
            &b->consumers->observed[a->writer_slot * b->transfer.devices->count + device],
            need);
}

void consumers_restart(struct kernel_binding *b)
{
    struct consumers *w = b->consumers;
    struct reads *observed = w->observed;

    w->observed = w->before;
    w->before = observed;
    if (!w->is_launched) /* the targets come from these reads */
        copy(b, w->before, w->push_reads);
    clear(b, w->observed);
    if (w->part_count > PARTS_MAX / 2)
        drop_parts(w);
    w->is_launched = true;
}

bool consumers_are_scattered(const struct kernel_binding *b, unsigned slot)
{
    size_t copies = 0;

    for (unsigned d = 0; d < b->transfer.devices->count; d++)
        copies += b->tables[slot]->tables->table[d].extent_copies;
    return copies > COPIES_MAX;
}

/* Number of ranges that `device` reads and other devices write, at most `most`. */
static size_t crossings(const struct kernel_binding *b, unsigned slot, unsigned device,
                        const struct transfer_need *need, size_t most)
{
    size_t count = 0;

    for (unsigned owner = 0; owner < b->transfer.devices->count && count < most; owner++) {
        const struct spans *owned = &b->tables[slot]->tables->table[owner].owned;

        if (owner == device || !owned->count)
            continue;
        if (need->all || most == 1)
            count += need->all || spans_meet(&need->spans, owned);
        else
            count += spans_meetings(&need->spans, owned, most - count);
    }
    return count;
}

/* Whether any device reads a range that another device writes. */
static bool crosses(const struct kernel_binding *b, const struct reads *observed)
{
    const unsigned devices = b->transfer.devices->count;

    for (uint32_t n = 0; n < count_of(b); n++)
        for (size_t i = 0; i < observed[n].count; i++) {
            const struct transfer_need *part = part_of(b->consumers, observed[n].digest[i]);

            if (part && crossings(b, n / devices, n % devices, part, 1))
                return true;
        }
    return false;
}

/* The host may access the device-0 replica of a host-accessible array at any time. */
static void consumers_add_shared(const struct kernel_binding *b)
{
    static const struct transfer_need everything = {.all = true};

    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        if (b->array[s]->is_shared)
            add(b->consumers, &b->consumers->observed[s * b->transfer.devices->count],
                &everything);
}

static bool is_all(const struct kernel_binding *b, const struct reads *of)
{
    for (uint32_t n = 0; n < count_of(b); n++) {
        struct transfer_need all = {0};

        join(b->consumers, &of[n], &all);
        if (!all.all) {
            need_clear(&all);
            return false;
        }
    }
    return true;
}

static bool is_scattered(const struct kernel_binding *b)
{
    bool is = false;

    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        is |= consumers_are_scattered(b, s);
    return is;
}

/* Limits the number of ranges pushed to one device. Close ranges are joined. If too many
   remain, none is pushed and the reader fetches them (fetch.h). */
static void keep_few(const struct kernel_binding *b, uint32_t n,
                     struct transfer_need *push_targets)
{
    enum { FEW = 16, CLOSE_BYTES = 4096 };
    const unsigned devices = b->transfer.devices->count, slot = n / devices,
                   device = n % devices;
    const size_t most = COPIES_MAX / (2 * devices);

    if (push_targets->all || crossings(b, slot, device, push_targets, FEW + 1) <= FEW)
        return;
    spans_close(&push_targets->spans, CLOSE_BYTES, true);
    if (crossings(b, slot, device, push_targets, most + 1) > most)
        need_clear(push_targets);
}

/* Push targets for the given reads. */
static struct transfer_need *consumers_push_needs(const struct kernel_binding *b,
                                                  const struct reads *of)
{
    struct transfer_need *push_targets = make_needs(b);

    for (uint32_t n = 0; n < count_of(b); n++) {
        join(b->consumers, &of[n], &push_targets[n]);
        keep_few(b, n, &push_targets[n]);
    }
    return push_targets;
}

/* Whether the observed reads give new push targets. Different reads can have equal unions;
   in that case push_reads is updated, and the comparison is not repeated. */
static bool is_new(struct kernel_binding *b)
{
    struct consumers *w = b->consumers;
    bool is = false;

    if (!differ(b, w->observed, w->push_reads))
        return false;
    struct transfer_need *push_targets = consumers_push_needs(b, w->observed);

    for (uint32_t n = 0; n < count_of(b); n++) {
        is |= need_differs(&push_targets[n], &w->push_targets[n]);
        need_clear(&push_targets[n]);
    }
    free(push_targets);
    if (!is)
        copy(b, w->push_reads, w->observed);
    return is;
}

/* Whether the targets may change now: directly after the first launch, and later if two
   successive intervals observed the same reads. */
static bool is_time(struct kernel_binding *b, const struct transfer_plan *plan)
{
    const struct consumers *w = b->consumers;

    if (!w->is_launched || w->number > NUMBER_MAX || plan->everywhere)
        return false;
    if (is_scattered(b))
        return w->push_targets != NULL;
    if (!w->number)
        return w->push_targets ? is_new(b) : !is_all(b, w->observed);
    return w->push_targets && !differ(b, w->observed, w->before) && is_new(b);
}

struct consumers *consumers_copy(const struct kernel_binding *b,
                                 const struct transfer_plan *plan)
{
    const struct consumers *w = b->consumers;

    if (!w->push_targets || w->number > NUMBER_MAX || plan->everywhere ||
        transfer_sends_to_all(plan))
        return NULL;
    struct consumers *next = must_calloc(1, sizeof *next);

    next->number = w->number;
    next->push_targets = make_needs(b);
    for (uint32_t n = 0; n < count_of(b); n++)
        need_join(&next->push_targets[n], &w->push_targets[n]);
    next->push_reads = make(b);
    copy(b, next->push_reads, w->push_reads);
    return next;
}

struct consumers *consumers_update(struct kernel_binding *b,
                                   const struct transfer_plan *plan, bool replaces)
{
    struct consumers *w = b->consumers, *next;
    bool is_last = w->number == NUMBER_MAX || is_scattered(b);

    consumers_add_shared(b);
    if (!is_time(b, plan))
        return NULL;
    if (transfer_sends_to_all(plan)) {
        if (!w->push_targets && crosses(b, w->observed))
            return NULL;
        is_last |= crosses(b, w->observed);
    }
    next = must_calloc(1, sizeof *next);
    next->number = is_last ? NUMBER_MAX + 1 : w->number + 1;
    if (!is_last) {
        next->push_targets = consumers_push_needs(b, w->observed);
        next->push_reads = make(b);
        copy(b, next->push_reads, w->observed);
    }
    next->follows_nobody = !w->number && w->push_targets;
    w->is_replaced = replaces;
    return next;
}
