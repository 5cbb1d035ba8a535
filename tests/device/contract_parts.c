/* SPDX-License-Identifier: Apache-2.0 */
/* Distributed memory: every device stores a partition. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/contract.h"

enum { WORDS = (5 << 20) / 4 };
static const size_t bytes = WORDS * sizeof(uint32_t);

struct parts {
    device_addr at;
    size_t each;
    uint32_t *in, *out;
};

static struct parts create(struct contract *c, size_t size)
{
    struct parts p = {.in = must_calloc(WORDS, 4), .out = must_calloc(WORDS, 4)};

    contract_must(c, c->b->alloc_parts(c->set, size, &p.at, &p.each, &c->err));
    assert_int_equal(p.each % 4096, 0);
    assert_true(p.each * c->topology.device_count >= size);
    for (uint32_t i = 0; i < WORDS; i++)
        p.in[i] = 3 * i + 1;
    return p;
}

static void destroy(struct contract *c, struct parts *p)
{
    c->b->free(c->set, 0, p->at);
    free(p->in);
    free(p->out);
}

static void get(struct contract *c, unsigned device, struct parts *p)
{
    memset(p->out, 0, bytes);
    contract_get(c, device, p->at, p->out, WORDS);
}

static void what_is_written_across_parts_is_read(struct contract *c)
{
    struct parts p = create(c, bytes);

    for (unsigned d = 0; d < c->count; d++) {
        contract_put(c, d, p.at, p.in, WORDS);
        contract_sync(c);
        get(c, c->count - 1 - d, &p);
        assert_memory_equal(p.in, p.out, bytes);
    }
    destroy(c, &p);
}

/* One byte on each side of a partition boundary, and no other. */
static void fills_and_copies_cross_borders(struct contract *c)
{
    struct parts p = create(c, bytes);
    const size_t border = p.each < bytes ? p.each : bytes / 2;
    device_addr other = 0;

    contract_must(c, c->b->alloc(c->set, c->count - 1, bytes, &other, &c->err));
    contract_put(c, 0, p.at, p.in, WORDS);
    contract_must(c, c->b->fill(c->stream[0][0], p.at + border - 4, 0x55, 8, &c->err));
    contract_must(c, c->b->copy(c->stream[0][0], other, p.at, bytes, &c->err));
    contract_must(c, c->b->fill(c->stream[0][0], p.at, 0, bytes, &c->err));
    contract_must(c, c->b->copy(c->stream[0][0], p.at, other, bytes, &c->err));
    contract_sync(c);
    get(c, 0, &p);
    p.in[border / 4 - 1] = p.in[border / 4] = 0x55555555;
    assert_memory_equal(p.in, p.out, bytes);
    c->b->free(c->set, c->count - 1, other);
    destroy(c, &p);
}

static void rows_cross_borders(struct contract *c)
{
    enum { ROWS = 40, ROW = 96, PITCH = 256 };
    struct parts p = create(c, bytes);
    const size_t border = p.each < bytes ? p.each : bytes / 2,
                 first = border - ROWS / 2 * (size_t)PITCH - ROW / 2;
    device_addr other = 0;

    contract_must(c, c->b->alloc(c->set, 0, bytes, &other, &c->err));
    contract_put(c, 0, p.at, p.in, WORDS);
    contract_must(c, c->b->copy_rows(
                         c->stream[0][0],
                         &(struct device_rows){other, p.at + first, ROW, ROWS, ROW, PITCH},
                         &c->err));
    contract_must(c, c->b->copy_rows(c->stream[0][0],
                                     &(struct device_rows){p.at + first + PITCH - ROW,
                                                           other, ROW, ROWS, PITCH, ROW},
                                     &c->err));
    contract_sync(c);
    get(c, 0, &p);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < ROW / 4; i++)
            p.in[(first + (r + 1) * PITCH - ROW) / 4 + i] =
                p.in[(first + r * PITCH) / 4 + i];
    assert_memory_equal(p.in, p.out, bytes);
    c->b->free(c->set, 0, other);
    destroy(c, &p);
}

/* Kernels of each device access all partitions. */
static void kernels_reach_all_parts(struct contract *c)
{
    struct parts p = create(c, bytes);
    struct contract_parameters add = contract_u64_u32(p.at, WORDS);

    contract_put(c, 0, p.at, p.in, WORDS);
    contract_sync(c);
    for (unsigned d = 0; d < c->count; d++) {
        contract_run(c, d, 0, "add_one", (WORDS + 255) / 256, 256, &add);
        contract_sync(c);
    }
    /* Each device reads and writes remote partitions over the links. */
    for (unsigned d = 0; c->b->traffic && c->count > 1 && d < c->count; d++)
        assert_true(c->b->traffic(c->set, d, 1 - d).bytes >= p.each);
    get(c, 0, &p);
    for (uint32_t i = 0; i < WORDS; i++)
        if (p.out[i] != p.in[i] + c->count)
            fail_msg("word %u is %u, not %u", i, p.out[i], p.in[i] + c->count);
    destroy(c, &p);
}

static void atomics_of_all_devices_meet_in_every_part(struct contract *c)
{
    struct parts p = create(c, bytes);

    if (!c->b->peer_atomics(c->set, 0, 1)) {
        destroy(c, &p);
        skip();
    }
    contract_must(c, c->b->fill(c->stream[0][0], p.at, 0, bytes, &c->err));
    contract_sync(c);
    for (size_t byte = 0; byte < bytes; byte += p.each)
        for (unsigned d = 0; d < c->count; d++) {
            struct contract_parameters counter = {0};

            contract_add(&counter, &(device_addr){p.at + byte}, 8);
            contract_run(c, d, 0, "count", 5, 100, &counter);
        }
    contract_sync(c);
    get(c, 0, &p);
    for (size_t byte = 0; byte < bytes; byte += p.each)
        assert_int_equal(p.out[byte / 4], c->count * 5 * 100 * 3);
    destroy(c, &p);
}

static void every_device_gives_a_part(struct contract *c)
{
    const size_t most = (size_t)192 << 20;
    device_addr at = 0, again = 0;
    size_t each = 0;

    for (int i = 0; i < 40; i++) {
        contract_must(c, c->b->alloc_parts(c->set, most, &at, &each, &c->err));
        assert_int_equal(each, most / c->topology.device_count);
        assert_true(!again || again == at || !c->b->is_virtual);
        again = at;
        c->b->free(c->set, 0, at);
    }
}

static void too_much_of_all_fails_cleanly(struct contract *c)
{
    device_addr at = 7;
    size_t each = 7;

    contract_refused(c, c->b->alloc_parts(c->set, (size_t)1 << 47, &at, &each, &c->err),
                     PROACT_ENOSPACE);
    contract_refused(c, c->b->alloc_parts(c->set, 0, &at, &each, &c->err), PROACT_EINVAL);
    assert_int_equal(at, 7);
    every_device_gives_a_part(c);
}

const struct contract_promise contract_parts[] = {
    {"what is written across parts is read", what_is_written_across_parts_is_read, false},
    {"fills and copies cross borders", fills_and_copies_cross_borders, false},
    {"rows cross borders", rows_cross_borders, false},
    {"kernels reach all parts", kernels_reach_all_parts, false},
    {"atomics of all devices meet in every part", atomics_of_all_devices_meet_in_every_part,
     true},
    {"every device gives a part", every_device_gives_a_part, false},
    {"too much of all fails cleanly", too_much_of_all_fails_cleanly, false},
    {NULL, NULL, false},
};
