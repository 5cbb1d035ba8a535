/* SPDX-License-Identifier: Apache-2.0 */
/* The hardware unit of the paper (PROACT III). A chunk is sent to every peer when its last
   writer has ended, not before, and nothing else is sent. Counters restart at every launch,
   and every array has its own. */
#include <string.h>

#include "device/emulator_testing.h"

enum {
    CTAS = 8,
    THREADS = 64,
    CTA_BYTES = THREADS * 4,
    BYTES = CTAS * CTA_BYTES,
    COUNT = 2000
};
enum { LINKS_MAX = 64 };

struct links {
    unsigned count, device[LINKS_MAX], lane[LINKS_MAX];
    uint64_t start_ns[LINKS_MAX], bytes[LINKS_MAX];
};

static void unit_record_span(void *context, const struct device_span *s)
{
    struct links *l = context;

    if (s->kind != DEVICE_SPAN_LINK || l->count == LINKS_MAX)
        return;
    l->device[l->count] = s->device;
    l->lane[l->count] = s->lane;
    l->start_ns[l->count] = s->start_ns;
    l->bytes[l->count++] = s->bytes;
}

/* Chunks of two CTAs: 0 and 1, 2 and 3, ... */
static const uint32_t first[CTAS] = {0, 0, 2, 2, 4, 4, 6, 6};
static const uint32_t lists[] = {1, 0, 1, 1, 1, 2, 1, 3};
static const uint32_t writers[] = {2, 2, 2, 2};
static const uint32_t piece_first[] = {0, 1, 2, 3, 4};

/* An array on device 0 and its replicas on the other devices. */
struct array {
    device_addr at[4];
    struct device_piece pieces[4];
    int64_t deltas[3];
    uint32_t peers[3];
    struct device_unit unit;
};

static void array_make(struct emulator_rig *r, struct array *a)
{
    unsigned count = r->topology.device_count;

    for (unsigned d = 0; d < count; d++) {
        a->at[d] = emulator_words(r, d, BYTES / 4);
        if (d > 0) {
            a->peers[d - 1] = d;
            a->deltas[d - 1] = (int64_t)(a->at[d] - a->at[0]);
        }
    }
    for (unsigned c = 0; c < 4; c++)
        a->pieces[c] = (struct device_piece){a->at[0] + 2 * CTA_BYTES * c, 2 * CTA_BYTES, 0,
                                             count - 1};
    a->unit = (struct device_unit){.chunk_count = 4,
                                   .cta_count = CTAS,
                                   .first = first,
                                   .chunk = lists,
                                   .writers = writers,
                                   .piece_first = piece_first,
                                   .pieces = a->pieces,
                                   .peer_count = count - 1,
                                   .peers = a->peers,
                                   .deltas = a->deltas};
}

static void produce(struct emulator_rig *r, device_addr to, uint32_t ctas,
                    const struct device_unit *unit)
{
    const struct contract_parameters p = emulator_parameters("dw", to, COUNT);
    const struct device_launch l = {.grid = {ctas, 1, 1},
                                    .block = {THREADS, 1, 1},
                                    .parameters = p.block,
                                    .parameter_bytes = p.bytes,
                                    .unit = unit};
    struct device_function *f;

    emulator_must(r, r->b->function(r->module[0], "one_by_one", &f, &r->err));
    emulator_must(r, r->b->launch(r->stream[0][0], f, &l, &r->err));
    emulator_sync(r);
}

/* CTA i stored i + 1 to its words; the words of other CTAs are 0. */
static void holds(struct emulator_rig *r, unsigned device, device_addr at, uint32_t ctas)
{
    uint32_t words[BYTES / 4];

    emulator_must(r, r->b->read(r->stream[device][0], words, at, sizeof words, &r->err));
    for (uint32_t i = 0; i < BYTES / 4; i++)
        assert_int_equal(words[i], i / THREADS < ctas ? i / THREADS + 1 : 0);
}

/* CTA i needs 12 ns for each of i COUNT iterations, almost alone on its SM. */
static void a_chunk_is_sent_after_its_last_writer(void **state)
{
    struct links links = {0};
    struct emulator_rig r;
    struct array a;

    (void)state;
    emulator_open(&r, 4);
    array_make(&r, &a);
    uint64_t before = r.b->now_ns(r.set);

    r.b->observe(r.set, unit_record_span, &links);
    produce(&r, a.at[0], CTAS, &a.unit);
    r.b->observe(r.set, NULL, NULL);
    for (unsigned d = 0; d < 4; d++)
        holds(&r, d, a.at[d], CTAS);
    assert_int_equal(links.count, 4 * 3);
    for (unsigned i = 0; i < links.count; i++) {
        double last_ns = 5000 + 12.0 * COUNT * (2 * (i / 3) + 1),
               left_ns = (double)(links.start_ns[i] - before);

        assert_int_equal(links.device[i], 0);
        assert_int_equal(links.bytes[i], 2 * CTA_BYTES);
        if (left_ns < last_ns || left_ns > last_ns + 3000)
            fail_msg("chunk %u left after %.0f ns, not %.0f", i / 3, left_ns, last_ns);
    }
    emulator_close(&r);
}

/* A chunk stays if one of its CTAs was not launched. The next launch counts from zero. */
static void every_launch_counts_from_zero(void **state)
{
    struct emulator_rig r;
    struct array a;

    (void)state;
    emulator_open(&r, 2);
    array_make(&r, &a);
    produce(&r, a.at[0], 5, &a.unit);
    holds(&r, 0, a.at[0], 5);
    holds(&r, 1, a.at[1], 4);
    for (int again = 0; again < 2; again++) {
        emulator_must(&r, r.b->fill(r.stream[1][0], a.at[1], 0, BYTES, &r.err));
        emulator_sync(&r);
        produce(&r, a.at[0], CTAS, &a.unit);
        holds(&r, 1, a.at[1], CTAS);
    }
    assert_int_equal(r.b->traffic(r.set, 0, 1).bytes, 4 * CTA_BYTES + 2 * BYTES);
    emulator_close(&r);
}

/* CTAs outside the table do not count, and unlisted peers receive nothing. */
static void only_listed_pieces_are_sent(void **state)
{
    struct emulator_rig r;
    struct array a;

    (void)state;
    emulator_open(&r, 3);
    array_make(&r, &a);
    a.unit.cta_count = 4;
    for (unsigned c = 0; c < 4; c++)
        a.pieces[c].peer_count = 1;
    a.pieces[1].bytes = CTA_BYTES; /* owns only the first half of the second chunk */
    produce(&r, a.at[0], CTAS, &a.unit);
    holds(&r, 0, a.at[0], CTAS);
    holds(&r, 1, a.at[1], 3);
    holds(&r, 2, a.at[2], 0);
    emulator_close(&r);
}

/* A launch that writes two arrays. The kernel stores to the first; the second is sent
   unchanged at the same times. */
static void every_array_has_its_own_counters(void **state)
{
    struct emulator_rig r;
    struct array a, b;

    (void)state;
    emulator_open(&r, 2);
    array_make(&r, &a);
    array_make(&r, &b);
    produce(&r, b.at[0], CTAS, NULL);
    holds(&r, 1, b.at[1], 0); /* nothing is sent without a unit */
    a.unit.next = &b.unit;
    b.unit.cta_count = 6; /* its last chunk stays */
    produce(&r, a.at[0], CTAS, &a.unit);
    holds(&r, 1, a.at[1], CTAS);
    holds(&r, 1, b.at[1], 6);
    emulator_close(&r);
}

/* More bytes than the engine sends at once, and no multiple of that. */
static void a_large_piece_is_sent_in_parts(void **state)
{
    enum { LARGE = 600001 };
    static const uint32_t one[] = {0, 1}, list[] = {1, 0}, peers[] = {1};
    static unsigned char bytes[LARGE + 1];
    struct emulator_rig r;

    (void)state;
    emulator_open(&r, 2);
    device_addr from = emulator_words(&r, 0, LARGE / 4 + 1),
                out = emulator_words(&r, 0, 64), to = emulator_words(&r, 1, LARGE / 4 + 1);
    const struct device_piece piece = {from, LARGE, 0, 1};
    const int64_t delta = (int64_t)(to - from);
    const struct device_unit unit = {.chunk_count = 1,
                                     .cta_count = 1,
                                     .first = one,
                                     .chunk = list,
                                     .writers = one + 1,
                                     .piece_first = one,
                                     .pieces = &piece,
                                     .peer_count = 1,
                                     .peers = peers,
                                     .deltas = &delta};

    for (unsigned i = 0; i < LARGE; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 251);
    emulator_must(&r, r.b->write(r.stream[0][0], from, bytes, LARGE, &r.err));
    produce(&r, out, 1, &unit);
    emulator_must(&r, r.b->read(r.stream[1][0], bytes, to, LARGE + 1, &r.err));
    for (unsigned i = 0; i < LARGE; i++)
        assert_int_equal(bytes[i], (unsigned char)(i * 7 + i / 251));
    assert_int_equal(bytes[LARGE], 0);
    assert_int_equal(r.b->traffic(r.set, 0, 1).bytes, LARGE);
    emulator_close(&r);
}

/* A unit with a target without a link is refused before the launch. */
static void a_peer_without_a_link_is_refused(void **state)
{
    struct emulator_rig r;
    struct array a;

    (void)state;
    emulator_prepare(&r, 2);
    r.topology.link_gbps[0][1] = 0;
    emulator_start(&r);
    array_make(&r, &a);
    const struct contract_parameters p = emulator_parameters("dw", a.at[0], COUNT);
    const struct device_launch l = {.grid = {CTAS, 1, 1},
                                    .block = {THREADS, 1, 1},
                                    .parameters = p.block,
                                    .parameter_bytes = p.bytes,
                                    .unit = &a.unit};
    struct device_function *f;

    emulator_must(&r, r.b->function(r.module[0], "one_by_one", &f, &r.err));
    assert_int_equal(r.b->launch(r.stream[0][0], f, &l, &r.err), PROACT_EINVAL);
    assert_non_null(strstr(r.err.text, "device unit"));
    emulator_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_is_sent_after_its_last_writer),
        cmocka_unit_test(every_launch_counts_from_zero),
        cmocka_unit_test(only_listed_pieces_are_sent),
        cmocka_unit_test(every_array_has_its_own_counters),
        cmocka_unit_test(a_large_piece_is_sent_in_parts),
        cmocka_unit_test(a_peer_without_a_link_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
