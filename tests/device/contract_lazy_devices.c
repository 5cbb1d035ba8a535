/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that open in the background while device 0 works. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/contract.h"

enum { LARGE = (3 << 20) / 4, SMALL = 100 };

/* Replaces the set that is open with all devices. */
static void open_lazily(struct contract *c)
{
    contract_close(c);
    memset(c->stream, 0, sizeof c->stream);
    memset(c->module, 0, sizeof c->module);
    c->set = NULL;
    c->topology.device.open_ms = 2;
    const struct device_options options = {.topology = &c->topology,
                                           .check = c->keeper->checks,
                                           .threads = c->b->find ? 2 : 1,
                                           .lazy_devices = true};

    contract_must(c, c->b->open(&options, &c->set, &c->err));
    contract_must(c, c->b->stream_create(c->set, 0, &c->stream[0][0], &c->err));
    contract_load(c, 0);
}

static void all_come(struct contract *c)
{
    bool are_open = false;

    contract_must(c, c->b->open_remaining(c->set, true, &are_open, &c->err));
    assert_true(are_open);
    assert_int_equal(c->b->open_ns(c->set), 0);
    contract_must(c, c->b->stream_create(c->set, 1, &c->stream[1][0], &c->err));
    contract_load(c, 1);
}

static void of_one_that_is_not_open_nothing_is_had(struct contract *c)
{
    const bool reached = c->b->peer_access(c->set, 0, 1);
    struct device_stream *stream;
    struct device_event *event;
    struct device_module *module;
    device_addr address;

    open_lazily(c);
    assert_int_equal(c->b->count(c->set), c->topology.device_count);
    assert_true(c->b->open_ns(c->set) > 0);
    assert_int_equal(c->b->peer_access(c->set, 0, 1), reached);
    contract_refused(c, c->b->stream_create(c->set, 1, &stream, &c->err), PROACT_EINVAL);
    contract_refused(c, c->b->event_create(c->set, 1, false, &event, &c->err),
                     PROACT_EINVAL);
    contract_refused(c, c->b->alloc(c->set, 1, 4 * LARGE, &address, &c->err),
                     PROACT_EINVAL);
    contract_refused(c, c->b->alloc(c->set, 1, 4, &address, &c->err), PROACT_EINVAL);
    contract_refused(c,
                     c->b->module_load(c->set, 1, "contract.ptx", "", 0, &module, &c->err),
                     PROACT_EINVAL);
}

static void copy(struct contract *c, unsigned device, device_addr to, device_addr from,
                 size_t count)
{
    contract_must(c, c->b->copy(c->stream[device][0], to, from, 4 * count, &c->err));
    contract_sync(c);
}

/* Memory that device 0 allocated before keeps its address, and the other devices can access
   it. */
static void what_was_there_before_is_reached_by_those_that_come(struct contract *c)
{
    uint32_t *in = must_calloc(LARGE, 4), *out = must_calloc(LARGE, 4);

    open_lazily(c);
    const device_addr large = contract_words(c, 0, LARGE),
                      small = contract_words(c, 0, SMALL);

    for (uint32_t i = 0; i < LARGE; i++)
        in[i] = 5 * i + 2;
    contract_put(c, 0, large, in, LARGE);
    contract_put(c, 0, small, in, SMALL);
    contract_sync(c);
    all_come(c);
    const device_addr there = contract_words(c, 1, LARGE);

    copy(c, 1, there, large, LARGE);
    contract_get(c, 1, there, out, LARGE);
    assert_memory_equal(in, out, 4 * LARGE);
    contract_must(c, c->b->fill(c->stream[1][0], there, 1, 4 * LARGE, &c->err));
    copy(c, 1, there, small, SMALL);
    copy(c, 1, large, there, LARGE);
    contract_get(c, 0, large, out, LARGE);
    assert_memory_equal(in, out, 4 * SMALL);
    assert_int_equal(out[SMALL], 0x01010101);
    free(in);
    free(out);
}

/* Kernels of late devices run normally, also on memory of device 0. */
static void their_kernels_run_as_ever(struct contract *c)
{
    open_lazily(c);
    const device_addr words = contract_words(c, 0, LARGE);
    const uint32_t three = 3;

    contract_must(c, c->b->fill(c->stream[0][0], words, 0, 4 * LARGE, &c->err));
    contract_put(c, 0, words, &three, 1);
    contract_must(c, c->b->limit(c->set, DEVICE_STACK_BYTES, 2048, &c->err));
    contract_sync(c);
    all_come(c);
    if (c->b->peer_access(c->set, 1, 0)) {
        const struct contract_parameters p = contract_u64_u32(words, 1);

        contract_run(c, 1, 0, "add_one", 1, 32, &p);
        contract_sync(c);
        assert_int_equal(contract_word(c, 0, words), 4);
    }
}

static void closing_does_not_wait_for_long(struct contract *c)
{
    bool are_open = true;

    open_lazily(c);
    contract_must(c, c->b->open_remaining(c->set, false, &are_open, &c->err));
}

static void waiting_is_not_needed(struct contract *c)
{
    bool are_open = false;

    open_lazily(c);
    const device_addr word = contract_words(c, 0, 1);

    while (!are_open) {
        const struct contract_parameters p = contract_u64_u32(word, 1);

        contract_must(c, c->b->open_remaining(c->set, false, &are_open, &c->err));
        contract_must(c, c->b->fill(c->stream[0][0], word, 6, 4, &c->err));
        contract_run(c, 0, 0, "add_one", 1, 32, &p); /* takes time on any machine */
        contract_sync(c);
    }
    all_come(c);
    assert_int_equal(contract_word(c, 0, word), 0x06060607);
}

const struct contract_promise contract_lazy_devices[] = {
    {"of one that is not open nothing is had", of_one_that_is_not_open_nothing_is_had,
     true},
    {"what was there before is reached by those that come",
     what_was_there_before_is_reached_by_those_that_come, true},
    {"their kernels run as ever", their_kernels_run_as_ever, true},
    {"closing does not wait for long", closing_does_not_wait_for_long, true},
    {"waiting is not needed", waiting_is_not_needed, true},
    {NULL, NULL, false},
};
