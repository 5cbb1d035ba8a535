/* SPDX-License-Identifier: Apache-2.0 */
/* Closed form of a copy schedule against a step-by-step simulation of the pipeline and
   against measurements, and the schedule that the search selects. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/random.h"
#include "model/model.h"

enum { STREAMS_MAX = 4, COUNT = 20000, MB = 1 << 20, KB = 1 << 10 };

/* The sizes as transfer_table.c computes them. */
static uint64_t chunk_bytes(const struct model_schedule *s, uint64_t number, uint64_t left)
{
    uint64_t bytes = s->first_bytes + number * s->step_bytes;
    uint64_t next = s->step_bytes ? (bytes + s->step_bytes) / 2 : 0;

    return bytes >= left || left - bytes < next ? left : bytes;
}

/* Simulates the pipeline. Each stream waits for its chunk, then for the engine. Without
   `with_streams` every chunk occupies the engine for its gap, as in the closed form. */
static double simulate(const struct model_copies *c, const struct model_schedule *s,
                       bool with_streams, uint64_t *chunks)
{
    double stream[STREAMS_MAX] = {0}, engine = 0, done = 0;
    double gap = fmax(c->start_ns, (c->wait_ns + c->start_ns) / c->streams);

    *chunks = 0;
    for (uint64_t sent = 0; sent < c->bytes; ++*chunks) {
        uint64_t bytes = chunk_bytes(s, *chunks, c->bytes - sent);
        double *mine = &stream[*chunks % c->streams];
        double copy = c->ns_per_byte * (double)bytes;

        sent += bytes;
        double ready = c->compute_ns * (double)sent / (double)c->bytes;

        if (with_streams) {
            engine = fmax(fmax(ready, *mine) + c->wait_ns, engine) + copy + c->start_ns;
            *mine = done = engine;
        } else {
            engine = fmax(ready, engine) + copy + gap;
            done = engine + c->wait_ns + c->start_ns - gap;
        }
    }
    return done;
}

static void the_closed_form_equals_the_simulation(void **state)
{
    uint64_t chance = 7, chunks;
    double sum = 0;

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        struct model_copies c = {
            .bytes = 1 + random_below(&chance, 300 * MB),
            .ns_per_byte = 0.001 + random_unit(&chance) / 20,
            .start_ns = 5000 * random_unit(&chance),
            .wait_ns = 10000 * random_unit(&chance),
            .streams = 1 + (unsigned)random_below(&chance, STREAMS_MAX),
        };
        struct model_schedule s = {
            (uint64_t)(64 * KB) << random_below(&chance, 9),
            random_below(&chance, 3) ? (uint64_t)(64 * KB) << random_below(&chance, 9) : 0,
        };

        c.compute_ns = 4 * random_unit(&chance) * c.ns_per_byte * (double)c.bytes;
        double closed = model_schedule_ns(&c, &s), plain = simulate(&c, &s, false, &chunks);
        double real = simulate(&c, &s, true, &chunks);

        assert_true(model_schedule_chunks(&s, c.bytes) == (double)chunks);
        assert_true(fabs(closed - plain) <= 1e-9 * plain);
        assert_true(closed > real * (1 - 1e-9)); /* the closed form is never too fast */
        sum += closed / real - 1;
    }
    print_message("  %.1f %% later than stream by stream on average\n", sum / COUNT * 100);
    assert_true(sum / COUNT < 0.05);
}

/* One H200 to one to three peers, 256 MB, compute time equal to copy time: speedups over
   bulk. */
static void the_closed_form_agrees_with_measurements(void **state)
{
    static const struct {
        struct model_schedule schedule;
        double speedup;
    } rows[] = {{{4 * MB, 0}, 1.59},
                {{8 * MB, 0}, 1.71},
                {{16 * MB, 0}, 1.74},
                {{512 * KB, MB}, 1.80}};
    struct topology t;

    (void)state;
    assert_int_equal(topology_load("h200x2", &t, NULL), PROACT_OK);
    struct model_copies c = model_copies_of(&t, 2, 1, 256 * (uint64_t)MB, 1);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double model = 2 * c.compute_ns / model_schedule_ns(&c, &rows[i].schedule);

        print_message("  %llu + %llu KB: measured %.2f, model %.3f\n",
                      (unsigned long long)rows[i].schedule.first_bytes / KB,
                      (unsigned long long)rows[i].schedule.step_bytes / KB, rows[i].speedup,
                      model);
        assert_true(fabs(model / rows[i].speedup - 1) < 0.03);
    }
}

/* Incast of four H200s: the best uniform chunk size of the measurements is also the best of
   the model. Times in us are from bench/results/micro-4xH200.json and
   micro-all-4xH200.json. */
static void incast_is_part_of_the_model(void **state)
{
    static const struct {
        unsigned senders;
        double ratio, took[3]; /* chunks of 4, 16, 64 MB */
    } rows[] = {{1, 0.5, {2712, 2337, 2394}}, {1, 1, {2625, 2380, 2621}},
                {1, 2, {4166, 4274, 4658}},   {4, 0.5, {1055, 734, 833}},
                {4, 1, {1033, 806, 1155}},    {4, 1.25, {1055, 845, 1233}}};
    struct topology t;

    (void)state;
    assert_int_equal(topology_load("h200x4", &t, NULL), PROACT_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct model_copies c = model_copies_of(
            &t, 2, rows[i].senders, 256 * (uint64_t)MB / rows[i].senders, rows[i].ratio);
        int best = 0, best_measured = 0;
        double us[3];

        for (int n = 0; n < 3; n++) {
            const struct model_schedule s = {(uint64_t)(4 * MB) << 2 * n, 0};

            us[n] = model_schedule_ns(&c, &s) / 1000;
            print_message("  %u senders, ratio %g, %d MB: measured %g, model %.0f us\n",
                          rows[i].senders, rows[i].ratio, 4 << 2 * n, rows[i].took[n],
                          us[n]);
            assert_true(fabs(us[n] / rows[i].took[n] - 1) < 0.25);
            best = us[n] < us[best] ? n : best;
            best_measured =
                rows[i].took[n] < rows[i].took[best_measured] ? n : best_measured;
        }
        assert_int_equal(best, best_measured);
    }
}

static struct model_schedule best_of(const struct topology *t, uint64_t bytes, double ratio)
{
    const struct model_copies c = model_copies_of(t, 2, 1, bytes, ratio);
    struct model_schedule s = model_schedule_best(&c, 64 * KB, 64 * MB);

    print_message("  %llu KB, ratio %g: %llu KB + %llu KB, %.4g us of %.4g and %.4g\n",
                  (unsigned long long)bytes / KB, ratio,
                  (unsigned long long)s.first_bytes / KB,
                  (unsigned long long)s.step_bytes / KB, model_schedule_ns(&c, &s) / 1000,
                  c.compute_ns / 1000, c.ns_per_byte * (double)c.bytes / 1000);
    return s;
}

static void the_best_schedule_follows_the_ratio(void **state)
{
    struct topology t;

    (void)state;
    assert_int_equal(topology_load("h200x4", &t, NULL), PROACT_OK);
    struct model_schedule half = best_of(&t, 256 * (uint64_t)MB, 0.5);
    struct model_schedule one = best_of(&t, 256 * (uint64_t)MB, 1);
    struct model_schedule two = best_of(&t, 256 * (uint64_t)MB, 2);

    /* The link is the bottleneck: start early, then use few copies. */
    assert_true(half.step_bytes >= half.first_bytes);
    assert_true(half.step_bytes > one.step_bytes);
    /* The kernel is the bottleneck: the copies keep up, and the last one should be
       small. */
    assert_true(two.step_bytes == 0);
    assert_true(one.step_bytes > 0);
    /* A small array is sent in one copy. */
    assert_true(best_of(&t, 16 * KB, 1).first_bytes >= 16 * KB);
}

/* The selected schedule is the best one of the search space in the step-by-step simulation
   too. */
static void no_other_schedule_is_better(void **state)
{
    static const double ratios[] = {0.25, 0.5, 1, 1.25, 2, 4};
    struct topology t;
    uint64_t chunks;

    (void)state;
    assert_int_equal(topology_load("v100x4", &t, NULL), PROACT_OK);
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        struct model_copies c = model_copies_of(&t, 2, 1, 50 * (uint64_t)MB, ratios[i]);
        struct model_schedule best = model_schedule_best(&c, 64 * KB, 16 * MB);
        double best_ns = simulate(&c, &best, false, &chunks);

        for (uint64_t first = 64 * KB; first <= 16 * MB; first *= 2)
            for (uint64_t step = 32 * KB; step <= 16 * MB; step *= 2) {
                struct model_schedule s = {first, step < 64 * KB ? 0 : step};

                assert_true(simulate(&c, &s, false, &chunks) >= best_ns * (1 - 1e-9));
            }
    }
}

/* A machine without link data, like local GPUs: default values, and no division by 0. */
static void missing_link_data_gives_defaults(void **state)
{
    const struct topology t = {.device_count = 4};
    struct model_schedule s = best_of(&t, 256 * (uint64_t)MB, 1);

    (void)state;
    assert_in_range(s.first_bytes, 64 * KB, 64 * MB);
    assert_true(model_schedule_chunks(&s, 256 * (uint64_t)MB) < 300);
    assert_true(best_of(&t, 0, 1).first_bytes > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closed_form_equals_the_simulation),
        cmocka_unit_test(the_closed_form_agrees_with_measurements),
        cmocka_unit_test(incast_is_part_of_the_model),
        cmocka_unit_test(the_best_schedule_follows_the_ratio),
        cmocka_unit_test(no_other_schedule_is_better),
        cmocka_unit_test(missing_link_data_gives_defaults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
