/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: decisions from single launches are compared with the run time of the program. */
#include "runtime/coupled_testing.h"

/* Two kernels are faster split but were decided as single-device launches. A window
   corrects the decision. */
static void wrong_decisions_are_corrected(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k[2] = {testing_kernel(&b, "steps"), testing_kernel(&b, "steps")};
    struct proact_array *a[3];
    unsigned split = 0;

    (void)state;
    make_two(&b, a);
    a[2] = a[0];
    for (int n = 0; n < 400; n++) {
        for (int i = 0; i < 2; i++)
            split += pass(&b, k[i], a + i, SWEPT / 256, 100) && n >= 380;
        if (n == 10)
            for (struct choice *c = b.p->choices; c; c = c->next_of_all)
                c->split_ns = 8 * c->whole_ns;
    }
    assert_int_equal(split, 40);
    proact_close(b.p);
}

/* Their single-device time alone exceeds the split time of the running program, so no
   window is needed. */
static void slower_single_device_modes_are_not_tried(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k[2] = {testing_kernel(&b, "steps"), testing_kernel(&b, "steps")};
    struct proact_array *a[3];
    unsigned whole = 0;

    (void)state;
    make_two(&b, a);
    a[2] = a[0];
    for (int n = 0; n < 80; n++)
        for (int i = 0; i < 2; i++)
            whole += !pass(&b, k[i], a + i, SWEPT / 256, 2000) && n >= 20;
    assert_int_equal(whole, 0);
    assert_true(b.p->validation.next > 0); /* a validation took place */
    proact_close(b.p);
}

/* A kernel that waits for its first probe, because other measurements have used up the
   budget, does not prevent the validation of the others. */
static void untimed_kernels_disturb_no_window(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k[3];
    struct proact_array *a[3];
    bool is_validated = false;

    (void)state;
    for (int i = 0; i < 3; i++)
        k[i] = testing_kernel(&b, "steps");
    make_two(&b, a);
    a[2] = a[0];
    for (int n = 0; n < 200; n++)
        for (int i = 0; i < (n < 10 ? 2 : 3); i++) {
            if (n == 10 && i == 0)
                plan_budget_spend(&b.p->budget, plan_budget_allowed_ns(&b.p->budget));
            pass(&b, k[i], a + i % 2, SWEPT / 256, 100);
            is_validated |= n > 20 && b.p->validation.is_under_way &&
                            !plan_budget_permits(&b.p->budget);
        }
    assert_true(is_validated);
    proact_close(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_decisions_are_corrected),
        cmocka_unit_test(slower_single_device_modes_are_not_tried),
        cmocka_unit_test(untimed_kernels_disturb_no_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
