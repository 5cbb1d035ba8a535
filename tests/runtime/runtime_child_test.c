/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that launch child kernels. No chunk is lost if a device accepts few of them,
   plans may change between launches, and unsupported requests are reported. */
#include "device/device.h"
#include "runtime/objects/session.h"
#include "runtime/program/session_open.h"
#include "runtime/runtime_testing.h"

/* The emulator with the given limit of child kernels. */
static enum proact_status open_narrow(const struct device_options *options,
                                      unsigned relocations, struct device_set **out,
                                      struct proact_error *err)
{
    struct device_options narrow = *options;

    narrow.children_limit = relocations;
    return device_emulator.open(&narrow, out, err);
}

static enum proact_status open_one(const struct device_options *options,
                                   struct device_set **out, struct proact_error *err)
{
    return open_narrow(options, 1, out, err);
}

static enum proact_status open_three(const struct device_options *options,
                                     struct device_set **out, struct proact_error *err)
{
    return open_narrow(options, 3, out, err);
}

static struct bench open_with(enum proact_status (*open)(const struct device_options *,
                                                         struct device_set **,
                                                         struct proact_error *),
                              unsigned devices, uint64_t seed)
{
    static struct device_backend backend; /* the session borrows it */
    struct bench b = {0};

    backend = device_emulator;
    if (open)
        backend.open = open;
    const struct proact_options options = {
        .machine = "v100x4",
        .device_count = devices,
        .seed = seed,
        .check = true,
        .plan = {.method = "dynamic", .chunk_bytes = 4096, .transfer_threads = 256}};

    if (session_open(&backend, &options, &b.p, &b.err))
        fail_msg("%s", b.err.text);
    b.out = testing_array(&b, "out");
    b.fill = testing_kernel(&b, "fill");
    if (proact_kernel_map(b.fill, 0, &testing_map, &b.err))
        fail_msg("%s", b.err.text);
    return b;
}

static void must(struct bench *b, enum proact_status status)
{
    if (status)
        fail_msg("%s", b->err.text);
}

/* Virtual nanoseconds of the launches, after a check of every replica. */
static uint64_t fill_rounds(struct bench *b)
{
    struct proact_recording *recording;

    for (unsigned factor = 1; factor <= 3; factor++) {
        must(b, testing_fill(b, factor));
        testing_holds(b, b->out, factor);
    }
    must(b, proact_record_begin(b->p, &b->err));
    must(b, testing_fill(b, 8));
    must(b, testing_fill(b, 9));
    must(b, proact_record_end(b->p, &recording, &b->err));
    must(b, proact_replay(recording, &b->err));
    must(b, proact_replay(recording, &b->err));
    testing_holds(b, b->out, 9);
    must(b, proact_wait(b->p, &b->err));
    return b->p->backend->now_ns(b->p->set);
}

/* A CTA whose child launch is refused sends the chunk itself. */
static void no_chunk_is_lost_where_launches_are_refused(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        unsigned devices = seed % 2 ? 4 : 2;
        struct bench wide = open_with(NULL, devices, seed);
        struct bench three = open_with(open_three, devices, seed);
        struct bench one = open_with(open_one, devices, seed);
        uint64_t wide_ns = fill_rounds(&wide);

        fill_rounds(&three);
        assert_int_not_equal(fill_rounds(&one), wide_ns); /* the limit had an effect */
        proact_close(one.p);
        proact_close(three.p);
        proact_close(wide.p);
    }
}

static void plans_and_maps_may_change(void **state)
{
    static const char *const methods[] = {"dynamic", "polling", "dynamic", "fused"};
    struct bench b = open_with(NULL, 3, 5);
    unsigned factor = 1;

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++, factor++) {
            must(&b,
                 proact_plan_set(
                     b.p, &(struct proact_plan){.method = methods[m], .chunk_bytes = 4096},
                     &b.err));
            must(&b, testing_fill(&b, factor));
            testing_holds(&b, b.out, factor);
        }
        must(&b, proact_kernel_map(b.fill, 0, &testing_map, &b.err)); /* a new map */
    }
    proact_close(b.p);
}

/* Device-side launches need a separate module, in which the variables of an annotated
   kernel would be copies. Such a kernel is refused. */
static void an_annotated_kernel_with_variables_is_refused(void **state)
{
    static const char text[] =
        ".version 7.5\n.target sm_75\n.address_size 64\n.global .u32 tally;\n"
        ".visible .entry tallies(.param .u64 a, .param .align 8 .b8 s[4224])\n{\n"
        " .reg .b32 %r<2>;\n .reg .b64 %d<2>;\n mov.u64 %d1, tally;\n"
        " ld.global.u32 %r1, [%d1];\n st.global.u32 [%d1], %r1;\n ret;\n}\n";
    struct bench b = open_with(NULL, 2, 0);
    struct proact_kernel *k;

    (void)state;
    must(&b,
         proact_kernel_load(b.p, &(struct proact_image){.name = "tally.ptx", .text = text},
                            "tallies", &k, &b.err));
    must(&b, proact_kernel_map(k, 0, &testing_map, &b.err));
    REFUSED(proact_launch(k, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
                          (struct proact_arg[]){PROACT_ARRAY(b.out)}, 1, &b.err),
            PROACT_EREFUSED, "kernel 'tallies', tally.ptx: it uses variable 'tally'");
    must(&b, testing_fill(&b, 4)); /* other kernels still run */
    testing_holds(&b, b.out, 4);
    proact_close(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_chunk_is_lost_where_launches_are_refused),
        cmocka_unit_test(plans_and_maps_may_change),
        cmocka_unit_test(an_annotated_kernel_with_variables_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
