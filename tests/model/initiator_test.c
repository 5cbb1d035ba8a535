/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the initiators against values computed by hand from the machine files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/initiator.h"
#include "model/model.h"

static struct topology initiator_machine(const char *name)
{
    struct topology t;
    struct proact_error err = {""};

    if (topology_load(name, &t, &err))
        fail_msg("%s", err.text);
    return t;
}

static void check_ns(const char *what, double got, double expected)
{
    if (fabs(got - expected) > 1e-6 * fabs(expected) + 1e-9)
        fail_msg("%s: %.9g, expected %.9g", what, got, expected);
}

/* A row of a table: parameters of h200x4 from device 0 to 1, computed from its keys. */
static void parameters_follow_the_keys(void **state)
{
    const struct topology t = initiator_machine("h200x4");
    const struct {
        enum model_sender who;
        bool is_pipelined;
        uint64_t run_bytes;
        double o, O, g, G, S;
    } rows[] = {
        /* copy_first_us, copy_start_us; 256 of 268 bytes are payload */
        {MODEL_SEND_COPY, false, 1 << 20, 3300, 0, 0, 268 / 256. / 412, 600},
        {MODEL_SEND_COPY, true, 1 << 20, 2180, 0, 0, 268 / 256. / 412, 600},
        /* a count (a fence, two accesses to the L2, 60 instructions), half of wait_value_us
           on average, then an idle engine */
        {MODEL_SEND_COPY_WAIT, false, 1 << 20, 700 + 400 + 60 * 4 / 1.9 + 1050 + 3300, 0, 0,
         268 / 256. / 412, 600},
        /* a child follows the count by launch_us, 235 instructions and half of the time in
           which CTAs start; each of its 32 CTAs loads 16 KB, one vector after another, and
           the receiver's address, and executes 72 instructions */
        {MODEL_SEND_CHILD, false, 1 << 20,
         700 + 400 + 60 * 4 / 1.9 + 2500 + 235 * 4 / 1.9 + 150,
         (4 * 400 + 200 + 72 * 4 / 1.9) / 16384 / 32, 0, 144 / 128. / 412, 600},
        /* two streams take turns: half of a cycle of 3300 + 2180 + 2 x 600 */
        {MODEL_SEND_COPY_WAIT, true, 1 << 20, 1090, 0, 2250, 268 / 256. / 412, 600},
        /* 128 of 144 bytes are payload; a range of 4 bytes costs 48.4 */
        {MODEL_SEND_STORE, true, 128, 0, 1 / 45.4 / (132 * 8), 0, 144 / 128. / 412, 600},
        {MODEL_SEND_STORE, true, 4, 0, 1 / 45.4 / (132 * 8), 0, 48.4 / 4 / 412, 600},
        {MODEL_SEND_STORE, false, 128, 4 / 1.9, 1 / 45.4, 0, 144 / 128. / 412, 600},
        {MODEL_SEND_BULK_STORE, true, 128, 0, 1 / 50.4 / 132, 0, 144 / 128. / 412, 600},
        /* a descriptor takes 100 ns */
        {MODEL_SEND_UNIT, false, 1 << 20, 100, 0, 0, 268 / 256. / 412, 600},
        {MODEL_SEND_UNIT, true, 1 << 20, 0, 0, 0, 268 / 256. / 412, 600},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct model_loggop p =
            model_derive(&t, rows[i].who, rows[i].is_pipelined, 0, 1, rows[i].run_bytes);

        check_ns(model_sender_name(rows[i].who), p.o, rows[i].o);
        check_ns("O", p.O, rows[i].O);
        check_ns("g", p.g, rows[i].g);
        check_ns("G", p.G, rows[i].G);
        check_ns("L", p.L, 600);
        check_ns("S", p.S, rows[i].S);
    }
}

/* The closed form of a copy that the emulator's schedule uses is the pipelined period. */
static void period_of_copies_is_that_of_model_copy(void **state)
{
    const char *const names[] = {"h200x4", "v100x4", "p100x4", "k40x4"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct topology t = initiator_machine(names[i]);

        for (uint64_t bytes = 4096; bytes <= 64 << 20; bytes *= 4)
            for (unsigned to = 1; to < t.device_count; to++) {
                const struct model_loggop p =
                    model_derive(&t, MODEL_SEND_COPY, true, 0, to, bytes);

                check_ns(names[i], model_period_ns(&p, bytes),
                         model_copy_ns(&t, 0, to, bytes));
            }
    }
}

/* Pieces shorter than what the threads have in flight: each costs a step of the loop, its
   description and the single bytes at its ends. The CTA waits once for its fence and its
   tables. */
static void pieces_cost_steps(void **state)
{
    const struct topology t = initiator_machine("h200x4");
    struct model_path path = {.to = 1, .bytes = 1 << 16, .piece_bytes = 2048};
    const double step = 400 + (9 + 15) * 4 / 1.9, piece = 400 + 200 + 100 * 4 / 1.9;
    const double once = (700 + 3 * 200 + 48 * 4 / 1.9) / (1 << 16);

    (void)state;
    check_ns("2 KB", model_derive_path(&t, MODEL_SEND_FUSED, false, &path).O,
             (step + piece) / 2048 + once);
    path.piece_bytes = 4096; /* 256 threads with 16 bytes each */
    check_ns("4 KB", model_derive_path(&t, MODEL_SEND_FUSED, false, &path).O,
             step / 4096 + once);
    path.receivers = 3; /* loaded once */
    check_ns("three receivers", model_derive_path(&t, MODEL_SEND_FUSED, false, &path).O,
             (400 + (9 + 15 * 3) * 4 / 1.9) / (3 * 4096) + once / 3);
}

/* Two CTAs of a child for 32 KB: the part of each is rounded up past 16 KB, so one of them
   sends everything. It waits once for 6 loads. */
static void parts_of_children_are_rounded_up(void **state)
{
    const struct topology t = initiator_machine("h200x4");
    struct model_path path = {.to = 1, .bytes = 32 << 10, .is_cached = true};
    const double round = 5 * 200 + 72 * 4 / 1.9, small = 2 * 200 + 50.25 * 4 / 1.9;

    (void)state;
    check_ns("32 KB", model_derive_path(&t, MODEL_SEND_CHILD, false, &path).O,
             round / (16 << 10) + 6 * 200. / (32 << 10));
    path.bytes = 4 << 10; /* one vector of each thread */
    check_ns("4 KB", model_derive_path(&t, MODEL_SEND_CHILD, false, &path).O,
             (small + 6 * 200) / (4 << 10));
}

/* An agent sees a count after half of a sleep and a check, while the leader still waits. */
static void agents_read_counts_early(void **state)
{
    const struct topology t = initiator_machine("h200x4");
    const struct model_path path = {.to = 1, .bytes = 4 << 10, .is_cached = true};

    (void)state;
    check_ns("o", model_derive_path(&t, MODEL_SEND_AGENT, false, &path).o,
             200 + 26 * 4 / 1.9 + (256 + 200 + 24 * 4 / 1.9) / 2 + 98 * 4 / 1.9);
}

/* Stores of CTAs that start within 300 ns: the first bytes leave while the last CTA starts.
   A link that is slower than the receiver's port also sends while a CTA executes. */
static void stores_leave_while_ctas_start(void **state)
{
    const struct topology h200 = initiator_machine("h200x4"),
                          v100 = initiator_machine("v100x4");
    const struct model_path few = {.to = 1, .run_bytes = 512, .bytes = 1 << 16, .ctas = 16},
                            one = {.to = 1, .run_bytes = 512, .bytes = 4096, .ctas = 1},
                            many = {
                                .to = 1, .run_bytes = 512, .bytes = 1 << 18, .ctas = 64};
    const double store = 31 * 4 / 1.9, gap = 144 / 128. / 412;
    struct model_loggop p = model_derive_path(&h200, MODEL_SEND_STORE, false, &few);

    (void)state;
    check_ns("o of 16 CTAs", p.o, store - 300 * 15 / 17.);
    check_ns("64 KB", model_message_ns(&p, few.bytes), store + gap * 4096 + 1200);
    p = model_derive_path(&h200, MODEL_SEND_STORE, false, &one);
    check_ns("one CTA", model_message_ns(&p, one.bytes), store + gap * 4096 + 1200);
    p = model_derive_path(&v100, MODEL_SEND_STORE, false, &many);
    check_ns("256 KB", model_message_ns(&p, many.bytes),
             -29 * 4 / 1.53 - 300 * 63 / 65. + 144 / 128. / 50 * (1 << 18) + 2000);
    p = model_derive_path(&h200, MODEL_SEND_BULK_STORE, false, &few);
    check_ns("bulk stores", model_message_ns(&p, few.bytes), 600 + gap * 4096 + 1200);
}

/* All 32 warps of a CTA of the agent execute the loop over slices; a slice of 16 KB keeps
   them all busy, one of 4 KB a quarter. Eight CTAs take turns. */
static void slices_of_agents_are_bound_by_issue(void **state)
{
    const struct topology t = initiator_machine("h200x4");
    struct model_path path = {.to = 1, .bytes = 16 << 10, .is_cached = true};

    (void)state;
    check_ns("16 KB", model_derive_path(&t, MODEL_SEND_AGENT, true, &path).g,
             (200 + 32 * (98 + 29 + 8 * 2) / 4 / 1.9) / 8);
    path.bytes = 4 << 10;
    check_ns("4 KB", model_derive_path(&t, MODEL_SEND_AGENT, true, &path).g,
             (200 + (32 * 98 + 8 * (29 + 8 * 2)) / 4 / 1.9) / 8);
    path.bytes = 32 << 10; /* two vectors, one after the other */
    check_ns("32 KB", model_derive_path(&t, MODEL_SEND_AGENT, true, &path).g,
             (400 + 32 * (98 + 29 + 8 * 2 * 2) / 4 / 1.9) / 8);
}

static void message_has_all_terms(void **state)
{
    const struct model_loggop p = {
        .L = 1000, .o = 20, .O = 2, .g = 300, .G = 3, .S = 50000};

    (void)state;
    check_ns("gap of a message", model_message_ns(&p, 10), 20 + 300 + 1000 + 50000);
    check_ns("bytes on the link", model_message_ns(&p, 1000), 20 + 3000 + 1000 + 50000);
    check_ns("bytes of the initiator", model_message_ns(&p, 100000), 20 + 351000);
    check_ns("period", model_period_ns(&p, 1000), 3020);

    const struct model_loggop slow = {.L = 1000, .o = 20, .O = 9, .G = 3, .S = 2000};

    check_ns("slow initiator", model_message_ns(&slow, 1000), 20 + 9000);
}

static void senders_exist_by_machine(void **state)
{
    struct topology h200 = initiator_machine("h200x4"), v100 = initiator_machine("v100x4");

    (void)state;
    for (int who = 0; who < MODEL_SENDERS; who++)
        assert_true(model_sender_exists(&h200, (enum model_sender)who));
    assert_false(model_sender_exists(&v100, MODEL_SEND_BULK_STORE));
    h200.link_gbps[0][1] = h200.link_gbps[1][0] = 0; /* copies go through the host */
    assert_false(model_sender_exists(&h200, MODEL_SEND_FUSED));
    assert_true(model_sender_exists(&h200, MODEL_SEND_COPY));
    h200.device_count = 1;
    assert_false(model_sender_exists(&h200, MODEL_SEND_COPY));
}

/* PCIe's children start 8.4 us apart on k40x4: small messages are bound by g. */
static void gap_of_children_bounds_small_messages(void **state)
{
    const struct topology t = initiator_machine("k40x4");
    const struct model_loggop p = model_derive(&t, MODEL_SEND_CHILD, true, 0, 1, 4096);

    (void)state;
    check_ns("g", p.g, 8400);
    check_ns("4 KB", model_period_ns(&p, 4096), 8400);
    assert_true(model_period_ns(&p, 1 << 20) > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_follow_the_keys),
        cmocka_unit_test(period_of_copies_is_that_of_model_copy),
        cmocka_unit_test(pieces_cost_steps),
        cmocka_unit_test(parts_of_children_are_rounded_up),
        cmocka_unit_test(agents_read_counts_early),
        cmocka_unit_test(stores_leave_while_ctas_start),
        cmocka_unit_test(slices_of_agents_are_bound_by_issue),
        cmocka_unit_test(message_has_all_terms),
        cmocka_unit_test(senders_exist_by_machine),
        cmocka_unit_test(gap_of_children_bounds_small_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
