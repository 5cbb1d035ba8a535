/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator_testing.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/text.h"

void emulator_machine(struct topology *t, unsigned devices)
{
    *t = (struct topology){
        .name = "round",
        .device_count = devices,
        .device = {.name = "round",
                   .capability = 90,
                   .sm_count = 4,
                   .clock_ghz = 1,
                   .issue_width = 2,
                   .dependent_cycles = 4,
                   .threads_per_sm = 1024,
                   .ctas_per_sm = 8,
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
        .fabric = {.name = "round",
                   .egress_gbps = 150,
                   .ingress_gbps = 150,
                   .latency_ns = 1000,
                   .payload_bytes = 128,
                   .header_bytes = 32,
                   .copy_payload_bytes = 256,
                   .copy_header_bytes = 32,
                   .sm_gbps_per_cta = 20,
                   .copy_start_us = 3,
                   .copy_first_us = 5},
        .host_gbps = 10,
    };
    for (unsigned i = 0; i < devices; i++)
        for (unsigned j = 0; j < devices; j++)
            t->link_gbps[i][j] = i == j ? 0 : 50;
}

void emulator_must(struct emulator_rig *r, enum proact_status status)
{
    if (status)
        fail_msg("status %d: %s", (int)status, r->err.text);
}

void emulator_prepare(struct emulator_rig *r, unsigned devices)
{
    *r = (struct emulator_rig){.b = &device_emulator};
    emulator_machine(&r->topology, devices);
    r->options = (struct device_options){.topology = &r->topology, .threads = 1};
}

void emulator_start(struct emulator_rig *r)
{
    char *text;
    size_t bytes;

    r->options.topology = &r->topology;
    emulator_must(r, r->b->open(&r->options, &r->set, &r->err));
    emulator_must(
        r, file_read(PROACT_SOURCE "/tests/device/emulator.ptx", &text, &bytes, &r->err));
    for (unsigned d = 0; d < r->topology.device_count; d++) {
        for (unsigned s = 0; s < 2; s++)
            emulator_must(r, r->b->stream_create(r->set, d, &r->stream[d][s], &r->err));
        emulator_must(r, r->b->module_load(r->set, d, "emulator.ptx", text, bytes,
                                           &r->module[d], &r->err));
    }
    free(text);
}

void emulator_open(struct emulator_rig *r, unsigned devices)
{
    emulator_prepare(r, devices);
    emulator_start(r);
}

void emulator_close(struct emulator_rig *r)
{
    r->b->close(r->set);
}

void emulator_sync(struct emulator_rig *r)
{
    emulator_must(r, r->b->synchronize(r->set, &r->err));
}

device_addr emulator_words(struct emulator_rig *r, unsigned device, size_t count)
{
    device_addr a = 0;

    emulator_must(r, r->b->alloc(r->set, device, count * 4, &a, &r->err));
    emulator_must(r, r->b->fill(r->stream[device][0], a, 0, count * 4, &r->err));
    emulator_sync(r);
    return a;
}

uint32_t emulator_word(struct emulator_rig *r, unsigned device, device_addr at)
{
    uint32_t word = 0;

    emulator_must(r, r->b->read(r->stream[device][0], &word, at, sizeof word, &r->err));
    return word;
}

uint64_t emulator_wide(struct emulator_rig *r, unsigned device, device_addr at)
{
    uint64_t word = 0;

    emulator_must(r, r->b->read(r->stream[device][0], &word, at, sizeof word, &r->err));
    return word;
}

void emulator_run(struct emulator_rig *r, unsigned device, unsigned stream,
                  const char *kernel, uint32_t ctas, uint32_t threads,
                  const struct contract_parameters *p)
{
    struct device_function *f = NULL;
    const struct device_launch launch = {.grid = {ctas, 1, 1},
                                         .block = {threads, 1, 1},
                                         .parameters = p->block,
                                         .parameter_bytes = p->bytes};

    emulator_must(r, r->b->function(r->module[device], kernel, &f, &r->err));
    emulator_must(r, r->b->launch(r->stream[device][stream], f, &launch, &r->err));
}

struct contract_parameters emulator_parameters(const char *forms, ...)
{
    struct contract_parameters p = {0};
    va_list args;

    va_start(args, forms);
    for (; *forms; forms++)
        if (*forms == 'd')
            contract_add(&p, &(uint64_t){va_arg(args, uint64_t)}, 8);
        else
            contract_add(&p, &(uint32_t){va_arg(args, uint32_t)}, 4);
    va_end(args);
    return p;
}

double emulator_since(struct emulator_rig *r, uint64_t before_ns)
{
    return (double)(r->b->now_ns(r->set) - before_ns);
}
