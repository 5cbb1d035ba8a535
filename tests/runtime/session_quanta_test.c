/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded quanta in a session: what is executed, replayed and refused. */
#include "runtime/runtime_testing.h"

enum { RECORDED = 4 };

static struct bench open_quanta(struct proact_quanta *q, const char *method)
{
    return testing_open(&(struct proact_options){
        .machine = "v100x4", .quanta = q, .plan = {.method = method}});
}

static enum proact_status queue_plain(struct bench *b, struct proact_kernel *k)
{
    const unsigned n = N;
    const struct proact_grid grid = {.ctas = {CTAS}, .threads = {THREADS}};
    const struct proact_arg args[] = {PROACT_ARRAY(b->out), PROACT_VALUE(n)};

    return proact_launch(k, &grid, args, 2, &b->err);
}

/* Elements that a launch of `grows` changes, of an array of zeros. */
static unsigned count_changed(struct bench *b, struct proact_kernel *k)
{
    uint32_t *is = calloc(N, sizeof *is);
    unsigned count = 0;

    assert_int_equal(proact_array_write(b->out, 0, is, N, &b->err), PROACT_OK);
    if (queue_plain(b, k) || proact_array_read(b->out, 0, is, N, &b->err))
        fail_msg("%s", b->err.text);
    for (unsigned i = 0; i < N; i++)
        count += is[i] != 0;
    free(is);
    return count;
}

static void four_launches_are_executed(void **state)
{
    struct proact_quanta *q = proact_quanta_create(0, 0);
    struct bench b = open_quanta(q, "bulk");
    struct proact_kernel *k = testing_kernel(&b, "grows");

    (void)state;

    for (unsigned i = 0; i < RECORDED; i++)
        assert_true(count_changed(&b, k) > 0);
    assert_int_equal(count_changed(&b, k), 0);
    proact_close(b.p);

    b = open_quanta(q, "fused");
    k = testing_kernel(&b, "grows");
    assert_int_equal(count_changed(&b, k), 0);
    proact_close(b.p);
    proact_quanta_destroy(q);
}

static void other_methods_need_a_recording(void **state)
{
    struct proact_quanta *q = proact_quanta_create(0, 0);
    struct bench b = open_quanta(q, "polling");
    struct proact_kernel *k = testing_kernel(&b, "grows");

    (void)state;
    REFUSED(queue_plain(&b, k), PROACT_EREFUSED,
            "kernel 'grows': this launch was not recorded; a session of method 'bulk' "
            "records it");
    proact_close(b.p);
    proact_quanta_destroy(q);
}

static void checks_need_execution(void **state)
{
    struct proact_quanta *q = proact_quanta_create(0, 0);
    struct bench b = {0};

    (void)state;
    REFUSED(proact_open(
                &(struct proact_options){.machine = "v100x4", .quanta = q, .check = true},
                &b.p, &b.err),
            PROACT_EREFUSED, "recorded quanta cannot be checked");
    proact_quanta_destroy(q);
}

/* Atomics on the device's own memory. */
static void atomics_are_refused(void **state)
{
    struct proact_quanta *q = proact_quanta_create(0, 0);
    struct bench b = testing_open(&(struct proact_options){
        .machine = "v100x4", .device_count = 1, .quanta = q, .plan = {.method = "bulk"}});
    struct proact_kernel *k = testing_kernel(&b, "counts_two_ways");
    struct proact_array *most = testing_array(&b, "most");
    const unsigned n = N;
    const struct proact_grid grid = {.ctas = {CTAS}, .threads = {THREADS}};
    const struct proact_arg args[] = {PROACT_ARRAY(b.out), PROACT_ARRAY(most),
                                      PROACT_VALUE(n)};
    enum proact_status status = PROACT_OK;

    (void)state;
    for (unsigned i = 0; i <= RECORDED && !status; i++)
        status = proact_launch(k, &grid, args, 3, &b.err);
    REFUSED(status, PROACT_EREFUSED, "kernel 'counts_two_ways': CTA ");
    proact_close(b.p);
    proact_quanta_destroy(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_launches_are_executed),
        cmocka_unit_test(other_methods_need_a_recording),
        cmocka_unit_test(checks_need_execution),
        cmocka_unit_test(atomics_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
