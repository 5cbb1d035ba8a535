/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The device contract of device/device.h as tests. Each promise is a test that uses only
   the contract; contract_test.c runs all of them for every backend. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/device.h"

struct contract_keeper {
    const char *name;
    const struct device_backend *backend;
    bool checks; /* opens with device_options.check */
};

enum { CONTRACT_DEVICES = 2, CONTRACT_STREAMS = 2, CONTRACT_FAULT_BYTES = 512 };

/* Two devices (one, if there is only one) with two streams each, and contract.ptx
   loaded. */
struct contract {
    const struct device_backend *b;
    const struct contract_keeper *keeper;
    struct topology topology;
    unsigned count; /* devices that the promises use */
    struct device_set *set;
    struct device_stream *stream[CONTRACT_DEVICES][CONTRACT_STREAMS];
    struct device_module *module[CONTRACT_DEVICES];
    struct proact_error err;
};

struct contract_promise {
    const char *name;
    void (*test)(struct contract *c);
    bool peers; /* needs two devices */
};

/* Each list ends with a row of NULL. */
extern const struct contract_promise contract_memory[], contract_rows[], contract_streams[],
    contract_launch[], contract_batch[], contract_graphs[], contract_faults[],
    contract_interop[], contract_watch[], contract_parts[], contract_clusters[],
    contract_repeats[], contract_texels[], contract_lazy_devices[];

/* Skips the test if the backend has no machine. wait_limit_ms is that of device_options. */
void contract_open(struct contract *c, const struct contract_keeper *keeper, uint64_t seed,
                   double wait_limit_ms);
void contract_close(struct contract *c);
/* Loads contract.ptx; contract_open() does so on each device. */
void contract_load(struct contract *c, unsigned device);

/* Fails the test with the text of c->err unless the status is PROACT_OK. */
void contract_must(struct contract *c, enum proact_status status);
/* Fails unless the status is `status` and c->err has a text; clears the text. */
void contract_refused(struct contract *c, enum proact_status status,
                      enum proact_status expected);

device_addr contract_words(struct contract *c, unsigned device, size_t count);
/* Copies through the device's first stream; get waits. */
void contract_put(struct contract *c, unsigned device, device_addr to, const uint32_t *from,
                  size_t count);
void contract_get(struct contract *c, unsigned device, device_addr from, uint32_t *into,
                  size_t count);
uint32_t contract_word(struct contract *c, unsigned device, device_addr from);
void contract_sync(struct contract *c);

/* Parameters in order, aligned to their sizes. */
struct contract_parameters {
    size_t bytes;
    _Alignas(8) unsigned char block[128];
};
void contract_add(struct contract_parameters *p, const void *value, size_t bytes);
struct contract_parameters contract_u64_u32(uint64_t first, uint32_t second);

/* Launches that many CTAs of that many threads on one stream. */
enum proact_status contract_try(struct contract *c, unsigned device, unsigned stream,
                                const char *kernel, uint32_t ctas, uint32_t threads,
                                const struct contract_parameters *p);
void contract_run(struct contract *c, unsigned device, unsigned stream, const char *kernel,
                  uint32_t ctas, uint32_t threads, const struct contract_parameters *p);
