/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The machine under the link bench: its devices opened, with memory, streams and kernels
   ready. A bench that fails says why and ends. */

#include "device/device.h"

enum { LINK_DEVICES = 4, LINK_PEERS = LINK_DEVICES - 1 };
enum { LINK_BUFFER_BYTES = 256 << 20, LINK_WORDS_BYTES = 4096 };

struct link_device {
    struct device_stream *stream[LINK_PEERS];
    struct device_event *from, *to, *branch[LINK_PEERS];
    device_addr source, target; /* LINK_BUFFER_BYTES each; the peers write to target */
    device_addr words;          /* zeroed */
    struct device_module *module;
    struct device_function *copy, *runs, *ping;
};

struct link_machine {
    const struct device_backend *backend;
    struct device_set *set;
    struct topology topology;
    struct link_device device[LINK_DEVICES];
};

void link_open(struct link_machine *m, const char *machine);
void link_close(struct link_machine *m);

/* Ends the program with the sentence unless `status` is PROACT_OK. */
void link_must(enum proact_status status, const struct proact_error *err);

/* Queues work of one device on its stream `s`. */
typedef void link_work(struct link_machine *m, unsigned device, unsigned s, void *context);

/* Nanoseconds from a moment when all the streams named are free to the end of the last:
   `work` is queued on the first `streams` streams of the first `devices` devices. */
double link_time(struct link_machine *m, unsigned devices, unsigned streams,
                 link_work *work, void *context);
