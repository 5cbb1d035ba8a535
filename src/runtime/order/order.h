/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Devices wait for devices: each lane of each device records an event behind each
   operation, numbered by the session's sequence, and whoever needs it waits for that
   number. A wait that an earlier one already implies is not queued again. */

#include "transfer/transfer.h"

enum { ORDER_RING = 32 }; /* events of a lane; an older number waits for a later one */

struct order_lane {
    struct device_event *event[ORDER_RING];
    uint64_t recorded[ORDER_RING];    /* 0: never */
    uint64_t last;                    /* the highest of them */
    uint64_t noted_first, noted_last; /* behind which no event is recorded yet; 0: none */
    uint64_t waited[TRANSFER_DEVICES_MAX][TRANSFER_LANES]; /* for other lanes, by number */
    uint64_t (*waited_for)[TRANSFER_LANES]; /* the same, of whoever is this lane now */
};

struct order {
    const struct transfer_devices *devices;
    struct order_lane lane[TRANSFER_DEVICES_MAX][TRANSFER_LANES];
    uint64_t settled;  /* operations up to this one need no wait: the host has waited */
    bool is_elsewhere; /* since then another lane than the first device's main one worked */
    /* Where that lane is several streams: the one whose events come after all of them. */
    enum proact_status (*gather)(void *context, struct device_stream **out,
                                 struct proact_error *err);
    void *gather_context;
};

struct order_place {
    unsigned device;
    enum transfer_lane lane;
};

/* Of the devices from `first` to `end`; `o` is zeroed at first. Clear it also after a
   failure. */
enum proact_status order_open(struct order *o, const struct transfer_devices *devices,
                              unsigned first, unsigned end, struct proact_error *err);
void order_close(struct order *o);

/* Behind all that is queued at `place` so far. */
enum proact_status order_record(struct order *o, struct order_place place,
                                uint64_t sequence, struct proact_error *err);

/* The same, but the event is recorded when somebody waits for it, or order_flush() is
   called so that it does not come behind more: work of one device that no other asks for
   has none. Not in a recording. */
void order_note(struct order *o, struct order_place place, uint64_t sequence);
enum proact_status order_flush(struct order *o, struct order_place place,
                               struct proact_error *err);

/* What is queued at `place` from now on comes after all that `of` recorded up to
   `sequence`, whether or not it took part in that operation itself; 0 is no operation. */
enum proact_status order_wait(struct order *o, struct order_place place,
                              struct order_place of, uint64_t sequence,
                              struct proact_error *err);
