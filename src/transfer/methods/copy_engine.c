/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/memory.h"
#include "transfer/methods/copies.h"
#include "transfer/methods/expected.h"
#include "transfer/methods/transfer_methods.h"

struct copies {
    struct agent_item *item;
    uint64_t count;
    struct copies_lanes lanes;
};

static enum proact_status make_copies(struct transfer_binding *b, unsigned device,
                                      struct proact_error *err)
{
    struct copies *c = must_calloc(1, sizeof *c);

    b->state[device] = c;
    expected_list(b, device, &c->item, &c->count);
    return copies_open(b->devices, device, &c->lanes, err);
}

static void drop_copies(struct transfer_binding *b, unsigned device)
{
    struct copies *c = b->state[device];

    copies_close(b->devices, &c->lanes);
    free(c->item);
    free(c);
}

static enum proact_status queue_copies(const struct transfer_binding *b, unsigned device,
                                       const struct proact_partition *partition,
                                       struct proact_error *err)
{
    const struct copies *c = b->state[device];
    enum proact_status status = copies_fork(b->devices, device, &c->lanes, err);

    for (uint64_t i = 0; i < c->count && !status; i++) {
        struct device_stream *stream = c->lanes.stream[i % TRANSFER_COPY_STREAMS];
        const struct agent_item item = c->item[i];

        status = copies_await(b, device, partition, item, stream, err);
        for (unsigned p = 0; p + 1 < b->devices->count && !status; p++)
            if (b->peers[device] >> p & 1)
                status = copies_move(b, device, item, device,
                                     transfer_peer(b->devices, device, p), stream, err);
    }
    return status ? status : copies_join(b->devices, device, &c->lanes, err);
}

/* PROACT III-D with existing hardware: counters start copies by the copy engine. Chunks of
   rising size start the first copies early and keep the overhead of later ones small
   relative to their bytes; the model selects the increment. */
const struct transfer_method transfer_copy_engine = {
    .name = "copy-engine",
    .summary = "copies queued in advance, each after a wait for its chunk's counter",
    .initiator = TRANSFER_BY_COPY_AFTER_WAIT,
    .partition_mode = PROACT_MODE_COUNT,
    .lane = TRANSFER_SIDE,
    .takes_chunks = true,
    .mixes = true,
    .schedules = true,
    .bind = make_copies,
    .unbind = drop_copies,
    .beside = queue_copies,
};
