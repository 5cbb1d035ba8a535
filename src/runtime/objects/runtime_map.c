/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/objects/runtime_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/spans/cta_runs.h"

/* a * b + c, saturated to the largest number, which is outside every array. */
static uint64_t at(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t product, sum;

    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(product, c, &sum))
        return UINT64_MAX;
    return sum;
}

static enum proact_status check_table(const struct proact_map *map, const char *kernel,
                                      struct proact_error *err)
{
    if (!map->range_offsets || !map->ranges)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': a map that is a table needs `range_offsets` and `ranges`",
                    kernel);
    for (uint32_t i = 0; i < map->cta_count; i++)
        if (map->range_offsets[i] > map->range_offsets[i + 1])
            return fail(
                err, PROACT_EINVAL,
                "kernel '%s': the map's table gives CTA %u ranges %u to %u, a negative "
                "count",
                kernel, i, map->range_offsets[i], map->range_offsets[i + 1]);
    return PROACT_OK;
}

static enum proact_status check(const struct proact_map *map, const char *kernel,
                                struct proact_error *err)
{
    switch (map->kind) {
    case PROACT_MAP_CONTIGUOUS:
    case PROACT_MAP_STRIDED:
    case PROACT_MAP_STENCIL:
        if (map->range_bytes == 0)
            return fail(err, PROACT_EINVAL, "kernel '%s': the map's range_bytes is 0",
                        kernel);
        if (map->kind == PROACT_MAP_STENCIL &&
            (map->rows_per_cta == 0 || map->stride_bytes == 0))
            return fail(
                err, PROACT_EINVAL,
                "kernel '%s': the stencil map has %llu rows of %llu bytes: both must be "
                "positive",
                kernel, (unsigned long long)map->rows_per_cta,
                (unsigned long long)map->stride_bytes);
        return PROACT_OK;
    case PROACT_MAP_TABLE:
        return check_table(map, kernel, err);
    case PROACT_MAP_CALLBACK:
        if (!map->emit_ranges)
            return fail(err, PROACT_EINVAL, "kernel '%s': the map's callback is NULL",
                        kernel);
        return PROACT_OK;
    }
    return fail(err, PROACT_EINVAL, "kernel '%s': %d is not a kind of map", kernel,
                map->kind);
}

static void *copy(const void *from, size_t count, size_t size)
{
    void *to = must_calloc(count, size);

    if (count)
        memcpy(to, from, count * size);
    return to;
}

enum proact_status map_copy(const struct proact_map *map, const char *kernel,
                            struct proact_map *out, struct proact_error *err)
{
    enum proact_status status = check(map, kernel, err);

    if (status)
        return status;
    *out = *map;
    if (map->kind != PROACT_MAP_TABLE) {
        out->range_offsets = NULL;
        out->ranges = NULL;
        return PROACT_OK;
    }
    out->range_offsets =
        copy(map->range_offsets, (size_t)map->cta_count + 1, sizeof *map->range_offsets);
    out->ranges =
        copy(map->ranges, map->range_offsets[map->cta_count], sizeof *map->ranges);
    return PROACT_OK;
}

void map_clear(struct proact_map *map)
{
    free((void *)(uintptr_t)map->range_offsets);
    free((void *)(uintptr_t)map->ranges);
    *map = (struct proact_map){0};
}

struct moved {
    const struct map_use *use;
    map_sink *emit;
    void *sink;
};

static void emit_moved(void *sink, uint64_t first_byte, uint64_t bytes)
{
    const struct moved *m = sink;

    const struct rows one = rows_one(at(1, first_byte, m->use->map->offset_bytes), bytes);

    m->emit(m->sink, &one);
}

static bool map_is_outside(const struct moved *m, uint64_t first_byte)
{
    return at(1, first_byte, m->use->map->offset_bytes) >= m->use->array_bytes;
}

/* Emits rows as one strided range if they are disjoint and inside the array; otherwise
   returns false. */
static bool emit_rows(const struct moved *m, uint64_t first, uint64_t bytes, uint64_t pitch,
                      uint64_t count)
{
    const uint64_t offset = m->use->map->offset_bytes, limit = m->use->array_bytes;
    const uint64_t last = at(1, at(count - 1, pitch, first), offset);

    if (count < 2 || count > UINT32_MAX || pitch <= bytes || last >= limit ||
        bytes > limit - last)
        return false;
    const struct rows rows = {first + offset, bytes, pitch, (uint32_t)count};

    m->emit(m->sink, &rows);
    return true;
}

/* Ends at the end of the array, whatever the number of ranges. */
static void emit_strided(uint32_t cta, struct moved *m)
{
    const struct proact_map *map = m->use->map;
    uint64_t runs = map->range_count && map->stride_bytes ? map->range_count : 1;

    if (emit_rows(m, at(cta, map->cta_stride_bytes, 0), map->range_bytes, map->stride_bytes,
                  runs))
        return;

    for (uint64_t j = 0; j < runs; j++) {
        uint64_t first = at(cta, map->cta_stride_bytes, at(j, map->stride_bytes, 0));

        if (map_is_outside(m, first))
            return;
        emit_moved(m, first, map->range_bytes);
    }
}

/* The last CTA of a row does not extend into the next row. */
static void emit_stencil(uint32_t cta, struct moved *m)
{
    const struct proact_map *map = m->use->map;
    const uint32_t *grid = m->use->grid;
    uint64_t x = at(cta % grid[0], map->range_bytes, 0);
    uint64_t y = at(cta / grid[0] % grid[1], map->rows_per_cta, 0),
             bytes = map->range_bytes;

    if (x >= map->stride_bytes)
        return;
    if (bytes > map->stride_bytes - x)
        bytes = map->stride_bytes - x;
    if (emit_rows(m, at(at(1, y, 0), map->stride_bytes, x), bytes, map->stride_bytes,
                  map->rows_per_cta))
        return;
    for (uint64_t row = 0; row < map->rows_per_cta; row++) {
        uint64_t first = at(at(1, y, row), map->stride_bytes, x);

        if (map_is_outside(m, first))
            return;
        emit_moved(m, first, bytes);
    }
}

void map_emit(const struct map_use *u, uint32_t cta, map_sink *emit, void *sink)
{
    struct moved m = {u, emit, sink};
    const struct proact_map *map = u->map;
    const uint32_t *grid = u->grid;
    const uint32_t place[3] = {cta % grid[0], cta / grid[0] % grid[1],
                               cta / grid[0] / grid[1]};

    switch (map->kind) {
    case PROACT_MAP_CONTIGUOUS:
        emit_moved(&m, at(cta, map->range_bytes, 0), map->range_bytes);
        break;
    case PROACT_MAP_STRIDED:
        emit_strided(cta, &m);
        break;
    case PROACT_MAP_STENCIL:
        emit_stencil(cta, &m);
        break;
    case PROACT_MAP_TABLE:
        for (uint32_t r = map->range_offsets[cta]; r < map->range_offsets[cta + 1]; r++)
            emit_moved(&m, map->ranges[r].first_byte, map->ranges[r].bytes);
        break;
    case PROACT_MAP_CALLBACK:
        map->emit_ranges(map->context, grid, place, emit_moved, &m);
        break;
    }
}

struct of_cta {
    struct rows_list list;
    uint64_t array_bytes;
};

/* Clips a single range to the array. Strided ranges are always inside. */
static void list_rows(void *sink, const struct rows *rows)
{
    struct of_cta *c = sink;
    struct rows_list *l = &c->list;
    struct rows is = *rows;

    if (is.first >= c->array_bytes || !is.bytes)
        return;
    if (is.bytes > c->array_bytes - is.first)
        is.bytes = c->array_bytes - is.first;
    l->rows = must_grow(l->rows, l->count, &l->capacity, sizeof *l->rows);
    l->rows[l->count++] = is;
}

bool map_runs(const struct map_use *u, uint32_t ctas, struct cta_runs *out)
{
    struct of_cta c = {.array_bytes = u->array_bytes};
    const struct rows_list *l = &c.list;
    bool all = true;

    for (uint32_t cta = 0; cta < ctas && all; cta++) {
        c.list.count = 0;
        map_emit(u, cta, list_rows, &c);
        all = l->count <= UINT32_MAX &&
              (!l->count ||
               cta_runs_add(out, (struct cta_run){cta, 1, 0, (uint32_t)l->count, 0},
                            l->rows, 0));
    }
    free(c.list.rows);
    return all;
}

static void add_range(struct map_ranges *r, uint64_t first_byte, uint64_t bytes)
{
    if (first_byte >= r->array_bytes)
        return;
    if (bytes > r->array_bytes - first_byte)
        bytes = r->array_bytes - first_byte;
    r->range = must_grow(r->range, r->count, &r->capacity, sizeof *r->range);
    r->range[r->count++] = (struct proact_range){first_byte, bytes};
}

static void add_rows(void *sink, const struct rows *rows)
{
    for (uint32_t n = 0; n < rows->count; n++)
        add_range(sink, rows->first + n * rows->pitch, rows->bytes);
}

static int by_place(const void *a, const void *b)
{
    const struct proact_range *x = a, *y = b;

    return (x->first_byte > y->first_byte) - (x->first_byte < y->first_byte);
}

void map_list(const struct map_use *u, uint32_t cta, struct map_ranges *out)
{
    size_t count = 0;

    out->count = 0;
    out->array_bytes = u->array_bytes;
    map_emit(u, cta, add_rows, out);
    if (out->count)
        qsort(out->range, out->count, sizeof *out->range, by_place);
    for (size_t i = 0; i < out->count; i++) {
        const struct proact_range *r = &out->range[i];
        struct proact_range *last = count ? &out->range[count - 1] : NULL;

        if (!last || r->first_byte > last->first_byte + last->bytes)
            out->range[count++] = *r;
        else if (r->first_byte + r->bytes > last->first_byte + last->bytes)
            last->bytes = r->first_byte + r->bytes - last->first_byte;
    }
    out->count = count;
}
