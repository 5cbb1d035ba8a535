/* SPDX-License-Identifier: Apache-2.0 */
/* Peers of stores, by bisection of CTA runs. The ranges of consecutive CTAs advance by a
   constant stride. If the bytes between the first and the last of them have the same peers,
   so do all these CTAs; else each half is examined. */
#include "transfer/table/table_stores.h"

#include <stdlib.h>

#include "base/memory.h"
#include "transfer/transfer.h"

struct storing {
    const struct transfer_table_request *request;
    struct transfer_table *table;
    uint32_t reached;   /* peers that stores may go to */
    uint32_t peers;     /* of these, the ones that need some bytes */
    uint32_t first_cta; /* of the device */
    uint64_t bytes;     /* stored by CTAs, counted once per peer of the CTA */
};

/* First extent that ends after the byte. */
static size_t stores_extent_at(const struct transfer_table *t, uint64_t byte)
{
    size_t low = 0, high = t->extent_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (t->extent[middle].end <= byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Peers within reach that need some of the bytes; *uniform: each peer in the result needs
   all of them. */
static uint32_t peers_of_bytes(const struct storing *s, uint64_t first, uint64_t end,
                               bool *uniform)
{
    const struct transfer_table *t = s->table;
    size_t n = stores_extent_at(t, first);
    uint32_t peers = n < t->extent_count ? t->extent[n].peers & s->reached : 0;

    *uniform =
        n < t->extent_count && t->extent[n].first <= first && t->extent[n].end >= end;
    for (; n < t->extent_count && t->extent[n].first < end && peers != s->peers; n++)
        peers |= t->extent[n].peers & s->reached;
    return peers;
}

static struct rows stores_row(const struct storing *s, const struct cta_run *run,
                              uint32_t cta, uint32_t n)
{
    struct rows row = s->request->written->rows[run->first + n];

    row.first += (cta - run->cta) * run->step;
    return row;
}

/* Peers of CTAs from .. to - 1, if they are the same for all their bytes. */
static bool stores_are_uniform(const struct storing *s, const struct cta_run *run,
                               uint32_t from, uint32_t to, uint32_t *peers)
{
    bool uniform = true;

    *peers = 0;
    for (uint32_t n = 0; n < run->rows && uniform; n++) {
        const struct rows a = stores_row(s, run, from, n),
                          b = stores_row(s, run, to - 1, n);
        const uint64_t first = a.first < b.first ? a.first : b.first,
                       end = a.first < b.first ? rows_end(&b) : rows_end(&a);
        const uint32_t of_row = peers_of_bytes(s, first, end, &uniform);

        uniform = (uniform || !of_row) && (!n || of_row == *peers);
        *peers = of_row;
    }
    return uniform;
}

static void set_uniform(struct storing *s, const struct cta_run *run, uint32_t from,
                        uint32_t to, uint32_t peers)
{
    for (uint32_t cta = from; peers && cta < to; cta++)
        s->table->store_peers[cta - s->first_cta] |= peers;
    for (uint32_t n = 0; peers && n < run->rows; n++) {
        const struct rows row = stores_row(s, run, from, n);

        s->bytes +=
            row.bytes * row.count * (to - from) * (uint64_t)__builtin_popcount(peers);
    }
}

/* One CTA, range by range. */
static void set_one(struct storing *s, const struct cta_run *run, uint32_t cta)
{
    uint32_t *peers = &s->table->store_peers[cta - s->first_cta];
    uint64_t bytes = 0;
    bool uniform;

    for (uint32_t n = 0; n < run->rows; n++) {
        const struct rows row = stores_row(s, run, cta, n);
        struct rows_walk w = {&row, &row + 1, 0};

        bytes += row.bytes * row.count;
        for (struct span b; *peers != s->peers && rows_next(&w, &b);)
            *peers |= peers_of_bytes(s, b.first, b.end, &uniform);
    }
    s->bytes += bytes * (uint64_t)__builtin_popcount(*peers);
}

static void set_run(struct storing *s, const struct cta_run *run, uint32_t from,
                    uint32_t to)
{
    uint32_t peers;

    if (stores_are_uniform(s, run, from, to, &peers)) {
        set_uniform(s, run, from, to, peers);
    } else if (to - from == 1) {
        set_one(s, run, from);
    } else {
        set_run(s, run, from, from + (to - from) / 2);
        set_run(s, run, from + (to - from) / 2, to);
    }
}

/* Appends the lines of an extent that `peers` need to the regions. Returns false if they
   are too many. */
static bool add_region(struct proact_stores *s, const struct transfer_extent *e,
                       uint32_t peers)
{
    struct proact_region *last = s->region_count ? &s->region[s->region_count - 1] : NULL;
    const uint64_t first = e->first / PROACT_LINE_BYTES,
                   end = (e->end + PROACT_LINE_BYTES - 1) / PROACT_LINE_BYTES;

    if (end > UINT32_MAX)
        return false;
    if (last && last->peers == peers && first <= last->first_line + last->lines) {
        last->lines = (uint32_t)end - last->first_line;
        return true;
    }
    if (s->region_count == PROACT_REGIONS_MAX)
        return false;
    s->region[s->region_count++] =
        (struct proact_region){(uint32_t)first, (uint32_t)(end - first), peers};
    return true;
}

/* Bytes of the device in the lines of a region. */
static uint64_t bytes_of_region(const struct transfer_table *t,
                                const struct proact_region *r)
{
    const uint64_t first = r->first_line * (uint64_t)PROACT_LINE_BYTES,
                   end = first + r->lines * (uint64_t)PROACT_LINE_BYTES;
    uint64_t bytes = 0;

    for (size_t n = spans_from(&t->owned, first);
         n < t->owned.count && t->owned.span[n].first < end; n++) {
        const struct span *s = &t->owned.span[n];

        bytes += (s->end < end ? s->end : end) - (s->first > first ? s->first : first);
    }
    return bytes;
}

/* Regions that peers within reach need; region_count 0: too many. */
static void find_regions(const struct storing *s)
{
    struct transfer_table *t = s->table;
    bool few = true;

    for (size_t n = 0; n < t->extent_count && few; n++)
        if (t->extent[n].peers & s->reached)
            few = add_region(&t->stores, &t->extent[n], t->extent[n].peers & s->reached);
    t->stores.region_count = few ? t->stores.region_count : 0;
}

static uint64_t region_bytes(const struct transfer_table *t)
{
    uint64_t bytes = 0;

    for (uint32_t n = 0; n < t->stores.region_count; n++)
        bytes += bytes_of_region(t, &t->stores.region[n]) *
                 (uint64_t)__builtin_popcount(t->stores.region[n].peers);
    return bytes;
}

static void find_unsent(struct transfer_table *t)
{
    for (uint32_t cta = 0, first = 0; cta < t->cta_count; cta++) {
        if (t->store_peers[cta])
            first = cta + 1;
        if (cta + 1 - first <= t->stores.unsent_count)
            continue;
        t->stores.unsent_first = first;
        t->stores.unsent_count = cta + 1 - first;
    }
}

/* Whether so many bytes are needed that testing each store costs more than it saves. A peer
   out of reach requires the test. */
static bool stores_go_to_all(const struct storing *s, uint64_t bytes)
{
    enum { MOST = 7, PARTS = 8 };
    const struct transfer_table *t = s->table;
    const uint32_t peers = s->request->device_count - 1;

    return s->peers && s->peers == (1u << peers) - 1 &&
           bytes / MOST >= t->owned_bytes * peers / PARTS;
}

static void set_by_cta(struct storing *s, uint32_t device)
{
    const struct transfer_table_request *r = s->request;
    const uint32_t end = r->cta_first[device + 1];

    s->table->store_peers =
        must_calloc(s->table->cta_count + (size_t)1, sizeof *s->table->store_peers);
    for (uint32_t n = 0; n < r->written->count && s->peers; n++) {
        const struct cta_run *run = &r->written->run[n];
        const uint32_t from = run->cta > s->first_cta ? run->cta : s->first_cta,
                       to = run->cta + run->count < end ? run->cta + run->count : end;

        if (from < to)
            set_run(s, run, from, to);
    }
}

void table_stores(const struct transfer_table_request *r, struct transfer_table *t,
                  uint32_t device)
{
    const uint32_t reached = transfer_table_reached(r, device);
    struct storing s = {.request = r,
                        .table = t,
                        .reached = reached,
                        .peers = t->peers & reached,
                        .first_cta = r->cta_first[device]};

    t->store_bytes = t->owned_bytes * (r->device_count - 1);
    if (stores_go_to_all(&s, t->bytes))
        return;
    set_by_cta(&s, device);
    find_regions(&s);
    if (!t->stores.region_count && stores_go_to_all(&s, s.bytes)) {
        free(t->store_peers);
        t->store_peers = NULL;
        return;
    }
    find_unsent(t);
    t->store_bytes = t->stores.region_count ? region_bytes(t) : s.bytes;
}
