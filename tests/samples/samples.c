/* SPDX-License-Identifier: Apache-2.0 */
#include "samples/samples.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/samples_fill.h"

const struct sample samples[SAMPLES_COUNT] = {
    {.name = "vecadd", .file = "vecadd", .fill = fill_vecadd},
    {.name = "vecadd64", .file = "vecadd", .fill = fill_vecadd64},
    {.name = "vecadd4", .file = "vecadd", .fill = fill_vecadd4},
    {.name = "saxpy_gs", .file = "vecadd", .fill = fill_saxpy_gs},
    {.name = "coarsen", .file = "vecadd", .fill = fill_coarsen},
    {.name = "hist",
     .file = "histogram",
     .is_plain_only = true,
     .verdict = SAMPLES_REDUCES,
     .fill = fill_hist},
    {.name = "hist_part", .file = "histogram", .fill = fill_hist_part},
    {.name = "reduce", .file = "reduce", .fill = fill_reduce},
    {.name = "reduce_smem", .file = "reduce", .fill = fill_reduce_smem},
    {.name = "jacobi", .file = "stencil", .fill = fill_jacobi},
    {.name = "jacobi_plain", .file = "stencil", .fill = fill_jacobi},
    {.name = "jacobi_clamp", .file = "stencil", .fill = fill_jacobi_clamp},
    {.name = "stencil3d", .file = "stencil", .fill = fill_stencil3d},
    {.name = "flat2d", .file = "stencil", .fill = fill_flat2d},
    {.name = "transpose", .file = "transpose", .fill = fill_transpose},
    {.name = "nd_jacobi", .file = "ndarray", .fill = fill_nd_jacobi},
    {.name = "nd_sgemm", .file = "ndarray", .fill = fill_nd_sgemm},
    {.name = "nd_stencil3d", .file = "ndarray", .fill = fill_nd_stencil3d},
    {.name = "nd2_transpose", .file = "ndarray", .fill = fill_nd2_transpose},
    {.name = "nd2_blockcyclic", .file = "ndarray", .fill = fill_nd2_blockcyclic},
    {.name = "nd2_cyclic_row", .file = "ndarray", .fill = fill_nd2_cyclic_row},
    {.name = "sgemm", .file = "matmul", .fill = fill_sgemm},
    {.name = "sgemm_naive", .file = "matmul", .fill = fill_sgemm},
    {.name = "sgemm_amge", .file = "matmul", .fill = fill_sgemm_amge},
    {.name = "sgemv", .file = "matmul", .fill = fill_sgemv},
    {.name = "pr_pull", .file = "ranks", .fill = fill_pr_pull},
    {.name = "pr_push",
     .file = "ranks",
     .is_plain_only = true,
     .is_unordered = true,
     .verdict = SAMPLES_REFUSED,
     .refusal = "atomic",
     .fill = fill_pr_push},
    {.name = "relax_csr",
     .file = "relax",
     .races = true,
     .verdict = SAMPLES_MAY_WRITE,
     .fill = fill_relax_csr},
    {.name = "relax_edges",
     .file = "relax",
     .is_plain_only = true,
     .races = true,
     .verdict = SAMPLES_REFUSED,
     .refusal = "atomic",
     .fill = fill_relax_edges},
};

void samples_begin(struct samples_case *c, const struct sample *s, bool large)
{
    samples_begin_seeded(c, s, large, 0);
}

void samples_begin_seeded(struct samples_case *c, const struct sample *s, bool large,
                          uint32_t seed)
{
    *c = (struct samples_case){.again = -1, .seed = seed};
    s->fill(c, large);
}

void samples_end(struct samples_case *c)
{
    arena_clear(&c->arena);
}

static size_t element_bytes(enum samples_element e)
{
    static const size_t bytes[] = {
        [SAMPLES_F32] = 4, [SAMPLES_I32] = 4, [SAMPLES_U8] = 1,     [SAMPLES_U16] = 2,
        [SAMPLES_I64] = 8, [SAMPLES_F64] = 8, [SAMPLES_ADDRESS] = 8};

    return bytes[e];
}

size_t samples_bytes(const struct samples_array *a)
{
    return a->count * element_bytes(a->element);
}

static struct samples_array *add_array(struct samples_case *c, const char *name,
                                       enum samples_element element, size_t count)
{
    assert(c->array_count < SAMPLES_ARRAYS_MAX);
    struct samples_array *a = &c->arrays[c->array_count++];

    *a = (struct samples_array){.name = name, .element = element, .count = count};
    a->content = arena_alloc(&c->arena, samples_bytes(a));
    return a;
}

/* Values between -0.5 and 0.5, different in every array of a case. */
float *samples_floats(struct samples_case *c, const char *name, size_t count)
{
    float *f = add_array(c, name, SAMPLES_F32, count)->content;
    uint32_t seed = c->array_count * 2654435761u + 1 + c->seed;

    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        f[i] = (float)(seed >> 16) / 65536.f - 0.5f;
    }
    return f;
}

int32_t *samples_ints(struct samples_case *c, const char *name, size_t count)
{
    return add_array(c, name, SAMPLES_I32, count)->content;
}

unsigned char *samples_octets(struct samples_case *c, const char *name, size_t count)
{
    return add_array(c, name, SAMPLES_U8, count)->content;
}

void *samples_array_add(struct samples_case *c, const char *name,
                        enum samples_element element, size_t count)
{
    return add_array(c, name, element, count)->content;
}

void *samples_output(struct samples_case *c, double tolerance)
{
    struct samples_array *a = &c->arrays[c->array_count - 1];
    void *expected = arena_alloc(&c->arena, samples_bytes(a));

    memcpy(expected, a->content, samples_bytes(a));
    a->expected = expected;
    a->tolerance = tolerance;
    return expected;
}

void samples_map(struct samples_case *c, struct proact_map map)
{
    struct samples_array *a = &c->arrays[c->array_count - 1];

    a->is_mapped = true;
    a->map = map;
}

struct proact_map samples_contiguous(uint64_t run_bytes)
{
    return (struct proact_map){.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = run_bytes};
}

static struct samples_parameter *add_parameter(struct samples_case *c, size_t bytes)
{
    assert(c->parameter_count < SAMPLES_PARAMETERS_MAX && bytes <= SAMPLES_VALUE_MAX);
    struct samples_parameter *p = &c->parameters[c->parameter_count++];

    p->array = -1;
    p->bytes = bytes;
    return p;
}

void samples_pass_array(struct samples_case *c, int array)
{
    add_parameter(c, 8)->array = array;
}

void samples_pass_all(struct samples_case *c)
{
    for (unsigned i = 0; i < c->array_count; i++)
        samples_pass_array(c, (int)i);
}

void samples_pass_int(struct samples_case *c, int value)
{
    memcpy(add_parameter(c, sizeof value)->value, &value, sizeof value);
}

void samples_pass_float(struct samples_case *c, float value)
{
    memcpy(add_parameter(c, sizeof value)->value, &value, sizeof value);
}

void samples_pass_u64(struct samples_case *c, uint64_t value)
{
    memcpy(add_parameter(c, sizeof value)->value, &value, sizeof value);
}

void samples_pass_struct(struct samples_case *c, int array, const int *ints, size_t count)
{
    struct samples_parameter *p = add_parameter(c, 8 + count * sizeof *ints);

    p->array = array;
    memcpy(p->value + 8, ints, count * sizeof *ints);
}

void *samples_pass_bytes(struct samples_case *c, size_t bytes, size_t align)
{
    struct samples_parameter *p = add_parameter(c, bytes);

    p->align = align;
    return p->value;
}

void samples_point(struct samples_case *c, int array, size_t offset)
{
    struct samples_parameter *p = &c->parameters[c->parameter_count - 1];

    assert(p->inside_count < SAMPLES_INSIDE_MAX && offset + 8 <= p->bytes);
    p->inside[p->inside_count].array = array;
    p->inside[p->inside_count++].offset = offset;
}

void samples_grid(struct samples_case *c, int ctas_x, int ctas_y, int threads_x,
                  int threads_y)
{
    c->grid = (struct proact_grid){
        .ctas = {(uint32_t)ctas_x, (uint32_t)ctas_y, 1},
        .threads = {(uint32_t)threads_x, (uint32_t)threads_y, 1},
    };
}

size_t samples_lay_parameters(const struct samples_case *c, const uint64_t *addresses,
                              unsigned char block[SAMPLES_BLOCK_MAX])
{
    size_t at = 0;

    for (unsigned i = 0; i < c->parameter_count; i++) {
        const struct samples_parameter *p = &c->parameters[i];
        size_t align = p->align ? p->align : p->bytes == 4 ? 4 : 8;

        at = (at + align - 1) / align * align;
        assert(at + p->bytes <= SAMPLES_BLOCK_MAX);
        memcpy(block + at, p->value, p->bytes);
        if (p->array >= 0)
            memcpy(block + at, &addresses[p->array], 8);
        for (unsigned k = 0; k < p->inside_count; k++)
            memcpy(block + at + p->inside[k].offset, &addresses[p->inside[k].array], 8);
        at += p->bytes;
    }
    return at;
}

void samples_lay_content(const struct samples_case *c, const uint64_t *addresses,
                         unsigned i, void *into)
{
    const struct samples_array *a = &c->arrays[i];
    uint64_t *word = into;

    memcpy(into, a->content, samples_bytes(a));
    for (size_t k = 0; a->element == SAMPLES_ADDRESS && k < a->count; k++)
        word[k] = addresses[word[k] >> SAMPLES_PLACE_SHIFT] +
                  (word[k] & (((uint64_t)1 << SAMPLES_PLACE_SHIFT) - 1));
}

bool samples_have_table(const struct samples_case *c)
{
    for (unsigned i = 0; i < c->array_count; i++)
        if (c->arrays[i].element == SAMPLES_ADDRESS)
            return true;
    return false;
}

static double value_at(const struct samples_array *a, const void *content, size_t i)
{
    if (a->element == SAMPLES_F32)
        return (double)((const float *)content)[i];
    if (a->element == SAMPLES_I32)
        return ((const int32_t *)content)[i];
    if (a->element == SAMPLES_U16)
        return ((const uint16_t *)content)[i];
    if (a->element == SAMPLES_F64)
        return ((const double *)content)[i];
    if (a->element == SAMPLES_U8)
        return ((const unsigned char *)content)[i];
    return (double)((const int64_t *)content)[i];
}

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

static int32_t *sorted(const void *content, size_t count)
{
    int32_t *copy = must_calloc(count, sizeof *copy);

    memcpy(copy, content, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, by_value);
    return copy;
}

static bool sets_agree(const struct samples_array *a, const void *got, char *sentence,
                       size_t size)
{
    struct samples_array list = *a;
    int32_t *is = sorted(got, a->count), *must = sorted(a->expected, a->count);

    list.is_set = false;
    list.expected = must;
    bool agree = samples_agree(&list, is, sentence, size);

    free(is);
    free(must);
    return agree;
}

bool samples_agree(const struct samples_array *a, const void *got, char *sentence,
                   size_t size)
{
    size_t each = element_bytes(a->element);

    if (a->is_set)
        return sets_agree(a, got, sentence, size);
    for (size_t i = 0; i < a->count; i++) {
        double is = value_at(a, got, i), must = value_at(a, a->expected, i);
        bool same = a->tolerance > 0 ? fabs(is - must) <= a->tolerance * (1 + fabs(must))
                                     : !memcmp((const char *)got + i * each,
                                               (const char *)a->expected + i * each, each);

        if (same)
            continue;
        snprintf(sentence, size, "%s[%zu] is %.9g, not %.9g", a->name, i, is, must);
        return false;
    }
    return true;
}

static void stencil_ranges(const struct proact_map *map, uint64_t x, uint64_t y,
                           proact_emit_range *emit, void *sink)
{
    uint64_t first = x * map->range_bytes, end = first + map->range_bytes;

    if (end > map->stride_bytes)
        end = map->stride_bytes; /* the last tile of a row is cut at the end */
    for (uint64_t row = y * map->rows_per_cta;
         first < end && row < (y + 1) * map->rows_per_cta; row++)
        emit(sink, map->offset_bytes + row * map->stride_bytes + first, end - first);
}

void samples_ranges(const struct proact_map *map, const uint32_t grid[3], uint32_t cta,
                    proact_emit_range *emit, void *sink)
{
    uint32_t place[3] = {cta % grid[0], cta / grid[0] % grid[1], cta / grid[0] / grid[1]};

    switch (map->kind) {
    case PROACT_MAP_CONTIGUOUS:
        emit(sink, map->offset_bytes + cta * map->range_bytes, map->range_bytes);
        break;
    case PROACT_MAP_STRIDED:
        for (uint64_t i = 0; i < map->range_count; i++)
            emit(sink,
                 map->offset_bytes + cta * map->cta_stride_bytes + i * map->stride_bytes,
                 map->range_bytes);
        break;
    case PROACT_MAP_STENCIL:
        stencil_ranges(map, place[0], place[1], emit, sink);
        break;
    case PROACT_MAP_TABLE:
        for (uint32_t i = map->range_offsets[cta]; i < map->range_offsets[cta + 1]; i++)
            emit(sink, map->offset_bytes + map->ranges[i].first_byte, map->ranges[i].bytes);
        break;
    case PROACT_MAP_CALLBACK:
        map->emit_ranges(map->context, grid, place, emit, sink);
        break;
    }
}
