/* SPDX-License-Identifier: Apache-2.0 */
/* Interoperation: work that is queued through the driver directly is ordered with work
   queued through the contract. Backends without interoperation skip these tests. */
#include "device/contract.h"

#include "device/cuda/driver/driver.h"

enum { WORDS = 1000, BYTES = WORDS * 4, LONG = 20000 };

struct external_stream {
    struct driver driver;
    cu_context context;
    cu_stream stream;
};

static void come(struct contract *c, struct external_stream *g)
{
    cu_device device;

    if (!c->b->interop_begin) {
        contract_close(c);
        skip();
    }
    assert_int_equal(driver_open(&g->driver, &c->err), PROACT_OK);
    assert_int_equal(g->driver.device_get(&device, 0), 0);
    assert_int_equal(g->driver.primary_retain(&g->context, device), 0);
    assert_int_equal(g->driver.context_push(g->context), 0);
}

static void go(struct external_stream *g)
{
    cu_device device;

    assert_int_equal(g->driver.context_pop(&g->context), 0);
    assert_int_equal(g->driver.device_get(&device, 0), 0);
    assert_int_equal(g->driver.primary_release(device), 0);
}

/* The external copy follows a slow kernel of one stream and precedes the fill of the
   other. */
static void copy_between(struct contract *c, const struct external_stream *g)
{
    device_addr a = contract_words(c, 0, WORDS), b = contract_words(c, 0, WORDS);
    const uint32_t loops = LONG;
    const struct contract_parameters add = contract_u64_u32(a, WORDS);
    struct contract_parameters busy = {0};
    uint32_t out[WORDS];

    contract_add(&busy, &loops, 4);
    contract_must(c, c->b->fill(c->stream[0][1], a, 0, BYTES, &c->err));
    contract_must(c, c->b->fill(c->stream[0][1], b, 0, BYTES, &c->err));
    contract_sync(c);
    contract_run(c, 0, 1, "busy", 1, 32, &busy);
    contract_run(c, 0, 1, "add_one", WORDS / 100, 100, &add);
    contract_must(c, c->b->interop_begin(c->stream[0][1], &c->err));
    assert_int_equal(g->driver.copy(b, a, BYTES, g->stream), 0);
    contract_must(c, c->b->interop_end(c->stream[0][0], &c->err));
    contract_must(c, c->b->fill(c->stream[0][0], a, 2, BYTES, &c->err));
    contract_sync(c);
    contract_get(c, 0, b, out, WORDS);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[WORDS - 1], 1);
    assert_int_equal(contract_word(c, 0, a), 0x02020202);
}

static void interop_on_the_default_stream_keeps_order(struct contract *c)
{
    struct external_stream g = {.stream = NULL};

    come(c, &g);
    copy_between(c, &g);
    go(&g);
}

static void interop_on_a_separate_stream_keeps_order(struct contract *c)
{
    struct external_stream g = {.stream = NULL};
    void *stream = NULL;

    come(c, &g);
    contract_must(c, c->b->interop_stream_create(c->set, 0, &stream, &c->err));
    g.stream = stream;
    copy_between(c, &g);
    c->b->interop_stream_destroy(c->set, 0, stream);
    go(&g);
}

/* Some libraries use the thread's current context. */
static void interop_threads_find_a_context(struct contract *c)
{
    struct external_stream g = {.stream = NULL};
    cu_context found = NULL, other;
    cu_device device;

    come(c, &g);
    assert_int_equal(g.driver.context_pop(&other), 0);
    contract_must(c, c->b->interop_begin(c->stream[0][0], &c->err));
    assert_int_equal(g.driver.context_current(&found), 0);
    assert_ptr_equal(found, g.context);
    if (c->count > 1) { /* an existing context stays */
        assert_int_equal(g.driver.device_get(&device, 1), 0);
        assert_int_equal(g.driver.primary_retain(&other, device), 0);
        assert_int_equal(g.driver.context_set(other), 0);
        contract_must(c, c->b->interop_begin(c->stream[0][0], &c->err));
        assert_int_equal(g.driver.context_current(&found), 0);
        assert_ptr_equal(found, other);
        assert_int_equal(g.driver.primary_release(device), 0);
    }
    assert_int_equal(g.driver.context_set(g.context), 0);
    go(&g);
}

const struct contract_promise contract_interop[] = {
    {"interop on the default stream keeps order", interop_on_the_default_stream_keeps_order,
     false},
    {"interop on a separate stream keeps order", interop_on_a_separate_stream_keeps_order,
     false},
    {"interop threads find a context", interop_threads_find_a_context, false},
    {NULL, NULL, false},
};
