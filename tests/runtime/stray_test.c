/* SPDX-License-Identifier: Apache-2.0 */
/* How often threads are asked whether they leave their array: that takes the host
   milliseconds. */
#include "runtime/runtime_testing.h"

#include <proact/program.h>

#include "runtime/stray_ask.h"

static unsigned asked;

/* The linker calls these in place of the runtime's.
 * NOLINTBEGIN(bugprone-reserved-identifier)
 */
void __real_stray_ask(const struct stray_question *q, struct stray_found *found);
void __wrap_stray_ask(const struct stray_question *q, struct stray_found *found);

void __wrap_stray_ask(const struct stray_question *q, struct stray_found *found)
{
    asked++;
    __real_stray_ask(q, found);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* What memory says bounds nothing: to[i] = 7 for i below from[0]. */
static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 to, .param .u64 from)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [to]; cvta.to.global.u64 %rd2, %rd1;\n"
    "ld.param.u64 %rd3, [from]; cvta.to.global.u64 %rd4, %rd3;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.s32 %r4, %r1, %r2, %r3; ld.global.u32 %r5, [%rd4];\n"
    "setp.ge.u32 %p1, %r4, %r5; @%p1 bra END;\n"
    "mul.wide.u32 %rd5, %r4, 4; add.s64 %rd6, %rd2, %rd5; mov.u32 %r6, 7;\n"
    "st.global.u32 [%rd6], %r6;\nEND: ret;\n}\n";

struct launches {
    struct bench b;
    struct proact_kernel *kernel;
    uint64_t address; /* of the array that it reads */
};

/* With an array of `count` numbers that is made for the launch; how often was asked. */
static unsigned launch(struct launches *l, size_t count)
{
    static const struct proact_grid grid = {.ctas = {CTAS}, .threads = {THREADS}};
    static const uint64_t nowhere[2];
    const uint32_t limit = N;
    struct proact_array *from = NULL;
    struct bench *b = &l->b;
    const unsigned before = asked;

    if (proact_array_create(b->p, &(struct proact_shape){"from", count, 4}, &from,
                            &b->err) ||
        proact_array_write(from, 0, &limit, 1, &b->err))
        fail_msg("%s", b->err.text);
    const struct proact_place places[] = {{0, b->out, 0}, {8, from, 0}};

    l->address = proact_array_address(from, 0);
    if (proact_launch_block(l->kernel, &grid,
                            &(struct proact_block){nowhere, sizeof nowhere, places, 2},
                            &b->err) ||
        proact_wait(b->p, &b->err))
        fail_msg("%s", b->err.text);
    proact_array_destroy(from);
    return asked - before;
}

static void an_array_that_is_made_anew_is_the_same(void **state)
{
    struct launches l = {.b = testing_open(&(struct proact_options){.machine = "h200x4",
                                                                    .device_count = 2})};

    (void)state;
    if (proact_kernel_load(l.b.p, &(struct proact_image){.name = "k.ptx", .text = text},
                           "k", &l.kernel, &l.b.err))
        fail_msg("%s", l.b.err.text);
    assert_int_not_equal(launch(&l, 1000), 0);
    const uint64_t address = l.address;

    for (int n = 0; n < 3; n++) {
        assert_int_equal(launch(&l, 1000), 0);
        assert_int_equal(l.address, address); /* else nothing was shown */
    }
    assert_int_not_equal(launch(&l, 2000), 0);
    proact_close(l.b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_that_is_made_anew_is_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
