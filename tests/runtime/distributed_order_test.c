/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to a distributed array follow all earlier writes, whatever lies between them. An
   argument names the machine. */
#include "runtime/distributed_testing.h"

static void blur(struct fixture *f, uint32_t *scratch)
{
    memcpy(scratch, f->expected, N * sizeof *scratch);
    for (uint32_t i = 0; i < N; i++)
        f->expected[i] =
            (i ? scratch[i - 1] : 0) + 2 * scratch[i] + (i + 1 < N ? scratch[i + 1] : 0);
}

static void sends_nothing(struct fixture *f, const struct proact_array *a)
{
    struct proact_statistics s;

    must(f, proact_statistics_get(f->p, PROACT_ALL_DEVICES, a, &s, &f->err));
    assert_int_equal(s.bytes, 0);
}

/* Split launches, single-device launches, host accesses and copies each follow the
   preceding operation. */
static void launches_come_after_each_other(void **state)
{
    uint32_t *scratch = calloc(N, sizeof *scratch);

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct fixture *f = begin_on(machine, seed % 2 ? "fused" : "bulk", 0, seed);
        struct proact_array *a = distributed(f, "a"), *b = distributed(f, "b"),
                            *c = replicated(f, "c");
        struct proact_kernel *k = kernel(f, "blurs");

        memcpy(f->expected, f->in, N * sizeof *f->in);
        must(f, proact_array_write(a, 0, f->in, N, &f->err));
        for (int round = 0; round < 8; round++) {
            LAUNCH(f, k, round % 3 == 1 ? WHOLE : SPLIT, a, b);
            blur(f, scratch);
            if (round % 3 != 1)
                is_split(k);
            if (round % 4 == 2) {
                LAUNCH(f, k, SPLIT, b, c);
                blur(f, scratch);
                LAUNCH(f, k, SPLIT, c, b);
                blur(f, scratch);
            }
            if (round == 5)
                must(f, proact_device0_fill(f->p, proact_array_address(b, 0) + N, 0, N,
                                            &f->err));
            if (round == 5)
                memset(f->expected + N / 4, 0, N);
            must(f, proact_device0_copy(f->p, proact_array_address(a, 0),
                                        proact_array_address(b, 0), N * 4, &f->err));
        }
        must(f,
             proact_device0_read(f->p, f->got, proact_array_address(a, 0), N * 4, &f->err));
        assert_memory_equal(f->got, f->expected, N * 4);
        holds(f, b, f->expected);
        sends_nothing(f, a);
        sends_nothing(f, b);
        end(f);
    }
    free(scratch);
}

/* Launches with parameter buffers, as a program issues them: on one device, then split. */
static void program_launches_are_ordered(void **state)
{
    struct fixture *f = begin("fused", 0);
    struct proact_array *a = distributed(f, "a"), *b = distributed(f, "b");
    struct proact_kernel *k = kernel(f, "blurs");
    uint32_t *scratch = calloc(N, sizeof *scratch);
    unsigned char bytes[20] = {0};
    const uint32_t n = N;

    (void)state;
    memcpy(bytes + 16, &n, sizeof n);
    memcpy(f->expected, f->in, N * sizeof *f->in);
    must(f, proact_array_write(a, 0, f->in, N, &f->err));
    for (int round = 0; round < 6; round++) {
        const struct proact_relocation relocations[] = {{0, round % 2 ? b : a, 0},
                                                        {8, round % 2 ? a : b, 0}};

        must(f, proact_launch_buffer(
                    k,
                    &(struct proact_grid){
                        .ctas = {CTAS},
                        .threads = {THREADS},
                        .device_count = round % 3 == 1 ? 1 : proact_device_count(f->p)},
                    &(struct proact_parameter_buffer){bytes, sizeof bytes, relocations, 2},
                    &f->err));
        if (round % 3 != 1)
            is_split(k);
        blur(f, scratch);
    }
    holds(f, a, f->expected);
    free(scratch);
    end(f);
}

/* If few CTAs send, the interior of a partition does not wait for other devices. A kernel
   that reads data stored by other devices does wait. */
static void readers_wait_for_stores_of_other_devices(void **state)
{
    enum { ROUNDS = 6 };
    struct fixture *f =
        begin_on(strcmp(machine, "local") ? NARROW : machine, "fused", 0, 1);
    struct proact_array *a = distributed(f, "a"), *b = replicated(f, "b"), *where;
    struct proact_kernel *k = kernel(f, "gathers"), *l = kernel(f, "blurs");
    uint32_t *scratch = calloc(N, sizeof *scratch);

    (void)state;
    memcpy(f->expected, f->in, N * sizeof *f->in);
    must(f, proact_array_write(a, 0, f->in, N, &f->err));
    shuffle(f);
    where = replicated(f, "where");
    for (int round = 0; round < ROUNDS; round++) {
        LAUNCH(f, k, SPLIT, b, a, where);
        LAUNCH(f, l, SPLIT, b, a);
        memcpy(scratch, f->expected, N * sizeof *scratch);
        for (uint32_t i = 0; i < N; i++)
            f->expected[i] = scratch[f->in[i]] + 1;
        blur(f, scratch);
    }
    is_split(k);
    is_split(l);
    holds(f, a, f->expected);
    free(scratch);
    end(f);
}

static void recordings_are_replayed(void **state)
{
    struct fixture *f = begin("fused", 0);
    struct proact_array *a = distributed(f, "a"), *b = distributed(f, "b"),
                        *c = replicated(f, "c"), *d = replicated(f, "d"), *where;
    struct proact_kernel *k = kernel(f, "blurs"), *late = kernel(f, "gathers");
    struct proact_recording *r = NULL;
    uint32_t *scratch = calloc(N, sizeof *scratch);

    (void)state;
    memcpy(f->expected, f->in, N * sizeof *f->in);
    must(f, proact_array_write(a, 0, f->in, N, &f->err));
    LAUNCH(f, k, SPLIT, a, b);
    LAUNCH(f, k, SPLIT, b, a);
    LAUNCH(f, k, SPLIT, c, d);
    shuffle(f);
    where = replicated(f, "where");
    LAUNCH(f, late, SPLIT, c, d, where);
    must(f, proact_record_begin(f->p, &f->err));
    LAUNCH(f, k, SPLIT, a, b);
    LAUNCH(f, k, SPLIT, b, a);
    LAUNCH(f, k, SPLIT, c, d);
    refused(f, try(f, late, SPLIT, (struct proact_array *[]){c, a, where}, 3),
            PROACT_EINVAL, "distributed: launch it once, then record");
    must(f, proact_record_end(f->p, &r, &f->err));
    for (int i = 0; i < 3; i++)
        must(f, proact_replay(r, &f->err));
    for (int i = 0; i < 8; i++)
        blur(f, scratch);
    holds(f, a, f->expected);
    free(scratch);
    end(f);
}

/* A kernel gets another version when its arrays are distributed or replicated, and returns
   to the earlier one. */
static void placements_may_change(void **state)
{
    struct fixture *f = begin("inline", 0);
    struct proact_array *a = distributed(f, "a"), *b = replicated(f, "b"),
                        *c = replicated(f, "c");
    struct proact_kernel *k = kernel(f, "blurs"), *e = kernel(f, "either");
    uint32_t *scratch = calloc(N, sizeof *scratch);

    (void)state;
    memcpy(f->expected, f->in, N * sizeof *f->in);
    for (int round = 0; round < 4; round++) {
        LAUNCH(f, k, SPLIT, b, c);
        is_split(k);
        LAUNCH(f, k, SPLIT, c, a);
        is_split(k);
        LAUNCH(f, k, SPLIT, a, b);
        is_split(k);
        for (int i = 0; i < 3; i++)
            blur(f, scratch);
        holds(f, b, f->expected);
    }
    /* Each pointer may refer to either array. */
    LAUNCH(f, e, SPLIT, a, a, c);
    is_split(e);
    LAUNCH(f, e, SPLIT, a, b, c);
    is_whole(e, "a");
    must(f, proact_wait(f->p, &f->err));
    free(scratch);
    end(f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_come_after_each_other),
        cmocka_unit_test(program_launches_are_ordered),
        cmocka_unit_test(readers_wait_for_stores_of_other_devices),
        cmocka_unit_test(recordings_are_replayed),
        cmocka_unit_test(placements_may_change),
    };

    if (argc > 1)
        machine = argv[1];
    if (!has_devices())
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
