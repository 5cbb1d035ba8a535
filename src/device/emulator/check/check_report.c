/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of failed accesses. */
#include <inttypes.h>
#include <stdio.h>

#include "base/short_name.h"
#include "device/emulator/check/check_inside.h"

enum { WHO_BYTES = 384, BYTE_BYTES = 128, LINE_BYTES = 160 };

static void report_print_actor(const struct finding *t, char *into)
{
    const struct check_where *w = t->where;
    char line[LINE_BYTES];

    if (w && w->kernel) {
        snprintf(line, sizeof line, "PTX line %" PRIu32, w->line);
        if (w->code)
            execute_line_print(w->code, w->line, line, sizeof line);
        snprintf(into, WHO_BYTES,
                 "kernel '%s', %s, CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32
                 "), thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")",
                 name_shorten(w->kernel).text, line, w->cta[0], w->cta[1], w->cta[2],
                 w->thread[0], w->thread[1], w->thread[2]);
    } else
        snprintf(into, WHO_BYTES, "%s", t->check->actors[t->actor].name);
}

static void report_print_byte(const struct finding *t, char *into)
{
    struct replica_place r;
    const struct check_range *e = check_extent_of(t->check, t->address);

    if (check_replica_of(t->check, t->address, &r))
        snprintf(into, BYTE_BYTES, "byte %" PRIu64 " of array '%s' on device %u", r.offset,
                 r.array->name, r.device);
    else if (e)
        snprintf(into, BYTE_BYTES, "byte %" PRIu64 " of the allocation at 0x%" PRIx64,
                 t->address - e->address, e->address);
    else
        snprintf(into, BYTE_BYTES, "the byte at 0x%" PRIx64, t->address);
}

void check_report_race(const struct finding *t, const char *other_verb, check_stamp other,
                       uint32_t site)
{
    char who[WHO_BYTES], byte[BYTE_BYTES], line[32] = "";

    report_print_actor(t, who);
    report_print_byte(t, byte);
    if (site)
        snprintf(line, sizeof line, ", PTX line %" PRIu32, t->check->sites[site].line);
    snprintf(t->fault, t->fault_bytes,
             "race: %s %s %s, %s by %s%s, without an order between them (missing fence, "
             "barrier or wait)",
             who, t->verb, byte, other_verb, check_name_at(t->check, other), line);
}

void check_report_unwritten(const struct finding *t)
{
    char who[WHO_BYTES], byte[BYTE_BYTES];

    report_print_actor(t, who);
    report_print_byte(t, byte);
    snprintf(t->fault, t->fault_bytes, "%s %s %s, which was never written", who, t->verb,
             byte);
}

void check_report_stale(const struct finding *t, const struct check_cell *cell)
{
    char who[WHO_BYTES], byte[BYTE_BYTES];
    const struct site *s = &t->check->sites[cell->stale_site];

    report_print_actor(t, who);
    report_print_byte(t, byte);
    snprintf(t->fault, t->fault_bytes,
             "%s %s %s before it was sent by device %u (kernel '%s', PTX line %" PRIu32 ")",
             who, t->verb, byte, s->device, name_shorten(s->kernel).text, s->line);
}
