/* SPDX-License-Identifier: Apache-2.0 */
#include "access/pattern/pattern_split.h"
#include "access/form/divisor.h"
#include "access/form/range.h"

#include <stdlib.h>

static bool same_symbols(const struct access_term *a, const struct access_term *b)
{
    bool same = a->degree == b->degree;

    for (uint32_t k = 0; same && k < a->degree; k++)
        same = a->symbols[k] == b->symbols[k];
    return same;
}

/* Splits a term into its parameters and the rest. */
static void part(const struct access_symbol *symbols, const struct access_term *t,
                 struct access_term *key, struct access_term *rest)
{
    *key = (struct access_term){.factor = 1};
    *rest = (struct access_term){.factor = t->factor};
    for (uint32_t k = 0; k < t->degree; k++) {
        bool scalar = range_is_given(&symbols[t->symbols[k]]);
        struct access_term *to = scalar ? key : rest;

        to->symbols[to->degree++] = t->symbols[k];
    }
}

static bool has_key(const struct split_keys *keys, const struct access_term *key)
{
    for (uint32_t i = 0; i < keys->count; i++)
        if (same_symbols(&keys->keys[i], key))
            return true;
    return false;
}

struct split_keys split_keys_find(const struct access_analysis *a, struct arena *arena)
{
    struct split_keys found = {NULL, 0};
    struct access_term key, rest;
    uint32_t room = 0;

    for (uint32_t r = 0; r < a->record_count; r++)
        room += a->records[r].form ? a->records[r].form->count : 0;
    found.keys = arena_alloc(arena, room * sizeof *found.keys);
    for (uint32_t r = 0; r < a->record_count; r++)
        for (uint32_t i = 0; a->records[r].form && i < a->records[r].form->count; i++) {
            part(a->symbols, &a->records[r].form->terms[i], &key, &rest);
            if (rest.degree && !has_key(&found, &key))
                found.keys[found.count++] = key;
        }
    return found;
}

static const struct access_form *form_of_term(struct forms *s, const struct access_term *t)
{
    struct access_form *f = arena_alloc(s->arena, sizeof *f + sizeof *t);

    f->count = t->factor != 0;
    f->terms[0] = *t;
    return f;
}

static bool refuse(struct split *out, const char *reason)
{
    out->count = 0;
    out->reason = reason;
    return false;
}

static uint32_t first_field(const struct forms *s, const struct access_form *stride)
{
    return stride->terms[0].degree ? s->symbols[stride->terms[0].symbols[0]].offset : 0;
}

/* Order of axes: an outer stride is a product of more extents; unrelated strides keep their
   order. */
static bool is_outside(const struct forms *s, const struct access_axis *a,
                       const struct access_axis *b)
{
    uint32_t x = a->stride->terms[0].degree, y = b->stride->terms[0].degree;

    return x != y ? x > y : first_field(s, a->stride) < first_field(s, b->stride);
}

static void sort_axes(const struct forms *s, struct split *out)
{
    for (uint32_t i = 1; i < out->count; i++)
        for (uint32_t k = i; k && is_outside(s, &out->axes[k], &out->axes[k - 1]); k--) {
            struct access_axis swap = out->axes[k];

            out->axes[k] = out->axes[k - 1];
            out->axes[k - 1] = swap;
        }
}

/* Adds a term, in units of `unit_bytes` bytes, to the axis of its stride. */
static bool add_to_axis(struct splitter *s, struct split *out, struct access_term stride,
                        const struct access_term *term, int64_t unit_bytes)
{
    uint32_t i = 0;

    stride.factor = unit_bytes;
    while (i < out->count && !same_symbols(&out->axes[i].stride->terms[0], &stride))
        i++;
    if (i == ACCESS_AXES_MAX)
        return refuse(out, "it has too many strides");
    if (i == out->count) {
        out->axes[i] = (struct access_axis){.stride = form_of_term(&s->forms, &stride),
                                            .index = form_constant(&s->forms, 0)};
        out->count++;
    }
    if (out->axes[i].stride->terms[0].factor != unit_bytes)
        return refuse(out, "an offset is not a multiple of the element size");
    out->axes[i].index =
        form_add(&s->forms, out->axes[i].index, form_of_term(&s->forms, term), 1);
    return true;
}

static bool split_by_parameters(struct splitter *s, const struct access_form *f,
                                uint32_t element_bytes, struct split *out)
{
    const struct access_term none = {.factor = 1};
    struct access_term key, rest;

    for (uint32_t i = 0; i < f->count; i++) {
        part(s->forms.symbols, &f->terms[i], &key, &rest);
        if (!rest.degree && !has_key(&s->keys, &key)) { /* an offset, not a stride */
            key = none;
            rest = f->terms[i];
        }
        int64_t unit = element_bytes;

        if (rest.factor % unit && !key.degree)
            return refuse(out, "an offset is not a multiple of the element size");
        if (rest.factor % unit) /* a pitch is a number of bytes */
            unit = common_divisor(unit, rest.factor);
        rest.factor /= unit;
        if (!add_to_axis(s, out, key, &rest, unit))
            return false;
    }
    if (!out->count) /* always the first element */
        add_to_axis(s, out, none, &(struct access_term){.factor = 0}, element_bytes);
    sort_axes(&s->forms, out);
    return true;
}

static bool lies_within(const struct splitter *s, const struct access_record *r,
                        const struct access_form *f, int64_t extent)
{
    struct range_view any = {.symbols = s->forms.symbols};
    struct range b;

    if (s->launch && access_bounds(s->analysis, f, r->guards, r->guard_count, s->launch,
                                   s->trips, &b.low, &b.high))
        return b.low >= 0 && b.high < extent;
    return range_of(&any, f, &b) && b.low >= 0 && b.high < extent;
}

/* Greatest common divisor of the factors of all terms on one grid dimension, threads
   included. */
static int64_t stride_of(const struct forms *s, const struct access_form *f, unsigned bit)
{
    int64_t stride = 0;

    for (uint32_t i = 0; i < f->count; i++) {
        const struct access_form *one =
            form_of_term(&(struct forms){.arena = s->arena}, &f->terms[i]);

        if (pattern_grid_dimensions(s, one, true) & bit)
            stride = common_divisor(f->terms[i].factor, stride);
    }
    return stride;
}

/* Splits an index with two grid dimensions: the one with the larger stride gets its own
   axis. */
static void split_constant(struct splitter *s, const struct access_record *r,
                           struct split *out, uint32_t at)
{
    struct access_axis *axis = &out->axes[at], upper = *axis;
    int64_t stride = 0;

    for (unsigned d = 0; d < 3; d++) {
        int64_t here = stride_of(&s->forms, axis->index, 1u << d);

        stride = here > stride ? here : stride;
    }
    if (stride < 2 || out->count == ACCESS_AXES_MAX)
        return;
    upper.index = form_constant(&s->forms, 0);
    for (uint32_t i = 0; i < axis->index->count; i++)
        if (axis->index->terms[i].factor % stride == 0)
            upper.index = form_add(&s->forms, upper.index,
                                   form_of_term(&s->forms, &axis->index->terms[i]), 1);
    axis->index = form_add(&s->forms, axis->index, upper.index, -1);
    upper.index = form_divide(&s->forms, upper.index, stride);
    upper.stride = form_multiply(&s->forms, axis->stride, form_constant(&s->forms, stride));
    if (!lies_within(s, r, axis->index, stride))
        out->is_proven = false;
    pattern_classify(&s->forms, axis);
    pattern_classify(&s->forms, &upper);
    for (uint32_t i = out->count++; i > at; i--)
        out->axes[i] = out->axes[i - 1];
    out->axes[at] = upper;
}

/* The form with launch values for parameters that are a term of their own. */
static const struct access_form *with_values(void *context, uint32_t symbol)
{
    struct splitter *s = context;
    const struct access_symbol *y = &s->forms.symbols[symbol];
    int64_t value;

    if (!range_is_given(y) || !s->launch || !range_given(s->launch, y, &value))
        return NULL;
    return form_constant(&s->forms, value);
}

static int64_t nearest(int64_t a, int64_t b)
{
    return a >= 0 ? (a + b / 2) / b : -((-a + b / 2) / b);
}

static bool split_by_shape(struct splitter *s, const struct access_form *f,
                           const struct access_shape *shape, struct split *out)
{
    int64_t bytes = shape->element_bytes;

    f = form_map(&s->forms, f, with_values, s);
    out->count = shape->count;
    for (uint32_t d = shape->count; d-- > 0; bytes *= (int64_t)shape->extents[d])
        out->axes[d] = (struct access_axis){.stride = form_constant(&s->forms, bytes),
                                            .index = form_constant(&s->forms, 0)};
    for (uint32_t i = 0; f && i < f->count; i++) {
        struct access_term t = f->terms[i];

        for (uint32_t d = 0; d < shape->count && t.factor; d++) {
            struct access_term here = t;
            int64_t stride = out->axes[d].stride->terms[0].factor;

            if (t.degree && t.factor % stride && d + 1 < shape->count)
                continue;
            here.factor = nearest(t.factor, stride);
            t.factor -= here.factor * stride;
            out->axes[d].index =
                form_add(&s->forms, out->axes[d].index, form_of_term(&s->forms, &here), 1);
        }
        if (t.factor)
            return refuse(out, "an offset is not a multiple of the element size");
    }
    return f || refuse(out, "its expression is too large");
}

struct split split_record(struct splitter *s, const struct access_record *r,
                          uint32_t element_bytes, const struct access_shape *shape)
{
    struct split out = {.is_proven = true};

    if (shape) {
        if (!split_by_shape(s, r->form, shape, &out))
            return out;
        for (uint32_t d = 1; d < out.count; d++)
            out.is_proven &=
                lies_within(s, r, out.axes[d].index, (int64_t)shape->extents[d]);
    } else if (!split_by_parameters(s, r->form, element_bytes, &out)) {
        return out;
    }
    for (uint32_t d = 0; d < out.count; d++) {
        unsigned found;

        pattern_classify(&s->forms, &out.axes[d]);
        found = pattern_grid_dimensions(&s->forms, out.axes[d].index, false);
        if (!shape && out.axes[d].how == ACCESS_MIXED && (found & (found - 1)))
            split_constant(s, r, &out, d++);
    }
    return out;
}
