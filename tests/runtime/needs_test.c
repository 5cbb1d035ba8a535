/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers are exactly those that later reads need. Every method runs under check mode and
   is compared with a host computation, on a machine with all links, and on one without the
   links of two pairs. */
#include "runtime/runtime_testing.h"

#include <proact/device.h>
#include <proact/program.h>

#include "runtime/objects/array.h"

enum { DEVICES = 4, WORD = 4, WIDTH = N / 51 };     /* WIDTH: cells per row of `fields` */
#define FIRST_CTAS ((CTAS + DEVICES - 1) / DEVICES) /* CTAs of device 0 */

static const char all_links[] = "h200x4",
                  some_links[] = PROACT_SOURCE "/tests/runtime/links_two.json";

struct rig {
    struct bench b;
    struct proact_kernel *blurs, *by_tile, *rings, *planes, *fields, *turns, *gathers;
    struct proact_array *array[2];
    uint32_t host[2][N];
    unsigned now; /* index of the newest array */
};

static void open_rig(struct rig *r, const char *machine, const char *method, uint64_t seed)
{
    *r = (struct rig){.b = testing_open(&(struct proact_options){
                          .machine = machine,
                          .seed = seed,
                          .check = true,
                          .plan = {.method = method, .chunk_bytes = 4096}})};
    r->blurs = testing_kernel(&r->b, "blurs");
    r->by_tile = testing_kernel(&r->b, "blurs_by_tile");
    if (proact_kernel_map(r->by_tile, 1, &testing_map, &r->b.err))
        fail_msg("%s", r->b.err.text);
    r->rings = testing_kernel(&r->b, "rings");
    r->planes = testing_kernel(&r->b, "planes");
    r->fields = testing_kernel(&r->b, "fields");
    r->turns = testing_kernel(&r->b, "turns");
    r->gathers = testing_kernel(&r->b, "gathers");
    for (int i = 0; i < 2; i++) {
        r->array[i] = testing_array(&r->b, i ? "odd" : "even");
        for (uint32_t n = 0; n < N; n++)
            r->host[i][n] = (n + 1) * 2654435761u;
        assert_int_equal(proact_array_write(r->array[i], 0, r->host[i], N, &r->b.err),
                         PROACT_OK);
    }
}

static void compute(const struct rig *r, const struct proact_kernel *k, const uint32_t *in,
                    uint32_t *out)
{
    for (uint32_t t = 0; t < (N / 101 - 2) * WIDTH && k == r->fields; t++) {
        const uint32_t at = (t / WIDTH + 1) * 101 + t % WIDTH + 2;

        out[at] = in[at - 101] + 2 * in[at] + in[at + 101];
    }
    for (uint32_t i = 0; i < N && k != r->fields; i++)
        if (k == r->blurs || k == r->by_tile)
            out[i] = (i ? in[i - 1] : 0) + 2 * in[i] + (i + 1 < N ? in[i + 1] : 0);
        else if (k == r->rings)
            out[i] = in[(i + N - 1) % N] + 2 * in[i] + in[(i + 1) % N];
        else if (k == r->planes)
            out[i] = 3 * in[i] + (i % 1000 < 999 ? in[i + 1] : 0);
        else if (k == r->turns)
            out[i] = in[N - 1 - i];
        else if (in[i] % 3)
            out[i] = in[in[i] % N] + 1;
}

/* One launch from the newest array to the other. */
static void step(struct rig *r, struct proact_kernel *k)
{
    const unsigned n = N, to = 1 - r->now;

    if (proact_launch(k, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
                      (struct proact_arg[]){PROACT_ARRAY(r->array[r->now]),
                                            PROACT_ARRAY(r->array[to]), PROACT_VALUE(n)},
                      3, &r->b.err))
        fail_msg("%s", r->b.err.text);
    assert_null(proact_kernel_refusal(k));
    compute(r, k, r->host[r->now], r->host[to]);
    r->now = to;
}

static void holds(struct rig *r, unsigned device, const char *what)
{
    static uint32_t is[N];

    for (int i = 0; i < 2; i++) {
        if (proact_array_read_replica(r->array[i], device, 0, is, N, &r->b.err))
            fail_msg("%s: %s", what, r->b.err.text);
        for (uint32_t n = 0; n < N; n++)
            if (is[n] != r->host[i][n])
                fail_msg("%s: device %u, array %d: element %u is %u, not %u", what, device,
                         i, n, is[n], r->host[i][n]);
    }
}

static uint64_t sent(struct rig *r)
{
    struct proact_statistics s;

    if (proact_statistics_get(r->b.p, PROACT_ALL_DEVICES, NULL, &s, &r->b.err))
        fail_msg("%s", r->b.err.text);
    return s.bytes;
}

static bool sends_to_all(const char *method)
{
    return !strcmp(method, "relay");
}

static bool stores(const char *method)
{
    return !strcmp(method, "inline");
}

enum { BLURS, BY_TILE, RINGS, PLANES, FIELDS, KINDS }; /* kinds of halos */

static void step_halo(struct rig *r, int kind)
{
    struct proact_kernel *const kernels[KINDS] = {r->blurs, r->by_tile, r->rings, r->planes,
                                                  r->fields};

    step(r, kernels[kind]);
}

/* After two launches only the halo of each array moves. The kinds include an annotated
   kernel, a ring, rows with a pitch, and rows that two devices share. */
static void a_halo_moves(const char *machine, const char *method, int kind)
{
    struct rig r;
    /* Words that cross a boundary; a ring has one boundary more. */
    const unsigned words[KINDS] = {2, 2, 2, N / 1000, 2 * WIDTH};
    const unsigned written = kind == FIELDS ? (N / 101 - 2) * WIDTH : N;
    unsigned seams = kind == RINGS ? DEVICES : DEVICES - 1;

    open_rig(&r, machine, method, 1);
    for (int n = 0; n < 4; n++)
        step_halo(&r, kind);
    uint64_t before = sent(&r);

    for (int n = 0; n < 10; n++)
        step_halo(&r, kind);
    /* A word brings its line. Many regions bring the words of each CTA that writes one. */
    const uint64_t times = !stores(method)  ? 1
                           : kind == PLANES ? THREADS
                                            : PROACT_LINE_BYTES / WORD;
    uint64_t each =
        sends_to_all(method) ? (DEVICES - 1) * written * WORD : words[kind] * seams * WORD;

    if (sent(&r) - before < 10 * each || sent(&r) - before > 10 * each * times)
        fail_msg("%s, kind %d: %lu bytes, not %lu", method, kind,
                 (unsigned long)(sent(&r) - before), (unsigned long)(10 * each));
    for (unsigned d = 0; d < DEVICES; d++)
        holds(&r, d, method);
    proact_close(r.b.p);
}

static void a_halo_is_all_that_moves(void **state)
{
    for (const char *const *m = proact_method_names(); *m; m++)
        for (int kind = 0; kind < KINDS; kind++)
            a_halo_moves(*state, *m, kind);
}

/* Data that no other device reads stays on its device until the host reads it. */
static void unread_data_is_not_sent(void **state)
{
    for (const char *const *m = proact_method_names(); *m; m++) {
        struct rig r;

        open_rig(&r, *state, *m, 2);
        for (int n = 0; n < 2; n++) {
            r.now = 0;
            step(&r, r.turns);
        }
        uint64_t before = sent(&r);

        for (int n = 0; n < 5; n++) {
            r.now = 0;
            step(&r, r.turns);
        }
        if (sent(&r) != before)
            fail_msg("%s: %lu bytes", *m, (unsigned long)(sent(&r) - before));
        holds(&r, 0, *m);
        assert_int_equal(sent(&r) - before, WORD * (N - THREADS * FIRST_CTAS));
        proact_close(r.b.p);
    }
}

/* If memory decides which bytes a kernel stores, the bytes that it leaves unchanged are
   current on every device as well, also with a method that sends only stores. */
static void unchanged_bytes_are_current_everywhere(void **state)
{
    for (const char *const *m = proact_method_names(); *m; m++) {
        struct rig r;

        open_rig(&r, *state, *m, 5);
        for (int n = 0; n < 6; n++) {
            r.now = 0;
            step(&r, n == 5 ? r.gathers : n % 2 ? r.blurs : r.turns);
        }
        for (unsigned d = 0; d < DEVICES; d++)
            holds(&r, d, *m);
        proact_close(r.b.p);
    }
}

/* The readers of an array change while another kernel writes it in between: what the new
   readers need is current on them before a launch that leaves some of it unchanged. */
static void unchanged_bytes_follow_new_readers(void **state)
{
    for (const char *const *m = proact_method_names(); *m; m++) {
        struct rig r;

        open_rig(&r, *state, *m, 6);
        for (int n = 0; n < 12; n++) {
            r.now = 0;
            step(&r, r.gathers);
            step(&r, n < 4 || n >= 8 ? r.blurs : r.turns);
            step(&r, r.planes);
        }
        for (unsigned d = 0; d < DEVICES; d++)
            holds(&r, d, *m);
        proact_close(r.b.p);
    }
}

/* A kernel gets an array twice and writes it through both pointers. */
static void an_array_given_twice_reaches_its_readers(void **state)
{
    for (const char *const *m = proact_method_names(); *m; m++) {
        struct rig r;

        open_rig(&r, *state, *m, 8);
        struct proact_kernel *both = testing_kernel(&r.b, "both");

        for (unsigned n = 0, count = N; n < 6; n++) {
            const struct proact_arg args[] = {PROACT_ARRAY(r.array[0]),
                                              PROACT_ARRAY(r.array[0]), PROACT_VALUE(count),
                                              PROACT_VALUE(n)};

            if (proact_launch(both,
                              &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
                              args, 4, &r.b.err))
                fail_msg("%s", r.b.err.text);
            for (unsigned i = 0; i < N; i++)
                r.host[0][i] = (i + 1) * (n + 1);
            r.now = 0;
            step(&r, r.blurs);
        }
        for (unsigned d = 0; d < DEVICES; d++)
            holds(&r, d, *m);
        proact_close(r.b.p);
    }
}

/* A store brings bytes around those that a peer needs. Until the peer has waited for them,
   no part of its replica may be used as if nothing came. */
static void stores_count_as_incoming(void **state)
{
    struct rig r;

    open_rig(&r, *state, "inline", 7);
    for (int n = 0; n < 4; n++)
        step(&r, r.blurs);
    for (unsigned d = 0; d < DEVICES; d++)
        assert_true(r.array[r.now]->fresh[d].all);
    proact_close(r.b.p);
}

static void count_copy(void *context, const struct proact_trace_span *span)
{
    *(unsigned *)context += span->kind == PROACT_TRACE_COPY;
}

/* Under inline, a launch that leaves some bytes unchanged needs these, and predicts its
   reads as any other launch: stores push them, and nothing is fetched. */
static void reads_next_to_unchanged_bytes_are_predicted(void **state)
{
    unsigned copies = 0;
    struct rig r;

    open_rig(&r, *state, "inline", 9);
    for (int n = 0; n < 12; n++) {
        if (n == 8)
            proact_trace_set_callback(r.b.p, count_copy, &copies);
        step(&r, n % 2 ? r.gathers : r.blurs);
    }
    assert_int_equal(proact_wait(r.b.p, &r.b.err), PROACT_OK);
    proact_trace_set_callback(r.b.p, NULL, NULL);
    if (*state == all_links) /* the others receive copies */
        assert_int_equal(copies, 0);
    proact_close(r.b.p);
}

/* Readers without a prediction fetch their data before they start. */
static void unpredicted_reads_are_fetched(void **state)
{
    for (const char *const *m = proact_method_names(); *m; m++)
        for (uint64_t seed = 1; seed < 3; seed++) {
            struct rig r;
            uint64_t left = seed;

            open_rig(&r, *state, *m, seed);
            for (int n = 0; n < 40; n++) {
                uint64_t what =
                    (left = left * 6364136223846793005u + 1442695040888963407u) >> 59;

                step(&r, what < 12 || n < 6 ? r.blurs
                         : what < 24        ? r.by_tile
                         : what < 28        ? r.turns
                                            : r.gathers);
                if (what == 13)
                    holds(&r, (unsigned)n % DEVICES, *m);
            }
            for (unsigned d = 0; d < DEVICES; d++)
                holds(&r, d, *m);
            proact_close(r.b.p);
        }
}

/* Replays have current data, whatever ran between them. */
static void replays_have_current_data(void **state)
{
    for (const char *const *m = proact_method_names(); *m; m++) {
        struct proact_recording *recording;
        struct rig r;

        open_rig(&r, *state, *m, 3);
        for (int n = 0; n < 4; n++)
            step(&r, r.blurs);
        if (proact_record_begin(r.b.p, &r.b.err))
            fail_msg("%s: %s", *m, r.b.err.text);
        for (int n = 0; n < 2; n++)
            step(&r, r.blurs);
        if (proact_record_end(r.b.p, &recording, &r.b.err))
            fail_msg("%s: %s", *m, r.b.err.text);
        for (int n = 0; n < 2; n++) /* the recording has not run: restore the host's copy */
            r.now = 1 - r.now;
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(proact_array_write(r.array[i], 0, r.host[i], N, &r.b.err),
                             PROACT_OK);
        for (int round = 0; round < 6; round++) {
            if (proact_replay(recording, &r.b.err))
                fail_msg("%s: %s", *m, r.b.err.text);
            for (int n = 0; n < 2; n++, r.now = 1 - r.now)
                compute(&r, r.blurs, r.host[r.now], r.host[1 - r.now]);
            if (round == 2 || round == 3) {
                step(&r, r.turns);
                step(&r, round == 2 ? r.turns : r.gathers);
            }
            if (round == 4)
                holds(&r, 2, *m);
        }
        for (unsigned d = 0; d < DEVICES; d++)
            holds(&r, d, *m);
        proact_close(r.b.p);
    }
}

/* An array is destroyed before its recording ends, or before the replay: the replay is
   refused. */
static void recordings_of_destroyed_arrays_are_refused(void **state)
{
    for (int late = 0; late < 2; late++) {
        struct proact_recording *recording;
        struct proact_array *old;
        struct rig r;

        open_rig(&r, *state, "fused", 4);
        for (int n = 0; n < 2; n++)
            step(&r, r.blurs);
        assert_int_equal(proact_record_begin(r.b.p, &r.b.err), PROACT_OK);
        step(&r, r.blurs);
        old = r.array[r.now];
        if (!late)
            proact_array_destroy(old);
        assert_int_equal(proact_record_end(r.b.p, &recording, &r.b.err), PROACT_OK);
        if (late)
            proact_array_destroy(old);
        assert_int_equal(proact_replay(recording, &r.b.err), PROACT_EINVAL);
        assert_non_null(strstr(r.b.err.text, "an array that it uses was destroyed"));
        proact_close(r.b.p);
    }
}

enum { MANY = 4 };

/* The kernels' parameter layout. */
struct many {
    uint64_t from[MANY], out;
    uint32_t n, number;
};

static uint64_t sent_of(struct bench *b, const struct proact_array *a)
{
    struct proact_statistics s;

    if (proact_statistics_get(b->p, PROACT_ALL_DEVICES, a, &s, &b->err))
        fail_msg("%s", b->err.text);
    return s.bytes;
}

static void launch_many(struct bench *b, const char *name, struct proact_array *const *from,
                        uint32_t number)
{
    struct proact_kernel *k = testing_kernel(b, name);
    const struct many many = {.n = N, .number = number};
    struct proact_relocation relocations[MANY + 1] = {
        {offsetof(struct many, out), b->out, 0}};

    for (uint32_t i = 0; i < MANY; i++)
        relocations[i + 1] = (struct proact_relocation){8 * i, from[i], 0};
    if (proact_launch_buffer(
            k, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
            &(struct proact_parameter_buffer){&many, sizeof many, relocations, MANY + 1},
            &b->err))
        fail_msg("%s", b->err.text);
    assert_null(proact_kernel_refusal(k));
}

/* A number selects among several arrays: only the arrays that it may select are fetched,
   and only on the devices that read them. */
static void unselected_arrays_are_not_fetched(void **state)
{
    /* All but the partition of device 0. */
    const uint64_t most = (N - FIRST_CTAS * THREADS) * WORD;
    struct proact_array *from[MANY];
    uint32_t host[N];

    (void)state;
    for (uint32_t sums = 0; sums < 2; sums++) {
        struct bench b = testing_open(&(struct proact_options){
            .machine = "h200x4", .check = true, .plan = {.method = "bulk"}});

        for (uint32_t i = 0; i < MANY; i++) {
            from[i] = testing_array(&b, "one of many");
            for (uint32_t n = 0; n < N; n++)
                host[n] = (i + 1) * n;
            if (proact_device0_write(b.p, proact_array_address(from[i], 0), host,
                                     sizeof host, &b.err))
                fail_msg("%s", b.err.text);
        }
        launch_many(&b, sums ? "sums_some" : "chooses", from, sums ? 3 : 2);
        for (uint32_t i = 0; i < MANY; i++)
            assert_int_equal(sent_of(&b, from[i]), (sums ? i < 3 : i == 2) ? most : 0);
        if (proact_array_read(b.out, 0, host, N, &b.err))
            fail_msg("%s", b.err.text);
        for (uint32_t n = 0; n < N; n++)
            assert_int_equal(host[n], sums ? 6 * n : 3 * n + 1);
        proact_close(b.p);
    }
}

static int needs_run(const char *machine)
{
    void *const with = (void *)(uintptr_t)machine;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_halo_is_all_that_moves, with),
        cmocka_unit_test_prestate(unread_data_is_not_sent, with),
        cmocka_unit_test_prestate(unchanged_bytes_are_current_everywhere, with),
        cmocka_unit_test_prestate(unchanged_bytes_follow_new_readers, with),
        cmocka_unit_test_prestate(an_array_given_twice_reaches_its_readers, with),
        cmocka_unit_test_prestate(stores_count_as_incoming, with),
        cmocka_unit_test_prestate(reads_next_to_unchanged_bytes_are_predicted, with),
        cmocka_unit_test_prestate(unpredicted_reads_are_fetched, with),
        cmocka_unit_test_prestate(replays_have_current_data, with),
        cmocka_unit_test_prestate(recordings_of_destroyed_arrays_are_refused, with),
        cmocka_unit_test_prestate(unselected_arrays_are_not_fetched, with),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    const int failed = needs_run(all_links);

    return failed + needs_run(some_links);
}
