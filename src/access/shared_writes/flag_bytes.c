/* SPDX-License-Identifier: Apache-2.0 */
#include "access/shared_writes/flag_bytes.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/spans/spans.h"

enum { RANGES_MAX = 64, POINTER_BYTES = 8 };
#define ALL UINT32_MAX /* kind of a range: a complete array that is reduced */

void flag_bytes_clear(struct flag_bytes *b)
{
    free(b->range);
    *b = (struct flag_bytes){0};
}

bool *flag_bytes_all(const struct access_flags *f, const struct ptx_function *of)
{
    bool *is = must_calloc(of->instruction_count + 1u, sizeof *is);

    for (uint32_t n = 0; n < f->count; n++)
        is[f->flag[n].instruction] = true;
    return is;
}

bool *flag_bytes_joint(const struct access_flags *f, const struct ptx_function *of)
{
    bool *is = must_calloc(of->instruction_count + 1u, sizeof *is);

    for (uint32_t n = 0; n < f->count; n++)
        is[f->flag[n].instruction] = f->flag[n].joint;
    return is;
}

bool *flag_bytes_others(const struct access_flags *f, const struct ptx_function *of,
                        uint32_t kind)
{
    bool *is = must_calloc(of->instruction_count + 1u, sizeof *is);

    for (uint32_t n = 0; n < of->instruction_count; n++)
        is[n] = true;
    for (uint32_t n = 0; n < f->count; n++)
        if (f->flag[n].kind == kind)
            is[f->flag[n].instruction] = false;
    return is;
}

void flag_bytes_leave(struct access_flags *f, const bool *instructions)
{
    uint32_t kept = 0;

    for (uint32_t n = 0; n < f->count; n++)
        if (!instructions[f->flag[n].instruction])
            f->flag[kept++] = f->flag[n];
    f->count = kept;
}

const char *flag_bytes_hang(const struct access_flags *f,
                            const struct write_set_pointer *pointers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t at = 0; at < POINTER_BYTES; at++)
            if (f->decide[pointers[i].parameter_offset + at])
                return "of values that depend on a pointer";
    return NULL;
}

bool flag_bytes_meet(const struct flag_bytes *b, uint32_t array, uint64_t first,
                     uint64_t end)
{
    for (size_t n = 0; n < b->count; n++)
        if (b->range[n].array == array && b->range[n].first < end &&
            first < b->range[n].end)
            return true;
    return false;
}

static bool is_pointed_at(const struct access_flags *f, uint32_t kind, uint32_t array,
                          const struct write_set_pointer *pointers, size_t count)
{
    for (uint32_t n = 0; n < f->count; n++)
        for (size_t i = 0; i < count && f->flag[n].kind == kind; i++)
            if (pointers[i].array == array &&
                pointers[i].parameter_offset == f->flag[n].parameter)
                return true;
    return false;
}

static const struct access_flag *first_of(const struct access_flags *f, uint32_t kind)
{
    uint32_t n = 0;

    while (f->flag[n].kind != kind)
        n++;
    return &f->flag[n];
}

/* Whether both kinds may write the same bytes. */
static bool are_joint(const struct access_flags *f, uint32_t a, uint32_t b)
{
    const struct access_flag *x = first_of(f, a), *y = first_of(f, b);

    return x->joint && y->joint && x->way == y->way;
}

bool flag_bytes_are_all(const struct flag_range *r)
{
    return r->kind == ALL;
}

static const char *append(struct flag_bytes *b, const struct flag_range *r)
{
    if (b->count == RANGES_MAX)
        return "to too many ranges";
    b->range = must_grow(b->range, b->count, &b->capacity, sizeof *b->range);
    b->range[b->count++] = *r;
    return NULL;
}

/* Adds a range of one kind, without the parts that are already present. */
static const char *add_range(struct flag_bytes *b, const struct access_flags *f,
                             const struct flag_range *now)
{
    for (size_t n = 0; n < b->count; n++) {
        const struct flag_range was = b->range[n];
        struct flag_range before = *now, behind = *now;
        const char *why = NULL;

        if (was.array != now->array || was.first >= now->end || now->first >= was.end)
            continue;
        if (flag_bytes_are_all(&was) || !are_joint(f, was.kind, now->kind))
            return "and the same bytes with two values, two sizes or two kinds of "
                   "operation";
        before.end = was.first;
        behind.first = was.end;
        if (before.first < before.end)
            why = add_range(b, f, &before);
        return why || behind.first >= behind.end ? why : add_range(b, f, &behind);
    }
    return append(b, now);
}

static const char *add_spans(struct flag_bytes *b, const struct access_flags *f,
                             uint32_t kind, uint32_t array, const struct spans *s)
{
    const char *why = NULL;

    for (size_t n = 0; n < s->count && !why; n++) {
        const struct flag_range now = {array, s->span[n].first, s->span[n].end, kind};

        why = add_range(b, f, &now);
    }
    return why;
}

const char *flag_bytes_add_all(struct flag_bytes *b, uint32_t array, uint64_t bytes)
{
    if (flag_bytes_meet(b, array, 0, UINT64_MAX))
        return "and one array by two kinds of operation";
    return append(b, &(struct flag_range){array, 0, bytes, ALL});
}

/* Module variables follow the arrays; no pointer parameter points to them. */
const char *flag_bytes_add(struct flag_bytes *b, const struct access_flags *f,
                           uint32_t kind, const struct write_set *alone,
                           const struct write_set_pointer *pointers, size_t count)
{
    const char *why = NULL;

    for (uint32_t a = 0; a < alone->array_count && !why; a++) {
        const struct write_set_ranges *r = &alone->arrays[a];
        struct spans spans = {0};
        struct cta_runs_walk w = cta_runs_walk(&r->runs, 0, alone->cta_count);

        for (struct span s; cta_runs_span(&w, &s);)
            spans_add(&spans, s.first, s.end);
        if (r->runs.count && r->is_variable)
            why = "some of them in a variable";
        else if (r->runs.count && !is_pointed_at(f, kind, a, pointers, count))
            why = "some of them through another array's pointer";
        else
            why = add_spans(b, f, kind, a, &spans);
        spans_clear(&spans);
    }
    return why;
}

const char *flag_bytes_written(const struct flag_bytes *b, const struct write_set *others)
{
    for (uint32_t a = 0; a < others->array_count; a++) {
        const struct write_set_ranges *r = &others->arrays[a];
        bool is_set = r->runs.count && flag_bytes_meet(b, a, 0, UINT64_MAX);
        struct cta_runs_walk w = cta_runs_walk(&r->runs, 0, others->cta_count);

        for (struct span s; is_set && cta_runs_span(&w, &s);)
            if (flag_bytes_meet(b, a, s.first, s.end))
                return "and other stores write the same bytes";
    }
    return NULL;
}
