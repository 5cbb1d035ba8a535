/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/short_name.h"
#include "execute/run/run.h"

static void fault_print(struct execute_warp *w, uint32_t line, unsigned lane,
                        const char *format, va_list args)
{
    struct execute_cta *c = &w->cta->face;
    const struct execute_kernel *k = w->grid->kernel;
    char text[sizeof c->fault], *sourced;
    uint32_t thread[3];
    int length;

    if (c->fault[0])
        return;
    execute_warp_thread(w, lane, thread);
    length = snprintf(text, sizeof text,
                      "kernel '%s', PTX line %u, CTA (%u,%u,%u), thread (%u,%u,%u): ",
                      name_shorten(k->info.name).text, line, c->named[0], c->named[1],
                      c->named[2], thread[0], thread[1], thread[2]);
    if (length > 0 && (size_t)length < sizeof text)
        vsnprintf(text + length, sizeof text - (size_t)length, format, args);
    sourced = ptx_with_sources(k->program->module, text);
    snprintf(c->fault, sizeof c->fault, "%s", sourced);
    free(sourced);
}

void warp_fault(struct execute_warp *w, uint32_t line, unsigned lane, const char *format,
                ...)
{
    va_list args;

    va_start(args, format);
    fault_print(w, line, lane, format, args);
    va_end(args);
}

void execute_fault(struct execute_warp *w, uint32_t line, unsigned lane, const char *format,
                   ...)
{
    va_list args;

    va_start(args, format);
    fault_print(w, line, lane, format, args);
    va_end(args);
}

void execute_line_print(const struct execute_kernel *k, uint32_t line, char *into,
                        size_t bytes)
{
    char *sourced;

    snprintf(into, bytes, "PTX line %" PRIu32, line);
    sourced = ptx_with_sources(k->program->module, into);
    snprintf(into, bytes, "%s", sourced);
    free(sourced);
}

void execute_cta_name(const struct execute_launch *launch, uint32_t number, uint32_t out[3])
{
    const uint32_t *grid = launch->whole[0] ? launch->whole : launch->grid;
    const uint32_t place = launch->whole[0] ? launch->first + number : number;

    out[0] = place % grid[0];
    out[1] = place / grid[0] % grid[1];
    out[2] = place / grid[0] / grid[1];
}

/* The start of a block has no line of its own. */
static uint32_t line_at(const struct op_list *stream, uint32_t pc)
{
    while (pc < stream->count && !stream->ops[pc].line)
        pc++;
    return pc < stream->count ? stream->ops[pc].line : 0;
}

uint32_t execute_cta_line(const struct execute_cta *face)
{
    const struct cta *c = (const struct cta *)face;

    for (uint32_t n = 0; n < face->warp_count; n++)
        if (c->warps[n].live && c->warps[n].group_count)
            return line_at(&face->grid->kernel->stream, c->warps[n].groups[0].pc);
    return 0;
}

struct execute_cta *execute_warp_cta(const struct execute_warp *w)
{
    return &w->cta->face;
}

uint32_t execute_warp_index(const struct execute_warp *w)
{
    return w->index;
}

uint64_t execute_warp_issued(const struct execute_warp *w)
{
    return w->issued;
}

void execute_warp_thread(const struct execute_warp *w, unsigned lane, uint32_t out[3])
{
    const uint32_t *block = w->grid->launch.block;
    uint32_t n = w->index * LANES + lane;

    out[0] = n % block[0];
    out[1] = n / block[0] % block[1];
    out[2] = n / block[0] / block[1];
}
