/* SPDX-License-Identifier: Apache-2.0 */
/* Deferred event records: an operation gets an event only when another stream waits for it.
   The device is a fake. */
#include <string.h>

#include "runtime/objects/order.h"
#include "runtime/stage.h"
/* included after it */
#include <proact/program.h>

static const struct order_place first = {0, TRANSFER_MAIN}, other = {1, TRANSFER_MAIN};

/* Operations are numbered from *base on. */
static struct stage begin(uint64_t *base)
{
    struct stage s;

    raise_curtain(&s, "bulk", 2);
    must(&s, proact_wait(s.p, &s.err));
    *base = s.p->order.settled;
    fake_forget(s.p->set);
    return s;
}

static void a_wait_records_the_event(void **state)
{
    uint64_t base;
    struct stage s = begin(&base);
    struct order *o = &s.p->order;

    (void)state;
    for (unsigned n = 1; n < 4; n++)
        order_note(o, first, base + n);
    expect(&s, "");
    must(&s, order_wait(o, other, first, base + 2, &s.err));
    expect(&s, "record 0.0\nwait 1.0 for 0.0\n");
    must(&s, order_wait(o, other, first, base + 3, &s.err));
    expect(&s, ""); /* the earlier event already follows that operation */
    order_note(o, first, base + 4);
    must(&s, order_wait(o, other, first, base + 3, &s.err));
    expect(&s, "");
    must(&s, order_wait(o, other, first, base + 4, &s.err));
    expect(&s, "record 0.0\nwait 1.0 for 0.0\n");
    proact_close(s.p);
}

static void settled_operations_need_no_event(void **state)
{
    uint64_t base;
    struct stage s = begin(&base);
    struct order *o = &s.p->order;

    (void)state;
    order_note(o, first, base + 1);
    o->settled = base + 1;
    must(&s, order_wait(o, other, first, base + 1, &s.err));
    must(&s, order_flush(o, first, &s.err));
    expect(&s, "");
    order_note(o, first, base + 2); /* starts after the settled operations */
    must(&s, order_wait(o, other, first, base + 2, &s.err));
    expect(&s, "record 0.0\nwait 1.0 for 0.0\n");
    proact_close(s.p);
}

static void a_direct_record_flushes_deferred_events(void **state)
{
    uint64_t base;
    struct stage s = begin(&base);
    struct order *o = &s.p->order;

    (void)state;
    order_note(o, first, base + 1);
    must(&s, order_record(o, first, base + 2, &s.err));
    expect(&s, "record 0.0\nrecord 0.0\n");
    must(&s, order_wait(o, other, first, base + 1, &s.err));
    expect(&s, "wait 1.0 for 0.0\n");
    proact_close(s.p);
}

/* Fills that are queued one after another, as in a program without splits. */
static void work_of_one_device_records_nothing(void **state)
{
    uint64_t base;
    struct stage s = begin(&base);

    (void)state;
    for (unsigned n = 0; n < 3; n++)
        must(&s, proact_device0_fill(s.p, proact_array_address(s.a, 0), 1, 8, &s.err));
    assert_null(strstr(fake_state(s.p->set)->log.data, "record"));
    must(&s, proact_array_broadcast(s.a, &s.err));
    assert_non_null(strstr(fake_state(s.p->set)->log.data, "record 0.0\nwait "));
    proact_close(s.p);
}

static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry marked(.param .u64 a, .param .align 8 .b8 s[4224])\n{\n ret;\n}\n";

/* A split launch records an event first. Otherwise the partition of device 1 would wait for
   that of device 0. */
static void a_split_launch_records_an_event(void **state)
{
    const struct proact_image image = {.name = "marked.ptx", .text = ptx};
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = 4096};
    const struct proact_grid grid = {.ctas = {2}, .threads = {64}};
    uint64_t base;
    struct stage s = begin(&base);
    const struct proact_arg arg = PROACT_ARRAY(s.a);
    struct proact_kernel *k;

    (void)state;
    must(&s, proact_kernel_load(s.p, &image, "marked", &k, &s.err));
    must(&s, proact_kernel_map(k, 0, &map, &s.err));
    must(&s, proact_launch(k, &grid, &arg, 1, &s.err)); /* creates the tables */
    must(&s, proact_wait(s.p, &s.err));
    must(&s, proact_device0_fill(s.p, proact_array_address(s.a, 0), 1, 8, &s.err));
    fake_forget(s.p->set);
    must(&s, proact_launch(k, &grid, &arg, 1, &s.err));
    const char *log = fake_state(s.p->set)->log.data;
    const char *record = strstr(log, "record 0.0"), *launch = strstr(log, "launch 0.0");

    assert_true(record && launch && record < launch);
    proact_close(s.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_records_the_event),
        cmocka_unit_test(settled_operations_need_no_event),
        cmocka_unit_test(a_direct_record_flushes_deferred_events),
        cmocka_unit_test(work_of_one_device_records_nothing),
        cmocka_unit_test(a_split_launch_records_an_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
