/* SPDX-License-Identifier: Apache-2.0 */
/* Distributed arrays: one copy for all devices, whatever kernels do with it. An argument
   names the machine. */
#include "runtime/distributed_testing.h"

static void every_device_has_a_partition(void **state)
{
    struct fixture *f = begin(NULL, 0);
    struct proact_array *a = distributed(f, "a"), *b = replicated(f, "b");
    uint64_t first = 0;

    (void)state;
    for (unsigned d = 0; d < proact_device_count(f->p); d++) {
        struct proact_range part = proact_array_partition(a, d);

        if (part.bytes)
            assert_int_equal(part.first_byte, first);
        first += part.bytes;
        assert_int_equal(proact_array_partition(b, d).bytes, N * 4);
        assert_int_equal(proact_array_address(a, d), proact_array_address(a, 0));
    }
    assert_int_equal(first, N * 4);
    assert_int_equal(proact_array_partition(a, 99).bytes, 0);
    if (proact_is_emulated(f->p))
        assert_int_equal(proact_array_partition(a, 0).bytes, 40960);
    holds(f, b, f->in);
    end(f);
}

static void stores_may_go_anywhere(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++) {
        if (!has_method(*m))
            continue;
        struct fixture *f = begin(*m, 0);

        shuffle(f);
        struct proact_array *out = distributed(f, "out"), *where = replicated(f, "where");
        struct proact_kernel *k = kernel(f, "scatters");

        for (uint32_t i = 0; i < N; i++)
            f->expected[f->in[i]] = i;
        LAUNCH(f, k, SPLIT, out, where);
        is_split(k);
        holds(f, out, f->expected);
        end(f);
    }
}

/* Tables in distributed arrays are read in place. Replicated arrays of the same kernel are
   sent as usual. */
static void tables_are_read_where_they_are(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++) {
        if (!has_method(*m))
            continue;
        struct fixture *f = begin(*m, 0);

        shuffle(f);
        struct proact_array *table = distributed(f, "table"), *out = replicated(f, "out"),
                            *where = replicated(f, "where");
        struct proact_kernel *k = kernel(f, "gathers");
        uint32_t *content = calloc(N, sizeof *content);

        for (uint32_t i = 0; i < N; i++)
            content[i] = 3 * i + 5;
        for (int round = 0; round < 3; round++) {
            must(f, proact_array_write(table, 0, content, N, &f->err));
            LAUNCH(f, k, SPLIT, out, table, where);
            is_split(k);
            for (uint32_t i = 0; i < N; i++)
                f->expected[i] = content[f->in[i]] + 1;
            for (uint32_t i = 0; i < N; i++)
                content[i] += 7;
        }
        holds(f, out, f->expected);
        free(content);
        end(f);
    }
}

static void sums_of_all_devices_are_combined(void **state)
{
    struct fixture *f = begin("fused", 0);
    struct proact_array *bins = distributed(f, "bins"), *in = replicated(f, "in");
    struct proact_kernel *k = kernel(f, "sums");
    float sum[BINS] = {0}, got[N];

    (void)state;
    for (uint32_t i = 0; i < N; i++)
        sum[f->in[i] % BINS] += 2.0F; /* four rounds, one of them on one device */
    for (int round = 0; round < 4; round++)
        LAUNCH(f, k, round == 2 ? WHOLE : SPLIT, bins, in);
    is_split(k);
    must(f, proact_array_read(bins, 0, got, N, &f->err));
    for (uint32_t i = 0; i < BINS; i++)
        assert_true(got[i] >= sum[i] && got[i] <= sum[i]);
    end(f);
}

static void halves_are_added_among_all(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct fixture *f = begin_on(machine, seed % 2 ? "inline" : "polling", 0, seed);

        shuffle(f);
        struct proact_array *sums = distributed(f, "sums"), *where = replicated(f, "where");
        struct proact_kernel *k = kernel(f, "adds_halves");

        LAUNCH(f, k, SPLIT, sums, where);
        is_split(k);
        for (uint32_t i = 0; i < N; i++)
            f->expected[i] = i < N / 4 ? 0x48004400 : 0; /* 4 and 8 */
        holds(f, sums, f->expected);
        must(f, proact_array_write(sums, 0, f->in, N, &f->err)); /* indices again */
        LAUNCH(f, k, SPLIT, where, sums);
        is_whole(k, "where it writes depends on");
        must(f, proact_array_read(where, 0, f->got, N, &f->err)); /* it ended */
        end(f);
    }
}

static int rising(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void fetch_atomics_have_system_scope(void **state)
{
    struct fixture *f = begin("fused", 0);
    struct proact_array *out = distributed(f, "out"), *next = distributed(f, "next"),
                        *in = replicated(f, "in");
    struct proact_kernel *k = kernel(f, "compacts");
    uint32_t odd = 0, count;
    struct noted noted = {{0}};

    (void)state;
    proact_trace_set_callback(f->p, count_launch, &noted);
    LAUNCH(f, k, SPLIT, out, next, in);
    is_split(k);
    must(f, proact_wait(f->p, &f->err));
    for (unsigned d = 0; d < proact_device_count(f->p); d++)
        assert_int_equal(noted.kernels[d], 1);
    for (uint32_t i = 0; i < N; i++)
        if (f->in[i] & 1)
            f->expected[odd++] = f->in[i];
    must(f, proact_array_read(next, 0, &count, 1, &f->err));
    assert_int_equal(count, odd);
    must(f, proact_array_read(out, 0, f->got, N, &f->err));
    qsort(f->got, odd, 4, rising);
    qsort(f->expected, odd, 4, rising);
    assert_memory_equal(f->got, f->expected, 4 * odd);
    end(f);
}

static uint32_t sum_of(const uint32_t *words)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < N; i++)
        sum += words[i];
    return sum;
}

/* Fences and value-returning atomics have system scope, under many schedules. */
static void the_last_cta_reads_the_other_results(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct fixture *f = begin_on(machine, seed % 2 ? "fused" : "inline", 0, seed);
        struct proact_array *sum = distributed(f, "sum"), *in = replicated(f, "in"),
                            *partial = distributed(f, "partial"),
                            *arrival = distributed(f, "arrival");
        struct proact_kernel *k = kernel(f, "adds_up");
        uint32_t got;

        for (int round = 0; round < 3; round++) {
            LAUNCH(f, k, SPLIT, sum, partial, arrival, in);
            must(f, proact_array_read(sum, 0, &got, 1, &f->err));
            assert_int_equal(got, sum_of(f->in));
        }
        is_split(k);
        end(f);
    }
}

/* Communication between CTAs through a replicated array keeps the launch on one device: a
   replica misses the writes of other devices. */
static void cta_communication_needs_one_memory(void **state)
{
    struct fixture *f = begin("fused", 0);
    struct proact_array *sum = distributed(f, "sum"), *in = replicated(f, "in"),
                        *partial = replicated(f, "partial"),
                        *arrival = distributed(f, "arrival");
    struct proact_kernel *k = kernel(f, "adds_up");
    uint32_t got;

    (void)state;
    LAUNCH(f, k, SPLIT, sum, partial, arrival, in);
    is_whole(k, "distribute 'partial', too");
    must(f, proact_array_read(sum, 0, &got, 1, &f->err));
    assert_int_equal(got, sum_of(f->in));
    end(f);
}

/* The same holds if the communicating pointer may refer to a second array. */
static void communicating_atomics_need_one_memory(void **state)
{
    struct fixture *f = begin("fused", 0);
    struct proact_array *out = replicated(f, "out"), *words = replicated(f, "words"),
                        *done = distributed(f, "done"), *other = replicated(f, "other");
    struct proact_kernel *k = kernel(f, "takes_over");

    (void)state;
    memcpy(f->expected, f->in, sizeof *f->in * N);
    for (uint32_t i = 0; i < CTAS; i++)
        f->expected[i] = 3 * (CTAS - 1 - i) + 1;
    LAUNCH(f, k, SPLIT, out, words, done, other);
    is_whole(k, "distribute 'words', too");
    holds(f, out, f->expected);
    end(f);
}

/* A map states what a kernel writes. It does not state that other CTAs never read it. */
static void maps_do_not_permit_communication(void **state)
{
    struct fixture *f = begin("fused", 0);
    struct proact_array *sum = distributed(f, "sum"), *in = replicated(f, "in"),
                        *partial = replicated(f, "partial"),
                        *arrival = distributed(f, "arrival");
    struct proact_kernel *k = kernel(f, "adds_up");
    uint32_t got;

    (void)state;
    must(f, proact_kernel_map(
                k, 1, &(struct proact_map){.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = 4},
                &f->err));
    LAUNCH(f, k, SPLIT, sum, partial, arrival, in);
    must(f, proact_array_read(sum, 0, &got, 1, &f->err));
    assert_int_equal(got, sum_of(f->in));
    is_whole(k, "distribute 'partial', too");
    end(f);
}

/* A distributed array has one address on all devices. Values derived from such an address
   may be stored, for example the result of an atomic. */
static void all_devices_have_one_address(void **state)
{
    struct fixture *f = begin("fused", 0);

    shuffle(f);
    struct proact_array *was = distributed(f, "was"), *word = distributed(f, "word"),
                        *where = replicated(f, "where");
    struct proact_kernel *k = kernel(f, "changes");
    const struct proact_relocation relocations[] = {
        {0, was, 0}, {8, word, 0}, {16, where, 0}};
    unsigned char bytes[28] = {0};
    const uint32_t n = N;

    (void)state;
    memcpy(bytes + 24, &n, sizeof n);
    for (int round = 0; round < 2; round++)
        must(f, proact_launch_buffer(
                    k,
                    &(struct proact_grid){.ctas = {CTAS},
                                          .threads = {THREADS},
                                          .device_count = proact_device_count(f->p)},
                    &(struct proact_parameter_buffer){bytes, sizeof bytes, relocations, 3},
                    &f->err));
    is_split(k);
    for (uint32_t i = 0; i < N; i++)
        f->expected[i] = i + 1;
    holds(f, was, f->expected);
    end(f);
}

/* A loop that waits for another CTA keeps the launch on one device, because that CTA may
   not have started elsewhere. */
static void waiting_kernels_are_not_split(void **state)
{
    struct fixture *f = begin("fused", 0);
    struct proact_array *sums = distributed(f, "sums"), *in = replicated(f, "in");
    struct proact_kernel *k = kernel(f, "lines_up");
    uint32_t sum = 1;

    (void)state;
    LAUNCH(f, k, SPLIT, sums, in);
    is_whole(k, "a loop waits for the value that this load reads");
    for (uint32_t c = 0; c < CTAS; c++)
        f->expected[c] = sum += f->in[c] & 15;
    holds(f, sums, f->expected);
    end(f);
}

/* Atomics of an annotated kernel run unchanged, so they need system scope on distributed
   arrays. */
static void atomics_of_annotated_kernels_need_system_scope(void **state)
{
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS,
                                   .range_bytes = 4 * THREADS};
    struct fixture *f = begin("fused", 0);
    struct proact_array *out = replicated(f, "out"), *next = distributed(f, "next");
    struct proact_kernel *fetch_atomics = kernel(f, "marked_fetch_atomics"),
                         *sums = kernel(f, "marked_sums");
    uint32_t got, sum = 0;

    (void)state;
    must(f, proact_kernel_map(fetch_atomics, 0, &map, &f->err));
    must(f, proact_kernel_map(sums, 0, &map, &f->err));
    refused(f, try(f, fetch_atomics, SPLIT, (struct proact_array *[]){out, next}, 2),
            PROACT_EREFUSED, "an atomic on a distributed array has device scope");
    LAUNCH(f, fetch_atomics, WHOLE, out, next);
    LAUNCH(f, sums, SPLIT, out, next);
    must(f, proact_array_read(next, 0, &got, 1, &f->err));
    for (uint32_t i = 0; i < N; i++)
        sum += i;
    assert_int_equal(got, sum + N);
    end(f);
}

static void impossible_requests_are_reported(void **state)
{
    struct fixture *f = begin("fused", 0);
    struct proact_array *a = distributed(f, "a"), *b = replicated(f, "b"), *none = NULL;
    struct proact_kernel *k = kernel(f, "blurs");

    (void)state;
    must(f,
         proact_kernel_map(
             k, 1, &(struct proact_map){.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = 256},
             &f->err));
    refused(f, try(f, k, SPLIT, (struct proact_array *[]){b, a}, 2), PROACT_EINVAL,
            "argument 1 has a map, for array 'a', which is distributed");
    LAUNCH(f, k, SPLIT, a, b);
    refused(f,
            proact_array_create_distributed(
                f->p, &(struct proact_shape){"much", (size_t)1 << 46, 4}, &none, &f->err),
            PROACT_ENOSPACE, "array 'much', distributed: ");
    assert_null(none);
    end(f);
    if (strcmp(machine, "local") == 0)
        return;
    f = begin_on("k40x4", "fused", 0, 1); /* its bus has no atomics */
    a = distributed(f, "a");
    b = replicated(f, "b");
    k = kernel(f, "marked_sums");
    must(f, proact_kernel_map(k, 0, &(struct proact_map){.range_bytes = 256}, &f->err));
    refused(f, try(f, k, SPLIT, (struct proact_array *[]){b, a}, 2), PROACT_EREFUSED,
            "cannot execute atomics in the memory of device");
    must(f, try(f, k, WHOLE, (struct proact_array *[]){b, a}, 2));
    refused(f, try(f, kernel(f, "sums"), SPLIT, (struct proact_array *[]){a, b}, 2),
            PROACT_EREFUSED, "cannot execute atomics in the memory of device");
    LAUNCH(f, kernel(f, "scatters"), WHOLE, a, b);
    end(f);
}

static void one_device_needs_no_partitions(void **state)
{
    struct fixture *f = begin("fused", 1);
    struct proact_array *a = distributed(f, "a"), *b = replicated(f, "b");

    (void)state;
    assert_int_equal(proact_array_partition(a, 0).bytes, N * 4);
    shuffle(f);
    must(f, proact_array_write(b, 0, f->in, N, &f->err));
    for (uint32_t i = 0; i < N; i++)
        f->expected[f->in[i]] = i;
    LAUNCH(f, kernel(f, "scatters"), SPLIT, a, b);
    holds(f, a, f->expected);
    end(f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_has_a_partition),
        cmocka_unit_test(stores_may_go_anywhere),
        cmocka_unit_test(tables_are_read_where_they_are),
        cmocka_unit_test(sums_of_all_devices_are_combined),
        cmocka_unit_test(halves_are_added_among_all),
        cmocka_unit_test(fetch_atomics_have_system_scope),
        cmocka_unit_test(the_last_cta_reads_the_other_results),
        cmocka_unit_test(cta_communication_needs_one_memory),
        cmocka_unit_test(communicating_atomics_need_one_memory),
        cmocka_unit_test(maps_do_not_permit_communication),
        cmocka_unit_test(all_devices_have_one_address),
        cmocka_unit_test(waiting_kernels_are_not_split),
        cmocka_unit_test(atomics_of_annotated_kernels_need_system_scope),
        cmocka_unit_test(impossible_requests_are_reported),
        cmocka_unit_test(one_device_needs_no_partitions),
    };

    if (argc > 1)
        machine = argv[1];
    if (!has_devices())
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
