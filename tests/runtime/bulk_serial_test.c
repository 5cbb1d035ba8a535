/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's baseline: after the kernels, one copy at a time on the whole machine. */
#include "runtime/runtime_testing.h"

enum { DEVICES = 4, SPANS_MAX = 256 };

struct spans {
    unsigned copies;
    uint64_t kernels_end_ns;
    struct {
        uint64_t start_ns, end_ns;
        unsigned from, to;
    } copy[SPANS_MAX];
};

static void note_span(void *context, const struct proact_trace_span *span)
{
    struct spans *s = context;

    if (span->kind == PROACT_TRACE_KERNEL && span->end_ns > s->kernels_end_ns)
        s->kernels_end_ns = span->end_ns;
    if (span->kind != PROACT_TRACE_LINK)
        return;
    assert_in_range(s->copies, 0, SPANS_MAX - 1);
    s->copy[s->copies].start_ns = span->start_ns;
    s->copy[s->copies].end_ns = span->end_ns;
    s->copy[s->copies].from = span->device;
    s->copy[s->copies++].to = span->track;
}

static struct bench open_serial(const char *method)
{
    return testing_open(&(struct proact_options){
        .machine = "v100x4", .plan = {.method = method, .broadcast = true}});
}

/* The kernel of the last device ends long after the others. */
static void launch_late(struct bench *b, struct proact_array *from, struct proact_array *to)
{
    struct proact_kernel *k = testing_kernel_of(b, testing_text(ROW_PTX), "ends_late");
    const unsigned n = N, late = CTAS / DEVICES * (DEVICES - 1) + 1;

    if (proact_launch(k, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
                      (struct proact_arg[]){PROACT_ARRAY(from), PROACT_ARRAY(to),
                                            PROACT_VALUE(n), PROACT_VALUE(late)},
                      4, &b->err))
        fail_msg("%s", b->err.text);
}

/* Returns the spans of one launch that sends all that each device wrote to all others. */
static struct spans spans_of(const char *method)
{
    static uint32_t zeros[N];
    struct spans spans = {.copies = 0};
    struct bench b = open_serial(method);
    struct proact_array *from = testing_array(&b, "from"), *to = testing_array(&b, "to");

    assert_int_equal(proact_array_write(from, 0, zeros, N, &b.err), PROACT_OK);
    assert_int_equal(proact_array_write(to, 0, zeros, N, &b.err), PROACT_OK);
    assert_int_equal(proact_wait(b.p, &b.err), PROACT_OK);
    proact_trace_set_callback(b.p, note_span, &spans);
    launch_late(&b, from, to);
    assert_int_equal(proact_wait(b.p, &b.err), PROACT_OK);
    proact_trace_set_callback(b.p, NULL, NULL);
    proact_close(b.p);
    return spans;
}

/* Pairs of copies that are under way at the same time. */
static unsigned overlaps(const struct spans *s)
{
    unsigned count = 0;

    for (unsigned i = 0; i < s->copies; i++)
        for (unsigned k = 0; k < i; k++)
            count += s->copy[i].start_ns < s->copy[k].end_ns &&
                     s->copy[k].start_ns < s->copy[i].end_ns;
    return count;
}

static void one_copy_follows_another(void **state)
{
    (void)state;
    struct spans serial = spans_of("bulk-serial"), bulk = spans_of("bulk");

    assert_int_equal(serial.copies, DEVICES * (DEVICES - 1));
    assert_int_equal(overlaps(&serial), 0);
    assert_true(overlaps(&bulk) > 0);
    for (unsigned i = 0; i < serial.copies; i++) {
        assert_true(serial.copy[i].start_ns >= serial.kernels_end_ns);
        /* Source by source, and to each peer in turn. */
        assert_int_equal(serial.copy[i].from, i / (DEVICES - 1));
        assert_int_equal(serial.copy[i].to,
                         i % (DEVICES - 1) + (i % (DEVICES - 1) >= i / (DEVICES - 1)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_copy_follows_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
