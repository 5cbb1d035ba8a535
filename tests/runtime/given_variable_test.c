/* SPDX-License-Identifier: Apache-2.0 */
/* Search of module variables by an address that a kernel gave to the program. */
#include <proact/program.h>

#include "runtime/runtime_testing.h"

/* `given`: stored. `written`: stored and written, hence an array of several devices.
   `passed`: an argument of a function. `listed`: in an initializer. `staged`: stored by way
   of local memory. `hidden` and `summed` are only accessed. */
static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 given[4] = {1, 2, 3, 4};\n"
    ".visible .global .align 4 .u32 written[4];\n"
    ".visible .const .align 4 .u32 passed[4] = {5};\n"
    ".visible .global .align 4 .u32 listed[4] = {6};\n"
    ".visible .global .align 4 .u32 staged[4] = {7};\n"
    ".visible .global .align 4 .u32 hidden[4] = {8};\n"
    ".visible .global .align 4 .u32 summed[4] = {9};\n"
    ".visible .global .align 8 .u64 list[1] = {listed};\n"
    ".func put(.param .u64 to, .param .u64 what)\n{\n .reg .b64 %rd<3>;\n"
    " ld.param.u64 %rd1, [to];\n ld.param.u64 %rd2, [what];\n st.u64 [%rd1], %rd2;\n "
    "ret;\n}\n"
    ".visible .entry gives(.param .u64 out)\n{\n .reg .b64 %rd<8>;\n .reg .b32 %r<4>;\n"
    " .local .align 8 .b8 stage[8];\n ld.param.u64 %rd1, [out];\n"
    " mov.u64 %rd2, given;\n add.u64 %rd2, %rd2, 4;\n st.global.u64 [%rd1], %rd2;\n"
    " mov.u64 %rd3, written;\n st.global.u64 [%rd1+8], %rd3;\n"
    " mov.u64 %rd4, staged;\n st.local.u64 [stage], %rd4;\n"
    " ld.local.u64 %rd5, [stage];\n st.global.u64 [%rd1+16], %rd5;\n"
    " ld.global.u32 %r1, [hidden];\n st.global.u32 [written], %r1;\n"
    " mov.u64 %rd6, passed;\n cvta.const.u64 %rd6, %rd6;\n {\n"
    " .param .b64 first;\n .param .b64 second;\n st.param.b64 [first], %rd1;\n"
    " st.param.b64 [second], %rd6;\n call put, (first, second);\n }\n ret;\n}\n"
    ".visible .entry sums()\n{\n .reg .b64 %rd<2>;\n mov.u64 %rd1, summed;\n"
    " red.global.add.u32 [%rd1+4], 1;\n ret;\n}\n";

static const struct proact_image image = {.name = "given.ptx", .text = ptx};

static void on_devices(unsigned devices)
{
    static const struct {
        const char *name;
        bool is_given;
    } of[] = {{"given", true},  {"written", true}, {"passed", true}, {"listed", true},
              {"staged", true}, {"hidden", false}, {"summed", false}};
    struct bench b = testing_open(
        &(struct proact_options){.machine = "h200x4", .device_count = devices});
    struct proact_variable v, found;

    for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
        if (proact_variable_find(b.p, &image, of[i].name, &v, &b.err))
            fail_msg("%s", b.err.text);
        assert_int_equal(proact_variable_at(b.p, v.address[0] + 15, &found),
                         of[i].is_given);
        if (!of[i].is_given)
            continue;
        assert_int_equal(found.address[0], v.address[0]);
        assert_int_equal(found.bytes, 16);
        assert_ptr_equal(found.array, v.array);
        assert_true(proact_variable_at(b.p, v.address[0], &found));
        assert_false(proact_variable_at(b.p, v.address[0] + 16, &found) &&
                     found.address[0] == v.address[0]);
    }
    assert_false(proact_variable_at(b.p, 0, &found));
    proact_close(b.p);
}

static void only_given_addresses_are_found(void **state)
{
    (void)state;
    on_devices(1);
    on_devices(4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_given_addresses_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
