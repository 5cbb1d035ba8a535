/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/choice/choice.h"

uint64_t choice_whole_ns(const struct choice *c)
{
    return c->whole_ns > c->longest_copy_ns ? c->whole_ns : c->longest_copy_ns;
}

/* The host goes ahead of the devices, but no faster than it finds what launches write. */
uint64_t choice_split_ns(const struct choice *c)
{
    const uint64_t devices = c->split_ns + c->spread_ns + c->copies_ns;

    return devices > c->found_ns ? devices : c->found_ns;
}

bool choice_is_made(const struct choice *c)
{
    return c->step == CHOICE_MADE;
}
