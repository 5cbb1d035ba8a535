/* SPDX-License-Identifier: Apache-2.0 */
/* Counting by CTA runs. The ranges of consecutive CTAs advance by a constant stride, so
   CTAs have equal lists until one of their ranges enters another chunk. They are counted
   together. */
#include "transfer/table/table_count.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "transfer/table/table_pieces.h"

struct counting {
    const struct transfer_table_request *request;
    struct transfer_table *table;
    uint32_t first_cta; /* of the device */
    uint32_t *visited;  /* by chunk: the turn that last appended it to a list */
    uint32_t list;      /* offset of the list that is being built */
    uint32_t turn;
    uint64_t same; /* number of CTAs, from the current one on, with this list */
    size_t list_capacity, ctas_capacity;
    uint32_t *slots; /* hash table of lists: offset plus 1, open addressing */
    uint32_t slot_count, lists;
    /* Previous CTA run, if all its CTAs on the device were counted. */
    const struct cta_run *before;
    uint32_t before_first, before_count; /* CTAs in the device's numbering */
    uint32_t before_ctas;                /* index of their first group in table->ctas */
};

static uint32_t *slot_of(const struct counting *c, uint32_t list)
{
    const uint32_t *chunk = c->table->chunk, *is = &chunk[list];
    uint32_t at = (uint32_t)hash_bytes(is, (is[0] + 1) * sizeof *is, 0);

    while (c->slots[at &= c->slot_count - 1] &&
           (chunk[c->slots[at] - 1] != is[0] ||
            memcmp(&chunk[c->slots[at] - 1], is, (is[0] + 1) * sizeof *is) != 0))
        at++;
    return &c->slots[at];
}

static void grow_slots(struct counting *c)
{
    const uint32_t *chunk = c->table->chunk;

    free(c->slots);
    c->slot_count = c->slot_count ? 4 * c->slot_count : 64;
    c->slots = must_calloc(c->slot_count, sizeof *c->slots);
    for (uint32_t list = 0; list < c->table->list_words; list += chunk[list] + 1)
        *slot_of(c, list) = list + 1;
}

static void add_word(struct counting *c, uint32_t word)
{
    struct transfer_table *t = c->table;

    t->chunk = must_grow(t->chunk, t->list_words, &c->list_capacity, sizeof *t->chunk);
    t->chunk[t->list_words++] = word;
}

static void begin_list(struct counting *c)
{
    c->list = c->table->list_words;
    c->same = UINT64_MAX;
    c->turn++;
    add_word(c, 0);
}

/* Ends the current list; returns its offset, or that of an equal earlier list. */
static uint32_t end_list(struct counting *c)
{
    struct transfer_table *t = c->table;
    const uint32_t last = t->ctas_count ? t->ctas[t->ctas_count - 1].list : 0;
    const uint32_t words = t->list_words - c->list;
    uint32_t *slot;

    t->chunk[c->list] = words - 1;
    if (last < c->list && !memcmp(&t->chunk[last], &t->chunk[c->list], words * 4)) {
        t->list_words = c->list;
        return last;
    }
    slot = slot_of(c, c->list);
    if (*slot) {
        t->list_words = c->list;
        return *slot - 1;
    }
    *slot = c->list + 1;
    if (2 * ++c->lists > c->slot_count)
        grow_slots(c);
    return c->list;
}

/* Assigns a list to the CTAs from the last group's end to `end` - 1. */
static void add_ctas(struct counting *c, uint32_t end, uint32_t list)
{
    struct transfer_table *t = c->table;
    struct transfer_ctas *last = t->ctas_count ? &t->ctas[t->ctas_count - 1] : NULL;

    if (end == (last ? last->end : 0))
        return;
    if (last && last->list == list) {
        last->end = end;
        return;
    }
    t->ctas = must_grow(t->ctas, t->ctas_count, &c->ctas_capacity, sizeof *t->ctas);
    t->ctas[t->ctas_count++] = (struct transfer_ctas){end, list};
}

/* Number of consecutive CTAs, with distance `step`, whose ranges stay between two
   boundaries: `low` bytes before and `high` bytes after the range of the first CTA. */
static uint64_t staying(uint64_t step, uint64_t low, uint64_t high)
{
    if (!step)
        return UINT64_MAX;
    return (step >> 63 ? low / -step : high / step) + 1;
}

/* Counts the chunks of a byte range. Chunks without receivers are not counted: CTAs that
   write only such chunks, as most CTAs of a stencil, have an empty list. */
static void count_chunks(struct counting *c, uint64_t first, uint64_t end, uint64_t step)
{
    const struct transfer_table_request *r = c->request;
    const struct transfer_table *t = c->table;
    const uint64_t from = table_chunk_of(r, t, first), to = table_chunk_of(r, t, end - 1);
    const uint64_t starts = staying(step, first - table_chunk_first(r, t, from),
                                    table_chunk_end(r, t, from) - 1 - first),
                   ends = staying(step, end - 1 - table_chunk_first(r, t, to),
                                  table_chunk_end(r, t, to) - end);

    c->same = starts < c->same ? starts : c->same;
    c->same = ends < c->same ? ends : c->same;
    for (uint64_t chunk = from; chunk <= to; chunk++) {
        if (!transfer_table_sends(t, chunk) || c->visited[chunk] == c->turn)
            continue;
        c->visited[chunk] = c->turn;
        add_word(c, (uint32_t)chunk);
    }
}

/* Whether a strided range counts as contiguous: its pitch is at most the smallest chunk, so
   it touches every chunk between its first and last byte. */
static bool is_one(const struct counting *c, const struct rows *r)
{
    return r->pitch <= c->request->chunk_bytes;
}

static void count_rows(struct counting *c, const struct rows *r, uint64_t step)
{
    struct rows_walk w = {r, r + 1, 0};

    if (is_one(c, r))
        count_chunks(c, r->first, rows_end(r), step);
    else
        for (struct span s; rows_next(&w, &s);)
            count_chunks(c, s.first, s.end, step);
}

static struct rows row_of(const struct counting *c, const struct cta_run *run, uint32_t cta,
                          uint32_t n)
{
    struct rows row = c->request->written->rows[run->first + n];

    row.first += (cta - run->cta) * run->step;
    return row;
}

/* Whether a chunk from `first` to `last` has a piece of either kind. */
static bool sends_within(const struct transfer_table *t, uint64_t first, uint64_t last)
{
    return t->piece_first[last + 1] > t->piece_first[first] ||
           (t->copied_first && t->copied_first[last + 1] > t->copied_first[first]);
}

/* Whether the bytes between the first range of CTA `from` and the last of `to` - 1 are not
   sent. */
static bool ctas_are_silent(const struct counting *c, const struct cta_run *run,
                            uint32_t from, uint32_t to)
{
    const struct transfer_table *t = c->table;
    bool any = false;

    for (uint32_t n = 0; n < run->rows && !any; n++) {
        const struct rows a = row_of(c, run, from, n), b = row_of(c, run, to - 1, n);
        const uint64_t first = a.first < b.first ? a.first : b.first,
                       end = a.first < b.first ? rows_end(&b) : rows_end(&a);

        any = sends_within(t, table_chunk_of(c->request, t, first),
                           table_chunk_of(c->request, t, end - 1));
    }
    return !any;
}

/* End of the CTAs whose writes are not sent, given that this holds up to `end` - 1. It is
   found by doubling, so few of many such CTAs are examined; the result may be too small. */
static uint32_t silent_end(const struct counting *c, const struct cta_run *run,
                           uint32_t cta, uint32_t end, uint32_t to)
{
    if (ctas_are_silent(c, run, cta, to))
        return to;
    for (uint32_t n = end - cta;
         n < (to - cta) / 2 && ctas_are_silent(c, run, cta, cta + 2 * n); n *= 2)
        end = cta + 2 * n;
    return end;
}

/* Counts CTAs from .. to - 1 of the grid, all in one CTA run. */
static void count_run(struct counting *c, const struct cta_run *run, uint32_t from,
                      uint32_t to)
{
    for (uint32_t cta = from, end; cta < to; cta = end) {
        begin_list(c);
        for (uint32_t n = 0; n < run->rows; n++) {
            const struct rows row = row_of(c, run, cta, n);

            count_rows(c, &row, run->step);
        }
        const uint32_t list = end_list(c);

        end = c->same < to - cta ? cta + (uint32_t)c->same : to;
        if (!c->table->chunk[list])
            end = silent_end(c, run, cta, end, to);
        add_ctas(c, end - c->first_cta, list);
    }
}

/* Whether both ranges begin in the same chunk and end in the same chunk. */
static bool same_chunks(const struct counting *c, const struct rows *a,
                        const struct rows *b)
{
    const struct transfer_table_request *r = c->request;
    const uint64_t bytes = is_one(c, a) ? rows_end(a) - a->first : a->bytes;

    return a->first / r->chunk_bytes == b->first / r->chunk_bytes &&
           (a->first + bytes - 1) / r->chunk_bytes ==
               (b->first + bytes - 1) / r->chunk_bytes;
}

/* Whether the CTAs have the lists of the previous CTA run. With a stride of complete chunks
   it suffices to compare the ranges of the first CTAs. */
static bool is_again(const struct counting *c, const struct cta_run *run, uint32_t from,
                     uint32_t count)
{
    const struct cta_run *before = c->before;
    const uint64_t chunk = c->request->chunk_bytes;
    bool is = before && !c->table->end && run->rows == before->rows &&
              run->step == before->step && run->step % chunk == 0 &&
              count == c->before_count;

    for (uint32_t n = 0; is && n < run->rows; n++) {
        const struct rows a = row_of(c, run, from, n),
                          b = row_of(c, before, c->before_first + c->first_cta, n);

        is = a.bytes == b.bytes && a.count == b.count && a.pitch == b.pitch &&
             (is_one(c, &a) || a.pitch % chunk == 0) && same_chunks(c, &a, &b);
    }
    return is;
}

static void count_again(struct counting *c, uint32_t from)
{
    const uint32_t end = c->before_first + c->before_count, by = from - c->before_first;
    uint32_t n = c->before_ctas;

    for (bool more = true; more; n++) {
        const struct transfer_ctas of = c->table->ctas[n];

        more = of.end < end;
        add_ctas(c, (more ? of.end : end) + by, of.list);
    }
}

static void count_writers(struct transfer_table *t)
{
    uint32_t *times = must_calloc(t->list_words, sizeof *times);

    for (uint32_t n = 0; n < t->ctas_count; n++)
        times[t->ctas[n].list] += t->ctas[n].end - (n ? t->ctas[n - 1].end : 0);
    for (uint32_t list = 0; list < t->list_words; list += t->chunk[list] + 1)
        for (uint32_t n = 1; n <= t->chunk[list]; n++)
            t->writers[t->chunk[list + n]] += times[list];
    free(times);
}

static void find_silent_range(struct transfer_table *t)
{
    for (uint32_t n = 0, first = 0; n < t->ctas_count; first = t->ctas[n++].end) {
        const uint32_t count = t->ctas[n].end - first;

        if (t->chunk[t->ctas[n].list] || count <= t->silent_count)
            continue;
        t->silent_first = first;
        t->silent_count = count;
    }
}

static void count_part(struct counting *c, const struct cta_run *run, uint32_t from,
                       uint32_t to)
{
    const uint32_t first = from - c->first_cta;

    add_ctas(c, first, 0); /* outside of all CTA runs */
    const uint32_t ctas = c->table->ctas_count;

    if (is_again(c, run, from, to - from))
        count_again(c, first);
    else
        count_run(c, run, from, to);
    c->before = run;
    c->before_first = first;
    c->before_count = to - from;
    c->before_ctas = ctas && c->table->ctas[ctas - 1].end > first ? ctas - 1 : ctas;
}

void table_count(const struct transfer_table_request *r, struct transfer_table *t,
                 uint32_t device, uint32_t *visited)
{
    const uint32_t first = r->cta_first[device], end = r->cta_first[device + 1];
    struct counting c = {.request = r, .table = t, .first_cta = first, .visited = visited};

    memset(visited, 0, t->chunk_count * sizeof *visited);
    add_word(&c, 0); /* the empty list */
    grow_slots(&c);
    for (uint32_t n = 0; n < r->written->count && t->sent_chunks; n++) {
        const struct cta_run *run = &r->written->run[n];
        const uint32_t from = run->cta > first ? run->cta : first,
                       to = run->cta + run->count < end ? run->cta + run->count : end;

        if (from < to)
            count_part(&c, run, from, to);
    }
    add_ctas(&c, t->cta_count, 0);
    count_writers(t);
    find_silent_range(t);
    free(c.slots);
}
