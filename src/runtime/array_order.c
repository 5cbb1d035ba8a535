/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation on an array comes after, and what it counts for. */
#include "runtime/recording.h"

enum proact_status array_await(struct proact *p, const struct proact_array *a,
                               struct order_place place, bool writes,
                               struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < p->devices.count; d++)
        for (int lane = 0; lane < TRANSFER_LANES && !status; lane++) {
            struct order_place of = {d, (enum transfer_lane)lane};

            if (d != place.device)
                /* protocol: arrival-wait */
                status = order_wait(&p->order, place, of, a->sent[lane], err);
            else if (writes)
                /* protocol: source-wait */
                status = order_wait(&p->order, place, of, a->sent[lane], err);
        }
    return status;
}

enum proact_status array_await_peers(struct proact *p, const struct proact_array *a,
                                     struct order_place place, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < p->devices.count && !status; d++)
        /* protocol: reader-wait */
        status = order_wait(&p->order, place, (struct order_place){d, TRANSFER_MAIN},
                            a->used, err);
    return status ? status
                  : order_wait(&p->order, place, (struct order_place){0, TRANSFER_MAIN},
                               p->all_used, err);
}

void array_account(struct proact_array *a, unsigned device, uint64_t bytes, uint64_t chunks)
{
    if (a->session->recording) {
        recording_add_traffic(a->session, a, device, bytes, chunks);
        return;
    }
    a->traffic[device].bytes += bytes;
    a->traffic[device].chunks += chunks;
    a->session->chunks[device] += chunks;
}
