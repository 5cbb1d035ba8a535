/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "stress/stress_truth.h"

enum { ARG_FROM, ARG_TO, ARG_TO2, ARG_FIRST, ARG_RANGE, ARG_WORK, ARGS };

/* A prime larger than any range: its multiples modulo a range's length visit every
   element. */
enum { SCATTER = 16777259 };

struct making {
    struct proact *session;
    uint64_t bytes, *chance;
    struct stress_shape *shape;
    struct proact_map map[2];
};

static uint64_t pick(const struct making *m, uint64_t least, uint64_t most)
{
    return least + random_below(m->chance, most - least + 1);
}

uint64_t stress_pick_log(uint64_t *chance, uint64_t least, uint64_t most)
{
    double low = log((double)least), high = log((double)most + 1);
    uint64_t n = (uint64_t)exp(low + random_unit(chance) * (high - low));

    return n < least ? least : n > most ? most : n;
}

static uint64_t at_least_1(uint64_t n)
{
    return n ? n : 1;
}

static uint32_t pick_ctas(const struct making *m, uint64_t elements)
{
    return (uint32_t)stress_pick_log(m->chance, 1, elements < 1500 ? elements : 1500);
}

/* The callback form of any map. */
static void print_by_callback(void *context, const uint32_t grid[3], const uint32_t cta[3],
                              proact_emit_range *emit, void *sink)
{
    const struct stress_shape *s = context;

    (void)grid;
    if (s->table.first)
        for (uint32_t r = s->table.first[cta[0]]; r < s->table.first[cta[0] + 1]; r++)
            emit(sink, s->table.range[r].first_byte, s->table.range[r].bytes);
    else
        emit(sink, cta[0] * s->work.run * s->element_bytes, s->work.run * s->element_bytes);
}

static void make_line(struct making *m)
{
    struct stress_shape *s = m->shape;
    uint64_t elements = at_least_1(m->bytes / s->element_bytes);

    s->ctas[0] = pick_ctas(m, elements);
    s->work.run = (elements + s->ctas[0] - 1) / s->ctas[0];
    m->map[0] = (struct proact_map){.kind = PROACT_MAP_CONTIGUOUS,
                                    .range_bytes = s->work.run * s->element_bytes};
    if (pick(m, 0, 3) == 0)
        m->map[0] = (struct proact_map){
            .kind = PROACT_MAP_CALLBACK, .emit_ranges = print_by_callback, .context = s};
}

static void make_comb(struct making *m)
{
    struct stress_shape *s = m->shape;
    uint64_t elements = at_least_1(m->bytes / 4);
    uint64_t ctas = stress_pick_log(m->chance, 1, 200);

    s->ctas[0] = (uint32_t)ctas;
    s->work.run = stress_pick_log(m->chance, 1, 300);
    s->work.stride = ctas * s->work.run + (pick(m, 0, 1) ? 0 : pick(m, 0, 50));
    s->work.run_count = at_least_1(elements / s->work.stride);
    if (s->work.run_count > 2000)
        s->work.run_count = 2000;
    m->map[0] = (struct proact_map){.kind = PROACT_MAP_STRIDED,
                                    .range_bytes = 4 * s->work.run,
                                    .range_count = s->work.run_count,
                                    .stride_bytes = 4 * s->work.stride,
                                    .cta_stride_bytes = 4 * s->work.run};
}

static void make_tile(struct making *m)
{
    struct stress_shape *s = m->shape;
    uint64_t elements = at_least_1(m->bytes / 4);

    s->ctas[0] = (uint32_t)pick(m, 1, 16);
    s->ctas[1] = (uint32_t)pick(m, 1, 16);
    s->work.stride = stress_pick_log(m->chance, 1, elements < 4000 ? elements : 4000);
    s->work.run = (s->work.stride + s->ctas[0] - 1) / s->ctas[0] + pick(m, 0, 3);
    s->work.rows = at_least_1(elements / s->work.stride / s->ctas[1]);
    m->map[0] = (struct proact_map){.kind = PROACT_MAP_STENCIL,
                                    .range_bytes = 4 * s->work.run,
                                    .stride_bytes = 4 * s->work.stride,
                                    .rows_per_cta = s->work.rows};
}

/* Divides the bytes into ranges and assigns them to CTAs, in order or shuffled. */
static void make_ranges(struct making *m)
{
    struct stress_table *t = &m->shape->table;
    uint32_t count = (uint32_t)stress_pick_log(m->chance, 1, 3000), cut = 0;
    uint64_t longest = 2 * at_least_1(m->bytes / count), at = 0;

    t->cta_count = (uint32_t)stress_pick_log(m->chance, 1, count);
    t->first = must_calloc(t->cta_count + 1, sizeof *t->first);
    t->range = must_calloc(count, sizeof *t->range);
    for (; cut < count; cut++) {
        t->range[cut] = (struct proact_range){at, pick(m, 0, longest)};
        at += t->range[cut].bytes + (pick(m, 0, 3) ? 0 : pick(m, 0, 5));
    }
    for (uint32_t i = count; i > 1 && longest % 2 == 0 && m->bytes % 2; i--) {
        uint64_t other = random_below(m->chance, i);
        struct proact_range spare = t->range[i - 1];

        t->range[i - 1] = t->range[other];
        t->range[other] = spare;
    }
    for (uint32_t c = 0; c <= t->cta_count; c++) /* some CTAs get no range */
        t->first[c] = c == t->cta_count ? count : c == 0 ? 0 : count / t->cta_count * c;
    m->shape->ctas[0] = t->cta_count;
    m->map[0] = (struct proact_map){.kind = PROACT_MAP_TABLE,
                                    .range_offsets = t->first,
                                    .ranges = t->range,
                                    .cta_count = t->cta_count};
    if (pick(m, 0, 1))
        m->map[0] = (struct proact_map){.kind = PROACT_MAP_CALLBACK,
                                        .emit_ranges = print_by_callback,
                                        .context = m->shape};
}

static void make_pair(struct making *m)
{
    make_line(m);
    m->shape->work.run2 = stress_pick_log(m->chance, 1, m->shape->work.run + 1);
    m->map[1] = (struct proact_map){.kind = PROACT_MAP_CONTIGUOUS,
                                    .range_bytes = 4 * m->shape->work.run2};
}

static void make_near(struct making *m)
{
    struct stress_shape *s = m->shape;

    s->threads = s->threads < 96 ? 96 : s->threads;
    const uint64_t ctas = at_least_1(m->bytes / s->threads);

    s->work.run = s->threads;
    s->ctas[0] = (uint32_t)(ctas < 3000 ? ctas : 3000);
}

static const struct {
    const char *kernel;
    uint32_t element_bytes, slots;
    bool is_1d_run; /* may be moved, and written in scattered order */
    void (*make)(struct making *m);
    void (*apply)(const struct stress_shape *s, const struct stress_work *w,
                  const struct stress_array *from, struct stress_array *const to[2]);
} shapes[] = {
    {"line", 4, 1, true, make_line, stress_truth_line},
    {"line_bytes", 1, 1, true, make_line, stress_truth_line},
    {"staged", 1, 1, true, make_line, stress_truth_line},
    {"comb", 4, 1, true, make_comb, stress_truth_comb},
    {"tile", 4, 1, false, make_tile, stress_truth_tile},
    {"ranges", 1, 1, true, make_ranges, stress_truth_ranges},
    {"pair", 4, 2, true, make_pair, stress_truth_pair},
    {"whole", 4, 0, false, make_line, stress_truth_line},
    {"near", 1, 0, false, make_near, stress_truth_line},
};

/* Copies the table to the memory that the kernel reads. */
static enum proact_status upload(const struct making *m, struct proact_error *err)
{
    struct stress_table *t = &m->shape->table;
    const struct proact_shape first = {"first", t->cta_count + 1, sizeof *t->first};
    const struct proact_shape range = {"range", t->first[t->cta_count], sizeof *t->range};
    enum proact_status status = proact_array_create(m->session, &first, &t->first_on, err);

    if (status || (status = proact_array_create(m->session, &range, &t->range_on, err)) ||
        (status = proact_array_write(t->first_on, 0, t->first, first.count, err)))
        return status;
    return proact_array_write(t->range_on, 0, t->range, range.count, err);
}

enum proact_status stress_shape_make(struct proact *p, const char *ptx, uint64_t bytes,
                                     uint64_t *chance, struct stress_shape *out,
                                     struct proact_error *err)
{
    const struct proact_image image = {.name = "stress_kernels.ptx", .text = ptx};
    struct making m = {.session = p, .bytes = bytes, .chance = chance, .shape = out};
    uint64_t kind = pick(&m, 0, sizeof shapes / sizeof *shapes - 1);
    static const uint32_t threads[] = {1, 32, 33, 64, 96, 128, 200, 256, 512, 1024};

    *out = (struct stress_shape){
        .kernel = shapes[kind].kernel,
        .ctas = {1, 1, 1},
        .threads = threads[pick(&m, 0, sizeof threads / sizeof *threads - 1)],
        .element_bytes = shapes[kind].element_bytes,
        .slots = shapes[kind].slots,
        .apply = shapes[kind].apply,
    };
    out->work.turn = shapes[kind].is_1d_run && pick(&m, 0, 2) == 0 ? SCATTER : 1;
    shapes[kind].make(&m);
    if (out->slots && pick(&m, 0, 3) == 0)
        out->work.offset = pick(&m, 1, 100);
    m.map[0].offset_bytes = out->work.offset * out->element_bytes;
    enum proact_status status = proact_kernel_load(p, &image, out->kernel, &out->on, err);

    for (uint32_t s = 0; s < out->slots && !status; s++)
        status = proact_kernel_map(out->on, ARG_TO + s, &m.map[s], err);
    return !status && out->table.first ? upload(&m, err) : status;
}

void stress_shape_clear(struct stress_shape *s)
{
    proact_kernel_destroy(s->on);
    proact_array_destroy(s->table.first_on);
    proact_array_destroy(s->table.range_on);
    free(s->table.first);
    free(s->table.range);
    *s = (struct stress_shape){0};
}

static struct proact_arg array_or_null(struct proact_array *a)
{
    static const uint64_t nowhere = 0;

    return a ? PROACT_ARRAY(a) : PROACT_VALUE(nowhere);
}

enum proact_status stress_launch(struct proact *p, const struct stress_launch *l,
                                 struct proact_error *err)
{
    const struct stress_shape *s = l->shape;
    const struct proact_grid grid = {.ctas = {s->ctas[0], s->ctas[1], s->ctas[2]},
                                     .threads = {s->threads},
                                     .device_count = l->over};
    const struct proact_arg args[ARGS] = {
        [ARG_FROM] = PROACT_ARRAY(l->from->on),
        [ARG_TO] = PROACT_ARRAY(l->to[0]->on),
        [ARG_TO2] = array_or_null(l->to[1] ? l->to[1]->on : NULL),
        [ARG_FIRST] = array_or_null(s->table.first_on),
        [ARG_RANGE] = array_or_null(s->table.range_on),
        [ARG_WORK] = PROACT_VALUE(l->work),
    };
    enum proact_status status = proact_plan_set(p, &l->plan, err);

    return status ? status : proact_launch(s->on, &grid, args, ARGS, err);
}

void stress_launch_expect(const struct stress_launch *l)
{
    l->shape->apply(l->shape, &l->work, l->from, l->to);
}
