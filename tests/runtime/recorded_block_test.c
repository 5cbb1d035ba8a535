/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of the operations of a program for one GPU: launches with parameter buffers,
   copies and fills. */
#include "runtime/runtime_testing.h"

#include <proact/program.h>

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", b.err.text);                                                    \
    } while (0)

struct view {
    uint64_t out;
    uint32_t n, factor;
};

enum { ONE = 1, AS_IS_FASTER = 0 };

static struct bench open_devices(unsigned devices)
{
    return testing_open(&(struct proact_options){
        .machine = "v100x4", .device_count = devices, .check = true});
}

static enum proact_status run_plain(struct bench *b, struct proact_kernel *k,
                                    uint32_t factor, unsigned devices)
{
    const struct view view = {1, N, factor}; /* the relocation supplies the address */
    const struct proact_relocation relocation = {0, b->out, 0};

    return proact_launch_buffer(
        k,
        &(struct proact_grid){
            .ctas = {CTAS}, .threads = {THREADS}, .device_count = devices},
        &(struct proact_parameter_buffer){&view, sizeof view, &relocation, 1}, &b->err);
}

static void expect(struct bench *b, struct proact_array *a, unsigned device, unsigned i,
                   uint32_t value)
{
    uint32_t is = ~value;

    if (proact_array_read_replica(a, device, i, &is, 1, &b->err))
        fail_msg("%s", b->err.text);
    if (is != value)
        fail_msg("device %u: element %u is %u, not %u", device, i, is, value);
}

/* Records a single-device launch, a copy of its result to the other array, and a fill of
   the first array. */
static struct proact_recording *recorded(struct bench *b_, struct proact_kernel *k,
                                         struct proact_array *other)
{
    struct bench b = *b_;
    struct proact_recording *r = NULL;
    const uint64_t out = proact_array_address(b.out, 0);

    MUST(proact_record_begin(b.p, &b.err));
    MUST(run_plain(&b, k, 3, ONE));
    MUST(proact_device0_copy(b.p, proact_array_address(other, 0), out, 400, &b.err));
    MUST(proact_device0_fill(b.p, out, 0, 4, &b.err));
    MUST(proact_record_end(b.p, &r, &b.err));
    return r;
}

static void a_replay_repeats_the_work(struct bench b)
{
    static const uint32_t zeros[N];
    struct proact_kernel *plain = testing_kernel(&b, "plain");
    struct proact_array *other = testing_array(&b, "other");

    MUST(run_plain(&b, plain, 7, ONE));
    MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
    MUST(proact_array_write(other, 0, zeros, N, &b.err));
    struct proact_recording *r = recorded(&b, plain, other);

    expect(&b, b.out, 0, 1, 0); /* the recording did not run */
    for (int i = 0; i < 3; i++) {
        MUST(proact_replay(r, &b.err));
        expect(&b, b.out, 0, 0, 0);
        expect(&b, b.out, 0, 1, 6);
        expect(&b, other, 0, 0, 3);
        expect(&b, other, 0, 99, 300);
        expect(&b, other, 0, 100, 0);
        MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
        MUST(proact_array_write(other, 0, zeros, N, &b.err));
    }
    MUST(proact_replay(r, &b.err)); /* other devices receive the result too */
    MUST(proact_array_broadcast(b.out, &b.err));
    for (unsigned d = 0; d < proact_device_count(b.p); d++)
        expect(&b, b.out, d, 2, 9);
    proact_recording_destroy(r);
    proact_close(b.p);
}

static void one_device_replays(void **state)
{
    (void)state;
    a_replay_repeats_the_work(open_devices(1));
}

static void the_first_of_four_replays(void **state)
{
    (void)state;
    a_replay_repeats_the_work(open_devices(4));
}

static void a_destroyed_array_refuses_the_replay(void **state)
{
    (void)state;
    struct bench b = open_devices(1);
    struct proact_kernel *plain = testing_kernel(&b, "plain");
    struct proact_array *other = testing_array(&b, "other");

    MUST(run_plain(&b, plain, 7, ONE));
    struct proact_recording *r = recorded(&b, plain, other);

    proact_array_destroy(other);
    REFUSED(proact_replay(r, &b.err), PROACT_EINVAL, "an array that it uses was destroyed");
    proact_close(b.p);
}

/* All devices had current data when the recording was made. No replay depends on that. */
static void a_recording_that_fetches_too_much_is_refused(void **state)
{
    (void)state;
    static const uint32_t zeros[N];
    struct bench b = open_devices(4);
    struct proact_kernel *plain = testing_kernel(&b, "plain");
    struct proact_array *other = testing_array(&b, "other");

    MUST(run_plain(&b, plain, 7, ONE));
    MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
    MUST(proact_array_write(other, 0, zeros, N, &b.err));
    struct proact_recording *r = recorded(&b, plain, other);

    for (int i = 0; i < 5; i++)
        MUST(proact_replay(r, &b.err));
    REFUSED(proact_replay(r, &b.err), PROACT_EINVAL,
            "the recording can no longer be replayed");
    proact_recording_destroy(r);
    r = recorded(&b, plain, other);
    for (int i = 0; i < 10; i++)
        MUST(proact_replay(r, &b.err));
    proact_close(b.p);
}

static void unrecordable_calls_are_reported(void **state)
{
    (void)state;
    struct bench b = open_devices(4);
    struct proact_kernel *plain = testing_kernel(&b, "plain");
    struct proact_recording *r = NULL;
    const uint64_t out = proact_array_address(b.out, 0);
    uint32_t number = 0;

    MUST(run_plain(&b, plain, 7, AS_IS_FASTER));
    MUST(proact_record_begin(b.p, &b.err));
    REFUSED(run_plain(&b, plain, 7, AS_IS_FASTER), PROACT_EINVAL,
            "whether it is split is not known yet");
    REFUSED(proact_device0_write(b.p, out, &number, 4, &b.err), PROACT_EINVAL,
            "a write cannot be recorded");
    REFUSED(proact_device0_read(b.p, &number, out, 4, &b.err), PROACT_EINVAL,
            "a read cannot be recorded");
    REFUSED(proact_device0_fill(b.p, 8, 0, 4, &b.err), PROACT_EINVAL,
            "a fill of a variable cannot be recorded");
    MUST(proact_record_end(b.p, &r, &b.err));
    for (int i = 0; i < 20; i++)
        MUST(run_plain(&b, plain, 7, AS_IS_FASTER));
    MUST(proact_record_begin(b.p, &b.err));
    MUST(run_plain(&b, plain, 5, AS_IS_FASTER));
    MUST(proact_record_end(b.p, &r, &b.err));
    MUST(proact_replay(r, &b.err));
    for (unsigned d = 0; d < 4; d++)
        expect(&b, b.out, d, 9, 50);
    proact_close(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_device_replays),
        cmocka_unit_test(the_first_of_four_replays),
        cmocka_unit_test(a_destroyed_array_refuses_the_replay),
        cmocka_unit_test(a_recording_that_fetches_too_much_is_refused),
        cmocka_unit_test(unrecordable_calls_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
