/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json/json.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json/json_place.h"
#include "base/memory.h"
#include "base/text.h"

struct json_file {
    char *name, *text;
    json_t *root;
    size_t root_offset;
};

/* Messages contain no newline and no control character, for any file contents. */
static void make_printable(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
    }
}

enum proact_status json_parse(const char *name, const char *text, size_t bytes,
                              struct json_file **out, struct proact_error *err)
{
    json_error_t wrong;
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &wrong);

    if (!root) {
        make_printable(wrong.text);
        return fail(err, PROACT_EINVAL, "%s:%d:%d: %s", name, wrong.line, wrong.column,
                    wrong.text);
    }
    struct json_file *file = must_calloc(1, sizeof *file);

    file->name = must_strdup(name);
    file->text = must_strndup(text, bytes);
    file->root = root;
    file->root_offset = json_place_first(file->text);
    if (!json_is_object(root)) {
        struct json_at at = json_root(file);
        enum proact_status status = json_refuse(&at, err, "expected an object in braces");

        json_destroy(file);
        return status;
    }
    *out = file;
    return PROACT_OK;
}

enum proact_status json_load(const char *path, struct json_file **out,
                             struct proact_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    enum proact_status status = file_read(path, &text, &bytes, err);

    if (!status)
        status = json_parse(path, text, bytes, out, err);
    free(text);
    return status;
}

void json_destroy(struct json_file *file)
{
    if (!file)
        return;
    json_decref(file->root);
    free(file->name);
    free(file->text);
    free(file);
}

struct json_at json_root(const struct json_file *file)
{
    return (struct json_at){file, file->root, file->root_offset, ""};
}

/* Short form of a value for messages: numbers and short strings are unchanged. */
static void describe(const json_t *value, char *into, size_t size)
{
    if (json_is_object(value) || json_is_array(value)) {
        snprintf(into, size, json_is_object(value) ? "an object" : "a list of %zu",
                 json_array_size(value));
        return;
    }
    char *text =
        json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));

    if (!text)
        abort(); /* out of memory */
    snprintf(into, size, strlen(text) < size ? "%s" : "%.40s...", text);
    free(text);
}

enum proact_status json_refuse(const struct json_at *at, struct proact_error *err,
                               const char *format, ...)
{
    char expected[256], found[64] = "nothing", key[JSON_PATH_MAX + 16] = "";
    va_list args;

    va_start(args, format);
    vsnprintf(expected, sizeof expected, format, args);
    va_end(args);
    if (at->value)
        describe(at->value, found, sizeof found);
    if (at->path[0])
        snprintf(key, sizeof key, "key '%s': ", at->path);
    return fail(err, PROACT_EINVAL, "%s:%zu: %s%s, found %s", at->file->name,
                json_place_line(at->file->text, at->offset), key, expected, found);
}

bool json_has(const struct json_at *object, const char *key)
{
    return json_object_get(object->value, key) != NULL;
}

bool json_is_list(const struct json_at *at)
{
    return json_is_array(at->value);
}

size_t json_count(const struct json_at *at)
{
    return json_is_array(at->value) ? json_array_size(at->value)
                                    : json_object_size(at->value);
}

const char *json_key(const struct json_at *object, size_t index)
{
    void *entry = json_object_iter(object->value);

    while (entry && index--)
        entry = json_object_iter_next(object->value, entry);
    return entry ? json_object_iter_key(entry) : NULL;
}

struct json_at json_child(const struct json_at *object, const char *key)
{
    struct json_at at = *object;
    const char *name;
    size_t length = strlen(at.path);

    snprintf(at.path + length, sizeof at.path - length, length ? ".%s" : "%s", key);
    make_printable(at.path);
    at.value = json_object_get(object->value, key);
    for (size_t i = 0; at.value && (name = json_key(object, i)); i++) {
        if (strcmp(name, key) == 0)
            at.offset = json_place_member(at.file->text, object->offset, i);
    }
    return at;
}

struct json_at json_element(const struct json_at *array, size_t index)
{
    struct json_at at = *array;
    size_t length = strlen(at.path);

    assert(index < json_array_size(array->value));
    snprintf(at.path + length, sizeof at.path - length, "[%zu]", index);
    at.value = json_array_get(array->value, index);
    at.offset = json_place_element(at.file->text, array->offset, index);
    return at;
}

enum proact_status json_get_object(const struct json_at *object, const char *key,
                                   struct json_at *out, struct proact_error *err)
{
    struct json_at at = json_child(object, key);

    if (!json_is_object(at.value))
        return json_refuse(&at, err, "expected an object in braces");
    *out = at;
    return PROACT_OK;
}

enum proact_status json_get_array(const struct json_at *object, const char *key,
                                  struct json_at *out, struct proact_error *err)
{
    struct json_at at = json_child(object, key);

    if (!json_is_array(at.value))
        return json_refuse(&at, err, "expected a list in brackets");
    *out = at;
    return PROACT_OK;
}

/* `kind`: "number" or "whole number". A value that is no number counts as 0. */
static enum proact_status refuse_number(const struct json_at *at, const char *kind,
                                        struct json_range range, struct proact_error *err)
{
    double value = json_number_value(at->value);

    if (range.above && value <= 0)
        return json_refuse(at, err, "expected a positive %s", kind);
    if (range.above && range.low == 0)
        return json_refuse(at, err, "expected a positive %s of at most %.10g", kind,
                           range.high);
    if (range.low == 0 && value <= 0)
        return json_refuse(at, err, "expected a non-negative %s", kind);
    return json_refuse(at, err, "expected a %s from %.10g to %.10g", kind, range.low,
                       range.high);
}

static bool in_range(struct json_range range, double value)
{
    return value >= range.low && value <= range.high && (!range.above || value > 0);
}

enum proact_status json_element_real(const struct json_at *at, struct json_range range,
                                     double *out, struct proact_error *err)
{
    if (!json_is_number(at->value) || !in_range(range, json_number_value(at->value)))
        return refuse_number(at, "number", range, err);
    *out = json_number_value(at->value);
    return PROACT_OK;
}

enum proact_status json_get_real(const struct json_at *object, const char *key,
                                 struct json_range range, double *out,
                                 struct proact_error *err)
{
    struct json_at at = json_child(object, key);

    return json_element_real(&at, range, out, err);
}

enum proact_status json_get_whole(const struct json_at *object, const char *key,
                                  struct json_range range, uint64_t *out,
                                  struct proact_error *err)
{
    struct json_at at = json_child(object, key);
    double value = json_number_value(at.value);

    assert(range.low >= 0 && range.high <= 0x1p53);
    if (!json_is_number(at.value) || floor(value) != value || !in_range(range, value))
        return refuse_number(&at, "whole number", range, err);
    *out = (uint64_t)value;
    return PROACT_OK;
}

enum proact_status json_get_flag(const struct json_at *object, const char *key, bool *out,
                                 struct proact_error *err)
{
    struct json_at at = json_child(object, key);

    if (!json_is_boolean(at.value))
        return json_refuse(&at, err, "expected true or false");
    *out = json_is_true(at.value);
    return PROACT_OK;
}

enum proact_status json_element_text(const struct json_at *at, char *into, size_t size,
                                     struct proact_error *err)
{
    const char *text = json_string_value(at->value);

    if (!text || !text[0] || strlen(text) >= size)
        return json_refuse(at, err, "expected a text of 1 to %zu bytes", size - 1);
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return json_refuse(at, err, "expected a text without control characters");
    }
    memcpy(into, text, strlen(text) + 1);
    return PROACT_OK;
}

enum proact_status json_get_text(const struct json_at *object, const char *key, char *into,
                                 size_t size, struct proact_error *err)
{
    struct json_at at = json_child(object, key);

    return json_element_text(&at, into, size, err);
}

/* Levenshtein distance of the first 63 bytes. */
static unsigned edits(const char *from, const char *to)
{
    unsigned row[64];
    size_t columns = strnlen(to, 63), rows = strnlen(from, 63);

    for (unsigned j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 0; i < rows; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i + 1;
        for (size_t j = 1; j <= columns; j++) {
            unsigned replaced = diagonal + (from[i] != to[j - 1]);
            unsigned moved = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

            diagonal = row[j];
            row[j] = replaced < moved ? replaced : moved;
        }
    }
    return row[columns];
}

enum proact_status json_known(const struct json_at *object, const char *const *keys,
                              struct proact_error *err)
{
    const char *key;

    assert(keys[0]);
    for (size_t i = 0; (key = json_key(object, i)); i++) {
        const char *nearest = keys[0];

        for (size_t k = 0; keys[k]; k++) {
            if (edits(key, keys[k]) < edits(key, nearest))
                nearest = keys[k];
        }
        if (strcmp(key, nearest) != 0) {
            struct json_at at = json_child(object, key);

            return fail(err, PROACT_EINVAL,
                        "%s:%zu: key '%s': unknown key, expected one such as '%s'",
                        at.file->name, json_place_line(at.file->text, at.offset), at.path,
                        nearest);
        }
    }
    return PROACT_OK;
}
