/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/objects/order.h"

enum proact_status order_open(struct order *o, const struct transfer_devices *devices,
                              unsigned first, unsigned end, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    o->devices = devices;
    for (unsigned d = first; d < end; d++)
        for (int lane = 0; lane < TRANSFER_LANES; lane++) {
            struct order_lane *here = &o->lane[d][lane];

            here->waited_for = here->waited;
            for (int i = 0; i < ORDER_RING && !status; i++)
                status = devices->backend->event_create(devices->set, d, false,
                                                        &here->event[i], err);
        }
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

static bool is_first_main(struct order_place place)
{
    return !place.device && place.lane == TRANSFER_MAIN;
}

static enum proact_status record(struct order *o, struct order_place place,
                                 uint64_t sequence, struct proact_error *err)
{
    struct order_lane *here = &o->lane[place.device][place.lane];
    struct device_stream *stream = o->devices->device[place.device].lane[place.lane];
    unsigned slot = sequence % ORDER_RING;
    enum proact_status status = PROACT_OK;

    if (o->gather && is_first_main(place))
        /* protocol: streams-gathered */
        status = o->gather(o->gather_context, &stream, err);
    if (status)
        return status;
    here->recorded[slot] = here->last = sequence;
    o->is_elsewhere |= !is_first_main(place);
    /* protocol: event-record (else: return PROACT_OK;) */
    return o->devices->backend->record(stream, here->event[slot], err);
}

void order_note(struct order *o, struct order_place place, uint64_t sequence)
{
    struct order_lane *here = &o->lane[place.device][place.lane];

    if (here->noted_first <= o->settled)
        here->noted_first = sequence;
    here->noted_last = sequence;
    o->is_elsewhere |= !is_first_main(place);
}

/* Records one event for all postponed operations, under the first number: a wait for a
   later number selects it as the last event before that number. */
enum proact_status order_flush(struct order *o, struct order_place place,
                               struct proact_error *err)
{
    struct order_lane *here = &o->lane[place.device][place.lane];
    uint64_t first = here->noted_first, last = here->noted_last;
    enum proact_status status;

    here->noted_first = here->noted_last = 0;
    if (last <= o->settled)
        return PROACT_OK;
    /* protocol: deferred-record (else: return PROACT_OK;) */
    status = record(o, place, first > o->settled ? first : o->settled + 1, err);
    here->last = last;
    return status;
}

enum proact_status order_record(struct order *o, struct order_place place,
                                uint64_t sequence, struct proact_error *err)
{
    enum proact_status status = order_flush(o, place, err);

    return status ? status : record(o, place, sequence, err);
}

/* Event that follows everything the stream recorded up to `sequence`: the event of that
   number, the last one before it, or a later one if the ring has overwritten it. -1:
   none. */
static int event_behind(const struct order_lane *there, uint64_t sequence)
{
    int before = -1, after = -1;

    if (there->recorded[sequence % ORDER_RING] >= sequence)
        return (int)(sequence % ORDER_RING);
    for (int i = 0; i < ORDER_RING; i++) {
        uint64_t r = there->recorded[i];

        if (r && r <= sequence && (before < 0 || r > there->recorded[before]))
            before = i;
        if (r > sequence && (after < 0 || r < there->recorded[after]))
            after = i;
    }
    for (int i = 0; i < ORDER_RING; i++) /* the slot may have contained a later event before
                                            this number */
        if (there->recorded[i] > sequence && there->recorded[i] > ORDER_RING &&
            (before < 0 || there->recorded[i] - ORDER_RING > there->recorded[before]))
            return after;
    return before;
}

enum proact_status order_wait(struct order *o, struct order_place place,
                              struct order_place of, uint64_t sequence,
                              struct proact_error *err)
{
    struct order_lane *here = &o->lane[place.device][place.lane];
    struct order_lane *there = &o->lane[of.device][of.lane];
    uint64_t *waited_for = &here->waited_for[of.device][of.lane];
    enum proact_status status;

    if (here != there && there->noted_first && sequence >= there->noted_first &&
        (status = order_flush(o, of, err)))
        return status;
    /* The second line avoids the search for streams that rarely record. */
    if (here == there || *waited_for >= sequence || !sequence ||
        there->last <= *waited_for || there->last <= o->settled)
        return PROACT_OK;
    int slot = event_behind(there, sequence);

    if (slot < 0 || there->recorded[slot] <= o->settled ||
        there->recorded[slot] <= *waited_for)
        return PROACT_OK;
    *waited_for = there->recorded[slot];
    /* protocol: event-wait (else: return PROACT_OK;) */
    return o->devices->backend->wait_event(
        o->devices->device[place.device].lane[place.lane], there->event[slot], err);
}
