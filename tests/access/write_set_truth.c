/* SPDX-License-Identifier: Apache-2.0 */
#include "access/write_set_truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

enum { GAP = 4096, ALIGNMENT = 512 };

static void lay_parameters(struct trial *t)
{
    size_t at = 0;

    for (unsigned i = 0; i < t->c.parameter_count; i++) {
        const struct samples_parameter *p = &t->c.parameters[i];
        size_t align = p->bytes == 4 ? 4 : 8;

        at = (at + align - 1) / align * align;
        memcpy(t->parameters + at, p->value, p->bytes);
        if (p->array >= 0)
            memcpy(t->parameters + at, &t->place[p->array], 8);
        at += p->bytes;
    }
    t->parameter_bytes = at;
}

/* Makes numbers smaller, so that they fit the arrays. Floats are too large as integers and
   stay. */
static void vary_numbers(struct samples_parameter *p, uint64_t *chance)
{
    for (size_t at = p->array >= 0 ? 8 : 0; at + 4 <= p->bytes; at += 4) {
        uint32_t value;

        memcpy(&value, p->value + at, 4);
        if (value > 1 && value < 1 << 20 && random_below(chance, 2))
            value = 1 + (uint32_t)random_below(chance, value);
        memcpy(p->value + at, &value, 4);
    }
}

static void vary(struct trial *t, uint64_t *chance)
{
    for (unsigned i = 0; i < t->c.parameter_count; i++)
        vary_numbers(&t->c.parameters[i], chance);
    for (unsigned d = 0; d < 3; d++) {
        if (t->grid[d] > 1 || random_below(chance, 4) == 0)
            t->grid[d] = 1 + (uint32_t)random_below(chance, t->grid[d] + 1);
        if (t->threads[d] > 1 && random_below(chance, 3) == 0)
            t->threads[d] = 1 + (uint32_t)random_below(chance, t->threads[d]);
    }
}

void trial_begin(struct trial *t, const struct sample *s, uint64_t *chance)
{
    size_t size = GAP;

    memset(t, 0, sizeof *t);
    samples_begin(&t->c, s, false);
    for (unsigned i = 0; i < t->c.array_count; i++)
        size += (samples_bytes(&t->c.arrays[i]) / ALIGNMENT + 1) * ALIGNMENT + GAP;
    t->memory_bytes = (size / ALIGNMENT + 1) * ALIGNMENT;
    t->memory = aligned_alloc(ALIGNMENT, t->memory_bytes);
    memset(t->memory, 0, t->memory_bytes);
    size = GAP;
    for (unsigned i = 0; i < t->c.array_count; i++) {
        t->place[i] = t->memory + size;
        size += (samples_bytes(&t->c.arrays[i]) / ALIGNMENT + 1) * ALIGNMENT + GAP;
    }
    for (unsigned d = 0; d < 3; d++) {
        t->grid[d] = t->c.grid.ctas[d] ? t->c.grid.ctas[d] : 1;
        t->threads[d] = t->c.grid.threads[d] ? t->c.grid.threads[d] : 1;
    }
    if (chance)
        vary(t, chance);
    lay_parameters(t);
}

void trial_end(struct trial *t)
{
    free(t->memory);
    samples_end(&t->c);
}

struct finder {
    struct truth *w;
    struct trial *t;
    unsigned char *written[SAMPLES_ARRAYS_MAX]; /* by byte: this CTA stored it */
    size_t low[SAMPLES_ARRAYS_MAX], high[SAMPLES_ARRAYS_MAX];
};

/* Returns the array that contains all bytes, or -1. */
static int array_of(const struct trial *t, uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < t->c.array_count; i++) {
        uint64_t at = address - (uint64_t)(uintptr_t)t->place[i];
        uint64_t size = samples_bytes(&t->c.arrays[i]);

        if (at < size && bytes <= size - at)
            return (int)i;
    }
    return -1;
}

/* The gaps between arrays contain zeros. */
static bool is_readable(const struct trial *t, uint64_t address, uint64_t bytes)
{
    uint64_t at = address - (uint64_t)(uintptr_t)t->memory;

    return at < t->memory_bytes && bytes <= t->memory_bytes - at;
}

static void note(struct finder *f, int array, uint64_t address, uint32_t bytes)
{
    size_t at = (size_t)(address - (uint64_t)(uintptr_t)f->t->place[array]);

    memset(f->written[array] + at, 1, bytes);
    if (at < f->low[array])
        f->low[array] = at;
    if (at + bytes > f->high[array])
        f->high[array] = at + bytes;
}

static enum execute_verdict on_access(void *context, struct execute_warp *w,
                                      const struct execute_access *a)
{
    struct finder *f = context;
    enum execute_verdict verdict = EXECUTE_GO;

    (void)w;
    uint32_t lanes = a->mask;

    if (a->kind == EXECUTE_LOAD && a->shape != EXECUTE_SCATTERED)
        lanes = a->shape == EXECUTE_EQUAL ? lanes & -lanes : 0x80018001; /* ends of rows */
    for (uint32_t mask = lanes; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);

        if (a->kind == EXECUTE_LOAD) {
            if (!is_readable(f->t, a->address[l], a->bytes))
                verdict = EXECUTE_TAKEN; /* addresses outside memory read as zeros */
            continue;
        }
        int array = array_of(f->t, a->address[l], a->bytes);

        if (array < 0) {
            f->w->is_out_of_object = true;
            return EXECUTE_FAULT;
        }
        note(f, array, a->address[l], a->bytes);
    }
    return verdict;
}

static enum execute_verdict on_remote(void *context, struct execute_warp *w,
                                      const struct execute_access *a,
                                      const struct execute_op *op,
                                      const unsigned char *operands)
{
    const struct finder *f = context;
    unsigned char data[1024] = {0};

    (void)op, (void)operands;
    for (unsigned l = 0; l < 32; l++)
        if ((a->mask >> l & 1) && is_readable(f->t, a->address[l], a->bytes))
            memcpy(data + l * a->bytes, (void *)(uintptr_t)a->address[l], a->bytes);
    execute_complete(w, a->mask, data);
    return EXECUTE_TAKEN;
}

static void end_cta(struct finder *f, uint32_t cta)
{
    struct truth *w = f->w;

    for (unsigned i = 0; i < f->t->c.array_count; i++) {
        unsigned char *written = f->written[i];

        for (size_t at = f->low[i]; at < f->high[i]; at++) {
            size_t end = at;

            while (end < f->high[i] && written[end])
                written[end++] = 0;
            if (end == at)
                continue;
            w->ranges[i] =
                must_grow(w->ranges[i], w->count[i], &w->capacity[i], sizeof **w->ranges);
            w->ranges[i][w->count[i]].first_byte = at;
            w->ranges[i][w->count[i]++].bytes = end - at;
            at = end;
        }
        w->first[i][cta + 1] = (uint32_t)w->count[i];
        f->low[i] = SIZE_MAX;
        f->high[i] = 0;
    }
}

static bool run_cta(struct finder *f, struct execute_grid *grid, struct execute_pool *pool,
                    uint32_t number)
{
    const uint32_t *g = f->t->grid;
    const uint32_t id[3] = {number % g[0], number / g[0] % g[1], number / g[0] / g[1]};
    struct execute_cta *cta = execute_cta_create(grid, pool, id, 0);
    enum execute_stop stop;

    do
        stop = execute_cta_run(cta, 10000000, number);
    while (stop == EXECUTE_STRONG);
    f->w->lanes += cta->lanes;
    if (stop != EXECUTE_EXITED && !f->w->is_out_of_object)
        snprintf(f->w->fault, sizeof f->w->fault, "%s",
                 stop == EXECUTE_TRAPPED ? cta->fault : "does not end");
    execute_cta_destroy(cta);
    return stop == EXECUTE_EXITED;
}

static void run_grid(struct finder *f, const struct execute_launch *l)
{
    struct execute_grid *grid = execute_grid_create(l);
    struct execute_pool *pool = execute_pool_create();
    uint32_t ctas = l->grid[0] * l->grid[1] * l->grid[2];

    for (uint32_t n = 0; n < ctas && run_cta(f, grid, pool, n); n++)
        end_cta(f, n);
    execute_pool_destroy(pool);
    execute_grid_destroy(grid);
}

void truth_find(struct truth *w, struct trial *t, const struct execute_program *program,
                const char *kernel)
{
    struct finder f = {.w = w, .t = t};
    struct execute_host host = execute_host_quiet(&f);
    struct execute_launch l = {.kernel = execute_kernel_find(program, kernel),
                               .host = &host,
                               .parameters = t->parameters,
                               .sm_count = 1};
    size_t ctas = (size_t)t->grid[0] * t->grid[1] * t->grid[2];

    host.access = on_access;
    host.remote = on_remote;
    memcpy(l.grid, t->grid, sizeof l.grid);
    memcpy(l.block, t->threads, sizeof l.block);
    for (unsigned i = 0; i < t->c.array_count; i++) {
        size_t bytes = samples_bytes(&t->c.arrays[i]);

        memcpy(t->place[i], t->c.arrays[i].content, bytes);
        w->first[i] = must_calloc(ctas + 1, sizeof *w->first[i]);
        f.written[i] = must_calloc(bytes, 1);
        f.low[i] = SIZE_MAX;
    }
    run_grid(&f, &l);
    for (unsigned i = 0; i < t->c.array_count; i++)
        free(f.written[i]);
}

void truth_clear(struct truth *w)
{
    for (unsigned i = 0; i < SAMPLES_ARRAYS_MAX; i++) {
        free(w->first[i]);
        free(w->ranges[i]);
    }
    memset(w, 0, sizeof *w);
}

bool truth_equal(const struct truth *a, const struct truth *b, unsigned n, uint32_t ctas)
{
    return a->count[n] == b->count[n] &&
           !memcmp(a->first[n], b->first[n], (ctas + (size_t)1) * sizeof *a->first[n]) &&
           (!a->count[n] ||
            !memcmp(a->ranges[n], b->ranges[n], a->count[n] * sizeof **a->ranges));
}
