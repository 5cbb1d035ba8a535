/* SPDX-License-Identifier: Apache-2.0 */
/* Plans in which two methods share the chunks: the syntax, the method of each chunk, and
   the queued operations on a fake device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <proact/device.h>

#include "runtime/fake_device.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/program/session_open.h"
#include "transfer/methods/mixed.h"

enum { BYTES = 40000, CHUNK = 4096, CHUNKS = 10, CTAS = 10 };

static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry marked(.param .u64 a, .param .align 8 .b8 s[4224])\n{\n ret;\n}\n";

struct stage {
    struct proact *p;
    struct proact_array *a;
    struct proact_kernel *k;
    struct proact_error err;
};

static enum proact_status raise_curtain(struct stage *s, const char *method)
{
    const struct proact_options o = {.machine = "v100x4",
                                     .device_count = 2,
                                     .plan = {.method = method, .chunk_bytes = CHUNK}};
    const struct proact_shape shape = {"a", BYTES, 1};
    const struct proact_image image = {.name = "marked.ptx", .text = ptx};
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = CHUNK};
    enum proact_status status;

    *s = (struct stage){0};
    if ((status = session_open(&fake_device, &o, &s->p, &s->err)) ||
        (status = proact_array_create(s->p, &shape, &s->a, &s->err)) ||
        (status = proact_kernel_load(s->p, &image, "marked", &s->k, &s->err)))
        return status;
    return proact_kernel_map(s->k, 0, &map, &s->err);
}

static enum proact_status launch(struct stage *s)
{
    const struct proact_grid grid = {.ctas = {CTAS}, .threads = {64}};
    const struct proact_arg arg = PROACT_ARRAY(s->a);

    return proact_launch(s->k, &grid, &arg, 1, &s->err);
}

static void what_cannot_be_mixed_is_refused(void **state)
{
    static const struct {
        const char *method, *message;
    } cases[] = {
        {"bulk+fused",
         "method 'bulk+fused': 'bulk' and 'fused' cannot share the chunks, two of fused, "
         "polling, copy-engine and relay can"},
        {"fused+inline:4K",
         "method 'fused+inline:4K': 'fused' and 'inline' cannot share the chunks, two of "
         "fused, polling, copy-engine and relay can"},
        {"polling+polling",
         "method 'polling+polling': 'polling' and 'polling' cannot share the chunks, two "
         "of fused, polling, copy-engine and relay can"},
        {"polling+magic",
         "unknown method 'magic': known are bulk, bulk-serial, inline, fused, polling, "
         "dynamic, copy-engine, relay, hardware"},
        {"+fused", "unknown method '': known are bulk, bulk-serial, inline, fused, "
                   "polling, dynamic, copy-engine, "
                   "relay, hardware"},
        {"polling+fused:",
         "method 'polling+fused:': '' is not a number of bytes of at least 1 (suffix K, "
         "M or G)"},
        {"polling+fused:0", "method 'polling+fused:0': '0' is not a number of bytes of "
                            "at least 1 (suffix K, M or G)"},
        {"polling+fused:4k", "method 'polling+fused:4k': '4k' is not a number of bytes "
                             "of at least 1 (suffix K, M or G)"},
        {"polling+fused:-1", "method 'polling+fused:-1': '-1' is not a number of bytes "
                             "of at least 1 (suffix K, M or G)"},
        {"polling+fused:4MB",
         "method 'polling+fused:4MB': '4MB' is not a number of bytes of at least 1 "
         "(suffix K, M or G)"},
        {"polling+fused:99999999999G",
         "method 'polling+fused:99999999999G': '99999999999G' is not a number of bytes "
         "of at least 1 (suffix K, M or G)"},
        {"polling+fused:99999999999999999999",
         "method 'polling+fused:99999999999999999999': '99999999999999999999' is not a "
         "number of bytes of at least 1 (suffix K, M or G)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage s;

        assert_int_equal(raise_curtain(&s, cases[i].method), PROACT_EINVAL);
        assert_string_equal(s.err.text, cases[i].message);
    }
}

static void the_syntax_is_read(void **state)
{
    static const struct {
        const char *text, *body, *tail;
        uint64_t bytes;
    } cases[] = {
        {"fused", "fused", NULL, 0},
        {"copy-engine+fused", "copy-engine", "fused", 1},
        {"copy-engine+fused:16M", "copy-engine", "fused", 16 << 20},
        {"polling+copy-engine:3000", "polling", "copy-engine", 3000},
        {"fused+polling:4K", "fused", "polling", 4096},
        {"fused+polling:2G", "fused", "polling", 2ull << 30},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct transfer_plan plan = {0};

        assert_int_equal(transfer_methods_read(cases[i].text, &plan, NULL), 0);
        assert_string_equal(plan.method->name, cases[i].body);
        assert_int_equal(!plan.tail, !cases[i].tail);
        if (plan.tail)
            assert_string_equal(plan.tail->name, cases[i].tail);
        assert_int_equal(plan.tail_bytes, cases[i].bytes);
    }
}

/* Number of logged lines that begin with `word`. */
static unsigned lines(struct stage *s, const char *word)
{
    unsigned count = 0;

    for (const char *at = fake_state(s->p->set)->log.data; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        count += strncmp(at, word, strlen(word)) == 0;
    }
    return count;
}

/* Device 0 owns chunks 0 to 4, device 1 owns 5 to 9, and chunk 9 is short. The last 5000
   bytes are the last two chunks of each device. */
static void each_chunk_has_its_method(void **state)
{
    static const struct {
        const char *method;
        unsigned copies, agents;
        bool is_active, cta_sends_tail;
    } cases[] = {
        {"copy-engine+fused:5000", 6, 0, true, true},
        {"fused+copy-engine:5000", 4, 0, true, false},
        {"polling+fused:5000", 0, 2, true, true},
        {"polling+copy-engine:5000", 4, 2, false, false},
        {"copy-engine+polling:5000", 6, 2, false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage s;

        assert_int_equal(raise_curtain(&s, cases[i].method), 0);
        assert_int_equal(launch(&s), 0);
        const struct transfer_mixed *mixed = s.k->bindings->transfer.mixed;

        assert_int_equal(lines(&s, "copy "), cases[i].copies);
        assert_int_equal(lines(&s, "launch 0.1 proact_agent") +
                             lines(&s, "launch 1.1 proact_agent"),
                         cases[i].agents);
        for (unsigned d = 0; d < 2; d++)
            for (uint32_t c = 0; c < CHUNKS; c++) {
                bool is_mine = c / 5 == d, is_tail = is_mine && c % 5 >= 3;
                const uint32_t *sends = (const void *)(uintptr_t)mixed->sends[d][0];

                assert_int_equal(mixed->in_tail[d][0][c], is_tail);
                assert_int_equal(sends != NULL, cases[i].is_active);
                if (sends && is_mine)
                    assert_int_equal(sends[c], is_tail == cases[i].cta_sends_tail);
            }
        proact_close(s.p);
    }
}

static void a_single_method_has_no_table(void **state)
{
    struct proact_partition partition;
    struct stage s;

    (void)state;
    assert_int_equal(raise_curtain(&s, "fused"), 0);
    assert_int_equal(launch(&s), 0);
    transfer_partition(&s.k->bindings->transfer, 0, 1, &partition);
    assert_int_equal(partition.mode, PROACT_MODE_COUNT | PROACT_MODE_SEND);
    assert_null(partition.slot[0].sent_by_cta);
    assert_int_equal(
        proact_plan_set(s.p, &(struct proact_plan){.method = "fused+polling"}, &s.err), 0);
    assert_int_equal(launch(&s), 0); /* a new binding */
    transfer_partition(&s.k->bindings->transfer, 0, 1, &partition);
    assert_int_equal(partition.mode,
                     PROACT_MODE_COUNT | PROACT_MODE_SEND | PROACT_MODE_MIXED);
    assert_non_null(partition.slot[0].sent_by_cta);
    proact_close(s.p);
}

/* Chunks that are not sent are still awaited: five chunks per device. */
static void elided_chunks_are_awaited(void **state)
{
    const struct proact_plan elided = {
        .method = "copy-engine", .chunk_bytes = CHUNK, .skip_transfers = true};
    struct stage s;

    (void)state;
    assert_int_equal(raise_curtain(&s, "copy-engine"), 0);
    assert_int_equal(launch(&s), 0);
    assert_int_equal(lines(&s, "copy"), CHUNKS);
    unsigned waits = lines(&s, "wait");

    assert_int_equal(proact_plan_set(s.p, &elided, &s.err), 0);
    assert_int_equal(launch(&s), 0);
    assert_int_equal(lines(&s, "copy"), CHUNKS);
    assert_true(lines(&s, "wait") >= waits + CHUNKS);
    proact_close(s.p);
}

/* The fake device aborts if an object is leaked. */
static void exhausted_memory_fails_the_launch(void **state)
{
    unsigned failed = 0;

    (void)state;
    for (unsigned left = 1; left < 12; left++) {
        struct stage s;

        assert_int_equal(raise_curtain(&s, "polling+fused:5000"), 0);
        fake_state(s.p->set)->allocations_left = left;
        failed += launch(&s) == PROACT_ENOSPACE;
        fake_state(s.p->set)->allocations_left = 0;
        assert_int_equal(launch(&s), 0);
        proact_close(s.p);
    }
    assert_int_equal(failed,
                     6); /* on both devices: tables, methods of chunks, the agent's list */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_mixed_is_refused),
        cmocka_unit_test(the_syntax_is_read),
        cmocka_unit_test(each_chunk_has_its_method),
        cmocka_unit_test(a_single_method_has_no_table),
        cmocka_unit_test(elided_chunks_are_awaited),
        cmocka_unit_test(exhausted_memory_fails_the_launch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
