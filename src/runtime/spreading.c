/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spreading.h"

static bool is_again(const struct launching *l, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (l->places[i].array == l->places[place].array)
            return true;
    return false;
}

struct spreading spreading_of(const struct launching *l)
{
    const struct proact *p = l->kernel->session;
    struct spreading s = {0, 0};

    for (size_t i = 0; i < l->place_count; i++) {
        const struct proact_array *a = l->places[i].array;
        bool is_changed = a->is_shared || a->changed > a->spread;

        if (is_again(l, i) || (!is_changed && p->all_changed <= a->spread))
            continue;
        s.bytes += a->bytes;
        s.by_launches += is_changed ? 0 : a->bytes;
    }
    return s;
}

enum proact_status spread_arrays(const struct launching *l, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; i < l->place_count && !status; i++)
        status = proact_array_spread(l->places[i].array, err);
    return status;
}
