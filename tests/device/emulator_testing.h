/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fixture: emulated machines with round numbers, so that durations can be computed. */

#include "device/contract.h"

enum { EMULATOR_DEVICES = 4 };

struct emulator_rig {
    const struct device_backend *b;
    struct topology topology;
    struct device_options options;
    struct device_set *set;
    struct device_stream *stream[TOPOLOGY_DEVICES_MAX][2];
    struct device_module *module[TOPOLOGY_DEVICES_MAX];
    struct proact_error err;
};

/* 1 GHz, 4 SMs with 2 warp instructions per cycle, links of 50 GB/s, 150 GB/s out and in, 1
   us. */
void emulator_machine(struct topology *t, unsigned devices);

/* Opens with r->topology and r->options, which the caller may have changed. */
void emulator_start(struct emulator_rig *r);
void emulator_prepare(struct emulator_rig *r, unsigned devices);
void emulator_open(struct emulator_rig *r, unsigned devices); /* prepares and starts */
void emulator_close(struct emulator_rig *r);

void emulator_must(struct emulator_rig *r, enum proact_status status);
void emulator_sync(struct emulator_rig *r);
/* A zeroed buffer of `count` words. */
device_addr emulator_words(struct emulator_rig *r, unsigned device, size_t count);
uint32_t emulator_word(struct emulator_rig *r, unsigned device, device_addr at);
uint64_t emulator_wide(struct emulator_rig *r, unsigned device, device_addr at);
void emulator_run(struct emulator_rig *r, unsigned device, unsigned stream,
                  const char *kernel, uint32_t ctas, uint32_t threads,
                  const struct contract_parameters *p);

/* Parameters from values: 'w' has four bytes, 'd' has eight; in the order of `forms`. */
struct contract_parameters emulator_parameters(const char *forms, ...);

/* Virtual nanoseconds since `before_ns`. */
double emulator_since(struct emulator_rig *r, uint64_t before_ns);
