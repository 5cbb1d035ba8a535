/* SPDX-License-Identifier: Apache-2.0 */
/* malloc and free in kernels on an emulated device. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/emulator_testing.h"

enum { THREADS = 64, EACH = 100, HEAP = 1 << 16 };

struct heap_rig {
    struct emulator_rig r;
    struct device_module *module;
    device_addr kept;
};

static void rig_open(struct heap_rig *h, size_t bytes, bool check)
{
    struct emulator_rig *r = &h->r;
    char *text;
    size_t length;

    emulator_prepare(r, 1);
    r->options.check = check;
    emulator_start(r);
    if (bytes)
        emulator_must(r, r->b->limit(r->set, DEVICE_HEAP_BYTES, bytes, &r->err));
    emulator_must(
        r, file_read(PROACT_SOURCE "/tests/device/heap.ptx", &text, &length, &r->err));
    emulator_must(
        r, r->b->module_load(r->set, 0, "heap.ptx", text, length, &h->module, &r->err));
    free(text);
    h->kept = emulator_words(r, 0, 2 * THREADS);
}

static void run(struct heap_rig *h, const char *kernel, uint32_t threads,
                struct contract_parameters p)
{
    const struct device_launch l = {.grid = {1, 1, 1},
                                    .block = {threads, 1, 1},
                                    .parameters = p.block,
                                    .parameter_bytes = p.bytes};
    struct device_function *function;

    emulator_must(&h->r, h->r.b->function(h->module, kernel, &function, &h->r.err));
    emulator_must(&h->r, h->r.b->launch(h->r.stream[0][0], function, &l, &h->r.err));
}

static uint64_t block_of(struct heap_rig *h, uint32_t thread)
{
    return emulator_wide(&h->r, 0, h->kept + 8 * thread);
}

static void takes(struct heap_rig *h, uint32_t bytes)
{
    run(h, "takes", THREADS, emulator_parameters("dw", h->kept, bytes));
    emulator_sync(&h->r);
}

static void blocks_are_disjoint_and_persist(void **state)
{
    struct heap_rig h;

    (void)state;
    rig_open(&h, 0, true);
    takes(&h, EACH);
    for (uint32_t i = 0; i < THREADS; i++) {
        uint64_t at = block_of(&h, i);

        assert_true(at && at % 16 == 0);
        for (uint32_t k = 0; k < i; k++)
            assert_true(at >= block_of(&h, k) + EACH + k ||
                        at + EACH + i <= block_of(&h, k));
    }
    for (uint32_t i = 0; i < THREADS; i++) { /* first and last byte, by later launches */
        run(&h, "stores", 1, emulator_parameters("dww", h.kept, i, EACH + i - 1));
        run(&h, "stores", 1, emulator_parameters("dww", h.kept, i, 0));
    }
    emulator_sync(&h.r);
    emulator_close(&h.r);
}

/* All blocks are freed, and new ones reuse their addresses. */
static void freed_blocks_are_reused(void **state)
{
    struct heap_rig h;
    uint64_t end = 0, first;

    (void)state;
    rig_open(&h, 0, true);
    takes(&h, EACH);
    first = block_of(&h, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        if (block_of(&h, i) + EACH + i > end)
            end = block_of(&h, i) + EACH + i;
    run(&h, "gives", THREADS, emulator_parameters("dww", h.kept, 1, 0));
    emulator_sync(&h.r);
    for (int round = 0; round < 50; round++) {
        takes(&h, EACH);
        run(&h, "gives", THREADS, emulator_parameters("dww", h.kept, 1, 0));
        emulator_sync(&h.r);
    }
    takes(&h, EACH);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_in_range(block_of(&h, i), first, end);
    emulator_close(&h.r);
}

static void exhausted_heaps_return_null(void **state)
{
    struct heap_rig h;
    uint32_t count = 0;

    (void)state;
    rig_open(&h, HEAP, false);
    takes(&h, HEAP / 16);
    for (uint32_t i = 0; i < THREADS; i++)
        count += block_of(&h, i) != 0;
    assert_in_range(count, 14, 15);
    assert_int_equal(h.r.b->limit(h.r.set, DEVICE_HEAP_BYTES, 1 << 20, &h.r.err),
                     PROACT_EINVAL);
    assert_string_equal(h.r.err.text, "device 0: its heap has 65536 bytes, and is in use");
    emulator_close(&h.r);
}

static void expect_fault(const char *kernel, struct heap_rig *h, uint32_t a, uint32_t b,
                         const char *sentence)
{
    run(h, kernel, 1, emulator_parameters("dww", h->kept, a, b));
    assert_int_equal(h->r.b->synchronize(h->r.set, &h->r.err), PROACT_EFAULT);
    if (!strstr(h->r.err.text, sentence))
        fail_msg("'%s' is not in '%s'", sentence, h->r.err.text);
    emulator_close(&h->r);
}

static void accesses_outside_blocks_are_refused(void **state)
{
    struct heap_rig h;

    (void)state;
    for (uint32_t check = 0; check < 2; check++) {
        rig_open(&h, 0, check);
        takes(&h, EACH);
        expect_fault("stores", &h, 3, EACH + 3,
                     "out of bounds: byte 103 of a block of 103 bytes from malloc");
        rig_open(&h, 0, check);
        takes(&h, EACH);
        run(&h, "gives", 4, emulator_parameters("dww", h.kept, 2, 0));
        expect_fault("stores", &h, 6, 5, "are out of bounds: byte ");
        rig_open(&h, 0, check);
        takes(&h, EACH);
        expect_fault("gives", &h, 1, 16, "which malloc did not return");
        rig_open(&h, 0, check);
        takes(&h, EACH);
        run(&h, "gives", 1, emulator_parameters("dww", h.kept, 1, 0));
        expect_fault("gives", &h, 1, 0, "which malloc did not return");
    }
}

static void a_stack_may_be_larger(void **state)
{
    struct heap_rig h;

    (void)state;
    rig_open(&h, 0, false);
    run(&h, "deep", 32, emulator_parameters("dw", h.kept, 3000));
    assert_int_equal(h.r.b->synchronize(h.r.set, &h.r.err), PROACT_EFAULT);
    assert_non_null(strstr(h.r.err.text, "bytes of stack, and a thread has 65536"));
    emulator_close(&h.r);
    rig_open(&h, 0, false);
    assert_int_equal(h.r.b->limit(h.r.set, DEVICE_STACK_BYTES, 1 << 20, &h.r.err),
                     PROACT_EINVAL);
    emulator_must(&h.r, h.r.b->limit(h.r.set, DEVICE_STACK_BYTES, 1 << 18, &h.r.err));
    run(&h, "deep", 32, emulator_parameters("dw", h.kept, 3000));
    emulator_sync(&h.r);
    assert_int_equal(emulator_word(&h.r, 0, h.kept), 6000);
    emulator_close(&h.r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_disjoint_and_persist),
        cmocka_unit_test(freed_blocks_are_reused),
        cmocka_unit_test(exhausted_heaps_return_null),
        cmocka_unit_test(a_stack_may_be_larger),
        cmocka_unit_test(accesses_outside_blocks_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
