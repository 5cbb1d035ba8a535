/* SPDX-License-Identifier: Apache-2.0 */
/* Array shapes that the user declares. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "access/depends.h"
#include "analyze/analyze_launch.h"
#include "command.h"

/* Size of an array without --array. */
#define BYTES_MAX ((uint64_t)1 << 40)

static bool is_constant(const struct access_symbol *y)
{
    return y->kind == ACCESS_CONSTANT ||
           (y->kind == ACCESS_ELEMENT && y->variable >= PTX_SYMBOL_MODULE);
}

/* For a table, its start must be given. */
static struct analyze_constant constant_of(const struct access_symbol *y)
{
    return (struct analyze_constant){.symbol = y->variable - PTX_SYMBOL_MODULE,
                                     .offset = y->offset,
                                     .bytes = y->kind == ACCESS_CONSTANT ? y->bytes : 0};
}

bool analyze_is_missing(const struct analyze_launch *l, const struct access_symbol *y)
{
    if (is_constant(y)) {
        const struct analyze_constant c = constant_of(y);

        return !analyze_constants_have(&l->constants, &c);
    }
    for (uint32_t b = 0; y->kind == ACCESS_PARAMETER && b < y->bytes; b++)
        if (y->offset + b >= l->block.size || !l->block.given[y->offset + b])
            return true;
    return false;
}

void analyze_missing_text(const struct analyze_kernel *k, const struct access_symbol *y,
                          char *into, size_t size)
{
    char place[128];

    if (is_constant(y)) {
        const struct analyze_constant c = constant_of(y);

        analyze_constant_text(k, &c, place, sizeof place);
    } else {
        analyze_place_text(k->f, y->offset, place, sizeof place);
    }
    snprintf(into, size, "--%s %s=VALUE", is_constant(y) ? "constant" : "arg", place);
}

const struct access_shape *analyze_shape(const struct analyze_kernel *k,
                                         const struct access_array *a)
{
    for (uint32_t i = 0; i < k->shape_count; i++)
        if (a->base == ACCESS_BASE_PARAMETER &&
            k->analysis->symbols[a->base_symbol].offset == k->shapes[i].base_offset)
            return &k->shapes[i];
    return NULL;
}

/* Element size of the array with the pointer at `offset`; 0: no array. */
static uint32_t element_at(const struct analyze_kernel *k, uint32_t offset)
{
    for (uint32_t i = 0; i < k->patterns->count; i++) {
        const struct access_array *a = &k->patterns->arrays[i];

        if (a->base == ACCESS_BASE_PARAMETER &&
            k->analysis->symbols[a->base_symbol].offset == offset)
            return a->element_bytes;
    }
    return 0;
}

/* Size of the array at `offset`, or BYTES_MAX. */
static uint64_t bytes_at(const struct analyze_block *b, uint32_t offset)
{
    for (uint32_t n = 0; n < b->array_count; n++)
        if (b->pointers[n].parameter_offset == offset && b->sized[n])
            return b->arrays[n].bytes;
    return BYTES_MAX;
}

static int take_shape(struct analyze_kernel *k, const struct analyze_launch *l,
                      const struct analyze_setting *s)
{
    const struct ptx_function *f = k->f;
    const uint32_t offset =
        s->argument < f->parameter_count ? f->symbols[s->argument].offset + s->offset : 0;
    const uint32_t element = s->argument < f->parameter_count ? element_at(k, offset) : 0;
    struct access_shape *shape = &k->shapes[k->shape_count];
    uint64_t room = element ? bytes_at(&l->block, offset) / element : 0;

    if (!element)
        return usage_error("analyze",
                           "--shape %s: kernel '%s' "
                           "has no analyzable access to this argument",
                           s->word, f->name);
    for (uint32_t i = 0; i < k->shape_count; i++)
        if (k->shapes[i].base_offset == offset)
            return usage_error("analyze",
                               "--shape %s: the argument "
                               "already has a shape",
                               s->word);
    *shape = (struct access_shape){
        .base_offset = offset, .element_bytes = element, .count = s->extent_count};
    for (uint32_t i = 0; i < s->extent_count; i++) {
        shape->extents[s->extent_count - 1 - i] = s->extents[i];
        room /= s->extents[i];
    }
    if (!room)
        return usage_error("analyze",
                           "--shape %s: more elements of %" PRIu32
                           " bytes than the array's %" PRIu64 " bytes hold",
                           s->word, element, bytes_at(&l->block, offset));
    k->shape_count++;
    return EXIT_FINE;
}

/* An error for a value without an option, which would otherwise count as 0. */
static int check_given(const struct analyze_kernel *k, const struct analyze_launch *l)
{
    const struct access_analysis *a = k->analysis;
    struct access_depends d = access_depends_on_nothing(a);
    const struct access_symbol *missing = NULL;
    char option[160];

    for (uint32_t n = 0; n < a->record_count; n++)
        access_depends_add(&d, &a->records[n]);
    for (uint32_t n = 0; n < a->symbol_count && !missing; n++)
        if (d.symbol[n] && analyze_is_missing(l, &a->symbols[n]))
            missing = &a->symbols[n];
    access_depends_clear(&d);
    if (!missing)
        return EXIT_FINE;
    analyze_missing_text(k, missing, option, sizeof option);
    return usage_error("analyze",
                       "--shape needs all values on which indices depend: "
                       "add %s",
                       option);
}

int analyze_shapes_declare(struct analyze_kernel *k, const struct analyze_launch *l,
                           const struct analyze_request *q)
{
    struct access_launch at = {.parameters = l->block.bytes,
                               .parameter_bytes = l->block.size,
                               .constants = analyze_constants(l)};
    int code = EXIT_FINE;

    if (!q->shape_count)
        return EXIT_FINE;
    for (uint32_t i = 0; i < q->shape_count && !code; i++)
        code = take_shape(k, l, &q->shapes[i]);
    if (code || (code = check_given(k, l)))
        return code;
    memcpy(at.ntid, q->block, sizeof at.ntid);
    memcpy(at.nctaid, q->grid, sizeof at.nctaid);
    access_patterns_destroy(k->patterns);
    k->patterns = access_patterns(k->analysis, k->shapes, k->shape_count, &at);
    return EXIT_FINE;
}
