/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze_launch.h"
#include "base/memory.h"
#include "command.h"

/* Size of an array without --array, larger than any that a kernel uses. */
#define ENDLESS ((uint64_t)1 << 40)

struct filling {
    struct analyze_block *block;
    const struct analyze_kernel *kernel;
    struct analyze_field fields[ANALYZE_FIELDS_MAX];
    uint32_t field_count;
};

static const struct analyze_field *field_at(const struct filling *f, uint32_t offset)
{
    for (uint32_t i = 0; i < f->field_count; i++)
        if (offset >= f->fields[i].offset &&
            offset - f->fields[i].offset < f->fields[i].bytes)
            return &f->fields[i];
    return NULL;
}

/* The bytes that a setting sets: to the end of the field, or of a plain argument. */
static int find_place(const struct filling *f, const char *option,
                      const struct analyze_setting *s, struct analyze_field *out)
{
    const struct ptx_function *k = f->kernel->f;
    const struct ptx_symbol *y = &k->symbols[s->argument];

    if (s->argument >= k->parameter_count)
        return usage_error("analyze",
                           "--%s %s: kernel '%s' has %" PRIu32 " arguments, from 0", option,
                           s->word, k->name, k->parameter_count);
    if (s->offset >= y->bytes)
        return usage_error("analyze", "--%s %s: argument %" PRIu32 " has %" PRIu32 " bytes",
                           option, s->word, s->argument, ptx_symbol_bytes(y));
    uint32_t offset = y->offset + s->offset;
    const struct analyze_field *field = field_at(f, offset);

    *out = (struct analyze_field){offset, ptx_symbol_bytes(y) - s->offset, y->type, false};
    if (field) {
        *out = *field;
        out->offset = offset;
        out->bytes = field->offset + field->bytes - offset;
    } else if (y->bytes > 8) {
        return usage_error("analyze",
                           "--%s %s: kernel '%s' "
                           "does not read these bytes",
                           option, s->word, k->name);
    }
    return EXIT_FINE;
}

static bool read_real(const char *word, uint32_t bytes, uint64_t *out)
{
    char *end = NULL;
    double wide = strtod(word, &end);
    float narrow = (float)wide;

    if (*end || (bytes != 4 && bytes != 8))
        return false;
    *out = 0;
    if (bytes == 4)
        memcpy(out, &narrow, sizeof narrow);
    else
        memcpy(out, &wide, sizeof wide);
    return true;
}

static bool read_whole(const char *word, uint32_t bytes, uint64_t *out)
{
    bool negative = *word == '-';
    char *end = NULL;

    if (word[negative] < '0' || word[negative] > '9')
        return false;
    errno = 0;
    uint64_t value = strtoull(word + negative, &end, 0);
    uint64_t high = bytes >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * bytes) - 1;

    *out = negative ? 0 - value : value;
    return !*end && !errno && value <= (negative ? high / 2 + 1 : high);
}

static int take_arg(struct filling *f, const struct analyze_setting *s)
{
    struct analyze_field place = {0};
    uint64_t value = 0;
    int code = find_place(f, "arg", s, &place);

    if (code)
        return code;
    if (place.is_array && strcmp(s->value, "0") != 0)
        return usage_error("analyze",
                           "--arg %s: the argument is an array: "
                           "use --array, or 0 for a null pointer",
                           s->word);
    bool is_real = place.type == PTX_PART_F32 || place.type == PTX_PART_F64 ||
                   (strchr(s->value, '.') && strncmp(s->value, "0x", 2) != 0);

    if (!(is_real ? read_real : read_whole)(s->value, place.bytes, &value))
        return usage_error("analyze", "--arg %s: expected a number of %" PRIu32 " bytes",
                           s->word, place.bytes);
    memcpy(f->block->bytes + place.offset, &value, place.bytes < 8 ? place.bytes : 8);
    memset(f->block->given + place.offset, true, place.bytes < 8 ? place.bytes : 8);
    return EXIT_FINE;
}

static void add_array(struct filling *f, uint32_t offset, uint64_t bytes, bool sized)
{
    struct analyze_block *b = f->block;
    uint32_t n = b->array_count;

    if (n == ANALYZE_ARRAYS_MAX)
        return;
    b->array_count++;
    analyze_place_text(f->kernel->f, offset, b->names[n], sizeof b->names[n]);
    b->arrays[n] = (struct write_set_array){.name = b->names[n], .bytes = bytes};
    b->pointers[n] = (struct write_set_pointer){offset, n, 0};
    b->sized[n] = sized;
    memset(b->given + offset, true, 8);
}

static int take_array(struct filling *f, const struct analyze_setting *s)
{
    struct analyze_field place = {0};
    int code = find_place(f, "array", s, &place);

    if (code)
        return code;
    if (place.bytes < 8)
        return usage_error("analyze",
                           "--array %s: the field has %" PRIu32 " bytes, "
                           "a pointer has 8",
                           s->word, place.bytes);
    if (f->block->given[place.offset])
        return usage_error("analyze",
                           "--array %s: the argument "
                           "already has a value",
                           s->word);
    add_array(f, place.offset, s->bytes, true);
    return EXIT_FINE;
}

/* An error for a field that the slice loads and no option sets. */
static int check_missing(const struct filling *f, const struct ptx_function *slice)
{
    struct analyze_field fields[ANALYZE_FIELDS_MAX];
    struct text list = {0};
    uint32_t count = analyze_fields(f->kernel, slice, fields);
    bool wide = false;
    int code = EXIT_FINE;

    for (uint32_t i = 0; i < count; i++) {
        bool given = true;
        char place[32];

        for (uint32_t b = 0; b < fields[i].bytes; b++)
            given &= f->block->given[fields[i].offset + b];
        if (given)
            continue;
        analyze_place_text(f->kernel->f, fields[i].offset, place, sizeof place);
        text_print(&list, " --arg %s=VALUE", place);
        wide |= fields[i].bytes == 8;
    }
    if (list.length)
        code = usage_error("analyze",
                           "the writes of kernel '%s' depend on further values: "
                           "add%s%s",
                           f->kernel->f->name, list.data,
                           wide ? ", or --array for an array" : "");
    text_clear(&list);
    return code;
}

static int check_slice(const struct filling *f)
{
    struct write_set_slice_info info = write_set_slice_info(f->kernel->slice);
    struct ptx_module *m = NULL;
    struct proact_error err = {""};

    if (ptx_parse(info.name, info.text, info.text_bytes, &m, &err))
        return failure_exit(&err);
    int code = check_missing(f, ptx_function_find(m, info.name));

    ptx_destroy(m);
    return code;
}

int analyze_block_fill(struct analyze_block *b, const struct analyze_kernel *k,
                       const struct analyze_request *q)
{
    struct filling f = {.block = b, .kernel = k};
    int code = EXIT_FINE;

    f.field_count = analyze_fields(k, k->f, f.fields);
    b->size = k->f->parameter_bytes;
    b->bytes = must_calloc(b->size + 8, 1);
    b->given = must_calloc(b->size + 8, sizeof *b->given);
    for (uint32_t i = 0; i < q->array_count && !code; i++)
        code = take_array(&f, &q->arrays[i]);
    for (uint32_t i = 0; i < q->arg_count && !code; i++)
        code = take_arg(&f, &q->args[i]);
    for (uint32_t i = 0; i < f.field_count; i++)
        if (f.fields[i].is_array && !b->given[f.fields[i].offset])
            add_array(&f, f.fields[i].offset, ENDLESS, false);
    return code || !k->slice ? code : check_slice(&f);
}

void analyze_block_clear(struct analyze_block *b)
{
    free(b->bytes);
    free(b->given);
}
