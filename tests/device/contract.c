/* SPDX-License-Identifier: Apache-2.0 */
#include "device/contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A small fictitious machine. */
static void pretend_machine(struct topology *t)
{
    *t = (struct topology){
        .name = "pretend",
        .device_count = 3,
        .device = {.name = "pretend",
                   .capability = 75,
                   .sm_count = 4,
                   .clock_ghz = 1,
                   .issue_width = 2,
                   .dependent_cycles = 4,
                   .threads_per_sm = 2048,
                   .ctas_per_sm = 16,
                   .threads_per_cta = 1024,
                   .shared_bytes_per_sm = 98304,
                   .shared_bytes_per_cta = 49152,
                   .memory_gbps = 500,
                   .memory_latency_ns = 500,
                   .memory_bytes = (uint64_t)256 << 20,
                   .l2_gbps = 1000,
                   .l2_latency_ns = 200,
                   .l2_bytes = 4 << 20,
                   .atomic_ns = 2,
                   .launch_us = 3,
                   .launch_host_us = 2,
                   .wait_value_us = 1},
        .fabric = {.name = "pretend",
                   .egress_gbps = 50,
                   .ingress_gbps = 50,
                   .latency_ns = 700,
                   .payload_bytes = 128,
                   .header_bytes = 32,
                   .copy_payload_bytes = 256,
                   .copy_header_bytes = 32,
                   .sm_gbps_per_cta = 20,
                   .copy_start_us = 1,
                   .copy_first_us = 2},
        .host_gbps = 10,
    };
    for (unsigned i = 0; i < t->device_count; i++)
        for (unsigned j = 0; j < t->device_count; j++)
            t->link_gbps[i][j] = i == j ? 0 : 25;
}

void contract_must(struct contract *c, enum proact_status status)
{
    if (status)
        fail_msg("status %d: %s", (int)status, c->err.text);
}

void contract_refused(struct contract *c, enum proact_status status,
                      enum proact_status expected)
{
    if (status != expected)
        fail_msg("status %d, not %d: %s", (int)status, (int)expected, c->err.text);
    assert_true(c->err.text[0] != '\0');
    assert_null(strchr(c->err.text, '\n'));
    c->err.text[0] = '\0';
}

void contract_load(struct contract *c, unsigned device)
{
    char *text;
    size_t bytes;

    contract_must(
        c, file_read(PROACT_SOURCE "/tests/device/contract.ptx", &text, &bytes, &c->err));
    contract_must(c, c->b->module_load(c->set, device, "contract.ptx", text, bytes,
                                       &c->module[device], &c->err));
    free(text);
}

void contract_open(struct contract *c, const struct contract_keeper *keeper, uint64_t seed,
                   double wait_limit_ms)
{
    *c = (struct contract){.b = keeper->backend, .keeper = keeper};
    if (!c->b->find)
        pretend_machine(&c->topology);
    else if (c->b->find(&c->topology, &c->err))
        skip();
    c->count = c->topology.device_count < CONTRACT_DEVICES ? c->topology.device_count
                                                           : CONTRACT_DEVICES;
    const struct device_options options = {.topology = &c->topology,
                                           .seed = seed,
                                           .check = keeper->checks,
                                           .threads = c->b->find ? 2 : 1,
                                           .wait_limit_ms = wait_limit_ms};
    enum proact_status status = c->b->open(&options, &c->set, &c->err);

    contract_must(c, status);
    for (unsigned d = 0; d < c->count; d++)
        for (unsigned s = 0; s < CONTRACT_STREAMS; s++)
            contract_must(c, c->b->stream_create(c->set, d, &c->stream[d][s], &c->err));
    for (unsigned d = 0; d < c->count; d++)
        contract_load(c, d);
}

void contract_close(struct contract *c)
{
    for (unsigned d = 0; d < c->count; d++) {
        for (unsigned s = 0; s < CONTRACT_STREAMS; s++)
            c->b->stream_destroy(c->stream[d][s]);
        c->b->module_unload(c->module[d]);
    }
    c->b->close(c->set);
}

device_addr contract_words(struct contract *c, unsigned device, size_t count)
{
    device_addr address = 0;

    contract_must(c, c->b->alloc(c->set, device, count * 4, &address, &c->err));
    assert_true(address != 0);
    return address;
}

void contract_put(struct contract *c, unsigned device, device_addr to, const uint32_t *from,
                  size_t count)
{
    contract_must(c, c->b->write(c->stream[device][0], to, from, count * 4, &c->err));
}

void contract_get(struct contract *c, unsigned device, device_addr from, uint32_t *into,
                  size_t count)
{
    contract_must(c, c->b->read(c->stream[device][0], into, from, count * 4, &c->err));
}

uint32_t contract_word(struct contract *c, unsigned device, device_addr from)
{
    uint32_t word;

    contract_get(c, device, from, &word, 1);
    return word;
}

void contract_sync(struct contract *c)
{
    contract_must(c, c->b->synchronize(c->set, &c->err));
}

void contract_add(struct contract_parameters *p, const void *value, size_t bytes)
{
    size_t alignment = bytes < 8 ? bytes : 8;

    p->bytes = (p->bytes + alignment - 1) / alignment * alignment;
    memcpy(p->block + p->bytes, value, bytes);
    p->bytes += bytes;
}

struct contract_parameters contract_u64_u32(uint64_t first, uint32_t second)
{
    struct contract_parameters p = {0};

    contract_add(&p, &first, 8);
    contract_add(&p, &second, 4);
    return p;
}

enum proact_status contract_try(struct contract *c, unsigned device, unsigned stream,
                                const char *kernel, uint32_t ctas, uint32_t threads,
                                const struct contract_parameters *p)
{
    struct device_function *f = NULL;
    const struct device_launch launch = {.grid = {ctas, 1, 1},
                                         .block = {threads, 1, 1},
                                         .parameters = p ? p->block : NULL,
                                         .parameter_bytes = p ? p->bytes : 0};

    contract_must(c, c->b->function(c->module[device], kernel, &f, &c->err));
    return c->b->launch(c->stream[device][stream], f, &launch, &c->err);
}

void contract_run(struct contract *c, unsigned device, unsigned stream, const char *kernel,
                  uint32_t ctas, uint32_t threads, const struct contract_parameters *p)
{
    contract_must(c, contract_try(c, device, stream, kernel, ctas, threads, p));
}
