/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/check/check.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "device/emulator/check/check_inside.h"

static void host_enters(struct check *c)
{
    uint32_t host = check_actor(c, "the host", ~0u, CHECK_HOST);

    assert(host == CHECK_HOST);
    (void)host;
}

struct check *check_create(uint64_t base, uint64_t bytes, unsigned device_count)
{
    struct check *c = must_calloc(1, sizeof *c);

    assert(device_count <= TOPOLOGY_DEVICES_MAX);
    c->device_count = device_count;
    c->now = 1;
    c->visits = must_calloc(1, sizeof *c->visits);
    c->clocks.visits = c->extents.visits = c->places.visits = c->names.visits =
        c->site_numbers.visits = c->visits;
    c->shadow = check_shadow_create(base, bytes);
    host_enters(c);
    return c;
}

void check_destroy(struct check *c)
{
    if (!c)
        return;
    check_forget_actors(c);
    free(c->actors);
    check_forget_flags(c);
    check_clocks_clear(&c->clocks);
    check_forget_places(c);
    check_shadow_destroy(c->shadow);
    free(c->visits);
    free(c);
}

uint64_t check_visits(const struct check *c)
{
    return *c->visits;
}

void check_quiesce(struct check *c)
{
    c->quiesced = c->now++;
    check_forget_actors(c);
    check_forget_flags(c);
    host_enters(c);
}
