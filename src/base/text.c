/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

void text_add(struct text *t, const char *data, size_t length)
{
    t->data = must_grow(t->data, t->length + length + 1, &t->capacity, 1);
    memcpy(t->data + t->length, data, length);
    t->length += length;
    t->data[t->length] = '\0';
}

void text_print(struct text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        abort();
    t->data = must_grow(t->data, t->length + (size_t)length + 1, &t->capacity, 1);
    va_start(args, format);
    vsnprintf(t->data + t->length, (size_t)length + 1, format, args);
    va_end(args);
    t->length += (size_t)length;
}

void text_clear(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}

enum proact_status file_read(const char *path, char **out, size_t *bytes,
                             struct proact_error *err)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        return fail(err, PROACT_EINVAL, "%s: %s", path, strerror(errno));
    struct text t = {0};
    char part[65536];
    size_t got;

    text_add(&t, "", 0);
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        text_add(&t, part, got);
    int failed = ferror(file);

    fclose(file);
    if (failed) {
        text_clear(&t);
        return fail(err, PROACT_EINVAL, "%s: cannot be read: %s", path, strerror(errno));
    }
    *out = t.data;
    *bytes = t.length;
    return PROACT_OK;
}

enum proact_status file_write(const char *path, const char *data, size_t bytes,
                              struct proact_error *err)
{
    struct text aside = {0};

    text_print(&aside, "%s.part", path);
    FILE *file = fopen(aside.data, "wb");
    int failed = !file;

    if (file) {
        failed = fwrite(data, 1, bytes, file) != bytes;
        failed |= fclose(file) != 0;
    }
    if (!failed)
        failed = rename(aside.data, path) != 0;
    enum proact_status status = PROACT_OK;

    if (failed) {
        status = fail(err, PROACT_EINVAL, "%s: cannot be written: %s", path, strerror(errno));
        unlink(aside.data);
    }
    text_clear(&aside);
    return status;
}
