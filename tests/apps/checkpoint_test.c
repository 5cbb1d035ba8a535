/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of the iteration loop: a run from any saved state, on any number of devices,
   gives the bits of an uninterrupted run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "apps/als_testing.h"
#include "band/band.h"
#include "graph/repeat_look.h"
#include "jacobi/jacobi.h"
#include "pagerank/pagerank.h"

enum { SIZE = 96, VERTICES = 700, STATES_MAX = 16, PARTS_MAX = 4 };

struct state {
    unsigned iteration;
    size_t count, bytes[PARTS_MAX];
    void *data[PARTS_MAX];
};

struct store {
    struct state state[STATES_MAX];
    unsigned count;
    const struct state *loaded;
    enum proact_status failure; /* of the next save */
};

static enum proact_status keep(void *context, unsigned iteration,
                               const struct app_part *parts, size_t count,
                               struct proact_error *err)
{
    struct store *store = context;
    struct state *state = &store->state[store->count++];

    assert_in_range(store->count, 1, STATES_MAX);
    assert_in_range(count, 1, PARTS_MAX);
    *state = (struct state){.iteration = iteration, .count = count};
    for (size_t i = 0; i < count; i++) {
        state->bytes[i] = parts[i].bytes;
        state->data[i] = malloc(parts[i].bytes);
        memcpy(state->data[i], parts[i].data, parts[i].bytes);
    }
    if (store->failure)
        strcpy(err->text, "the disk is full");
    return store->failure;
}

static enum proact_status recall(void *context, unsigned *iteration,
                                 const struct app_part *parts, size_t count,
                                 struct proact_error *err)
{
    const struct state *state = ((struct store *)context)->loaded;

    (void)err;
    assert_int_equal(state->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(state->bytes[i], parts[i].bytes);
        memcpy(parts[i].data, state->data[i], parts[i].bytes);
    }
    *iteration = state->iteration;
    return PROACT_OK;
}

static void store_clear(struct store *store)
{
    for (unsigned s = 0; s < store->count; s++)
        for (size_t i = 0; i < store->state[s].count; i++)
            free(store->state[s].data[i]);
    *store = (struct store){.count = 0};
}

static struct proact *open_devices(unsigned devices, const char *method)
{
    const struct proact_options how = {.machine = "h200x4",
                                       .device_count = devices,
                                       .plan = {.method = method, .chunk_bytes = 4096}};
    struct proact_error err = {""};
    struct proact *p;

    if (proact_open(&how, &p, &err))
        fail_msg("%s", err.text);
    return p;
}

static struct jacobi_result run_grid(struct jacobi_options options, unsigned devices)
{
    struct proact_error err = {""};
    struct proact *p = open_devices(devices, "polling");
    struct jacobi_result r;

    if (jacobi_run(p, &options, &r, &err))
        fail_msg("%s", err.text);
    proact_close(p);
    return r;
}

static void a_grid_goes_on_from_each_state(void **context)
{
    (void)context;
    struct store store = {.count = 0};
    struct jacobi_options options = {
        .size = SIZE,
        .iterations_max = 61,
        .tolerance = -1,
        .checkpoint = {.every = 10, .save = keep, .context = &store}};
    struct jacobi_result whole = run_grid(options, 2);

    /* The ends of the batches that pass 10, 20, 30, 40, 50 and, in the last one, 60. */
    assert_int_equal(store.count, 5);
    for (unsigned i = 0; i < store.count; i++) {
        struct jacobi_options again = {.size = SIZE,
                                       .iterations_max = 61,
                                       .tolerance = -1,
                                       .checkpoint = {.load = recall, .context = &store}};

        assert_int_equal(store.state[i].iteration % REPEAT_BATCH, 0);
        store.loaded = &store.state[i];
        struct jacobi_result rest = run_grid(again, 1 + i % 3);

        assert_int_equal(rest.iterations, whole.iterations);
        assert_memory_equal(&rest.residual, &whole.residual, sizeof whole.residual);
        assert_memory_equal(rest.cells, whole.cells, SIZE * SIZE * sizeof *whole.cells);
        jacobi_clear(&rest);
    }
    store_clear(&store);
    jacobi_clear(&whole);
}

/* A ring with chords, in which some vertices have no outgoing edges. */
static struct graph make_ring(void)
{
    struct matrix m = {.rows = VERTICES, .columns = VERTICES, .comment = ""};
    struct graph g;

    m.entry = calloc((size_t)VERTICES * 2, sizeof *m.entry);
    for (uint32_t v = 0; v < VERTICES; v++) {
        if (v % 7 == 3)
            continue;
        m.entry[m.count++] = (struct matrix_entry){v, (v + 1) % VERTICES};
        m.entry[m.count++] = (struct matrix_entry){v, (v * 31 + 5) % VERTICES};
    }
    assert_int_equal(graph_from_matrix("ring", &m, &g, NULL), PROACT_OK);
    free(m.entry);
    return g;
}

static struct pagerank_result rank(const struct graph *g, struct pagerank_options options,
                                   unsigned devices)
{
    struct proact_error err = {""};
    struct proact *p = open_devices(devices, "inline");
    struct pagerank_result r;

    if (pagerank_run(p, g, &options, &r, &err))
        fail_msg("%s", err.text);
    proact_close(p);
    return r;
}

static void ranks_converge_at_the_same_iteration(void **context)
{
    (void)context;
    struct store store = {.count = 0};
    struct graph g = make_ring();
    struct pagerank_options options = {
        .tolerance = 1e-8, .checkpoint = {.every = 1, .save = keep, .context = &store}};
    struct pagerank_result whole = rank(&g, options, 3);

    assert_true(whole.converged);
    assert_in_range(store.count, 2, STATES_MAX);
    for (unsigned i = 0; i < store.count; i++) {
        struct pagerank_options again = {.tolerance = 1e-8,
                                         .checkpoint = {.load = recall, .context = &store}};

        store.loaded = &store.state[i];
        struct pagerank_result rest = rank(&g, again, 1 + i % 4);

        assert_int_equal(rest.iterations, whole.iterations);
        assert_true(rest.converged);
        assert_memory_equal(rest.ranks, whole.ranks, VERTICES * sizeof *whole.ranks);
        pagerank_clear(&rest);
    }
    store_clear(&store);
    pagerank_clear(&whole);
    graph_clear(&g);
}

static void a_failure_to_save_ends_the_run(void **context)
{
    (void)context;
    struct store store = {.failure = PROACT_EINVAL};
    struct jacobi_options options = {
        .size = SIZE,
        .iterations_max = 40,
        .tolerance = -1,
        .checkpoint = {.every = 8, .save = keep, .context = &store}};
    struct proact_error err = {""};
    struct proact *p = open_devices(2, "bulk");
    struct jacobi_result r;

    assert_int_equal(jacobi_run(p, &options, &r, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "the disk is full");
    assert_int_equal(store.count, 1);
    proact_close(p);
    store_clear(&store);
}

/* The last change of each iteration, in order. */
struct changes {
    unsigned count;
    double change[64];
};

static void note_change(void *context, unsigned iteration, double change)
{
    struct changes *changes = context;

    if (iteration == 0)
        return; /* the clock starts */
    assert_int_equal(iteration, changes->count + 1);
    changes->change[changes->count++] = change;
}

static void every_iteration_is_reported(void **context)
{
    (void)context;
    struct changes found = {.count = 0}, expected = {.count = 0};
    struct jacobi_options options = {.size = SIZE,
                                     .iterations_max = 45,
                                     .tolerance = -1,
                                     .progress = note_change,
                                     .context = &found,
                                     .every_iteration = true};
    struct jacobi_result r = run_grid(options, 2), want;

    options.context = &expected;
    assert_int_equal(jacobi_reference(&options, &want, NULL), PROACT_OK);
    assert_int_equal(found.count, 45);
    for (unsigned i = 0; i < 45; i++)
        assert_true(found.change[i] > expected.change[i] * (1 - 1e-9) &&
                    found.change[i] < expected.change[i] * (1 + 1e-9));
    jacobi_clear(&r);
    jacobi_clear(&want);
}

/* A system whose residual grows: the message names the iterations before the state, too. */
static void a_residual_grows_across_a_state(void **context)
{
    (void)context;
    const struct band_shape shape = {2000, 13, 0.9};
    struct store store = {.count = 0};
    struct band_options options = {
        .checkpoint = {.every = 1, .save = keep, .context = &store}};
    struct proact_error whole = {""}, rest = {""};
    struct band_result r;
    struct band_system s;

    assert_int_equal(band_generate(&shape, &s, NULL), PROACT_OK);
    for (unsigned i = 0; i == 0 || i <= store.count; i++) {
        struct proact *p = open_devices(1 + i % 3, "fused");

        if (i > 0) {
            store.loaded = &store.state[i - 1];
            options.checkpoint = (struct app_checkpoint){.load = recall, .context = &store};
        }
        assert_int_equal(band_run(p, &s, &options, &r, i ? &rest : &whole), PROACT_EINVAL);
        if (i > 0)
            assert_string_equal(rest.text, whole.text);
        proact_close(p);
    }
    assert_non_null(strstr(whole.text, "grew in 10 iterations in a row"));
    assert_in_range(store.count, 1, STATES_MAX);
    store_clear(&store);
    band_system_clear(&s);
}

static void a_later_sweep_than_the_last_one_is_refused(void **context)
{
    (void)context;
    struct rating_set set = als_planted(60, 40, 600);
    struct store store = {.count = 0};
    struct als_options options = {
        .rank = 4,
        .sweeps_max = 6,
        .tolerance = -1,
        .checkpoint = {.every = 2, .save = keep, .context = &store}};
    struct proact *p = open_devices(2, "fused");
    struct proact_error err = {""};
    struct als_result r;

    assert_int_equal(als_run(p, &set, &options, &r, NULL), PROACT_OK);
    als_clear(&r);
    assert_int_equal(store.count, 2);
    store.loaded = &store.state[1];
    options.sweeps_max = 3;
    options.checkpoint = (struct app_checkpoint){.load = recall, .context = &store};
    assert_int_equal(als_run(p, &set, &options, &r, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "the checkpoint is of sweep 4: expected at most 3");
    proact_close(p);
    store_clear(&store);
    rating_set_clear(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_goes_on_from_each_state),
        cmocka_unit_test(ranks_converge_at_the_same_iteration),
        cmocka_unit_test(a_failure_to_save_ends_the_run),
        cmocka_unit_test(every_iteration_is_reported),
        cmocka_unit_test(a_residual_grows_across_a_state),
        cmocka_unit_test(a_later_sweep_than_the_last_one_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
