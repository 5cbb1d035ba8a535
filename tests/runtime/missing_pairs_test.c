/* SPDX-License-Identifier: Apache-2.0 */
/* Machines on which some pairs of devices have no peer access. Their data is copied, the
   other pairs use the plan's method. Every plan gives the result of one device bit for bit.
   `missing_pairs_test seeds` runs more seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/fake_device.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/program/session_open.h"
#include "runtime/sharing.h"

#define LINKS(name) PROACT_SOURCE "/tests/runtime/links_" name ".json"

enum { DEVICES = 4, ROUNDS = 3 };

/* One missing pair; two; a device without peer access. */
static const char *const machines[] = {LINKS("one"), LINKS("two"), LINKS("alone")};
enum { MACHINES = sizeof machines / sizeof *machines };

static const char *const plans[] = {
    "bulk",
    "bulk-serial",
    "inline",
    "fused",
    "polling",
    "dynamic",
    "copy-engine",
    "relay",
    "hardware",
    "fused+polling",
    "fused+copy-engine:4K",
    "copy-engine+fused:2K",
    "fused+relay:4K",
    "relay+polling:4K",
    "polling+copy-engine:4K",
};
enum { PLANS = sizeof plans / sizeof *plans };

static unsigned char *truth(unsigned rounds)
{
    const struct sharing_run one = {.method = "bulk", .devices = 1, .check = true};
    struct sharing s;

    sharing_open(&s, &one);
    for (unsigned n = 0; n < rounds; n++)
        sharing_play(&s);
    unsigned char *all = sharing_content(&s, 0);

    sharing_close(&s);
    return all;
}

static void expect_content(struct sharing *s, const unsigned char *wanted)
{
    for (unsigned d = 0; d < DEVICES; d++) {
        unsigned char *got = sharing_content(s, d);

        for (size_t i = 0; i < SHARING_BYTES_ALL; i++)
            if (got[i] != wanted[i])
                fail_msg("%s, %s: device %u, array %zu differs in byte %zu", s->run.machine,
                         s->title, d, i / (4 * SHARING_COUNT), i % (4 * SHARING_COUNT));
        free(got);
    }
}

static struct sharing_run draw_run(unsigned machine, unsigned plan, uint64_t seed)
{
    static const uint64_t chunks[] = {4096, 8192, 1 << 20};

    return (struct sharing_run){.machine = machines[machine],
                                .method = plans[plan],
                                .devices = DEVICES,
                                .chunk_bytes = chunks[(machine + plan + seed) % 3],
                                .threads = 32u << (plan + seed) % 6,
                                .seed = seed * 7919 + machine,
                                .check = (machine + plan + seed) % 2};
}

static void every_plan_gives_what_one_device_gives(void **state)
{
    const char *const *argv = *state;
    const unsigned seeds = argv[1] && !strcmp(argv[1], "seeds") ? 12 : 1;
    unsigned char *wanted = truth(1);

    for (unsigned machine = 0; machine < MACHINES; machine++)
        for (unsigned plan = 0; plan < PLANS; plan++)
            for (uint64_t seed = 1; seed <= seeds; seed++) {
                const struct sharing_run run = draw_run(machine, plan, seed);
                struct sharing s;

                sharing_open(&s, &run);
                sharing_play(&s);
                expect_content(&s, wanted);
                sharing_close(&s);
            }
    free(wanted);
}

/* A recording contains the copies, in the order of its launches. */
static void recordings_give_what_one_device_gives(void **state)
{
    unsigned char *wanted = truth(ROUNDS);

    (void)state;
    for (unsigned machine = 0; machine < MACHINES; machine++)
        for (unsigned plan = 0; plan < PLANS; plan++) {
            const struct sharing_run run = draw_run(machine, plan, 3);
            struct proact_recording *recording;
            struct sharing s;

            sharing_open(&s, &run);
            sharing_play(&s);
            sharing_must(&s, proact_record_begin(s.session, &s.err));
            sharing_play(&s);
            sharing_must(&s, proact_record_end(s.session, &recording, &s.err));
            for (unsigned n = 1; n < ROUNDS; n++)
                sharing_must(&s, proact_replay(recording, &s.err));
            expect_content(&s, wanted);
            sharing_close(&s);
        }
    free(wanted);
}

/* One launch sends every byte once from its writer to every peer, over each pair. */
static void bytes_per_pair_add_up(void **state)
{
    (void)state;
    for (unsigned machine = 0; machine < MACHINES; machine++)
        for (unsigned plan = 0; plan < PLANS; plan++) {
            struct sharing_run run = draw_run(machine, plan, 1);
            struct proact_statistics array;
            struct sharing s;
            uint64_t all = 0;

            run.chunk_bytes = 4096;
            sharing_open(&s, &run);
            sharing_must(&s, proact_wait(s.session, &s.err));
            proact_statistics_reset(s.session);
            sharing_must(
                &s, sharing_launch(&s, SHARING_STEP, (unsigned[]){0, 1}, 2, SHARING_COUNT));
            sharing_must(&s, proact_statistics_get(s.session, PROACT_ALL_DEVICES,
                                                   s.array[1], &array, &s.err));
            for (unsigned from = 0; from < DEVICES; from++) {
                const uint32_t *cta = &s.kernel[SHARING_STEP]->bindings->cta_first[from];
                const uint64_t words =
                    (from + 1 < DEVICES ? cta[1] * SHARING_CTA : SHARING_COUNT) -
                    cta[0] * SHARING_CTA;

                for (unsigned to = 0; to < DEVICES && !strstr(plans[plan], "relay"); to++) {
                    const struct device_traffic *before =
                        &s.session->traffic_before[from][to];
                    const uint64_t bytes =
                        s.session->backend->traffic(s.session->set, from, to).bytes -
                        before->bytes;

                    if (bytes != (from == to ? 0 : 4 * words))
                        fail_msg("%s: %lu bytes from %u to %u, not %lu", s.title,
                                 (unsigned long)bytes, from, to,
                                 (unsigned long)(4 * words));
                }
                all += (DEVICES - 1) * 4 * words;
            }
            assert_int_equal(array.bytes, all);
            sharing_close(&s);
        }
}

static void skipped_transfers_send_nothing(void **state)
{
    (void)state;
    for (unsigned plan = 0; plan < PLANS; plan++) {
        struct sharing_run run = draw_run(plan % MACHINES, plan, 1);
        struct proact_statistics all;
        struct sharing s;

        run.elide = true;
        run.check = false;
        sharing_open(&s, &run);
        sharing_play(&s);
        sharing_must(
            &s, proact_statistics_get(s.session, PROACT_ALL_DEVICES, NULL, &all, &s.err));
        assert_int_equal(all.bytes, 0);
        sharing_close(&s);
    }
}

/* The CTAs of a device without peer access count only for copies that wait for counters. */
static void a_device_alone_counts_nothing(void **state)
{
    static const struct {
        const char *method;
        bool counts;
    } cases[] = {{"fused", false}, {"fused+copy-engine:4K", true}, {"copy-engine", true}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sharing_run run = {.machine = LINKS("alone"),
                                        .method = cases[i].method,
                                        .devices = DEVICES,
                                        .chunk_bytes = 4096};
        struct proact_partition partition;
        struct sharing s;

        sharing_open(&s, &run);
        sharing_must(
            &s, sharing_launch(&s, SHARING_STEP, (unsigned[]){0, 1}, 2, SHARING_COUNT));
        for (unsigned d = 0; d < DEVICES; d++) {
            transfer_partition(&s.kernel[SHARING_STEP]->bindings->transfer, d, 1,
                               &partition);
            assert_int_equal(partition.silent_count,
                             d < 3 || cases[i].counts ? 0 : UINT32_MAX);
        }
        sharing_close(&s);
    }
}

/* ---- Operations on a fake device ---- */

enum { BYTES = 60 * 4096, CHUNK = 4096 };

static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry marked(.param .u64 in, .param .u64 out, .param .align 8 .b8 s[4224])\n"
    "{\n ret;\n}\n";

/* Launches from `b` to `a`, then from `a` to `b`; the log has the second launch. */
static struct proact *launched(const char *method, unsigned devices)
{
    const struct proact_options o = {
        .machine = "v100x16",
        .device_count = devices,
        .plan = {.method = method, .chunk_bytes = CHUNK, .broadcast = true}};
    const struct proact_image image = {.name = "marked.ptx", .text = ptx};
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = CHUNK};
    const struct proact_grid grid = {.ctas = {BYTES / CHUNK}, .threads = {64}};
    struct proact_error err = {""};
    struct proact *p;
    struct proact_array *a, *b;
    struct proact_kernel *k;

    if (session_open(&fake_device, &o, &p, &err))
        fail_msg("%s", err.text);
    assert_int_equal(
        proact_array_create(p, &(struct proact_shape){"a", BYTES, 1}, &a, NULL), 0);
    assert_int_equal(
        proact_array_create(p, &(struct proact_shape){"b", BYTES, 1}, &b, NULL), 0);
    assert_int_equal(proact_kernel_load(p, &image, "marked", &k, NULL), 0);
    assert_int_equal(proact_kernel_map(k, 1, &map, NULL), 0);
    const struct proact_arg args[] = {PROACT_ARRAY(b), PROACT_ARRAY(a), PROACT_ARRAY(b)};

    assert_int_equal(proact_launch(k, &grid, args, 2, NULL), 0);
    fake_forget(p->set);
    assert_int_equal(proact_launch(k, &grid, args + 1, 2, NULL), 0);
    return p;
}

/* Position of the last line that begins with `begin`. */
static size_t position(const struct proact *p, const char *begin)
{
    const char *log = fake_state(p->set)->log.data, *last = NULL;

    for (const char *at = log; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, begin, strlen(begin)) == 0)
            last = at;
    }
    if (!last)
        fail_msg("no '%s' in\n%s", begin, log);
    return (size_t)(last - log);
}

/* Copies from one device to another; exactly one line per pair. */
static void expect_copies(const struct proact *p, const unsigned pairs[][2], unsigned count)
{
    unsigned found = 0;

    for (const char *at = fake_state(p->set)->log.data; at; at = strchr(at, '\n')) {
        unsigned stream, from, to;
        bool is_wanted = false;

        at += *at == '\n';
        if (sscanf(at, "copy %u.1 %*u@%u+%*u > %*u@%u+", &stream, &from, &to) != 3)
            continue;
        assert_int_equal(stream, from);
        for (unsigned i = 0; i < count; i++)
            is_wanted |= pairs[i][0] == from && pairs[i][1] == to;
        if (!is_wanted)
            fail_msg("a copy from %u to %u", from, to);
        found++;
    }
    assert_int_equal(found, count);
}

/* Devices 3 and 4 of five have no peer access to each other; of six devices, device 1 has
   none to device 4, which has access to device 1. */
static void only_pairs_without_access_have_copies(void **state)
{
    static const char *const methods[] = {"inline", "fused", "polling", "dynamic",
                                          "fused+polling"};

    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct proact *p = launched(methods[m], 5);

        expect_copies(p, (const unsigned[][2]){{3, 4}, {4, 3}}, 2);
        assert_string_equal(proact_plan_copies(p), "copies between devices 3 and 4");
        proact_close(p);
        p = launched(methods[m], 6);
        expect_copies(p, (const unsigned[][2]){{1, 4}}, 1);
        assert_string_equal(proact_plan_copies(p), "copies from device 1 to 4");
        proact_close(p);
    }
}

/* A copy follows the kernel of its device and all users of its target. The next kernel of
   its receiver follows it; other devices wait for no copies and make none. */
static void copies_are_ordered(void **state)
{
    struct proact *p = launched("inline", 5);

    (void)state;
    const size_t copy = position(p, "copy 3.1");

    /* the end of its kernel */
    assert_true(position(p, "launch 3.0") < position(p, "wait 3.1 for 3.0"));
    assert_true(position(p, "wait 3.1 for 3.0") < copy);
    assert_true(position(p, "wait 3.1 for 4.0") < copy); /* the readers of its target */
    assert_true(position(p, "record 3.1") > copy);
    assert_true(position(p, "wait 3.0 for 4.1") < position(p, "launch 3.0"));
    assert_true(position(p, "wait 4.0 for 3.1") < position(p, "launch 4.0"));
    for (unsigned d = 0; d < 3; d++) {
        char line[32];

        snprintf(line, sizeof line, "wait %u.0 for 3.1", d);
        assert_null(strstr(fake_state(p->set)->log.data, line));
        snprintf(line, sizeof line, " %u.1\n", d);
        assert_null(strstr(fake_state(p->set)->log.data, line)); /* no copies of its own */
    }
    proact_close(p);
}

/* The copies of a plan with copy-engine follow the counter of each chunk: 12 chunks of
   device 3 go to device 4. */
static void copies_follow_their_chunks(void **state)
{
    enum { STREAMS = 8 };
    struct proact *p = launched("fused+copy-engine:4K", 5);
    unsigned waits[STREAMS] = {0}, copies[STREAMS] = {0}, all = 0;

    (void)state;
    for (const char *at = fake_state(p->set)->log.data; at; at = strchr(at, '\n')) {
        unsigned stream, to, value;

        at += *at == '\n';
        if (sscanf(at, "wait 3.%u for a word to reach %u", &stream, &value) == 2)
            waits[stream]++;
        if (sscanf(at, "copy 3.%u %*u@3+%*u > %*u@%u+", &stream, &to) != 2 || to != 4)
            continue;
        assert_in_range(++copies[stream], 1, waits[stream]);
        all++;
    }
    assert_int_equal(all, 12);
    proact_close(p);
}

/* ---- Words ---- */

static void machines_are_described(void **state)
{
    static const char *const words[] = {
        "copies between devices 1 and 3",
        "copies between devices 0 and 3, 1 and 2",
        "copies between devices 0 and 3, 1 and 3, 2 and 3",
    };

    (void)state;
    for (unsigned machine = 0; machine < MACHINES; machine++) {
        const struct proact_options o = {.machine = machines[machine]};
        struct proact_error err = {""};
        struct proact *p;

        assert_int_equal(proact_open(&o, &p, &err), 0);
        assert_string_equal(p->constraint.method->name, "fused");
        assert_string_equal(proact_plan_copies(p), words[machine]);
        assert_int_equal(
            proact_plan_set(p, &(struct proact_plan){.method = "copy-engine"}, &err), 0);
        assert_null(proact_plan_copies(p));
        proact_close(p);
    }
}

static void a_machine_without_peer_access_has_copies_only(void **state)
{
    struct proact_options o = {.machine = LINKS("none")};
    struct proact_error err = {""};
    struct proact *p;

    (void)state;
    assert_int_equal(proact_open(&o, &p, &err), 0);
    assert_string_equal(p->constraint.method->name, "bulk");
    assert_null(proact_plan_copies(p));
    assert_int_equal(proact_plan_set(p, &(struct proact_plan){.method = "inline"}, &err),
                     PROACT_EREFUSED);
    assert_string_equal(err.text,
                        "method 'inline' needs a device that reaches a peer's memory, and "
                        "none of the 4 devices does: 'bulk' does not need it");
    proact_close(p);
    o.device_count = 1;
    o.plan.method = "inline";
    assert_int_equal(proact_open(&o, &p, &err), 0);
    proact_close(p);
}

/* Bit `to` of element `from`: device `from` reaches device `to`. */
static bool reaches(const void *context, unsigned from, unsigned to)
{
    const unsigned *of = context;

    return of[from] >> to & 1;
}

static void expect_words(unsigned count, const unsigned *of, const char *pairs,
                         const char *methods)
{
    struct text text = {0};

    assert_int_equal(transfer_pairs_print(count, reaches, of, &text), pairs[0] != '\0');
    assert_string_equal(text.data ? text.data : "", pairs);
    text_clear(&text);
    assert_int_equal(transfer_pairs_explain(count, reaches, of, true, &text),
                     pairs[0] != '\0');
    assert_string_equal(text.data ? text.data : "", methods);
    text_clear(&text);
}

static void pairs_are_listed(void **state)
{
    (void)state;
    const char *const methods = "inline, fused, polling, dynamic and hardware";
    char all[160];

    expect_words(3, (const unsigned[]){7, 7, 7}, "", "");
    snprintf(all, sizeof all, "copies from device 2 to 1 under %s", methods);
    expect_words(3, (const unsigned[]){7, 7, 5}, "copies from device 2 to 1", all);
    snprintf(all, sizeof all, "copies between devices 0 and 2, from device 2 to 1 under %s",
             methods);
    expect_words(3, (const unsigned[]){3, 7, 4},
                 "copies between devices 0 and 2, from device 2 to 1", all);
    snprintf(all, sizeof all, "%s are refused", methods);
    expect_words(2, (const unsigned[]){1, 2}, "copies between devices 0 and 1", all);
    expect_words(5, (const unsigned[]){1, 2, 4, 8, 16},
                 "copies between devices 0 and 1, 0 and 2, 0 and 3, 0 and 4, 1 and 2, 1 "
                 "and 3, ... (10 pairs)",
                 all);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_plan_gives_what_one_device_gives, argv),
        cmocka_unit_test(recordings_give_what_one_device_gives),
        cmocka_unit_test(bytes_per_pair_add_up),
        cmocka_unit_test(skipped_transfers_send_nothing),
        cmocka_unit_test(a_device_alone_counts_nothing),
        cmocka_unit_test(only_pairs_without_access_have_copies),
        cmocka_unit_test(copies_are_ordered),
        cmocka_unit_test(copies_follow_their_chunks),
        cmocka_unit_test(machines_are_described),
        cmocka_unit_test(a_machine_without_peer_access_has_copies_only),
        cmocka_unit_test(pairs_are_listed),
    };

    (void)argc;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
