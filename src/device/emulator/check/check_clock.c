/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/check/check_clock.h"

#include <stdlib.h>

#include "base/memory.h"

struct check_clock {
    uint32_t references, count;
    struct check_step step[];
};

static struct check_clock *clock_room(uint32_t count)
{
    struct check_clock *k =
        must_calloc(1, sizeof(struct check_clock) + count * sizeof(struct check_step));

    k->references = 1;
    return k;
}

static void push(struct check_clock *k, uint32_t first, uint64_t time)
{
    uint64_t before = k->count ? k->step[k->count - 1].time : 0;

    if (time == before)
        return;
    k->step[k->count].first = first;
    k->step[k->count++].time = time;
}

struct check_clock *check_clock_make(const struct check_step *steps, uint32_t count)
{
    uint32_t changes = 0;

    for (uint32_t i = 0; i < count; i++)
        changes += steps[i].time != (i ? steps[i - 1].time : 0);
    struct check_clock *k = clock_room(changes);

    for (uint32_t i = 0; i < count; i++)
        push(k, steps[i].first, steps[i].time);
    return k;
}

struct check_clock *check_clock_keep(struct check_clock *k)
{
    if (k)
        k->references++;
    return k;
}

void check_clock_drop(struct check_clock *k)
{
    if (k && --k->references == 0)
        free(k);
}

void check_clock_clear(struct check_clock **k)
{
    check_clock_drop(*k);
    *k = NULL;
}

uint64_t check_clock_time(const struct check_clock *k, uint32_t actor)
{
    uint32_t low = 0,
             high = k ? k->count : 0; /* steps below `low` start at or before actor */

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (k->step[middle].first <= actor)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? k->step[low - 1].time : 0;
}

uint32_t check_clock_count(const struct check_clock *k)
{
    return k ? k->count : 0;
}

/* Whether `k` is at least `steps` for all actors. */
static bool covers(const struct check_clock *k, const struct check_step *steps,
                   uint32_t count)
{
    uint64_t mine = 0;

    for (uint32_t i = 0, j = 0; j < count; j++) {
        uint64_t end = j + 1 < count ? steps[j + 1].first : UINT64_MAX;

        while (i < k->count && k->step[i].first <= steps[j].first)
            mine = k->step[i++].time;
        if (mine < steps[j].time)
            return false;
        while (i < k->count && k->step[i].first < end) {
            mine = k->step[i++].time;
            if (mine < steps[j].time)
                return false;
        }
    }
    return true;
}

static struct check_clock *merge(const struct check_clock *a,
                                 const struct check_step *steps, uint32_t count)
{
    struct check_clock *k = clock_room(a->count + count);
    uint64_t left = 0, right = 0;

    for (uint32_t i = 0, j = 0; i < a->count || j < count;) {
        uint32_t first = i < a->count ? a->step[i].first : UINT32_MAX;

        if (j < count && steps[j].first < first)
            first = steps[j].first;
        if (i < a->count && a->step[i].first == first)
            left = a->step[i++].time;
        if (j < count && steps[j].first == first)
            right = steps[j++].time;
        push(k, first, left > right ? left : right);
    }
    return k;
}

struct check_clock *check_clock_join(struct check_clock *a, struct check_clock *b)
{
    if (!a || !b || a == b)
        return check_clock_keep(a ? a : b);
    if (covers(a, b->step, b->count))
        return check_clock_keep(a);
    if (covers(b, a->step, a->count))
        return check_clock_keep(b);
    return merge(a, b->step, b->count);
}

struct check_clock *check_clock_with(struct check_clock *a, uint32_t actor, uint64_t time)
{
    const struct check_step steps[] = {{time, actor}, {0, actor + 1}};

    if (!a)
        return check_clock_make(steps, 2);
    if (check_clock_time(a, actor) >= time)
        return check_clock_keep(a);
    return merge(a, steps, 2);
}

void check_clock_add(struct check_clock **k, struct check_clock *more)
{
    struct check_clock *both = check_clock_join(*k, more);

    check_clock_drop(*k);
    *k = both;
}
