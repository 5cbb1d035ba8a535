/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that update integers with atomics without using the result are split. The replica
   on device 0 receives the atomics of all devices. Kernels with other accesses to such an
   array run on one device. */
#include "runtime_testing.h"

#include <proact/program.h>

enum { BINS = 64, ROUNDS = 3 };

static const struct proact_grid grid = {.ctas = {CTAS, 1, 1}, .threads = {THREADS, 1, 1}};

struct counting {
    struct bench b;
    struct proact_array *bins, *most, *in;
    uint32_t host[N], expected[BINS], greatest;
};

static void must(enum proact_status status, const struct proact_error *err)
{
    if (status)
        fail_msg("%s", err->text);
}

static const struct proact_options *checked(const char *machine, const char *method,
                                            unsigned devices)
{
    static struct proact_options options;

    options = (struct proact_options){.machine = machine,
                                      .device_count = devices,
                                      .check = true,
                                      .plan = {.method = method}};
    return &options;
}

/* The initial content of the array is part of the result. */
static struct counting *begin(const struct proact_options *options)
{
    struct counting *c = calloc(1, sizeof *c);
    uint32_t first[N];

    assert_non_null(c);
    c->b = testing_open(options);
    c->bins = testing_array(&c->b, "bins");
    c->most = testing_array(&c->b, "most");
    c->in = testing_array(&c->b, "in");
    for (uint32_t i = 0; i < N; i++) {
        first[i] = i < BINS ? 1000 * i : 7;
        c->host[i] = i * 2654435761u >> 9;
        if (c->host[i] > c->greatest)
            c->greatest = c->host[i];
    }
    for (uint32_t i = 0; i < BINS; i++)
        c->expected[i] = first[i];
    must(proact_array_write(c->bins, 0, first, N, &c->b.err), &c->b.err);
    must(proact_array_write(c->most, 0, first, N, &c->b.err), &c->b.err);
    must(proact_array_write(c->in, 0, c->host, N, &c->b.err), &c->b.err);
    return c;
}

static void end(struct counting *c)
{
    proact_close(c->b.p);
    free(c);
}

/* Launches with a parameter buffer, as a program does: up to four arrays, then a number. */
static void launch_block(struct counting *c, struct proact_kernel *k,
                         struct proact_array *const *arrays, uint32_t count)
{
    struct proact_relocation relocations[4];
    struct proact_grid all = grid;
    unsigned char bytes[64] = {0};
    const uint32_t n = N;

    all.device_count = proact_device_count(c->b.p);
    for (uint32_t i = 0; i < count; i++)
        relocations[i] = (struct proact_relocation){8 * i, arrays[i], 0};
    memcpy(bytes + 8 * count, &n, sizeof n);
    must(proact_launch_buffer(
             k, &all,
             &(struct proact_parameter_buffer){bytes, 8 * count + 4, relocations, count},
             &c->b.err),
         &c->b.err);
}

static void launch(struct counting *c, struct proact_kernel *k)
{
    launch_block(c, k, (struct proact_array *[]){c->b.out, c->bins, c->most, c->in}, 4);
    for (uint32_t i = 0; i < N; i++)
        c->expected[c->host[i] % BINS]++;
}

/* Checks every device after a read. */
static void check(struct counting *c, unsigned devices)
{
    uint32_t got[N];

    must(proact_array_broadcast(c->bins, &c->b.err), &c->b.err);
    must(proact_array_broadcast(c->most, &c->b.err), &c->b.err);
    must(proact_wait(c->b.p, &c->b.err), &c->b.err);
    for (unsigned d = 0; d < devices; d++) {
        must(proact_array_read_replica(c->bins, d, 0, got, N, &c->b.err), &c->b.err);
        assert_memory_equal(got, c->expected, sizeof c->expected);
        assert_int_equal(got[BINS], 7);
        must(proact_array_read_replica(c->most, d, 0, got, 1, &c->b.err), &c->b.err);
        assert_int_equal(got[0], c->greatest);
        must(proact_array_read_replica(c->b.out, d, 0, got, N, &c->b.err), &c->b.err);
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(got[i], 2 * c->host[i]);
    }
}

static void every_method_reduces_all_devices(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++)
        for (unsigned devices = 2; devices <= 4; devices += 2) {
            struct counting *c = begin(checked("v100x4", *m, devices));
            struct proact_kernel *counts = testing_kernel(&c->b, "counts");

            for (unsigned round = 0; round < ROUNDS; round++)
                launch(c, counts);
            assert_null(proact_kernel_refusal(counts));
            check(c, devices);
            end(c);
        }
}

/* The next host read or kernel waits for the last atomics of every device. */
static void readers_wait_for_all_atomics(void **state)
{
    uint32_t got[N];
    struct counting *c = begin(checked("v100x4", "fused", 4));
    struct proact_kernel *counts = testing_kernel(&c->b, "counts"),
                         *doubles = testing_kernel(&c->b, "doubles_odd");

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        launch(c, counts);
        must(proact_array_read(c->bins, 0, got, BINS, &c->b.err), &c->b.err);
        assert_memory_equal(got, c->expected, sizeof c->expected);
        launch_block(c, doubles, (struct proact_array *[]){c->most, c->bins}, 2);
        must(proact_array_read(c->most, 0, got, BINS, &c->b.err), &c->b.err);
        for (uint32_t i = 1; i < BINS; i++)
            if (c->expected[i] % 2)
                assert_int_equal(got[i], 2 * c->expected[i]);
    }
    assert_null(proact_kernel_refusal(counts));
    end(c);
}

/* Two arguments, which are different arrays or the same one. */
static void other_accesses_keep_the_launch_on_one_device(void **state)
{
    static const struct {
        const char *kernel, *part;
    } cases[] = {
        {"counts_and_reads", "and the kernel may read the same bytes"},
        {"counts_and_stores", "and other stores write the same bytes"},
        {"counts_two_sizes", "and two kinds of them on one array cannot be combined"},
        {"counts_floats", "depends on what line"}};

    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (unsigned same = 0; same < 2; same++) {
            /* Without check mode: one kernel races on an array that it reads. */
            struct counting *c = begin(&(struct proact_options){.machine = "v100x4"});
            struct proact_kernel *k = testing_kernel(&c->b, cases[n].kernel);
            struct proact_array *const arrays[] = {c->bins, same ? c->bins : c->in};
            const bool is_whole = same || n == 3;

            launch_block(c, k, arrays, 2);
            must(proact_wait(c->b.p, &c->b.err), &c->b.err);
            const char *why = proact_kernel_refusal(k);

            if (is_whole ? !why || !strstr(why, cases[n].part) : why != NULL)
                fail_msg("%s%s: %s", cases[n].kernel, same ? ", one array" : "",
                         why ? why : "is split");
            end(c);
        }
}

/* Sums and a maximum in one array are sent to device 0 as single atomics, also between
   launches with partial sums on each device. */
static void two_operations_in_one_array_are_exact(void **state)
{
    uint32_t got[BINS + 1];
    struct counting *c = begin(checked("v100x4", "fused", 4));
    struct proact_kernel *counts = testing_kernel(&c->b, "counts"),
                         *both = testing_kernel(&c->b, "counts_two_ways");

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        launch(c, counts);
        launch_block(c, both, (struct proact_array *[]){c->bins, c->bins}, 2);
        for (uint32_t i = 0; i < N; i++)
            c->expected[i % BINS]++;
        must(proact_array_read(c->bins, 0, got, BINS + 1, &c->b.err), &c->b.err);
        assert_memory_equal(got, c->expected, BINS * sizeof *got);
        assert_int_equal(got[BINS], N - 1);
    }
    assert_null(proact_kernel_refusal(counts));
    assert_null(proact_kernel_refusal(both));
    end(c);
}

/* A PCIe bus carries stores and copies between devices, but no atomics. */
static void links_without_atomics_prevent_reductions(void **state)
{
    struct counting *c = begin(checked("k40x4", "fused", 4));
    struct proact_kernel *counts = testing_kernel(&c->b, "counts");

    (void)state;
    launch(c, counts);
    assert_non_null(strstr(proact_kernel_refusal(counts), "not all links support them"));
    check(c, 4);
    end(c);
}

/* Host memory provides no atomics between devices; peer memory does. */
static void pinned_memory_prevents_reductions(void **state)
{
    static const struct proact_shape shape = {"shared", N, 4};

    (void)state;
    for (unsigned is_pinned = 0; is_pinned < 2; is_pinned++) {
        struct counting *c = begin(checked("v100x4", "fused", 4));
        struct proact_kernel *counts = testing_kernel(&c->b, "counts");
        uint32_t first[N];

        must(proact_array_read(c->bins, 0, first, N, &c->b.err), &c->b.err);
        must(proact_array_create_host_accessible(c->b.p, &shape, is_pinned, &c->bins,
                                                 &c->b.err),
             &c->b.err);
        must(proact_array_write(c->bins, 0, first, N, &c->b.err), &c->b.err);
        launch(c, counts);
        const char *why = proact_kernel_refusal(counts);

        if (is_pinned ? !why || !strstr(why, "in pinned host memory") : why != NULL)
            fail_msg("pinned %u: %s", is_pinned, why ? why : "is split");
        check(c, 4);
        struct proact_kernel *notes = testing_kernel(&c->b, "notes_two");

        launch_block(c, notes, (struct proact_array *[]){c->b.out, c->bins}, 2);
        why = proact_kernel_refusal(notes);
        if (is_pinned ? !why || !strstr(why, "in pinned host memory") : why != NULL)
            fail_msg("flags, pinned %u: %s", is_pinned, why ? why : "is split");
        end(c);
    }
}

/* Without measurements, many small atomics in the memory of another device only cost time,
   so the launch runs on one device. */
static void unmeasured_reductions_run_on_one_device(void **state)
{
    struct counting *c = begin(checked("v100x4", "fused", 4));
    struct proact_kernel *counts = testing_kernel(&c->b, "counts");
    const uint32_t n = N;
    const struct proact_arg args[] = {PROACT_ARRAY(c->b.out), PROACT_ARRAY(c->bins),
                                      PROACT_ARRAY(c->most), PROACT_ARRAY(c->in),
                                      PROACT_VALUE(n)};

    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        must(proact_launch(counts, &grid, args, 5, &c->b.err), &c->b.err);
        for (uint32_t i = 0; i < N; i++)
            c->expected[c->host[i] % BINS]++;
        assert_non_null(strstr(proact_kernel_refusal(counts), "depends on what line"));
        launch(c, counts);
        assert_null(proact_kernel_refusal(counts));
    }
    check(c, 4);
    end(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_reduces_all_devices),
        cmocka_unit_test(readers_wait_for_all_atomics),
        cmocka_unit_test(other_accesses_keep_the_launch_on_one_device),
        cmocka_unit_test(two_operations_in_one_array_are_exact),
        cmocka_unit_test(links_without_atomics_prevent_reductions),
        cmocka_unit_test(pinned_memory_prevents_reductions),
        cmocka_unit_test(unmeasured_reductions_run_on_one_device),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
