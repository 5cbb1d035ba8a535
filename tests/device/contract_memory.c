/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: allocation, copies and fills. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/contract.h"

enum { WORDS = 5000 };

static void number(uint32_t *words, size_t count, uint32_t first)
{
    for (size_t i = 0; i < count; i++)
        words[i] = first + (uint32_t)i;
}

static void are_apart(struct contract *c, size_t bytes)
{
    device_addr a[6];

    for (unsigned i = 0; i < 6; i++) {
        contract_must(c, c->b->alloc(c->set, i % c->count, bytes, &a[i], &c->err));
        assert_int_equal(a[i] % 512, 0);
    }
    for (unsigned i = 0; i < 6; i++)
        for (unsigned j = 0; j < i; j++)
            assert_true(a[i] >= a[j] + bytes + DEVICE_GAP_BYTES ||
                        a[j] >= a[i] + bytes + DEVICE_GAP_BYTES);
    for (unsigned i = 0; i < 6; i++)
        c->b->free(c->set, i % c->count, a[i]);
}

static void allocations_are_aligned_and_apart(struct contract *c)
{
    are_apart(c, 1000);
    are_apart(c, 4096);
    are_apart(c, (size_t)2 << 20);
}

static void too_large_an_allocation_fails_cleanly(struct contract *c)
{
    device_addr address = 7;

    static const size_t bytes[] = {(size_t)1 << 46, SIZE_MAX / 2 + 5, SIZE_MAX - 7};

    for (unsigned i = 0; i < 3; i++)
        contract_refused(c, c->b->alloc(c->set, 0, bytes[i], &address, &c->err),
                         PROACT_ENOSPACE);
    assert_int_equal(address, 7);
    device_addr small = contract_words(c, 0, WORDS);

    c->b->free(c->set, 0, small);
}

static void freed_memory_is_given_out_again(struct contract *c)
{
    for (int i = 0; i < 40; i++) {
        device_addr address = 0;

        contract_must(c, c->b->alloc(c->set, 0, (size_t)64 << 20, &address, &c->err));
        c->b->free(c->set, 0, address);
    }
}

static void what_is_written_is_read(struct contract *c)
{
    uint32_t in[WORDS], out[WORDS] = {0};
    unsigned last = c->count - 1;
    device_addr a = contract_words(c, last, WORDS);

    number(in, WORDS, 100);
    contract_put(c, last, a, in, WORDS);
    contract_get(c, last, a, out, WORDS);
    assert_memory_equal(in, out, sizeof in);
    contract_put(c, last, a + 40, &(uint32_t){7}, 1);
    assert_int_equal(contract_word(c, last, a + 36), 109);
    assert_int_equal(contract_word(c, last, a + 40), 7);
    assert_int_equal(contract_word(c, last, a + 44), 111);
}

/* Host writes are visible to device copies, and device copies to the host. */
static void the_host_reaches_shared_memory(struct contract *c)
{
    device_addr words = contract_words(c, 0, WORDS), shared = 0;
    uint32_t numbers[WORDS], *here;

    for (int is_pinned = 0; is_pinned < 2; is_pinned++) {
        contract_must(c, c->b->alloc_shared
                             ? c->b->alloc_shared(c->set, 0, sizeof numbers, is_pinned,
                                                  &shared, &c->err)
                             : c->b->alloc(c->set, 0, sizeof numbers, &shared, &c->err));
        here = (uint32_t *)(uintptr_t)shared;
        number(here, WORDS, 1000);
        contract_must(c,
                      c->b->copy(c->stream[0][0], words, shared, sizeof numbers, &c->err));
        contract_get(c, 0, words, numbers, WORDS);
        assert_int_equal(numbers[WORDS - 1], 1000 + WORDS - 1);
        number(numbers, WORDS, 5);
        contract_put(c, 0, words, numbers, WORDS);
        contract_must(c,
                      c->b->copy(c->stream[0][0], shared, words, sizeof numbers, &c->err));
        contract_must(c, c->b->synchronize(c->set, &c->err));
        assert_memory_equal(here, numbers, sizeof numbers);
        c->b->free(c->set, 0, shared);
    }
    c->b->free(c->set, 0, words);
}

static void the_source_of_a_write_may_change_at_once(struct contract *c)
{
    uint32_t word = 1;
    device_addr a = contract_words(c, 0, 1);

    contract_run(c, 0, 0, "busy", 1, 32, &(struct contract_parameters){4, {0, 1}});
    contract_put(c, 0, a, &word, 1);
    word = 2;
    assert_int_equal(contract_word(c, 0, a), 1);
}

/* Megabytes on an idle stream, from pageable and from pinned memory: a backend may use
   another path for these. */
static void the_source_of_a_long_write_may_change_at_once(struct contract *c)
{
    enum { LONG = 3 << 20 };
    device_addr a = 0, shared = 0;
    uint32_t *here = must_calloc(LONG, 1);

    contract_must(c, c->b->synchronize(c->set, &c->err));
    contract_must(c, c->b->alloc(c->set, 0, LONG, &a, &c->err));
    if (c->b->alloc_shared)
        contract_must(c, c->b->alloc_shared(c->set, 0, LONG, true, &shared, &c->err));
    for (uint32_t *from = here;; from = (uint32_t *)(uintptr_t)shared) {
        memset(from, 1, LONG);
        contract_must(c, c->b->write(c->stream[0][0], a, from, LONG, &c->err));
        memset(from, 2, LONG);
        assert_int_equal(contract_word(c, 0, a), 0x01010101);
        assert_int_equal(contract_word(c, 0, a + LONG - sizeof *from), 0x01010101);
        if (from != here || !shared)
            break;
    }
    if (shared)
        c->b->free(c->set, 0, shared);
    c->b->free(c->set, 0, a);
    free(here);
}

/* Short and long transfers: a read has the data on return, and a written source may
   change. */
static void locked_memory_is_written_and_read(struct contract *c)
{
    enum { LONG = 3 << 20, SHORT = 4096 };
    static unsigned char last[SHORT];
    device_addr a = 0;

    if (!c->b->host_lock)
        return;
    uint32_t *here = must_calloc(LONG, 1);

    contract_must(c, c->b->alloc(c->set, 0, LONG, &a, &c->err));
    contract_must(c, c->b->host_lock(c->set, here, LONG, &c->err));
    contract_refused(c, c->b->host_lock(c->set, here, LONG, &c->err), PROACT_EREFUSED);
    for (size_t bytes = SHORT; bytes <= LONG; bytes += LONG - SHORT) {
        memset(here, 1, bytes);
        contract_must(c, c->b->write(c->stream[0][0], a, here, bytes, &c->err));
        memset(here, 2, bytes);
        contract_must(c, c->b->read(c->stream[0][0], here, a, bytes, &c->err));
        assert_int_equal(here[0], 0x01010101);
        assert_int_equal(here[bytes / sizeof *here - 1], 0x01010101);
    }
    c->b->host_unlock(c->set, here);
    c->b->free(c->set, 0, a);
    free(here);
    /* Stays locked until the end. */
    contract_must(c, c->b->host_lock(c->set, last, SHORT, &c->err));
}

/* More data in pieces than the staging memory holds, and one write that is larger. */
static void writes_of_many_megabytes_arrive(struct contract *c)
{
    enum { PIECE = 64 << 10, PIECES = 1100, ALL = PIECE * PIECES };
    device_addr a = 0;
    uint32_t *here = must_calloc(ALL, 1);

    contract_must(c, c->b->alloc(c->set, 0, ALL, &a, &c->err));
    contract_run(c, 0, 0, "busy", 1, 32, &(struct contract_parameters){4, {0, 1}});
    for (uint32_t n = 0; n < PIECES; n++) {
        here[0] = here[PIECE / 4 - 1] = n;
        contract_must(c, c->b->write(c->stream[0][0], a + n * PIECE, here, PIECE, &c->err));
    }
    for (uint32_t n = 0; n < PIECES; n += 157) {
        assert_int_equal(contract_word(c, 0, a + n * PIECE), n);
        assert_int_equal(contract_word(c, 0, a + (n + 1) * PIECE - 4), n);
    }
    contract_run(c, 0, 0, "busy", 1, 32, &(struct contract_parameters){4, {0, 1}});
    memset(here, 7, ALL);
    contract_must(c, c->b->write(c->stream[0][0], a, here, ALL, &c->err));
    memset(here, 8, ALL);
    assert_int_equal(contract_word(c, 0, a), 0x07070707);
    assert_int_equal(contract_word(c, 0, a + ALL - 4), 0x07070707);
    c->b->free(c->set, 0, a);
    free(here);
}

/* Devices may share the data of a long write until one of them changes it. */
static void a_long_write_gives_each_device_its_own_bytes(struct contract *c)
{
    enum { LONG = 5 << 20, AT = 1 << 20 };
    device_addr a[2] = {0};
    const unsigned devices = c->count < 2 ? 1 : 2;
    uint32_t *from = must_calloc(LONG, 1);

    for (unsigned round = 1; round <= 2; round++) {
        memset(from, (int)round, LONG);
        for (unsigned d = 0; d < devices; d++) {
            if (round == 1)
                contract_must(c, c->b->alloc(c->set, d, LONG, &a[d], &c->err));
            contract_must(c, c->b->write(c->stream[d][0], a[d], from, LONG, &c->err));
        }
        contract_put(c, 0, a[0] + AT, &(uint32_t){7}, 1);
        assert_int_equal(contract_word(c, 0, a[0] + AT), 7);
        for (unsigned d = 0; d < devices; d++) {
            assert_int_equal(contract_word(c, d, a[d] + AT + 4), round * 0x01010101);
            assert_int_equal(contract_word(c, d, a[d] + LONG - 4), round * 0x01010101);
        }
        if (devices > 1)
            assert_int_equal(contract_word(c, 1, a[1] + AT), round * 0x01010101);
    }
    for (unsigned d = 0; d < devices; d++)
        c->b->free(c->set, d, a[d]);
    free(from);
}

static void a_fill_fills_bytes(struct contract *c)
{
    device_addr a = contract_words(c, 0, 100);

    contract_must(c, c->b->fill(c->stream[0][0], a, 0, 400, &c->err));
    contract_must(c, c->b->fill(c->stream[0][0], a + 9, 0xab, 10, &c->err));
    assert_int_equal(contract_word(c, 0, a + 4), 0);
    assert_int_equal(contract_word(c, 0, a + 8), 0xababab00);
    assert_int_equal(contract_word(c, 0, a + 12), 0xabababab);
    assert_int_equal(contract_word(c, 0, a + 16), 0x00ababab);
    assert_int_equal(contract_word(c, 0, a + 396), 0);
}

/* Gaps between the rows keep their content. */
static void rows_are_filled(struct contract *c)
{
    unsigned char expected[4 * WORDS];
    uint32_t noted[WORDS];
    device_addr a = contract_words(c, 0, WORDS);
    const struct device_rows sets[] = {
        {a + 3, 0, 5, 40, 7, 7},     {a + 400, 0, 16, 1, 0, 0},
        {a, 0, 9, 0, 9, 9},          {a, 0, 0, 4, 9, 9},
        {a + 501, 0, 30, 3, 30, 30}, {a + 600, 0, 99, 2, 100, 100}};

    memset(expected, 0xee, sizeof expected);
    contract_must(c, c->b->fill(c->stream[0][0], a, 0xee, sizeof expected, &c->err));
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        for (size_t y = 0; y < sets[i].count; y++)
            memset(expected + (sets[i].to - a) + y * sets[i].to_pitch, (int)i + 1,
                   sets[i].bytes);
        contract_must(c, device_fill_rows(c->b, c->stream[0][0], &sets[i],
                                          (unsigned char)(i + 1), &c->err));
    }
    contract_get(c, 0, a, noted, WORDS);
    assert_memory_equal(noted, expected, sizeof expected);
}

static void copies_move_bytes_within_a_device(struct contract *c)
{
    uint32_t in[WORDS], out[WORDS];
    device_addr a = contract_words(c, 0, WORDS), to = contract_words(c, 0, WORDS);

    number(in, WORDS, 1);
    contract_put(c, 0, a, in, WORDS);
    contract_must(c, c->b->fill(c->stream[0][0], to, 0, sizeof in, &c->err));
    contract_must(c, c->b->copy(c->stream[0][0], to + 4, a, 100, &c->err));
    contract_get(c, 0, to, out, WORDS);
    assert_int_equal(out[0], 0);
    assert_memory_equal(out + 1, in, 100);
    assert_int_equal(out[26], 0);
}

/* A device's stream pushes to its peer and pulls from it. */
static void copies_move_bytes_between_devices(struct contract *c)
{
    uint32_t in[WORDS], out[WORDS];

    assert_true(c->b->peer_access(c->set, 0, 1) && c->b->peer_access(c->set, 1, 0));
    assert_true(c->b->peer_atomics(c->set, 0, 0));
    assert_int_equal(c->b->peer_atomics(c->set, 0, 1), c->b->peer_atomics(c->set, 1, 0));
    number(in, WORDS, 1000);
    for (unsigned puller = 0; puller < 2; puller++) {
        device_addr from = contract_words(c, 0, WORDS), to = contract_words(c, 1, WORDS);

        contract_put(c, 0, from, in, WORDS);
        contract_sync(c);
        contract_must(c, c->b->copy(c->stream[puller][0], to, from, sizeof in, &c->err));
        contract_sync(c);
        contract_get(c, 1, to, out, WORDS);
        assert_memory_equal(in, out, sizeof in);
    }
}

const struct contract_promise contract_memory[] = {
    {"allocations are aligned and apart", allocations_are_aligned_and_apart, false},
    {"too large an allocation fails cleanly", too_large_an_allocation_fails_cleanly, false},
    {"freed memory is given out again", freed_memory_is_given_out_again, false},
    {"what is written is read", what_is_written_is_read, false},
    {"the host reaches shared memory", the_host_reaches_shared_memory, false},
    {"the source of a long write may change at once",
     the_source_of_a_long_write_may_change_at_once, false},
    {"locked memory is written and read", locked_memory_is_written_and_read, false},
    {"writes of many megabytes arrive", writes_of_many_megabytes_arrive, false},
    {"the source of a write may change at once", the_source_of_a_write_may_change_at_once,
     false},
    {"a long write gives each device its own bytes",
     a_long_write_gives_each_device_its_own_bytes, false},
    {"a fill fills bytes", a_fill_fills_bytes, false},
    {"rows are filled", rows_are_filled, false},
    {"copies move bytes within a device", copies_move_bytes_within_a_device, false},
    {"copies move bytes between devices", copies_move_bytes_between_devices, true},
    {NULL, NULL, false},
};
