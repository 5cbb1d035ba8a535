/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Order between streams. Each stream of each device records an event after each operation,
   numbered with the session's sequence number. A dependent operation waits for that number.
   A wait that an earlier wait implies is not queued. */

#include "transfer/transfer.h"

enum {
    ORDER_RING = 32
}; /* events per stream; a wait for an overwritten one uses a later
      event */

struct order_lane {
    struct device_event *event[ORDER_RING];
    uint64_t recorded[ORDER_RING];    /* sequence number per event; 0: never recorded */
    uint64_t last;                    /* highest recorded number */
    uint64_t noted_first, noted_last; /* operations without an event yet; 0: none */
    uint64_t waited[TRANSFER_DEVICES_MAX][TRANSFER_LANES]; /* per other stream: number
                                                              already waited for */
    uint64_t (*waited_for)[TRANSFER_LANES]; /* the table in use; program streams have their
                                               own */
};

struct order {
    const struct transfer_devices *devices;
    struct order_lane lane[TRANSFER_DEVICES_MAX][TRANSFER_LANES];
    uint64_t settled;  /* operations up to this number need no wait: the host waited for
                          them */
    bool is_elsewhere; /* since then, a stream other than the kernel stream of device 0 was
                          used */
    /* If the kernel stream of device 0 represents several streams: returns a stream whose
       events follow the work of all of them. */
    enum proact_status (*gather)(void *context, struct device_stream **out,
                                 struct proact_error *err);
    void *gather_context;
};

struct order_place {
    unsigned device;
    enum transfer_lane lane;
};

/* Creates the events of devices `first` to `end` - 1. `o` starts zeroed on the first call.
   order_close() is also required after a failure. */
enum proact_status order_open(struct order *o, const struct transfer_devices *devices,
                              unsigned first, unsigned end, struct proact_error *err);
void order_close(struct order *o);

/* Records the end of all work queued at `place` so far. */
enum proact_status order_record(struct order *o, struct order_place place,
                                uint64_t sequence, struct proact_error *err);

/* Postpones the record until another stream waits for it or order_flush() is called. Work
   that no other device waits for then needs no event. Not valid in a recording. */
void order_note(struct order *o, struct order_place place, uint64_t sequence);
enum proact_status order_flush(struct order *o, struct order_place place,
                               struct proact_error *err);

/* Orders later work at `place` after everything that `of` recorded up to `sequence`, even
   if `of` has no operation of that number. A sequence of 0 means no operation. */
enum proact_status order_wait(struct order *o, struct order_place place,
                              struct order_place of, uint64_t sequence,
                              struct proact_error *err);
