/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse that the API can detect before a launch, or in the call itself. */
#include "runtime/runtime_testing.h"

#include <proact/interop.h>
#include <proact/program.h>
#include <proact/texture.h>

static const struct proact_options two = {.machine = "v100x4", .device_count = 2};
static const struct proact_grid grid = {.ctas = {CTAS}, .threads = {THREADS}};

static struct proact_kernel *misuse_kernel(struct bench *b, const char *name)
{
    return testing_kernel_of(b, testing_text(PROACT_BINARY "/tests/runtime/misuse.ptx"),
                             name);
}

static enum proact_status pair_launch(struct bench *b, struct proact_kernel *k,
                                      struct proact_array *high)
{
    const unsigned n = N;
    const uint64_t none = 0;
    const struct proact_arg args[] = {PROACT_ARRAY(b->out),
                                      high ? PROACT_ARRAY(high) : PROACT_VALUE(none),
                                      PROACT_VALUE(n)};

    return proact_launch(k, &grid, args, 3, &b->err);
}

static void a_kernel_without_maps(void **state)
{
    const unsigned n = N, factor = 3;

    (void)state;
    for (const char *const *method = proact_method_names(); *method; method++) {
        struct bench b = testing_open(
            &(struct proact_options){.machine = "v100x4", .plan = {.method = *method}});
        const struct proact_arg args[] = {PROACT_ARRAY(b.out), PROACT_VALUE(n),
                                          PROACT_VALUE(factor)};
        struct proact_kernel *k = testing_kernel(&b, "fill");

        REFUSED(proact_launch(k, &grid, args, 3, &b.err), PROACT_EINVAL,
                "kernel 'fill': it stores to argument 0, array 'out', which has no map: "
                "proact_kernel_map() is missing, for slot 0");
        assert_int_equal(proact_kernel_map(k, 0, &testing_map, &b.err), 0);
        assert_int_equal(proact_launch(k, &grid, args, 3, &b.err), 0);
        testing_holds(&b, b.out, 3);
        proact_close(b.p);
    }
}

/* With one device nothing has to be sent. */
static void one_device_needs_no_map(void **state)
{
    struct bench b =
        testing_open(&(struct proact_options){.machine = "v100x4", .device_count = 1});
    struct proact_kernel *k = misuse_kernel(&b, "pair");
    struct proact_array *high = testing_array(&b, "high");

    (void)state;
    assert_int_equal(pair_launch(&b, k, high), 0);
    testing_holds(&b, b.out, 1);
    testing_holds(&b, high, 2);
    proact_close(b.p);
}

static void fewer_maps_than_slots(void **state)
{
    struct bench b = testing_open(&two);
    struct proact_kernel *k = misuse_kernel(&b, "pair"), *swapped;
    struct proact_array *high = testing_array(&b, "high");

    (void)state;
    assert_int_equal(proact_kernel_map(k, 0, &testing_map, &b.err), 0);
    REFUSED(pair_launch(&b, k, high), PROACT_EINVAL,
            "argument 1, array 'high', which has no map: proact_kernel_map() is missing, "
            "for slot 1");
    assert_int_equal(proact_kernel_map(k, 0, &testing_map, &b.err), 0); /* a new map */
    REFUSED(pair_launch(&b, k, high), PROACT_EINVAL, "for slot 1");
    assert_int_equal(pair_launch(&b, k, NULL), 0); /* it does not store to it */
    testing_holds(&b, b.out, 1);
    assert_int_equal(proact_kernel_map(k, 1, &testing_map, &b.err), 0);
    assert_int_equal(pair_launch(&b, k, high), 0);
    testing_holds(&b, high, 2);

    swapped = misuse_kernel(&b, "pair");
    assert_int_equal(proact_kernel_map(swapped, 1, &testing_map, &b.err), 0);
    assert_int_equal(proact_kernel_map(swapped, 0, &testing_map, &b.err), 0);
    REFUSED(pair_launch(&b, swapped, high), PROACT_EINVAL,
            "it stores to argument 0 by slot 0, but the map of the argument defines "
            "slot 1");
    proact_close(b.p);
}

static enum proact_status option_launch(struct bench *b, struct proact_kernel *k,
                                        struct proact_array *extra, unsigned is_full)
{
    const unsigned n = N;

    return proact_launch(k, &grid,
                         (struct proact_arg[]){PROACT_ARRAY(b->out), PROACT_ARRAY(extra),
                                               PROACT_VALUE(n), PROACT_VALUE(is_full)},
                         4, &b->err);
}

/* A store that the launch does not reach needs no map, nor does a plain store next to maps,
   nor a distributed array. */
static void stores_without_a_slot(void **state)
{
    struct bench b = testing_open(&two);
    struct proact_kernel *k = misuse_kernel(&b, "option");
    struct proact_array *extra = testing_array(&b, "extra"), *parts;
    const struct proact_shape shape = {"parts", N, 4};

    (void)state;
    assert_int_equal(proact_kernel_map(k, 0, &testing_map, &b.err), 0);
    assert_int_equal(option_launch(&b, k, extra, 0), 0);
    assert_int_equal(option_launch(&b, k, extra, 1), 0);
    assert_int_equal(proact_array_create_distributed(b.p, &shape, &parts, &b.err), 0);
    assert_int_equal(option_launch(&b, k, parts, 1), 0);
    testing_holds(&b, b.out, 1);
    proact_close(b.p);
}

static void bulk_stores_without_a_map(void **state)
{
    static const char *const forms[] = {PROACT_BINARY "/tests/runtime/store_bulk.ptx",
                                        PROACT_BINARY "/tests/runtime/store_bulk_90.ptx"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct bench b = testing_open(&(struct proact_options){.machine = "h200x4"});
        struct proact_kernel *k = testing_kernel_of(&b, testing_text(forms[i]), "runs");
        const uint32_t bytes = 64, zero = 0;

        REFUSED(proact_launch(k, &(struct proact_grid){.ctas = {8}, .threads = {64}},
                              (struct proact_arg[]){PROACT_ARRAY(b.out),
                                                    PROACT_VALUE(bytes), PROACT_VALUE(zero),
                                                    PROACT_VALUE(zero), PROACT_VALUE(zero)},
                              5, &b.err),
                PROACT_EINVAL, "which has no map: proact_kernel_map() is missing");
        proact_close(b.p);
    }
}

static void maps_of_values(void **state)
{
    struct bench b = testing_open(&two);

    (void)state;
    REFUSED(proact_kernel_map(b.fill, 1, &testing_map, &b.err), PROACT_EINVAL,
            "kernel 'fill': map for argument 1, a value of 4 bytes: only arrays have maps");
    assert_int_equal(testing_fill(&b, 2), 0);
    testing_holds(&b, b.out, 2);
    proact_close(b.p);
}

static void objects_of_another_session(void **state)
{
    struct bench b = testing_open(&two), other = testing_open(&two);
    struct proact_statistics s;
    struct proact_event *here, *there;
    struct proact_variable v = {.array = other.out};
    uint32_t word = 0;
    double ns;

    (void)state;
    REFUSED(proact_statistics_get(b.p, 0, other.out, &s, &b.err), PROACT_EINVAL,
            "statistics of array 'out', which belongs to another session");
    assert_int_equal(proact_event_create(b.p, true, &here, &b.err), 0);
    assert_int_equal(proact_event_create(other.p, true, &there, &b.err), 0);
    REFUSED(proact_event_elapsed(here, there, &ns, &b.err), PROACT_EINVAL,
            "the two events belong to different sessions");
    REFUSED(proact_variable_read(b.p, &v, 0, &word, 4, &b.err), PROACT_EINVAL,
            "a variable of another session");
    proact_close(other.p);
    proact_close(b.p);
}

/* `NULL_IN(call, text)`: the call with an argument that is NULL is refused by its name. */
#define NULL_IN(call, text) REFUSED(call, PROACT_EINVAL, text "` is NULL")

static void required_structs(void **state)
{
    struct bench b = testing_open(&two);
    struct proact_array *a;
    struct proact_kernel *k;
    struct proact_variable v = {.bytes = 0};
    const struct proact_image image = {.text = "x"}, empty = {0};
    const struct proact_parameter_buffer no_bytes = {.size = 16};

    (void)state;
    NULL_IN(proact_open(&two, NULL, &b.err), "proact_open(): `out");
    NULL_IN(proact_plan_set(b.p, NULL, &b.err), "proact_plan_set(): `plan");
    NULL_IN(proact_array_create(b.p, NULL, &a, &b.err), "`shape");
    NULL_IN(proact_array_create_distributed(b.p, NULL, &a, &b.err), "`shape");
    NULL_IN(proact_array_create_host_accessible(b.p, NULL, true, &a, &b.err), "`shape");
    NULL_IN(proact_kernel_load(b.p, NULL, "fill", &k, &b.err), "`image");
    NULL_IN(proact_kernel_load(b.p, &image, NULL, &k, &b.err), "`name");
    REFUSED(proact_kernel_load(b.p, &empty, "fill", &k, &b.err), PROACT_EINVAL,
            "kernel.ptx: the image has no text");
    NULL_IN(proact_kernel_map(b.fill, 0, NULL, &b.err), "`map");
    NULL_IN(proact_launch(b.fill, NULL, NULL, 0, &b.err), "`grid");
    NULL_IN(proact_launch(b.fill, &grid, NULL, 3, &b.err), "`args");
    NULL_IN(proact_launch_buffer(b.fill, NULL, &no_bytes, &b.err), "`grid");
    NULL_IN(proact_launch_buffer(b.fill, &grid, NULL, &b.err), "`buffer");
    REFUSED(proact_launch_buffer(b.fill, &grid, &no_bytes, &b.err), PROACT_EINVAL,
            "the parameter buffer's bytes are NULL");
    NULL_IN(proact_statistics_get(b.p, 0, NULL, NULL, &b.err), "`out");
    NULL_IN(proact_record_end(b.p, NULL, &b.err), "`out");
    NULL_IN(proact_variable_find(b.p, NULL, "x", &v, &b.err), "`image");
    NULL_IN(proact_variable_write(b.p, NULL, 0, &v, 4, &b.err), "`v");
    NULL_IN(proact_variable_read(b.p, NULL, 0, &v, 4, &b.err), "`v");
    NULL_IN(proact_variable_export(b.p, NULL, "x", &v, &b.err), "`image");
    NULL_IN(proact_kernel_resources_get(b.fill, NULL, &b.err), "`out");
    NULL_IN(proact_kernel_occupancy(b.fill, 32, 0, NULL, &b.err), "`out");
    NULL_IN(proact_event_create(b.p, true, NULL, &b.err), "`out");
    NULL_IN(proact_loop_create(b.p, NULL, &b.err), "`out");
    assert_int_equal(testing_fill(&b, 2), 0);
    testing_holds(&b, b.out, 2);
    proact_close(b.p);
}

static void required_copies_and_textures(void **state)
{
    struct bench b = testing_open(&two);
    const uint64_t at = proact_array_address(b.out, 0);
    struct proact_texture_array *t;
    struct proact_texture texture = {.address = at};
    uint64_t handle;
    const struct proact_copy_2d rows = {.to = at,
                                        .from = 0,
                                        .row_bytes = 4,
                                        .row_count = 1,
                                        .to_pitch = 4,
                                        .from_pitch = 4};

    (void)state;
    NULL_IN(proact_array_write(b.out, 0, NULL, 1, &b.err), "`from");
    NULL_IN(proact_array_read(b.out, 0, NULL, 1, &b.err), "`into");
    NULL_IN(proact_device0_copy_2d(b.p, NULL, &b.err), "`copy");
    NULL_IN(proact_device0_write_2d(b.p, NULL, &b.err), "`copy");
    NULL_IN(proact_device0_read_2d(b.p, NULL, &b.err), "`copy");
    NULL_IN(proact_device0_fill_2d(b.p, NULL, 0, &b.err), "`rows");
    REFUSED(proact_device0_write_2d(b.p, &rows, &b.err), PROACT_EINVAL, "host address 0");
    REFUSED(proact_device0_read(b.p, NULL, at, 4, &b.err), PROACT_EINVAL, "host address 0");
    assert_int_equal(proact_array_write(b.out, 0, NULL, 0, &b.err), 0);
    assert_int_equal(proact_device0_read(b.p, NULL, at, 0, &b.err), 0);
    NULL_IN(proact_texture_array_create(b.p, NULL, &t, &b.err), "`shape");
    NULL_IN(proact_copy_3d(b.p, NULL, &b.err), "`copy");
    NULL_IN(proact_texture_create(b.p, NULL, &handle, &b.err), "`texture");
    NULL_IN(proact_texture_create(b.p, &texture, NULL, &b.err), "`handle");
    NULL_IN(proact_surface_create(b.p, NULL, &handle, &b.err), "`array");
    NULL_IN(proact_interop_end(b.p, NULL, &b.err), "`writes");
    NULL_IN(proact_interop_stream_create(b.p, NULL, &b.err), "`out");
    proact_close(b.p);
}

/* An object whose creation failed is passed on. */
static void required_objects(void **state)
{
    struct bench b = {0};
    uint32_t word = 0;

    (void)state;
    NULL_IN(proact_plan_set(NULL, &two.plan, &b.err), "`p");
    NULL_IN(proact_array_write(NULL, 0, &word, 1, &b.err), "`a");
    NULL_IN(proact_array_read(NULL, 0, &word, 1, &b.err), "`a");
    NULL_IN(proact_array_broadcast(NULL, &b.err), "`a");
    NULL_IN(proact_kernel_map(NULL, 0, &testing_map, &b.err), "`k");
    NULL_IN(proact_launch(NULL, &grid, NULL, 0, &b.err), "`k");
    NULL_IN(proact_wait(NULL, &b.err), "`p");
    NULL_IN(proact_record_begin(NULL, &b.err), "`p");
    NULL_IN(proact_replay(NULL, &b.err), "`r");
    NULL_IN(proact_event_record(NULL, &b.err), "`e");
    NULL_IN(proact_event_wait(NULL, &b.err), "`e");
    NULL_IN(proact_stream_wait(NULL, &b.err), "`p");
    NULL_IN(proact_loop_begin(NULL, &b.err), "`l");
    NULL_IN(proact_limit_set(NULL, PROACT_LIMIT_HEAP, 1, &b.err), "`p");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_without_maps),
        cmocka_unit_test(one_device_needs_no_map),
        cmocka_unit_test(fewer_maps_than_slots),
        cmocka_unit_test(stores_without_a_slot),
        cmocka_unit_test(bulk_stores_without_a_map),
        cmocka_unit_test(maps_of_values),
        cmocka_unit_test(objects_of_another_session),
        cmocka_unit_test(required_structs),
        cmocka_unit_test(required_copies_and_textures),
        cmocka_unit_test(required_objects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
