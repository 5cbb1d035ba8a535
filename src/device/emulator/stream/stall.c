/* SPDX-License-Identifier: Apache-2.0 */
/* Stall detection. CTAs that poll and streams that wait keep an agenda busy forever. If for
   the wait limit all of them polled repeatedly while no byte changed, no CTA ended or
   computed and no stream advanced, then none ever will. Frequent polling of many CTAs
   shortens this time, since it keeps the host busy. */
#include <inttypes.h>
#include <stdio.h>

#include "base/short_name.h"
#include "device/emulator/stream/stream.h"
#include "device/emulator/stream/windows.h"

/* Shorter limit: longer than any nanosleep (1 ms), with enough polls by each CTA and in
   total. */
enum { STALL_NS = 5000000, LOOKS = 200, LOOKS_IN_ALL = 5000000 };

static bool all_looked(const struct device_set *set)
{
    for (unsigned i = 0; i < set->count; i++)
        for (const struct resident *r = set->devices[i].residents; r; r = r->next)
            if (r->is_scheduled && r->looks < LOOKS)
                return false;
    return true;
}

bool stall_check(struct device_set *set, struct stall *s)
{
    uint64_t changes = 0, looks = 0, unchanged;

    for (unsigned i = 0; i < set->count; i++) {
        changes += set->devices[i].changes;
        looks += set->devices[i].looks;
    }
    if (changes != s->changes || !set->changed_ps) {
        s->changes = changes;
        s->looks = looks;
        set->changed_ps = set->window_end_ps;
        return true;
    }
    unchanged = set->window_end_ps - set->changed_ps;
    if (unchanged > ps_of_ns(set->options.wait_limit_ms * 1e6))
        return false;
    return unchanged < STALL_NS * (uint64_t)PS || looks - s->looks < LOOKS_IN_ALL ||
           !all_looked(set);
}

bool stall_is_near(const struct device_set *set)
{
    return set->window_end_ps - set->changed_ps >= STALL_NS * (uint64_t)PS &&
           all_looked(set);
}

static size_t stall_append(char *into, size_t bytes, size_t used, const char *text)
{
    int n = used < bytes
                ? snprintf(into + used, bytes - used, "%s%s", used ? "; " : "", text)
                : 0;

    return used + (n > 0 ? (size_t)n : 0);
}

static void stall_print_stream(const struct device_stream *s, char *into, size_t bytes)
{
    const struct operation *o = s->first;
    char reason[DEVICE_REASON_BYTES];

    device_reason_print(&o->reason, reason);
    if (o->begin == wait_value_begin)
        snprintf(into, bytes,
                 "stream %u of device %u, which waits for %sword 0x%" PRIx64
                 " to reach %" PRIu32,
                 s->lane, s->device, reason, o->to, o->word);
    else
        snprintf(into, bytes,
                 "stream %u of device %u, which waits for an event of device %u", s->lane,
                 s->device, o->event->device);
}

/* CTA with the most polls; the oldest of several. */
static const struct resident *patient(const struct emulated *d)
{
    const struct resident *most = d->residents;

    for (const struct resident *r = most; r; r = r->next)
        if (r->looks >= most->looks)
            most = r;
    return most;
}

static void stall_print_kernel(const struct emulated *d, const struct resident *r,
                               char *into, size_t bytes)
{
    char more[40] = "";

    if (d->resident_ctas > 1)
        snprintf(more, sizeof more, " and %" PRIu32 " more", d->resident_ctas - 1);
    if (r->poll_line)
        snprintf(into, bytes,
                 "kernel '%s' on device %u, CTA (%u,%u,%u)%s, PTX line %" PRIu32
                 ": which polls 0x%" PRIx64,
                 name_shorten(r->run->name).text, d->number, r->named[0], r->named[1],
                 r->named[2], more, r->poll_line, r->poll_address);
    else
        snprintf(into, bytes, "kernel '%s' on device %u, CTA (%u,%u,%u)%s",
                 name_shorten(r->run->name).text, d->number, r->named[0], r->named[1],
                 r->named[2], more);
}

void stall_sentence(const struct device_set *set, char *into, size_t bytes)
{
    size_t used = 0;
    char text[256];

    for (unsigned i = 0; i < set->count; i++) {
        const struct resident *r = patient(&set->devices[i]);

        if (!r)
            continue;
        stall_print_kernel(&set->devices[i], r, text, sizeof text);
        used = stall_append(into, bytes, used, text);
    }
    for (const struct device_stream *s = set->streams; s; s = s->next)
        if (s->busy &&
            (s->first->begin == wait_value_begin || s->first->begin == wait_event_begin)) {
            stall_print_stream(s, text, sizeof text);
            used = stall_append(into, bytes, used, text);
        }
    if (!used)
        snprintf(into, bytes, "a stream that never continued");
}
