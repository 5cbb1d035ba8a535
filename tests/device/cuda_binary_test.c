/* SPDX-License-Identifier: Apache-2.0 */
/* A module's binary is loaded without a compilation. If the driver refuses the binary, its
   PTX text is compiled. The fake driver's cubins are texts after four bytes; here binary
   and text write different values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/fake_cuda_session.h"

#define KERNEL(writes)                                                                     \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                                      \
    ".visible .entry tell(.param .u64 word)\n{\n .reg .b32 %r;\n .reg .b64 %rd;\n"         \
    " ld.param.u64 %rd, [word];\n mov.u32 %r, " writes                                     \
    ";\n st.global.u32 [%rd], %r;\n ret;\n}\n"

static uint32_t value_stored_by(const void *binary)
{
    const struct proact_image image = {.text = KERNEL("1"), .binary = binary};
    const struct proact_grid grid = {.ctas = {1}, .threads = {1}, .device_count = 1};
    struct proact_error err = {""};
    struct proact_array *word = NULL;
    struct proact_kernel *k = NULL;
    struct proact *p = NULL;
    uint32_t got = 0;

    fake_cuda_set_up("");
    if (proact_open(&(struct proact_options){.machine = PROACT_MACHINE_LOCAL}, &p, &err) ||
        proact_array_create(p, &(struct proact_shape){"word", 1, 4}, &word, &err) ||
        proact_kernel_load(p, &image, "tell", &k, &err) ||
        proact_launch(k, &grid, &(struct proact_arg){.array = word}, 1, &err) ||
        proact_array_read(word, 0, &got, 1, &err))
        fail_msg("%s", err.text);
    proact_close(p);
    assert_int_equal(fake_cuda_still_left(), 0);
    return got;
}

static void a_binary_replaces_its_text(void **state)
{
    (void)state;
    assert_int_equal(value_stored_by(NULL), 1);
    assert_int_equal(value_stored_by("\177ELF" KERNEL("2")), 2);
}

static void without_it_the_text_is_compiled(void **state)
{
    (void)state;
    assert_int_equal(value_stored_by("\177ELF of another architecture"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_binary_replaces_its_text),
        cmocka_unit_test(without_it_the_text_is_compiled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
