/* SPDX-License-Identifier: Apache-2.0 */
/* proact_store_bulk() under every method, for ranges of any alignment, in the sm_90 form
   and in the form for older devices. Every replica contains the staged bytes, and nothing
   else changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <proact/proact.h>

#include "base/text.h"

enum { CTAS = 23, COUNT = 100000, DEVICES = 3, UNTOUCHED = 0xee, SKIPPED = 77 };

/* The machine and the checks that only emulated devices perform. */
static const struct proact_options emulated = {
    .machine = "h200x4", .device_count = DEVICES, .check = true, .host_threads = 1};

static const char *const forms[] = {PROACT_BINARY "/tests/runtime/store_bulk.ptx",
                                    PROACT_BINARY "/tests/runtime/store_bulk_90.ptx"};

struct run {
    uint32_t bytes, offset, skew;
};

struct stage {
    struct proact *p;
    struct proact_array *out;
    struct proact_kernel *kernel;
    struct proact_error err;
};

static void must(struct stage *s, enum proact_status status)
{
    if (status)
        fail_msg("%s", s->err.text);
}

static void open_stage(struct stage *s, const struct proact_options *o, const char *form,
                       const char *name)
{
    const struct proact_shape shape = {"out", COUNT, 1};
    char *text;
    size_t bytes;

    *s = (struct stage){0};
    must(s, proact_open(o, &s->p, &s->err));
    must(s, proact_array_create(s->p, &shape, &s->out, &s->err));
    must(s, file_read(form, &text, &bytes, &s->err));
    must(s, proact_kernel_load(s->p, &(struct proact_image){.name = "runs", .text = text},
                               name, &s->kernel, &s->err));
    free(text);
}

static void launch(struct stage *s, const struct run *r, uint32_t salt)
{
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS,
                                   .range_bytes = 2 * r->bytes,
                                   .offset_bytes = r->offset};
    const struct proact_arg args[] = {PROACT_ARRAY(s->out), PROACT_VALUE(r->bytes),
                                      PROACT_VALUE(r->offset), PROACT_VALUE(r->skew),
                                      PROACT_VALUE(salt)};
    static unsigned char all[COUNT];

    memset(all, UNTOUCHED, sizeof all);
    must(s, proact_array_write(s->out, 0, all, COUNT, &s->err));
    must(s, proact_kernel_map(s->kernel, 0, &map, &s->err));
    must(s, proact_launch(s->kernel, &(struct proact_grid){.ctas = {CTAS}, .threads = {96}},
                          args, 5, &s->err));
}

static void expect(struct stage *s, const struct run *r, uint32_t salt, const char *what)
{
    static unsigned char got[COUNT];
    uint32_t end = 2 * CTAS * r->bytes;

    for (unsigned d = 0; d < proact_device_count(s->p); d++) {
        if (proact_array_read_replica(s->out, d, 0, got, COUNT, &s->err))
            fail_msg("%s: %u bytes at %u from %u: %s", what, r->bytes, r->offset, r->skew,
                     s->err.text);
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t at = i - r->offset; /* far above `end` before the first byte */
            unsigned char wanted = (unsigned char)(at < end ? 7 * at + salt : UNTOUCHED);

            if (got[i] != wanted)
                fail_msg("%s: %u bytes at %u from %u: byte %u of device %u is %u, not %u",
                         what, r->bytes, r->offset, r->skew, i, d, got[i], wanted);
        }
    }
}

static void runs_arrive(const struct proact_options *o, const char *form)
{
    static const uint32_t sizes[] = {1, 15, 16, 20, 48, 127, 1000, 2048};
    /* Offset, skew: relative alignment of the two sides. */
    static const uint32_t relocations[][2] = {{0, 0}, {16, 0}, {4, 4}, {4, 0},
                                              {3, 3}, {1, 0},  {8, 12}};
    uint32_t salt = 0;
    struct stage s;

    open_stage(&s, o, form, "runs");
    for (size_t b = 0; b < sizeof sizes / sizeof *sizes; b++)
        for (size_t l = 0; l < sizeof relocations / sizeof *relocations; l++) {
            const struct run r = {sizes[b], relocations[l][0], relocations[l][1]};

            launch(&s, &r, ++salt);
            expect(&s, &r, salt, o->plan.method);
        }
    proact_close(s.p);
}

/* Staged ranges arrive with any alignment, on an emulated machine or the one named by
   `*state`. */
static void staged_ranges_arrive_with_any_alignment(void **state)
{
    struct proact_options o = emulated;

    if (*state)
        o = (struct proact_options){.machine = *state};
    for (size_t f = 0; f < 2; f++)
        for (const char *const *m = proact_method_names(); *m; m++) {
            struct proact *can = NULL;

            o.seed = f + 1;
            o.plan = (struct proact_plan){
                .method = *m, .chunk_bytes = 4096, .transfer_threads = 64};
            if (proact_open(&o, &can, NULL) == PROACT_EREFUSED)
                continue; /* not supported by this method */
            proact_close(can);
            runs_arrive(&o, forms[f]);
        }
}

/* Staged ranges go to the peers in full packets; on sm_90, one thread per CTA sends
   them. */
static void aligned_ranges_are_full_packets(void **state)
{
    struct proact_options o = emulated;
    const struct run r = {2048, 0, 0};

    (void)state;
    o.plan.method = "inline";
    for (size_t f = 0; f < 2; f++) {
        struct proact_statistics before, after;
        struct stage s;

        open_stage(&s, &o, forms[f], "runs");
        must(&s, proact_statistics_get(s.p, PROACT_ALL_DEVICES, NULL, &before, &s.err));
        launch(&s, &r, 1);
        must(&s, proact_statistics_get(s.p, PROACT_ALL_DEVICES, NULL, &after, &s.err));
        assert_int_equal(after.packets - before.packets,
                         2 * CTAS * (DEVICES - 1) * r.bytes / 128);
        expect(&s, &r, 1, "inline");
        proact_close(s.p);
    }
}

static void wide_round(struct stage *s, struct proact_kernel *reader,
                       struct proact_array *to, uint32_t back, uint32_t salt)
{
    const struct proact_grid writes = {.ctas = {CTAS}, .threads = {32}},
                             reads = {.ctas = {CTAS}, .threads = {128}};
    const struct proact_arg write[] = {PROACT_ARRAY(s->out), PROACT_VALUE(salt)},
                            read[] = {PROACT_ARRAY(s->out), PROACT_ARRAY(to),
                                      PROACT_VALUE(back)};
    static uint32_t got[COUNT / 4];

    must(s, proact_launch(s->kernel, &writes, write, 2, &s->err));
    must(s, proact_launch(reader, &reads, read, 3, &s->err));
    must(s, proact_array_read(to, 0, got, 128 * CTAS, &s->err));
    for (uint32_t i = back; i < 128 * CTAS; i++)
        assert_int_equal(got[i], 7 * (i - back) + salt);
}

/* Elements and bulk stores that a peer needs in part arrive, also if they begin before the
   needed lines. */
static void needed_parts_arrive(const char *form, const char *writer, const char *method,
                                uint32_t back)
{
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = 512};
    const struct proact_shape shape = {"to", COUNT / 4, 4};
    struct proact_options o = emulated;
    struct proact_kernel *reader;
    struct proact_array *to;
    struct stage s;
    size_t bytes;
    char *text;

    o.plan.method = method;
    open_stage(&s, &o, form, writer);
    must(&s, proact_array_create(s.p, &shape, &to, &s.err));
    must(&s, file_read(form, &text, &bytes, &s.err));
    must(&s, proact_kernel_load(s.p, &(struct proact_image){.name = "r", .text = text},
                                "shifted", &reader, &s.err));
    free(text);
    must(&s, proact_kernel_map(s.kernel, 0, &map, &s.err));
    for (uint32_t n = 0; n < 5; n++)
        wide_round(&s, reader, to, back, n);
    proact_close(s.p);
}

static void parts_of_stores_arrive(void **state)
{
    static const uint32_t backs[] = {1, 20, 40, 70, 90};
    static const char *const writers[] = {"wide", "aligned"};

    (void)state;
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; i < sizeof backs / sizeof *backs; i++)
            for (size_t w = 0; w < 2; w++) {
                needed_parts_arrive(forms[f], writers[w], "inline", backs[i]);
                needed_parts_arrive(forms[f], writers[w], "fused", backs[i]);
            }
}

static void a_plain_bulk_store_runs_on_one_device(void **state)
{
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        static uint32_t got[COUNT / 4];
        struct stage s;

        open_stage(&s, &emulated, forms[f], "alone");
        memset(got, 0, sizeof got);
        must(&s, proact_array_write(s.out, 0, got, COUNT, &s.err));
        must(&s,
             proact_launch(s.kernel, &(struct proact_grid){.ctas = {CTAS}, .threads = {64}},
                           &PROACT_ARRAY(s.out), 1, &s.err));
        const char *why = proact_kernel_refusal(s.kernel);

        if (f ? !why || !strstr(why, "writes by a bulk copy") : why != NULL)
            fail_msg("%s", why ? why : "it is split");
        for (unsigned d = 0; d < DEVICES; d++) {
            must(&s, proact_array_read_replica(s.out, d, 0, got, COUNT, &s.err));
            for (uint32_t i = 0; i < 64 * CTAS; i++)
                assert_int_equal(got[i], 7 * i);
        }
        proact_close(s.p);
    }
}

int main(int argc, char **argv)
{
    struct proact *p;
    const struct CMUnitTest anywhere[] = {
        cmocka_unit_test_prestate(staged_ranges_arrive_with_any_alignment,
                                  argc > 1 ? argv[1] : NULL),
    };
    const struct CMUnitTest tests[] = {
        anywhere[0],
        cmocka_unit_test(aligned_ranges_are_full_packets),
        cmocka_unit_test(parts_of_stores_arrive),
        cmocka_unit_test(a_plain_bulk_store_runs_on_one_device),
    };

    if (argc == 1)
        return cmocka_run_group_tests(tests, NULL, NULL);
    if (proact_open(&(struct proact_options){.machine = argv[1]}, &p, NULL))
        return SKIPPED;
    proact_close(p);
    return cmocka_run_group_tests(anywhere, NULL, NULL);
}
