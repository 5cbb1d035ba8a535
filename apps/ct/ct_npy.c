/* SPDX-License-Identifier: Apache-2.0 */
#include "ct/ct_npy.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/complain.h"
#include "graph/plain_text.h"

enum { MAGIC_BYTES = 6, PREFIX_BYTES = 10, HEADER_ALIGN = 64 };

static double npy_float32(const unsigned char *at)
{
    float value;

    memcpy(&value, at, sizeof value);
    return (double)value;
}

static double npy_float64(const unsigned char *at)
{
    double value;

    memcpy(&value, at, sizeof value);
    return value;
}

static double npy_int16(const unsigned char *at)
{
    int16_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static double npy_int32(const unsigned char *at)
{
    int32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static double npy_uint8(const unsigned char *at)
{
    return *at;
}

/* One row per element type of the format. */
static const struct npy_type {
    const char *name;
    size_t bytes;
    double (*load)(const unsigned char *at);
} npy_types[] = {
    {"<f4", 4, npy_float32}, {"<f8", 8, npy_float64}, {"<i2", 2, npy_int16},
    {"<i4", 4, npy_int32},   {"|u1", 1, npy_uint8},
};

static const struct npy_type *npy_find_type(const char *header)
{
    const char *at = strstr(header, "'descr'");

    for (size_t i = 0; at && i < sizeof npy_types / sizeof *npy_types; i++) {
        char word[16];

        snprintf(word, sizeof word, "'%s'", npy_types[i].name);
        const char *found = strstr(at, word);

        if (found && found - at < 16)
            return &npy_types[i];
    }
    return NULL;
}

/* The numbers in the parentheses after 'shape'. */
static enum proact_status npy_take_shape(const char *path, const char *header,
                                         struct ct_npy *npy, struct proact_error *err)
{
    const char *at = strstr(header, "'shape'");
    size_t product = 1;

    at = at ? strchr(at, '(') : NULL;
    while (at && *++at && *at != ')') {
        char *end;
        unsigned long long value = strtoull(at, &end, 10);

        if (end == at)
            continue;
        if (npy->dimensions == CT_NPY_DIMENSIONS_MAX)
            return complain(err, PROACT_EINVAL, "%s: the array has more than %d dimensions",
                            path, CT_NPY_DIMENSIONS_MAX);
        npy->shape[npy->dimensions++] = value;
        if (value == 0 || value > SIZE_MAX / 16 / product)
            return complain(err, PROACT_EINVAL, "%s: %llu elements in a dimension", path,
                            value);
        product *= value;
        at = end - 1;
    }
    if (!npy->dimensions)
        return complain(err, PROACT_EINVAL, "%s: the array has no dimensions", path);
    return PROACT_OK;
}

static size_t npy_count(const struct ct_npy *npy)
{
    size_t count = 1;

    for (unsigned i = 0; i < npy->dimensions; i++)
        count *= npy->shape[i];
    return count;
}

static enum proact_status npy_parse(const char *path, const char *header,
                                    const unsigned char *data, size_t bytes,
                                    struct ct_npy *npy, struct proact_error *err)
{
    const struct npy_type *type = npy_find_type(header);
    enum proact_status status;

    if (!type)
        return complain(err, PROACT_EINVAL,
                        "%s: the element type is none of <f4, <f8, <i2, <i4, |u1", path);
    if (strstr(header, "'fortran_order': True"))
        return complain(err, PROACT_EINVAL,
                        "%s: the array is in Fortran order: save it in C order", path);
    if ((status = npy_take_shape(path, header, npy, err)))
        return status;
    size_t count = npy_count(npy);

    if (bytes != count * type->bytes)
        return complain(err, PROACT_EINVAL, "%s: %zu elements need %zu bytes, found %zu",
                        path, count, count * type->bytes, bytes);
    npy->value = app_calloc(count, sizeof *npy->value);
    for (size_t i = 0; i < count; i++)
        npy->value[i] = type->load(data + i * type->bytes);
    return PROACT_OK;
}

enum proact_status ct_npy_read(const char *path, struct ct_npy *out,
                               struct proact_error *err)
{
    char *text;
    size_t bytes;
    struct ct_npy npy = {0};
    enum proact_status status = plain_text_read(path, &text, &bytes, err);

    if (status)
        return status;
    const unsigned char *raw = (const unsigned char *)text;
    size_t prefix =
        bytes > MAGIC_BYTES && raw[MAGIC_BYTES] > 1 ? PREFIX_BYTES + 2 : PREFIX_BYTES;
    size_t length = 0;

    if (bytes < prefix || memcmp(raw, "\x93NUMPY", MAGIC_BYTES) != 0) {
        free(text);
        return complain(err, PROACT_EINVAL, "%s: it is no .npy file", path);
    }
    for (size_t i = prefix; i > 8; i--)
        length = length << 8 | raw[i - 1];
    if (length > bytes - prefix) {
        free(text);
        return complain(err, PROACT_EINVAL, "%s: its header of %zu bytes is cut off", path,
                        length);
    }
    char *header = app_calloc(length + 1, 1);

    memcpy(header, text + prefix, length);
    status =
        npy_parse(path, header, raw + prefix + length, bytes - prefix - length, &npy, err);
    free(header);
    free(text);
    if (status)
        ct_npy_clear(&npy);
    else
        *out = npy;
    return status;
}

unsigned char *ct_npy_format(const struct ct_npy *npy, size_t *bytes)
{
    char header[256];
    int length = snprintf(header, sizeof header,
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (");
    size_t count = npy_count(npy);

    for (unsigned i = 0; i < npy->dimensions; i++)
        length += snprintf(header + length, sizeof header - (size_t)length, "%zu,%s",
                           npy->shape[i], i + 1 < npy->dimensions ? " " : "");
    length += snprintf(header + length, sizeof header - (size_t)length, "), }");
    while ((PREFIX_BYTES + length + 1) % HEADER_ALIGN)
        header[length++] = ' ';
    header[length++] = '\n';
    const unsigned char prefix[PREFIX_BYTES] = {0x93,
                                                'N',
                                                'U',
                                                'M',
                                                'P',
                                                'Y',
                                                1,
                                                0,
                                                (unsigned char)length,
                                                (unsigned char)(length >> 8)};

    *bytes = PREFIX_BYTES + (size_t)length + count * sizeof(float);
    unsigned char *file = app_calloc(*bytes, 1), *at = file + PREFIX_BYTES + length;

    memcpy(file, prefix, PREFIX_BYTES);
    memcpy(file + PREFIX_BYTES, header, (size_t)length);
    for (size_t i = 0; i < count; i++) {
        float value = (float)npy->value[i];

        memcpy(at + i * sizeof value, &value, sizeof value);
    }
    return file;
}

void ct_npy_clear(struct ct_npy *npy)
{
    free(npy->value);
    *npy = (struct ct_npy){0};
}
