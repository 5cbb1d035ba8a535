/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks that the agent of `polling` sends in slices. The arrays are large enough for that.
   Agents have 1 to 48 CTAs, pieces have many sizes, and the number of devices varies. Every
   replica must equal the result of one device bit for bit. `agent_test seeds` tries more
   schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <proact/proact.h>

#include "../../kernels/agent.h"
#include "base/memory.h"
#include "base/text.h"

enum { WORDS = 400 * 1000 + 3, CTA = 256, CTAS = (WORDS + CTA - 1) / CTA };
enum { ODD_RUN = 2777, COMB = 13, MB = 1 << 20 };
enum { IN, OUT, ARRAYS };

struct agent_run {
    unsigned devices, ctas, comb_threads;
    uint64_t chunk_bytes, seed;
    bool check, record, elide;
    double wait_limit_ms;
};

struct agents {
    struct agent_run run;
    struct proact *session;
    struct proact_array *array[ARRAYS];
    struct proact_kernel *step, *comb, *bytes, *forget;
    struct proact_error err;
    char title[128];
};

static void must(struct agents *a, enum proact_status status)
{
    if (status)
        fail_msg("%s: %s", a->title, a->err.text);
}

static struct proact_kernel *load(struct agents *a, const char *name, unsigned arg,
                                  const struct proact_map *map)
{
    struct proact_image image = {.name = "sharing.ptx"};
    struct proact_kernel *k = NULL;
    char *text;

    must(a, file_read(SHARING_PTX, &text, &image.bytes, &a->err));
    image.text = text;
    must(a, proact_kernel_load(a->session, &image, name, &k, &a->err));
    free(text);
    must(a, proact_kernel_map(k, arg, map, &a->err));
    return k;
}

static void load_all(struct agents *a)
{
    const struct proact_map words = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = 4 * CTA};
    const struct proact_map odd = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = ODD_RUN};
    const uint64_t run = 4ull * a->run.comb_threads;
    const struct proact_map comb = {.kind = PROACT_MAP_STRIDED,
                                    .range_bytes = run,
                                    .range_count = 4ull * WORDS / (run * COMB) + 1,
                                    .stride_bytes = run * COMB,
                                    .cta_stride_bytes = run};

    a->step = load(a, "step", 1, &words);
    a->comb = load(a, "comb", 1, &comb);
    a->bytes = load(a, "bytes", 1, &odd);
    a->forget = load(a, "forget", 0, &words);
}

static void agents_open(struct agents *a, const struct agent_run *run)
{
    const struct proact_options options = {
        .machine = run->ctas > 40 ? "h200x8" : "v100x16", /* half of the SMs */
        .device_count = run->devices,
        .seed = run->seed,
        .check = run->check,
        .wait_timeout_ms = run->wait_limit_ms,
        .plan = {.method = "polling",
                 .chunk_bytes = run->chunk_bytes,
                 .transfer_threads = run->ctas == 1 ? 96 : 1024 * run->ctas,
                 .skip_transfers = run->elide}};
    uint32_t *content = must_calloc(WORDS, sizeof *content);

    *a = (struct agents){.run = *run};
    snprintf(a->title, sizeof a->title, "%u devices, %u CTAs, chunks of %llu, seed %llu",
             run->devices, run->ctas, (unsigned long long)run->chunk_bytes,
             (unsigned long long)run->seed);
    must(a, proact_open(&options, &a->session, &a->err));
    load_all(a);
    for (uint32_t i = 0; i < WORDS; i++)
        content[i] = i * 2246822519u;
    for (int n = 0; n < ARRAYS; n++) {
        const struct proact_shape shape = {n == IN ? "in" : "out", WORDS, 4};

        must(a, proact_array_create(a->session, &shape, &a->array[n], &a->err));
        must(a, proact_array_write(a->array[n], 0, content, WORDS, &a->err));
    }
    free(content);
}

static void launch(struct agents *a, struct proact_kernel *k, unsigned ctas,
                   unsigned threads, const uint32_t *values, unsigned value_count)
{
    const struct proact_grid grid = {.ctas = {ctas}, .threads = {threads}};
    struct proact_arg args[4] = {PROACT_ARRAY(a->array[IN]), PROACT_ARRAY(a->array[OUT])};

    for (unsigned i = 0; i < value_count; i++)
        args[2 + i] = PROACT_VALUE(values[i]);
    must(a, proact_launch(k, &grid, args, 2 + value_count, &a->err));
    /* The next launch reads what this launch wrote. */
    struct proact_array *out = a->array[OUT];

    a->array[OUT] = a->array[IN];
    a->array[IN] = out;
}

static void play_round(struct agents *a)
{
    const uint32_t n = WORDS, odd[] = {ODD_RUN, 4 * WORDS - 5};

    launch(a, a->step, CTAS, CTA, &n, 1);
    launch(a, a->comb, COMB, a->run.comb_threads, &n, 1);
    launch(a, a->bytes, 4 * WORDS / ODD_RUN + 1, 96, odd, 2);
    launch(a, a->step, CTAS, CTA, &n, 1);
}

static void play(struct agents *a)
{
    struct proact_recording *r;

    play_round(a); /* tables exist before the recording begins */
    if (!a->run.record)
        return;
    must(a, proact_record_begin(a->session, &a->err));
    play_round(a);
    must(a, proact_record_end(a->session, &r, &a->err));
    must(a, proact_replay(r, &a->err));
    must(a, proact_wait(a->session, &a->err));
    proact_recording_destroy(r);
}

/* Content of both arrays on one device. The caller frees it. */
static uint32_t *content(struct agents *a, unsigned device)
{
    uint32_t *all = must_calloc((size_t)ARRAYS * WORDS, sizeof *all);

    for (size_t n = 0; n < ARRAYS; n++)
        must(a, proact_array_read_replica(a->array[n], device, 0, all + n * WORDS, WORDS,
                                          &a->err));
    return all;
}

static uint32_t *truth(struct agent_run run)
{
    struct agents a;

    run.devices = run.ctas = 1;
    run.check = false;
    agents_open(&a, &run);
    play(&a);
    uint32_t *all = content(&a, 0);

    proact_close(a.session);
    return all;
}

static void play_and_compare(const struct agent_run *run)
{
    uint32_t *wanted = truth(*run);
    struct agents a;

    agents_open(&a, run);
    play(&a);
    for (unsigned d = 0; d < run->devices; d++) {
        uint32_t *got = content(&a, d);

        for (size_t i = 0; i < (size_t)ARRAYS * WORDS; i++)
            if (got[i] != wanted[i])
                fail_msg("%s: device %u, array %zu differs in word %zu", a.title, d,
                         i / WORDS, i % WORDS);
        free(got);
    }
    free(wanted);
    proact_close(a.session);
}

/* Ranges of 128 bytes are sent as pieces; ranges of 8 bytes are sent by threads. Any agent
   size gives the result of one device. */
static void any_agent_gives_what_one_device_gives(void **state)
{
    static const unsigned devices[] = {2, 3, 4, 8}, ctas[] = {8, 1, 3, 48, 16, 2};
    static const uint64_t chunks[] = {4 * MB, MB, 256 << 10, 64 << 10};
    const char *const *argv = *state;
    const unsigned runs = argv[1] && !strcmp(argv[1], "seeds") ? 48 : 4;

    for (unsigned i = 0; i < runs; i++) {
        const struct agent_run run = {.devices = devices[i % 4],
                                      .ctas = ctas[(i + i / 24) % 6],
                                      .comb_threads = i % 3 == 1 ? 2 : 32,
                                      .chunk_bytes = chunks[(i + i / 4) % 4],
                                      .seed = i * 7919,
                                      .record = i % 5 == 2,
                                      .check = i % 3 == 0};

        play_and_compare(&run);
    }
}

/* Eight CTAs wait for the only chunk of each device. The time-out message names the
   chunk. */
static void a_slice_that_never_comes_names_the_chunk(void **state)
{
    const struct agent_run run = {.devices = 2,
                                  .ctas = 8,
                                  .comb_threads = 32,
                                  .chunk_bytes = 4 * MB,
                                  .wait_limit_ms = 0.5};
    const struct proact_grid grid = {.ctas = {CTAS}, .threads = {CTA}};
    const uint32_t n = WORDS, forgets = CTAS - 1;
    struct agents a;

    (void)state;
    agents_open(&a, &run);
    const struct proact_arg args[] = {PROACT_ARRAY(a.array[OUT]), PROACT_VALUE(n),
                                      PROACT_VALUE(forgets)};

    must(&a, proact_launch(a.forget, &grid, args, 3, &a.err));
    assert_int_equal(proact_wait(a.session, &a.err), PROACT_ETIMEOUT);
    assert_string_equal(
        a.err.text, "array 'out': chunk 0 was not complete on device 1 within 0.5 ms: 1 "
                    "of its writers did not finish, and its writers are CTA 782, 783, "
                    "784, 785, ... (781 in all)");
    proact_close(a.session);
}

/* Virtual time of one launch after the tables exist. */
static double launch_ns(uint64_t chunk_bytes, unsigned ctas, bool elide)
{
    const struct agent_run run = {.devices = 2,
                                  .ctas = ctas,
                                  .comb_threads = 32,
                                  .chunk_bytes = chunk_bytes,
                                  .elide = elide};
    const uint32_t n = WORDS;
    struct agents a;

    agents_open(&a, &run);
    for (int i = 0; i < 2; i++)
        launch(&a, a.step, CTAS, CTA, &n, 1);
    must(&a, proact_wait(a.session, &a.err));
    double begin = (double)proact_now_ns(a.session);

    launch(&a, a.step, CTAS, CTA, &n, 1);
    must(&a, proact_wait(a.session, &a.err));
    double ns = (double)proact_now_ns(a.session) - begin;

    proact_close(a.session);
    return ns;
}

/* One chunk of 0.8 MB is sent by all CTAs of the agent: one CTA alone is far slower than
   the link. */
static void all_agent_ctas_send_the_last_chunk(void **state)
{
    double nothing = launch_ns(4 * MB, 4, true), one = launch_ns(4 * MB, 1, false);
    double shared = launch_ns(4 * MB, 4, false);

    (void)state;
    if (nothing > 0.8 * shared || shared - nothing > 0.5 * (one - nothing))
        fail_msg("elided %.0f ns, one CTA %.0f ns, four %.0f ns", nothing, one, shared);
}

/* Ready chunks are sent in batches, so small chunks cost little more than large ones. */
static void small_chunks_cost_little_more(void **state)
{
    double small = launch_ns(4096, 4, false), large = launch_ns(256 << 10, 4, false);

    (void)state;
    if (small > 1.9 * large)
        fail_msg("chunks of 4 KB %.0f ns, of 256 KB %.0f ns", small, large);
}

static void a_timeout_names_every_slot(void **state)
{
    (void)state;
    for (uint32_t slot = 0; slot < PROACT_SLOTS_MAX; slot++) {
        const uint64_t late = AGENT_LATE_OF(slot, UINT32_MAX, 77);

        assert_true(late >> 63);
        assert_int_equal(AGENT_LATE_SLOT(late), slot);
        assert_int_equal(AGENT_LATE_EPOCH(late), AGENT_EPOCH_MASK);
        assert_int_equal(AGENT_LATE_CHUNK(late), 77);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(any_agent_gives_what_one_device_gives, argv),
        cmocka_unit_test(a_timeout_names_every_slot),
        cmocka_unit_test(a_slice_that_never_comes_names_the_chunk),
        cmocka_unit_test(all_agent_ctas_send_the_last_chunk),
        cmocka_unit_test(small_chunks_cost_little_more)};

    (void)argc;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
