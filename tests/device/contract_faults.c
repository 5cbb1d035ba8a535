/* SPDX-License-Identifier: Apache-2.0 */
/* A failure on a device is returned as a status with a message, and never as a hang. Each
   test opens its own devices, because some backends are unusable after a fault. */
#include <stdio.h>
#include <string.h>

#include "device/contract.h"

static void a_trap_comes_back_as_a_sentence(struct contract *c)
{
    contract_run(c, c->count - 1, 0, "break", 1, 32, NULL);
    enum proact_status status = c->b->synchronize(c->set, &c->err);

    if (c->keeper->backend->is_virtual)
        assert_non_null(strstr(c->err.text, "break"));
    contract_refused(c, status, PROACT_EFAULT);
}

/* A store far outside all memory. */
static void a_wild_store_comes_back_as_a_sentence(struct contract *c)
{
    struct contract_parameters p = contract_u64_u32((uint64_t)1 << 46, 1);

    contract_run(c, 0, 0, "add_one", 1, 32, &p);
    contract_refused(c, c->b->synchronize(c->set, &c->err), PROACT_EFAULT);
}

static void nobody_satisfies_a_stream(struct contract *c)
{
    device_addr word = contract_words(c, 0, 1);

    contract_must(c, c->b->fill(c->stream[0][0], word, 0, 4, &c->err));
    contract_must(c, c->b->wait_value(c->stream[0][1], word, 1, NULL, &c->err));
    contract_must(c, c->b->write_value(c->stream[0][1], word, 1, &c->err));
    contract_refused(c, c->b->synchronize(c->set, &c->err), PROACT_ETIMEOUT);
}

/* The message names the reason of the wait that never ends, and no other reason. */
static void waits_name_their_reason(struct contract *c, bool is_batch)
{
    const unsigned last = c->count - 1;
    device_addr word = contract_words(c, last, 2);
    struct device_reason why = {.array = "ranks", .chunk = 7};
    struct device_reason met = {.array = "cells", .chunk = 3};
    struct contract_parameters p = {0};

    contract_add(&p, &(uint32_t){1000}, 4);
    contract_must(c, c->b->fill(c->stream[last][0], word, 0, 8, &c->err));
    contract_sync(c);
    if (is_batch)
        c->b->batch_begin(c->set);
    contract_run(c, last, 1, "busy", 1, 32, &p);
    contract_must(c, c->b->wait_value(c->stream[last][0], word, 0, &met, &c->err));
    contract_must(c, c->b->wait_value(c->stream[last][1], word + 4, 1, &why, &c->err));
    why = met; /* the reason was copied */
    if (is_batch)
        contract_must(c, c->b->batch_end(c->set, &c->err));
    enum proact_status status = c->b->synchronize(c->set, &c->err);

    assert_non_null(strstr(c->err.text, "chunk 7 of array 'ranks': "));
    assert_non_null(strstr(c->err.text, last ? "device 1" : "device 0"));
    assert_null(strstr(c->err.text, "cells"));
    contract_refused(c, status, PROACT_ETIMEOUT);
}

static void a_wait_names_its_reason(struct contract *c)
{
    waits_name_their_reason(c, false);
}

static void faults_print_missing(const struct device_reason *reason, uint32_t holds,
                                 char *into, size_t bytes)
{
    snprintf(into, bytes, "%u of %u lack", reason->cta_first - holds, reason->cta_first);
}

/* The query for missing CTAs receives the current content of the word. */
static void a_wait_names_the_missing_ctas(struct contract *c)
{
    const struct device_reason why = {
        .array = "ranks", .chunk = 7, .missing = faults_print_missing, .cta_first = 5};
    device_addr word = contract_words(c, 0, 1);

    contract_must(c, c->b->fill(c->stream[0][0], word, 0, 4, &c->err));
    contract_must(c, c->b->write_value(c->stream[0][0], word, 3, &c->err));
    contract_sync(c);
    contract_must(c, c->b->wait_value(c->stream[0][1], word, 5, &why, &c->err));
    enum proact_status status = c->b->synchronize(c->set, &c->err);

    assert_non_null(
        strstr(c->err.text, "array 'ranks': chunk 7 was not complete on device 0 within "));
    assert_non_null(strstr(c->err.text, ": 2 of 5 lack"));
    contract_refused(c, status, PROACT_ETIMEOUT);
}

static void a_wait_in_a_batch_names_its_reason(struct contract *c)
{
    waits_name_their_reason(c, c->b->batch_begin != NULL);
}

/* The driver reports "invalid argument". The wait is not queued and does not block later
   operations. */
static void a_wait_past_all_memory_is_refused(struct contract *c)
{
    device_addr word = contract_words(c, 0, 1), past = word + ((uint64_t)1 << 40);

    contract_must(c, c->b->fill(c->stream[0][0], word, 0, 4, &c->err));
    assert_int_not_equal(c->b->wait_value(c->stream[0][0], past, 1, NULL, &c->err),
                         PROACT_OK);
    assert_true(c->err.text[0] != '\0');
    c->err.text[0] = '\0';
    contract_must(c, c->b->write_value(c->stream[0][0], word, 1, &c->err));
    contract_must(c, c->b->wait_value(c->stream[0][0], word, 1, NULL, &c->err));
    contract_sync(c);
}

static void a_wait_in_a_graph_names_its_reason(struct contract *c)
{
    device_addr word = contract_words(c, 0, 1);
    struct device_graph *graph;

    contract_must(c, c->b->fill(c->stream[0][0], word, 0, 4, &c->err));
    contract_sync(c);
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    contract_must(c, c->b->wait_value(c->stream[0][0], word, 1,
                                      &(struct device_reason){.array = "ranks", .chunk = 7},
                                      &c->err));
    contract_must(c, c->b->capture_end(c->set, &graph, &c->err));
    contract_must(c, c->b->graph_launch(graph, &c->err));
    enum proact_status status = c->b->synchronize(c->set, &c->err);

    assert_non_null(strstr(c->err.text, "chunk 7 of array 'ranks': "));
    contract_refused(c, status, PROACT_ETIMEOUT);
    c->b->graph_destroy(graph);
}

static void two_streams_wait_in_a_circle(struct contract *c)
{
    device_addr word[2];

    for (unsigned d = 0; d < 2; d++) {
        word[d] = contract_words(c, d, 1);
        contract_must(c, c->b->fill(c->stream[d][0], word[d], 0, 4, &c->err));
    }
    contract_sync(c);
    assert_int_equal(c->b->wait_value(c->stream[1][0], word[0], 1, NULL, &c->err),
                     PROACT_EINVAL);
    for (unsigned d = 0; d < 2; d++) {
        contract_must(c, c->b->wait_value(c->stream[d][0], word[d], 1, NULL, &c->err));
        contract_must(c, c->b->write_value(c->stream[d][0], word[1 - d], 1, &c->err));
    }
    contract_refused(c, c->b->synchronize(c->set, &c->err), PROACT_ETIMEOUT);
}

/* Only on backends with virtual time: hardware cannot stop a spinning kernel. */
static void nobody_satisfies_a_kernel(struct contract *c)
{
    device_addr word = contract_words(c, 0, 3);
    struct contract_parameters p = contract_u64_u32(word, 1);

    if (!c->b->is_virtual)
        return;
    contract_add(&p, &(uint64_t){word + 4}, 8);
    contract_add(&p, &(uint64_t){word + 8}, 8);
    contract_must(c, c->b->fill(c->stream[0][0], word, 0, 12, &c->err));
    contract_run(c, 0, 0, "await", 1, 1, &p);
    enum proact_status status = c->b->synchronize(c->set, &c->err);

    assert_non_null(strstr(c->err.text, "await"));
    contract_refused(c, status, PROACT_ETIMEOUT);
}

static void what_was_never_written_is_refused(struct contract *c)
{
    device_addr a = contract_words(c, 0, 64);
    struct contract_parameters p = contract_u64_u32(a, 64);

    contract_must(c, c->b->fill(c->stream[0][0], a, 0, 63 * 4, &c->err));
    contract_run(c, 0, 0, "add_one", 1, 64, &p);
    enum proact_status status = c->b->synchronize(c->set, &c->err);

    if (c->keeper->checks) {
        assert_non_null(strstr(c->err.text, "never written"));
        contract_refused(c, status, PROACT_EFAULT);
    } else {
        contract_must(c, status);
    }
}

/* Two streams write one word without an order. */
static void a_race_is_refused(struct contract *c)
{
    device_addr a = contract_words(c, 0, 1);
    struct contract_parameters p = contract_u64_u32(a, 1);

    contract_must(c, c->b->fill(c->stream[0][0], a, 0, 4, &c->err));
    contract_sync(c);
    for (unsigned s = 0; s < 2; s++)
        contract_run(c, 0, s, "add_one", 1, 1, &p);
    enum proact_status status = c->b->synchronize(c->set, &c->err);

    if (c->keeper->checks) {
        assert_non_null(strstr(c->err.text, "race: "));
        contract_refused(c, status, PROACT_EFAULT);
    } else {
        contract_must(c, status);
    }
}

/* Device 0 overwrites its replica, and device 1 reads its own before the transfer. */
static void a_stale_replica_is_refused(struct contract *c)
{
    struct device_replicas r = {.name = "ranks", .bytes = 256};
    struct contract_parameters p[2];
    struct device_event *event;

    for (unsigned d = 0; d < 2; d++) {
        r.base[d] = contract_words(c, d, 64);
        p[d] = contract_u64_u32(r.base[d], 64);
        contract_must(c, c->b->fill(c->stream[d][0], r.base[d], 0, 256, &c->err));
    }
    c->b->replicas(c->set, &r);
    contract_sync(c);
    contract_must(c, c->b->event_create(c->set, 0, false, &event, &c->err));
    contract_run(c, 0, 0, "add_one", 1, 64, &p[0]);
    contract_must(c, c->b->record(c->stream[0][0], event, &c->err));
    contract_must(c, c->b->wait_event(c->stream[1][0], event, &c->err));
    contract_run(c, 1, 0, "add_one", 1, 64, &p[1]);
    enum proact_status status = c->b->synchronize(c->set, &c->err);

    if (c->keeper->checks) {
        assert_non_null(
            strstr(c->err.text, "array 'ranks' on device 1 before it was sent"));
        contract_refused(c, status, PROACT_EFAULT);
    } else {
        contract_must(c, status);
    }
    c->b->event_destroy(event);
}

const struct contract_promise contract_faults[] = {
    {"a trap comes back as a sentence", a_trap_comes_back_as_a_sentence, false},
    {"a wild store comes back as a sentence", a_wild_store_comes_back_as_a_sentence, false},
    {"nobody satisfies a stream", nobody_satisfies_a_stream, false},
    {"a wait names its reason", a_wait_names_its_reason, false},
    {"a wait names the missing ctas", a_wait_names_the_missing_ctas, false},
    {"a wait in a batch names its reason", a_wait_in_a_batch_names_its_reason, false},
    {"a wait past all memory is refused", a_wait_past_all_memory_is_refused, false},
    {"a wait in a graph names its reason", a_wait_in_a_graph_names_its_reason, false},
    {"two streams wait in a circle", two_streams_wait_in_a_circle, true},
    {"nobody satisfies a kernel", nobody_satisfies_a_kernel, false},
    {"what was never written is refused", what_was_never_written_is_refused, false},
    {"a race is refused", a_race_is_refused, false},
    {"a stale replica is refused", a_stale_replica_is_refused, true},
    {NULL, NULL, false},
};
