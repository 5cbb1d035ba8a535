/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/instrument.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "instrument/clone/clone.h"

enum { GRID = 1 << INSTRUMENT_GRID, INLINE = 1 << INSTRUMENT_INLINE };
enum {
    COUNT = 1 << INSTRUMENT_COUNT | 1 << INSTRUMENT_SEND,
    STAGE = 1 << INSTRUMENT_STAGE
};
enum { ENDING = COUNT | STAGE, ALL = GRID | INLINE | ENDING };

/* Transforms in execution order, with the versions that they apply to. */
static const struct {
    unsigned clones;
    enum proact_status (*run)(struct clone *c);
    bool is_body; /* changes instructions of the kernel */
} passes[] = {
    {ALL, refuse_whole, false},    {ALL, refuse_calls, false},
    {ALL, refuse_waits, false},    {ALL, clone_add_partition, false},
    {ALL, replace_indices, true},  {ALL, keep_coherent, true},
    {ALL, redirect_flags, true},   {INLINE, repeat_stores, true},
    {STAGE, stage_stores, true},   {ENDING, tally_threads, false},
    {ENDING, end_together, false},
};

/* Adds the text of the version, if it is wanted, or its refusal. A version that replaces
   the kernel keeps the kernel's line numbers, which faults report. */
static void make_clone(struct clone *c, bool in_place, struct text *text)
{
    enum proact_status status = PROACT_OK;
    const struct ptx_span all = c->function->span;

    for (size_t p = 0; p < sizeof passes / sizeof *passes && !status; p++)
        if (passes[p].clones & 1u << c->kind && !(passes[p].is_body && c->request->is_end))
            status = passes[p].run(c);
    if (!status && c->is_wanted) {
        text_add(text, "\n\n", in_place ? 0 : 2);
        (in_place ? edit_print_in_lines : edit_print)(&c->edits, c->module, all, text);
    }
    edit_clear(&c->edits);
}

/* `result`: NULL if only the texts are needed. */
static void make_clones(const struct ptx_module *m, const struct ptx_function *f,
                        const struct instrument_request *r, unsigned wanted, bool in_place,
                        struct instrument_result *result, struct text *text)
{
    const unsigned made = result ? ALL : wanted;
    struct instrument_result unused;
    struct arena arena = {0};
    struct clone base = {.module = m, .function = f, .request = r, .arena = &arena};

    base.origin = origin_find(m, f, r, &arena);
    base.flow = ptx_flow_build(f, &arena);
    result = result ? result : &unused;
    *result =
        (struct instrument_result){.partition_offset = (f->parameter_bytes + 7) / 8 * 8};
    for (int kind = 0; kind < INSTRUMENT_CLONES; kind++) {
        struct clone c = base;

        if (!(made & 1u << kind))
            continue;

        c.kind = (enum instrument_clone)kind;
        c.is_wanted = wanted & 1u << kind;
        c.err = &result->refusal[kind];
        make_clone(&c, in_place, text);
        result->shared_bytes[kind] = c.tallies ? TALLY_BYTES : 0;
    }
    arena_clear(&arena);
}

enum proact_status instrument_waits(const struct ptx_module *m,
                                    const struct instrument_request *r,
                                    struct proact_error *err)
{
    const struct ptx_function *f = ptx_function_find(m, r->kernel);
    struct arena arena = {0};
    struct clone c = {
        .module = m, .function = f, .request = r, .arena = &arena, .err = err};

    c.origin = origin_find(m, f, r, &arena);
    c.flow = ptx_flow_build(f, &arena);
    const enum proact_status status = refuse_waits(&c);

    arena_clear(&arena);
    return status;
}

static const struct instrument_request *request_of(
    const struct ptx_function *f, const struct instrument_request *requests, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (f->is_entry && strcmp(requests[i].kernel, f->name) == 0)
            return &requests[i];
    return NULL;
}

/* Contents of the new text: functions to omit (NULL: none) and versions to add. */
struct choice {
    const bool *left_out;
    unsigned clones;
};

/* Appends the text from `at` to `end`. Omitted functions leave only their newlines. */
static void add_kept(const struct ptx_module *m, const bool *left_out, uint32_t at,
                     uint32_t end, struct text *text)
{
    for (uint32_t i = 0; left_out && i < m->function_count; i++) {
        const struct ptx_span span = m->functions[i].span;

        if (!left_out[i] || span.offset < at || span.offset >= end)
            continue;
        text_add(text, m->text + at, span.offset - at);
        at = span.offset + span.bytes;
        for (const char *k = m->text + span.offset, *last = m->text + at;
             (k = memchr(k, '\n', (size_t)(last - k))); k++)
            text_add(text, "\n", 1);
    }
    text_add(text, m->text + at, end - at);
}

static enum proact_status instrument(const struct ptx_module *m,
                                     const struct instrument_request *requests,
                                     size_t count, struct choice choice,
                                     struct instrument_result *results, char **out,
                                     size_t *bytes, struct proact_error *err)
{
    struct text text = {0};
    uint32_t at = 0;

    for (size_t i = 0; i < count; i++) {
        const struct ptx_function *f = ptx_function_find(m, requests[i].kernel);

        if (!f || !f->is_entry)
            return fail(err, PROACT_EINVAL, "%s: no kernel is named '%s'", m->name,
                        requests[i].kernel);
    }
    for (uint32_t i = 0; i < m->function_count; i++) {
        const struct ptx_function *f = &m->functions[i];
        const struct instrument_request *r = request_of(f, requests, count);
        const uint32_t end = f->span.offset + f->span.bytes;
        const bool in_place = choice.left_out && choice.left_out[i];

        if (!r)
            continue;
        add_kept(m, choice.left_out, at, in_place ? f->span.offset : end, &text);
        at = end;
        make_clones(m, f, r, choice.clones, in_place,
                    results ? &results[r - requests] : NULL, &text);
    }
    add_kept(m, choice.left_out, at, (uint32_t)m->bytes, &text);
    *out = text.data;
    *bytes = text.length;
    return PROACT_OK;
}

enum proact_status instrument_module(const struct ptx_module *m,
                                     const struct instrument_request *requests,
                                     size_t count, struct instrument_result *results,
                                     char **out, size_t *bytes, struct proact_error *err)
{
    return instrument(m, requests, count, (struct choice){NULL, ALL}, results, out, bytes,
                      err);
}

/* By function: kernels that neither `kernel` nor any function or variable names. The kernel
   itself is included unless it is named. */
static bool *others_find(const struct ptx_module *m, const char *kernel)
{
    const struct ptx_function *self = ptx_function_find(m, kernel);
    bool *others = must_calloc(m->function_count + 1u, sizeof *others);

    if (self)
        ptx_reach_named(m, self, others);
    for (uint32_t i = 0; i < m->function_count; i++)
        if (!m->functions[i].is_entry)
            ptx_reach(m, &m->functions[i], others);
    for (uint32_t n = 0; n < m->symbol_count; n++)
        for (uint32_t k = 0; k < m->symbols[n].relocation_count; k++) {
            int32_t named = m->symbols[n].relocations[k].symbol & (PTX_SYMBOL_MODULE - 1);
            const struct ptx_symbol *to = &m->symbols[named];

            if ((uint32_t)named < m->symbol_count && to->is_function && to->function >= 0)
                ptx_reach(m, &m->functions[to->function], others);
        }
    for (uint32_t i = 0; i < m->function_count; i++)
        others[i] = !others[i];
    return others;
}

enum proact_status instrument_kernel(const struct ptx_module *m,
                                     const struct instrument_request *request,
                                     struct instrument_result *result, char **out,
                                     size_t *bytes, struct proact_error *err)
{
    /* debug information names all kernels */
    bool *others = strstr(m->text, ".debug_info") ? NULL : others_find(m, request->kernel);
    enum proact_status status =
        instrument(m, request, 1, (struct choice){others, 1u << request->only}, result, out,
                   bytes, err);

    free(others);
    return status;
}
