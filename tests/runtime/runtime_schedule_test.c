/* SPDX-License-Identifier: Apache-2.0 */
/* Chunk size under `copy-engine`: the requested size, or the model's choice for the array
   and the machine. */
#include "model/model.h"
#include "runtime/runtime_testing.h"

enum { ELEMENTS = 3 << 20, BYTES = 4 * ELEMENTS, GROUP = 1024 };

/* Number of chunks that a device sends to one peer for an array that all devices write. */
static uint64_t chunks_sent(const char *machine, unsigned devices, uint64_t chunk_bytes)
{
    const struct proact_options o = {
        .machine = machine,
        .device_count = devices,
        .plan = {.method = "copy-engine", .chunk_bytes = chunk_bytes}};
    const struct proact_shape shape = {"big", ELEMENTS, 4};
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = 4 * GROUP};
    const struct proact_grid grid = {.ctas = {ELEMENTS / GROUP}, .threads = {GROUP}};
    const uint32_t count = ELEMENTS, factor = 3;
    struct bench b = testing_open(&o);
    struct proact_array *big;
    struct proact_statistics s;

    assert_int_equal(proact_array_create(b.p, &shape, &big, &b.err), 0);
    assert_int_equal(proact_kernel_map(b.fill, 0, &map, &b.err), 0);
    const struct proact_arg args[] = {PROACT_ARRAY(big), PROACT_VALUE(count),
                                      PROACT_VALUE(factor)};

    assert_int_equal(proact_launch(b.fill, &grid, args, 3, &b.err), 0);
    assert_int_equal(proact_statistics_get(b.p, 0, big, &s, &b.err), 0);
    assert_int_equal(s.bytes, (uint64_t)BYTES / devices * (devices - 1));
    proact_close(b.p);
    return s.chunks / (devices - 1);
}

static uint64_t chunks_of_model(const char *machine, unsigned devices)
{
    struct topology t;

    assert_int_equal(topology_load(machine, &t, NULL), 0);
    assert_int_equal(topology_restrict(&t, devices, NULL), 0);
    const struct model_copies c = model_copies_of(&t, 2, devices, BYTES / devices, 1);
    const struct model_schedule s = model_schedule_best(&c, 64 << 10, 64 << 20);

    return (uint64_t)model_schedule_chunks(&s, BYTES / devices);
}

static void the_model_schedules(void **state)
{
    (void)state;
    assert_int_equal(chunks_sent("v100x4", 4, 0), chunks_of_model("v100x4", 4));
    assert_int_equal(chunks_sent("h200x4", 2, 0), chunks_of_model("h200x4", 2));
    /* The start of a copy is worth more bytes on a fast link, so the model uses fewer
       chunks. */
    assert_true(chunks_of_model("h200x4", 2) < chunks_of_model("k40x4", 2));
}

static void a_requested_size_is_kept(void **state)
{
    (void)state;
    assert_int_equal(chunks_sent("v100x4", 4, 1 << 20), BYTES / 4 >> 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_schedules),
        cmocka_unit_test(a_requested_size_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
