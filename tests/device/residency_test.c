/* SPDX-License-Identifier: Apache-2.0 */
/* Number of CTAs that an emulated device holds at the same time, for each limiting
   resource. CTAs that wait for each other end if all of them fit, and never end with one
   CTA more. */
#include <string.h>

#include "device/emulator_testing.h"

/* The machine has 4 SMs, each with 1024 threads, 8 CTAs and 96 KB of shared memory. */
struct shape {
    uint32_t threads, shared_bytes, fit;
};

static const struct shape shapes[] = {
    {256, 0, 16},    /* limited by threads */
    {1000, 0, 4},    /* rounded up to full warps */
    {257, 0, 12},    /* 288 threads are allocated */
    {32, 0, 32},     /* limited by CTAs */
    {32, 49152, 8},  /* limited by shared memory; two CTAs fill an SM */
    {64, 40000, 8},  /* with an unused remainder */
    {64, 12288, 32}, /* eight CTAs fill an SM */
};

static void launch(struct emulator_rig *r, unsigned stream, const struct shape *s,
                   uint32_t ctas, device_addr counter)
{
    const struct contract_parameters p = emulator_parameters("dw", counter, ctas);
    const struct device_launch l = {.grid = {ctas, 1, 1},
                                    .block = {s->threads, 1, 1},
                                    .shared_bytes = s->shared_bytes,
                                    .parameters = p.block,
                                    .parameter_bytes = p.bytes};
    struct device_function *f;

    emulator_must(r, r->b->function(r->module[0], "meet", &f, &r->err));
    emulator_must(r, r->b->launch(r->stream[0][stream], f, &l, &r->err));
}

static void never_meets(struct emulator_rig *r)
{
    assert_int_equal(r->b->synchronize(r->set, &r->err), PROACT_ETIMEOUT);
    assert_non_null(strstr(r->err.text, "kernel 'meet' on device 0"));
}

static void as_many_ctas_as_fit_are_resident(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int too_many = 0; too_many < 2; too_many++) {
            struct emulator_rig r;

            emulator_open(&r, 1);
            device_addr counter = emulator_words(&r, 0, 1);

            launch(&r, 0, &shapes[i], shapes[i].fit + (uint32_t)too_many, counter);
            if (too_many)
                never_meets(&r);
            else
                emulator_sync(&r);
            emulator_close(&r);
        }
}

/* Ended CTAs free their resources: the same number fits in every wave. */
static void ended_ctas_free_their_resources(void **state)
{
    struct emulator_rig r;

    (void)state;
    emulator_open(&r, 1);
    for (int round = 0; round < 5; round++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            device_addr counter = emulator_words(&r, 0, 1);

            launch(&r, 0, &shapes[i], shapes[i].fit, counter);
            emulator_sync(&r);
            assert_int_equal(emulator_word(&r, 0, counter), shapes[i].fit);
        }
    emulator_close(&r);
}

/* Kernels of two streams share the SMs: half for each, and no CTA more. */
static void kernels_share_the_sms(void **state)
{
    const struct shape half = {512, 0, 4};

    (void)state;
    for (uint32_t too_many = 0; too_many < 2; too_many++) {
        struct emulator_rig r;

        emulator_open(&r, 1);
        device_addr first = emulator_words(&r, 0, 1), second = emulator_words(&r, 0, 1);
        const struct contract_parameters waits = emulator_parameters("dw", first, 5);
        struct device_function *f;
        const struct device_launch l = {.grid = {4, 1, 1},
                                        .block = {half.threads, 1, 1},
                                        .parameters = waits.block,
                                        .parameter_bytes = waits.bytes};

        /* It has four CTAs and waits for a fifth. */
        emulator_must(&r, r.b->function(r.module[0], "meet", &f, &r.err));
        emulator_must(&r, r.b->launch(r.stream[0][0], f, &l, &r.err));
        launch(&r, 1, &half, half.fit + too_many, second);
        if (!too_many) /* which starts after the other kernel */
            launch(&r, 1, &half, 1, first);
        if (too_many)
            never_meets(&r);
        else
            emulator_sync(&r);
        emulator_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_ctas_as_fit_are_resident),
        cmocka_unit_test(ended_ctas_free_their_resources),
        cmocka_unit_test(kernels_share_the_sms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
