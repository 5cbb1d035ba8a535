/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The machine of the link benches: opened devices with memory, streams and kernels. */

#include "device/device.h"
#include "kit.h"

enum { LINK_PEERS = TOPOLOGY_DEVICES_MAX - 1 };

/* The words of a device: the gate's, the check's, and free words for kernels. */
enum { LINK_WORD_GATE, LINK_WORD_CHECK, LINK_WORD_FREE, LINK_WORDS = 64 };

struct link_device {
    struct device_stream *stream[LINK_PEERS];
    struct device_event *from, *to, *branch[LINK_PEERS];
    device_addr source, target; /* buffer_bytes each; the peers write to target */
    device_addr words;          /* LINK_WORDS of 32 bits */
    struct device_module *module;
    struct device_function *copy, *runs, *ping, *step, *check, *empty;
    struct device_function *bulk, *bulk_message; /* NULL before sm_90 */
};

struct link_machine {
    const struct device_backend *backend;
    struct device_set *set;
    struct topology topology;
    unsigned devices, peers;
    uint64_t buffer_bytes;
    struct device_stream *release, *side; /* of device 0, for the gate and for a probe */
    uint32_t gate;                        /* how often it was opened */
    struct link_device device[TOPOLOGY_DEVICES_MAX];
};

void link_open(struct link_machine *m, const struct bench_request *q,
               struct bench_report *r);
void link_close(struct link_machine *m);

/* Ends the program if the machine has fewer than two devices. */
void link_need_two(const char *machine, unsigned devices);

/* Zeroes the free words on all devices, and waits. */
void link_clear_words(struct link_machine *m);

void link_launch(struct device_stream *s, struct link_machine *m, struct device_function *f,
                 uint32_t ctas, uint32_t threads, const void *parameters, size_t bytes);

/* Queues the work of one device on its stream `s`. */
typedef void link_work(struct link_machine *m, unsigned device, unsigned s, void *context);

/* Nanoseconds from the common start of the streams to the end of the last one. `work` is
   queued on the first `streams` streams of the first `devices` devices; a gate delays it
   until all of it is queued. */
double link_time(struct link_machine *m, unsigned devices, unsigned streams,
                 link_work *work, void *context);

/* Compares the first bytes of a device's target with the source, and clears them. A
   difference ends the program. On an emulated machine it compares a sample. */
void link_verify(struct link_machine *m, unsigned device, uint64_t bytes);
