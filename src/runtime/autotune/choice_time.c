/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/autotune/choice.h"
#include "runtime/objects/session.h"

enum {
    SHORT_TIMES = 2
}; /* minimum ratio to the host time; below it the host delays the
      devices */

uint64_t choice_whole_ns(const struct choice *c)
{
    return c->whole_ns > c->longest_copy_ns ? c->whole_ns : c->longest_copy_ns;
}

/* The host queues ahead of the devices, but each launch takes at least its analysis and
   queueing. */
uint64_t choice_host_ns(const struct choice *c)
{
    return c->found_ns + c->queued_ns;
}

static uint64_t choice_with_costs_ns(const struct choice *c, uint64_t split_ns)
{
    const uint64_t devices = split_ns + c->broadcast_ns + c->copies_ns;
    const uint64_t host = choice_host_ns(c);

    return devices > host ? devices : host;
}

uint64_t choice_split_ns(const struct choice *c)
{
    return choice_with_costs_ns(c, c->split_ns);
}

uint64_t choice_other_ns(const struct choice *c)
{
    return choice_with_costs_ns(c, c->other.split_ns);
}

uint64_t choice_least_ns(const struct choice *c)
{
    const uint64_t split = choice_split_ns(c), whole = choice_whole_ns(c);

    return !whole || (split && split < whole) ? split : whole;
}

static void lower(uint64_t *least, uint64_t is)
{
    *least = is < *least ? is : *least;
}

static void raise_most(uint64_t *most, uint64_t is)
{
    *most = is > *most ? is : *most;
}

/* With an interior/boundary split the host queues three kernels per device
   (launch_divide.h). */
void choice_note_split(struct choice *c, struct stopwatch_time took, bool is_divided,
                       uint64_t found_ns)
{
    if (!c->timed_split++) {
        c->split_ns = c->queued_ns = c->found_ns = UINT64_MAX;
        c->split_most_ns = 0;
    }
    c->is_short |= is_divided && took.devices_ns < SHORT_TIMES * took.host_ns;
    lower(&c->split_ns, took.devices_ns);
    raise_most(&c->split_most_ns, took.devices_ns);
    lower(&c->queued_ns, took.host_ns);
    lower(&c->found_ns, found_ns);
}

void choice_note_whole(struct choice *c, struct stopwatch_time took)
{
    if (!c->timed_whole++) {
        c->whole_ns = UINT64_MAX;
        c->whole_most_ns = 0;
    }
    lower(&c->whole_ns, took.devices_ns);
    raise_most(&c->whole_most_ns, took.devices_ns);
}

void choice_note_queued(struct choice *c, uint64_t ns)
{
    if (!c->session->backend->is_virtual)
        lower(&c->queued_ns, ns);
}

bool choice_is_made(const struct choice *c)
{
    return c->step == CHOICE_MADE;
}
