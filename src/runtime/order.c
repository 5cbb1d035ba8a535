/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/order.h"

enum proact_status order_open(struct order *o, const struct transfer_devices *devices,
                              struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    o->devices = devices;
    for (unsigned d = 0; d < devices->count; d++)
        for (int lane = 0; lane < TRANSFER_LANES; lane++)
            for (int i = 0; i < ORDER_RING && !status; i++)
                status = devices->backend->event_create(devices->set, d, false,
                                                        &o->lane[d][lane].event[i], err);
    return status;
}

void order_close(struct order *o)
{
    for (unsigned d = 0; o->devices && d < o->devices->count; d++)
        for (int lane = 0; lane < TRANSFER_LANES; lane++)
            for (int i = 0; i < ORDER_RING; i++)
                if (o->lane[d][lane].event[i])
                    o->devices->backend->event_destroy(o->lane[d][lane].event[i]);
    *o = (struct order){0};
}

enum proact_status order_record(struct order *o, struct order_place place,
                                uint64_t sequence, struct proact_error *err)
{
    struct order_lane *here = &o->lane[place.device][place.lane];
    unsigned slot = sequence % ORDER_RING;

    here->recorded[slot] = sequence;
    /* protocol: event-record (else: return PROACT_OK;) */
    return o->devices->backend->record(o->devices->device[place.device].lane[place.lane],
                                       here->event[slot], err);
}

enum proact_status order_wait(struct order *o, struct order_place place,
                              struct order_place of, uint64_t sequence,
                              struct proact_error *err)
{
    struct order_lane *here = &o->lane[place.device][place.lane];
    struct order_lane *there = &o->lane[of.device][of.lane];
    uint64_t *seen = &here->seen[of.device][of.lane];
    unsigned slot = sequence % ORDER_RING;

    /* An operation of other devices alone left the event of an earlier one here. */
    if (here == there || *seen >= sequence || there->recorded[slot] < sequence ||
        there->recorded[slot] <= o->settled)
        return PROACT_OK;
    *seen = there->recorded[slot];
    /* protocol: event-wait (else: return PROACT_OK;) */
    return o->devices->backend->wait_event(
        o->devices->device[place.device].lane[place.lane], there->event[slot], err);
}
