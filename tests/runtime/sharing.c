/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/sharing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"

enum { WIDTH = 60, HEIGHT = 50, TILE = 8, ODD_RUN = 333 };

struct spec {
    const char *name;
    unsigned mapped[2], mapped_count; /* mapped arguments, by slot */
    struct proact_map map[2];
};

static const struct proact_map a_word_a_thread = {.kind = PROACT_MAP_CONTIGUOUS,
                                                  .range_bytes = 4ull * SHARING_CTA};

static void backwards(void *context, const uint32_t grid[3], const uint32_t cta[3],
                      proact_emit_range *emit, void *sink)
{
    uint64_t end = 4ull * SHARING_COUNT - 4ull * SHARING_CTA * cta[0];
    uint64_t bytes = end < 4ull * SHARING_CTA ? end : 4ull * SHARING_CTA;

    (void)context;
    (void)grid;
    emit(sink, end - bytes, bytes);
}

static const struct spec specs[SHARING_KERNELS] = {
    [SHARING_STEP] = {"step", {1}, 1, {{0}}},
    [SHARING_TWIST] = {"twist", {0}, 1, {{0}}},
    [SHARING_COMB] = {"comb",
                      {1},
                      1,
                      {{.kind = PROACT_MAP_STRIDED,
                        .range_bytes = 4 * SHARING_CTA,
                        .range_count = 8,
                        .stride_bytes = 4 * SHARING_CTA * 7,
                        .cta_stride_bytes = 4 * SHARING_CTA}}},
    [SHARING_BYTES] = {"bytes",
                       {1},
                       1,
                       {{.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = ODD_RUN}}},
    [SHARING_PAIR] = {"pair",
                      {2, 1},
                      2,
                      {{.kind = PROACT_MAP_CALLBACK, .emit_ranges = backwards}, {0}}},
    [SHARING_TILES] = {"tiles",
                       {1},
                       1,
                       {{.kind = PROACT_MAP_STENCIL,
                         .range_bytes = 4 * TILE,
                         .rows_per_cta = TILE,
                         .stride_bytes = 4 * WIDTH}}},
    [SHARING_FORGET] = {"forget", {0}, 1, {{0}}},
    [SHARING_OUTSIDE] = {"outside", {0}, 1, {{0}}},
    [SHARING_ALONE] = {"alone", {0}, 0, {{0}}},
    [SHARING_WILD] = {"wild", {0}, 1, {{0}}},
};

void sharing_must(struct sharing *s, enum proact_status status)
{
    if (status)
        fail_msg("%s: %s", s->title, s->err.text);
}

static void load(struct sharing *s)
{
    struct proact_image image = {.name = "sharing.ptx"};
    char *text;

    sharing_must(s, file_read(SHARING_PTX, &text, &image.bytes, &s->err));
    image.text = text;
    for (unsigned k = 0; k < SHARING_KERNELS; k++) {
        sharing_must(s, proact_kernel_load(s->session, &image, specs[k].name, &s->kernel[k],
                                           &s->err));
        for (unsigned m = 0; m < specs[k].mapped_count; m++) {
            const struct proact_map *map = &specs[k].map[m];

            sharing_must(s, proact_kernel_map(s->kernel[k], specs[k].mapped[m],
                                              map->range_bytes || map->emit_ranges
                                                  ? map
                                                  : &a_word_a_thread,
                                              &s->err));
        }
    }
    free(text);
}

void sharing_open(struct sharing *s, const struct sharing_run *run)
{
    static const char *const names[SHARING_ARRAYS] = {"in",  "a",    "b",
                                                      "low", "high", "runs"};
    const struct proact_options options = {.machine =
                                               run->machine ? run->machine : "v100x16",
                                           .device_count = run->devices,
                                           .seed = run->seed,
                                           .check = run->check,
                                           .host_threads = 1,
                                           .wait_timeout_ms = run->wait_limit_ms,
                                           .plan = {.method = run->method,
                                                    .chunk_bytes = run->chunk_bytes,
                                                    .transfer_threads = run->threads,
                                                    .skip_transfers = run->elide}};
    uint32_t *content = must_calloc(SHARING_COUNT, sizeof *content);

    *s = (struct sharing){.run = *run};
    snprintf(s->title, sizeof s->title, "%s on %u devices, chunks of %llu, seed %llu",
             run->method, run->devices, (unsigned long long)run->chunk_bytes,
             (unsigned long long)run->seed);
    sharing_must(s, proact_open(&options, &s->session, &s->err));
    load(s);
    for (unsigned a = 0; a < SHARING_ARRAYS; a++) {
        const struct proact_shape shape = {names[a], SHARING_COUNT, sizeof *content};

        for (uint32_t i = 0; i < SHARING_COUNT; i++)
            content[i] = i * 2246822519u + a;
        sharing_must(s, proact_array_create(s->session, &shape, &s->array[a], &s->err));
        sharing_must(s,
                     proact_array_write(s->array[a], 0, content, SHARING_COUNT, &s->err));
    }
    free(content);
}

void sharing_close(struct sharing *s)
{
    proact_close(s->session);
    s->session = NULL;
}

static enum proact_status launch(struct sharing *s, enum sharing_kernel kernel,
                                 const struct proact_grid *grid, const unsigned *arrays,
                                 unsigned count, const uint32_t *values,
                                 unsigned value_count)
{
    struct proact_arg args[8] = {{0}};

    for (unsigned i = 0; i < count; i++)
        args[i] = PROACT_ARRAY(s->array[arrays[i]]);
    for (unsigned i = 0; i < value_count; i++)
        args[count + i] = PROACT_VALUE(values[i]);
    return proact_launch(s->kernel[kernel], grid, args, count + value_count, &s->err);
}

enum proact_status sharing_launch(struct sharing *s, enum sharing_kernel kernel,
                                  const unsigned *arrays, unsigned count, uint32_t n)
{
    const struct proact_grid grid = {.ctas = {SHARING_CTAS}, .threads = {SHARING_CTA}};

    return launch(s, kernel, &grid, arrays, count, &n, 1);
}

static void play_round(struct sharing *s)
{
    const struct proact_grid comb = {.ctas = {7}, .threads = {SHARING_CTA}};
    const struct proact_grid tiles = {
        .ctas = {(WIDTH + TILE - 1) / TILE, (HEIGHT + TILE - 1) / TILE},
        .threads = {TILE, TILE}};
    const struct proact_grid runs = {.ctas = {4 * SHARING_COUNT / ODD_RUN + 1},
                                     .threads = {96}};
    const struct proact_grid one = {.threads = {32}};
    const uint32_t n = SHARING_COUNT, matrix[] = {WIDTH, HEIGHT};
    const uint32_t odd[] = {ODD_RUN, 4 * SHARING_COUNT - 5};
    enum { IN, A, B, LOW, HIGH, RUNS };

    sharing_must(s, sharing_launch(s, SHARING_STEP, (unsigned[]){IN, A}, 2, n));
    sharing_must(s, sharing_launch(s, SHARING_STEP, (unsigned[]){A, IN}, 2, n));
    sharing_must(s, sharing_launch(s, SHARING_TWIST, (unsigned[]){IN}, 1, n));
    sharing_must(s, sharing_launch(s, SHARING_STEP, (unsigned[]){IN, A}, 2, n));
    sharing_must(s, launch(s, SHARING_COMB, &comb, (unsigned[]){A, B}, 2, &n, 1));
    sharing_must(s, sharing_launch(s, SHARING_PAIR, (unsigned[]){B, LOW, HIGH}, 3, n));
    sharing_must(s, launch(s, SHARING_ALONE, &one, (unsigned[]){LOW}, 1, &n, 1));
    sharing_must(s, sharing_launch(s, SHARING_STEP, (unsigned[]){LOW, A}, 2, n));
    sharing_must(s, launch(s, SHARING_TILES, &tiles, (unsigned[]){A, B}, 2, matrix, 2));
    sharing_must(s, launch(s, SHARING_BYTES, &runs, (unsigned[]){HIGH, RUNS}, 2, odd, 2));
    sharing_must(s, sharing_launch(s, SHARING_STEP, (unsigned[]){RUNS, IN}, 2, n));
}

/* The second round reuses counters, tables and events of the first. */
void sharing_play(struct sharing *s)
{
    play_round(s);
    play_round(s);
}

unsigned char *sharing_content(struct sharing *s, unsigned device)
{
    unsigned char *all = must_calloc(SHARING_BYTES_ALL, 1);

    for (size_t a = 0; a < SHARING_ARRAYS; a++)
        sharing_must(s, proact_array_read_replica(s->array[a], device, 0,
                                                  all + a * SHARING_COUNT * 4,
                                                  SHARING_COUNT, &s->err));
    return all;
}
