/* SPDX-License-Identifier: Apache-2.0 */
/* Stale replicas are determined by the host's order of operations, however far the devices'
   times are apart: each device executes its operations early or late. */
#include <stdio.h>
#include <string.h>

#include "device/emulator_testing.h"

/* The stored word is in the middle of pages that the host writes completely. */
enum { DEVICES = 3, WORDS = 4096, WORD = 2049, LATE = 20000, EARLY = 1 };

struct ranks {
    struct emulator_rig r;
    device_addr base[TOPOLOGY_DEVICES_MAX];
};

static void begin(struct ranks *a)
{
    struct device_replicas declared = {.name = "ranks", .bytes = 4 * WORDS};

    emulator_prepare(&a->r, DEVICES);
    a->r.options.check = true;
    emulator_start(&a->r);
    for (unsigned d = 0; d < DEVICES; d++)
        declared.base[d] = a->base[d] = emulator_words(&a->r, d, WORDS);
    a->r.b->replicas(a->r.set, &declared);
}

/* A kernel stores the word to its device's replica, immediately or after a delay. */
static void store(struct ranks *a, unsigned device, uint32_t when)
{
    const struct contract_parameters p =
        emulator_parameters("dw", a->base[device] + 4 * WORD, when);

    emulator_run(&a->r, device, 0, "busy_then_tell", 1, 1, &p);
}

static void idle(struct ranks *a, unsigned device)
{
    const struct contract_parameters p = emulator_parameters("w", LATE);

    emulator_run(&a->r, device, 0, "busy", 1, 1, &p);
}

static void write_one(struct ranks *a, unsigned device)
{
    static const uint32_t content[WORDS];

    emulator_must(&a->r, a->r.b->write(a->r.stream[device][0], a->base[device], content,
                                       sizeof content, &a->r.err));
}

static void write_all(struct ranks *a)
{
    for (unsigned d = 0; d < DEVICES; d++)
        write_one(a, d);
}

static void copy_one(struct ranks *a, unsigned to, unsigned from)
{
    emulator_must(&a->r, a->r.b->copy(a->r.stream[from][0], a->base[to], a->base[from],
                                      4 * WORDS, &a->r.err));
}

static bool holds(struct ranks *a, unsigned device, size_t first, size_t count)
{
    return !a->r.b->current(a->r.set, a->base[device] + 4 * first, 4 * count, &a->r.err);
}

/* After synchronization, exactly these devices lack the word, which `who` has, and no other
   byte. */
static void only_these_miss(struct ranks *a, unsigned devices, unsigned who)
{
    char expected[128];

    emulator_sync(&a->r);
    for (unsigned d = 0; d < DEVICES; d++) {
        assert_true(holds(a, d, 0, WORD));
        assert_true(holds(a, d, WORD + 1, WORDS - WORD - 1));
        assert_int_equal(!holds(a, d, 0, WORDS), devices >> d & 1);
        if (!(devices >> d & 1))
            continue;
        snprintf(expected, sizeof expected,
                 "byte %d of array 'ranks' was not sent to device %u by device %u",
                 4 * WORD, d, who);
        assert_non_null(strstr(a->r.err.text, expected));
    }
}

static void a_write_after_a_kernel_is_newest(void **state)
{
    struct ranks a;

    (void)state;
    begin(&a);
    store(&a, 0, LATE);
    write_all(&a);
    only_these_miss(&a, 0, 0);
    emulator_close(&a.r);
}

/* Also if one device writes after the other's kernel has ended. */
static void a_store_after_a_write_must_be_sent(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct ranks a;

        begin(&a);
        if (late)
            idle(&a, 1);
        write_all(&a);
        store(&a, 0, EARLY);
        only_these_miss(&a, 6, 0);
        emulator_close(&a.r);
    }
}

/* Device 1 stores before device 0, although its kernel is queued later. */
static void the_later_kernel_is_newest(void **state)
{
    struct ranks a;

    (void)state;
    begin(&a);
    store(&a, 0, LATE);
    store(&a, 1, EARLY);
    only_these_miss(&a, 5, 1);
    emulator_close(&a.r);
}

/* Operations of one batch have no order among them, but all follow earlier operations. */
static void a_batch_is_one_operation(void **state)
{
    struct ranks a;

    (void)state;
    begin(&a);
    a.r.b->batch_begin(a.r.set);
    store(&a, 0, LATE);
    store(&a, 1, EARLY);
    emulator_must(&a.r, a.r.b->batch_end(a.r.set, &a.r.err));
    only_these_miss(&a, 6, 0);
    store(&a, 0, LATE);
    a.r.b->batch_begin(a.r.set);
    store(&a, 1, EARLY);
    emulator_must(&a.r, a.r.b->batch_end(a.r.set, &a.r.err));
    only_these_miss(&a, 5, 1);
    emulator_close(&a.r);
}

/* Device 1 has the host's write, or the earlier content, and device 2 receives that. */
static void a_copy_is_as_new_as_its_source(void **state)
{
    (void)state;
    for (int written = 0; written < 2; written++) {
        struct ranks a;

        begin(&a);
        store(&a, 0, LATE);
        if (written)
            write_one(&a, 1);
        copy_one(&a, 2, 1);
        only_these_miss(&a, written ? 0 : 6, 0);
        emulator_close(&a.r);
    }
}

/* The operations of a graph count from its launch, however many there are. */
static void a_graph_is_as_new_as_its_launch(void **state)
{
    struct device_graph *g;
    struct ranks a;

    (void)state;
    begin(&a);
    emulator_must(&a.r, a.r.b->capture_begin(a.r.set, &a.r.err));
    for (int i = 0; i < 100; i++)
        store(&a, 0, EARLY);
    store(&a, 0, LATE);
    store(&a, 1, EARLY);
    emulator_must(&a.r, a.r.b->capture_end(a.r.set, &g, &a.r.err));
    for (int i = 0; i < 2; i++) {
        emulator_must(&a.r, a.r.b->graph_launch(g, &a.r.err));
        only_these_miss(&a, 5, 1);
        write_all(&a);
        only_these_miss(&a, 0, 0);
    }
    a.r.b->graph_destroy(g);
    emulator_close(&a.r);
}

/* A read that was queued before a store may run later, even in an order after the store. */
static void reads_before_a_store_need_no_fetch(void **state)
{
    (void)state;
    for (int ahead = 0; ahead < 2; ahead++) {
        struct ranks a;
        enum proact_status status;

        begin(&a);
        const struct contract_parameters p = emulator_parameters("d", a.base[1] + 4 * WORD);
        device_addr got = emulator_words(&a.r, 1, 1);

        emulator_must(&a.r, a.r.b->wait_value(a.r.stream[1][0], got, 1, NULL, &a.r.err));
        if (ahead)
            emulator_run(&a.r, 1, 0, "look", 1, 1, &p);
        store(&a, 0, EARLY);
        emulator_must(&a.r, a.r.b->write_value(a.r.stream[0][0], got, 1, &a.r.err));
        if (!ahead)
            emulator_run(&a.r, 1, 0, "look", 1, 1, &p);
        status = a.r.b->synchronize(a.r.set, &a.r.err);
        assert_int_equal(status, ahead ? PROACT_OK : PROACT_EFAULT);
        if (status)
            assert_non_null(strstr(a.r.err.text, "array 'ranks' on device 1 before it was "
                                                 "sent by device 0"));
        emulator_close(&a.r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_after_a_kernel_is_newest),
        cmocka_unit_test(a_store_after_a_write_must_be_sent),
        cmocka_unit_test(the_later_kernel_is_newest),
        cmocka_unit_test(a_batch_is_one_operation),
        cmocka_unit_test(a_copy_is_as_new_as_its_source),
        cmocka_unit_test(a_graph_is_as_new_as_its_launch),
        cmocka_unit_test(reads_before_a_store_need_no_fetch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
