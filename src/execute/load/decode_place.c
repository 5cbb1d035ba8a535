/* SPDX-License-Identifier: Apache-2.0 */
/* Register allocation. Registers of a warp use the same place if their live ranges are
   disjoint, so that a warp's working set stays in the L1 cache. Only registers of one width
   reuse a place: each lane's part then belongs to that lane, however the warp diverges. */
#include "execute/load/decoder.h"

#include <stdlib.h>
#include <string.h>

/* Liveness: one bit per register, one row per block. */
struct liveness {
    const struct ptx_function *f;
    uint32_t words, block_count;
    uint32_t *first;      /* first instruction of each block, plus an end entry */
    uint32_t *block_of;   /* by instruction */
    uint64_t *in, *out;   /* rows */
    uint64_t *used, *set; /* read before written; written in all lanes */
};

static bool bit(const uint64_t *row, uint32_t n)
{
    return row[n / 64] >> (n % 64) & 1;
}

static void bit_set(uint64_t *row, uint32_t n)
{
    row[n / 64] |= (uint64_t)1 << (n % 64);
}

static void blocks_find(struct liveness *v, const bool *leaders, struct arena *arena)
{
    uint32_t count = v->f->instruction_count;

    v->first = arena_alloc(arena, (count + 2) * sizeof *v->first);
    v->block_of = arena_alloc(arena, (count + 1) * sizeof *v->block_of);
    for (uint32_t n = 0; n < count; n++) {
        if (leaders[n])
            v->first[v->block_count++] = n;
        v->block_of[n] = v->block_count - 1;
    }
    v->first[v->block_count] = count;
    v->block_of[count] = v->block_count; /* the end: a row that stays empty */
    v->words = v->f->register_count / 64 + 1;
    size_t row = (size_t)v->words * 8 * (v->block_count + 1);

    v->in = arena_alloc(arena, row);
    v->out = arena_alloc(arena, row);
    v->used = arena_alloc(arena, row);
    v->set = arena_alloc(arena, row);
}

static void block_sum(struct liveness *v, uint32_t b)
{
    uint64_t *used = v->used + (size_t)b * v->words, *set = v->set + (size_t)b * v->words;
    struct register_list r;

    for (uint32_t n = v->first[b]; n < v->first[b + 1]; n++) {
        instruction_registers(&v->f->instructions[n], &r);
        for (unsigned k = 0; k < r.used_count; k++)
            if (!bit(set, (uint32_t)r.used[k]))
                bit_set(used, (uint32_t)r.used[k]);
        for (unsigned k = 0; k < r.set_count; k++)
            if (v->f->instructions[n].guard < 0)
                bit_set(set, (uint32_t)r.set[k]);
    }
}

static void row_add(struct liveness *v, uint32_t b, uint32_t successor)
{
    for (uint32_t w = 0; w < v->words; w++)
        v->out[(size_t)b * v->words + w] |= v->in[(size_t)successor * v->words + w];
}

static void successors_add(struct liveness *v, uint32_t b)
{
    const struct ptx_instruction *i = &v->f->instructions[v->first[b + 1] - 1];
    bool goes_on = i->guard >= 0;

    if (i->opcode == PTX_BRA) {
        row_add(v, b, v->block_of[v->f->labels[i->operands[0].label].instruction]);
    } else if (i->opcode == PTX_BRX) {
        for (uint32_t t = 0; t < v->f->targets_count; t++)
            for (uint32_t k = 0; k < v->f->targets[t].count; k++)
                row_add(v, b,
                        v->block_of[v->f->labels[v->f->targets[t].labels[k]].instruction]);
    } else if (i->opcode != PTX_RET && i->opcode != PTX_EXIT && i->opcode != PTX_TRAP) {
        goes_on = true;
    }
    if (goes_on)
        row_add(v, b, b + 1);
}

static void liveness_solve(struct liveness *v)
{
    bool changed = true;

    for (uint32_t b = 0; b < v->block_count; b++)
        block_sum(v, b);
    while (changed) {
        changed = false;
        for (uint32_t b = v->block_count; b-- > 0;) {
            successors_add(v, b);
            for (size_t w = (size_t)b * v->words; w < (size_t)(b + 1) * v->words; w++) {
                uint64_t in = v->used[w] | (v->out[w] & ~v->set[w]);

                changed |= in != v->in[w];
                v->in[w] = in;
            }
        }
    }
}

/* Live range of a register in text order. */
struct interval {
    uint32_t from, to, reg;
};

static void interval_add(struct interval *i, uint32_t at)
{
    if (at < i->from)
        i->from = at;
    if (at > i->to)
        i->to = at;
}

static struct interval *intervals_find(const struct liveness *v, struct arena *arena)
{
    uint32_t count = v->f->register_count;
    struct interval *all = arena_alloc(arena, (count + 1) * sizeof *all);
    struct register_list r;

    for (uint32_t n = 0; n < count; n++)
        all[n] = (struct interval){UINT32_MAX, 0, n};
    for (uint32_t n = 0; n < v->f->instruction_count; n++) {
        instruction_registers(&v->f->instructions[n], &r);
        for (unsigned k = 0; k < r.used_count; k++)
            interval_add(&all[r.used[k]], n);
        for (unsigned k = 0; k < r.set_count; k++)
            interval_add(&all[r.set[k]], n);
    }
    for (uint32_t b = 0; b < v->block_count; b++)
        for (uint32_t n = 0; n < count; n++) {
            if (bit(v->in + (size_t)b * v->words, n))
                interval_add(&all[n], v->first[b]);
            if (bit(v->out + (size_t)b * v->words, n))
                interval_add(&all[n], v->first[b + 1] - 1);
        }
    return all;
}

static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;

    return x->from != y->from ? (x->from < y->from ? -1 : 1)
                              : (x->reg > y->reg) - (x->reg < y->reg);
}

/* Previously used places of one width, with the end of their use. */
struct shelf {
    struct {
        op_place place;
        uint32_t free_after;
    } * places;
    size_t count, capacity;
};

/* A place is not reused in the instruction that reads it last. An instruction may be
   several operations that write the first result before the last read. */
static op_place shelf_take(struct decoder *d, struct shelf *s, const struct interval *i,
                           unsigned bytes)
{
    for (size_t n = 0; n < s->count; n++)
        if (s->places[n].free_after < i->from) {
            s->places[n].free_after = i->to;
            return s->places[n].place;
        }
    s->places = must_grow(s->places, s->count, &s->capacity, sizeof *s->places);
    s->places[s->count].place = place_new(d, FILE_WARP, bytes);
    s->places[s->count].free_after = i->to;
    return s->places[s->count++].place;
}

void clear_at_start(struct decoder *d, op_place place, unsigned bytes)
{
    struct execute_kernel *k = d->kernel;

    k->cleared =
        must_grow(k->cleared, k->cleared_count, &d->cleared_capacity, sizeof *k->cleared);
    k->cleared[k->cleared_count++] =
        (struct cleared_register){place & PLACE_OFFSET, bytes ? bytes * LANES : 4};
}

bool is_live_after(const struct decoder *d, uint32_t n, uint32_t reg)
{
    const struct liveness *v = d->liveness;

    return bit(v->out + (size_t)v->block_of[n] * v->words, reg);
}

void place_registers(struct decoder *d, const bool *leaders)
{
    const struct ptx_function *f = d->function;
    struct liveness *live = arena_alloc(&d->arena, sizeof *live), v = {.f = f};
    struct shelf shelves[4] = {{NULL, 0, 0}}; /* predicates, 4, 8, 16 bytes */

    if (!f->instruction_count)
        return;
    blocks_find(&v, leaders, &d->arena);
    liveness_solve(&v);
    *live = v;
    d->liveness = live;
    struct interval *all = intervals_find(&v, &d->arena);

    qsort(all, f->register_count, sizeof *all, by_start);
    for (uint32_t n = 0; n < f->register_count; n++) {
        uint32_t reg = all[n].reg;
        struct home *home = &d->homes[reg];
        unsigned bytes = lane_bytes(f->registers[reg].bytes);

        if (home->file != FILE_WARP || all[n].from > all[n].to)
            continue;
        home->place = shelf_take(d, &shelves[bytes == 16 ? 3 : bytes / 4], &all[n], bytes);
        if (bit(v.in, reg))
            clear_at_start(d, home->place, bytes);
    }
    for (int n = 0; n < 4; n++)
        free(shelves[n].places);
}
