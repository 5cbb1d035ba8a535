/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out that nothing can happen any more. CTAs that poll and streams that wait keep an
   agenda busy for ever; but if for some time all of them have looked again and again while
   no byte changed, no CTA ended and no stream went on, then none of them ever will. */
#include <inttypes.h>
#include <stdio.h>

#include "device/emulator/stream.h"
#include "device/emulator/windows.h"

/* Longer than any nanosleep (1 ms), and looks enough for every waiter. */
enum { STALL_NS = 5000000, LOOKS = 200 };

static uint64_t changes_of(const struct device_set *set)
{
    uint64_t changes = 0;

    for (unsigned i = 0; i < set->count; i++)
        changes += set->devices[i].changes;
    return changes;
}

bool stall_check(struct device_set *set, struct stall *s)
{
    uint64_t changes = changes_of(set);

    if (changes != s->changes || !s->began) {
        s->changes = changes;
        s->began = true;
        set->quiet_since_ps = set->window_end_ps;
        for (unsigned i = 0; i < set->count; i++)
            for (struct resident *r = set->devices[i].residents; r; r = r->next) {
                r->looks = r->turns;
                r->timed = false;
            }
        return true;
    }
    if (set->window_end_ps - set->quiet_since_ps >
        ps_of_ns(set->options.wait_limit_ms * 1e6))
        return false;
    if (set->window_end_ps - set->quiet_since_ps < STALL_NS * (uint64_t)PS)
        return true;
    for (unsigned i = 0; i < set->count; i++)
        for (const struct resident *r = set->devices[i].residents; r; r = r->next)
            if (r->scheduled && (r->turns - r->looks < LOOKS || r->timed))
                return true; /* time itself may let the latter go on */
    return false;
}

static size_t say(char *into, size_t bytes, size_t used, const char *text)
{
    int n = used < bytes
                ? snprintf(into + used, bytes - used, "%s%s", used ? "; " : "", text)
                : 0;

    return used + (n > 0 ? (size_t)n : 0);
}

static void say_stream(const struct device_stream *s, char *into, size_t bytes)
{
    const struct operation *o = s->first;

    if (o->begin == wait_value_begin)
        snprintf(into, bytes,
                 "stream %u of device %u, which waits for word 0x%" PRIx64
                 " to reach %" PRIu32,
                 s->lane, s->device, o->to, o->word);
    else
        snprintf(into, bytes,
                 "stream %u of device %u, which waits for an event of device %u", s->lane,
                 s->device, o->event->device);
}

void stall_sentence(const struct device_set *set, char *into, size_t bytes)
{
    size_t used = 0;
    char text[200];

    for (unsigned i = 0; i < set->count; i++) {
        const struct resident *r = set->devices[i].residents;
        uint32_t more = set->devices[i].resident_ctas;

        if (!r)
            continue;
        snprintf(text, sizeof text,
                 "kernel '%s' on device %u, line %" PRIu32
                 ", CTA (%u,%u,%u) (and %u more), "
                 "which looks at 0x%" PRIx64,
                 r->run->name, i, r->poll_line, r->cta->id[0], r->cta->id[1], r->cta->id[2],
                 more - 1, r->poll_address);
        used = say(into, bytes, used, text);
    }
    for (const struct device_stream *s = set->streams; s; s = s->next)
        if (s->busy &&
            (s->first->begin == wait_value_begin || s->first->begin == wait_event_begin)) {
            say_stream(s, text, sizeof text);
            used = say(into, bytes, used, text);
        }
    if (!used)
        snprintf(into, bytes, "a stream that never went on");
}
