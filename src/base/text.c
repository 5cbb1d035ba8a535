/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath(). NOLINT(bugprone-reserved-identifier) */
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

enum { ASIDE_TRIES = 100 }; /* crashed runs may have left that many behind */

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
    int error = ferror(file) ? errno : 0;

    fclose(file);
    if (error) {
        text_clear(&t);
        return fail(err, PROACT_EINVAL, "%s: cannot be read: %s", path, strerror(error));
    }
    *out = t.data;
    *bytes = t.length;
    return PROACT_OK;
}

/* Writes and closes; 0 or the reason. */
static int write_all(int descriptor, const char *data, size_t bytes)
{
    int error = 0;

    while (bytes && !error) {
        ssize_t wrote = write(descriptor, data, bytes);

        if (wrote >= 0) {
            data += wrote;
            bytes -= (size_t)wrote;
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    if (close(descriptor) && !error)
        error = errno;
    return error;
}

/* A new file beside `path`, which no other process or thread writes; its name in `aside`.
 */
static int open_aside(const char *path, struct text *aside)
{
    int descriptor = -1;

    for (unsigned i = 0; i < ASIDE_TRIES && descriptor < 0; i++) {
        text_clear(aside);
        text_print(aside, "%s.part-%ld-%u", path, (long)getpid(), i);
        descriptor = open(aside->data, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

static int replace_file(const char *path, const char *data, size_t bytes)
{
    struct text aside = {0};
    int descriptor = open_aside(path, &aside);
    int error = descriptor < 0 ? errno : 0;

    if (!error) {
        error = write_all(descriptor, data, bytes);
        if (!error && rename(aside.data, path))
            error = errno;
        if (error)
            unlink(aside.data);
    }
    text_clear(&aside);
    return error;
}

enum proact_status file_write(const char *path, const char *data, size_t bytes,
                              struct proact_error *err)
{
    struct stat there;
    int error = 0;

    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) {
        /* A pipe or a terminal, perhaps as /dev/stdout: nothing to replace. */
        int descriptor = open(path, O_WRONLY);

        error = descriptor < 0 ? errno : write_all(descriptor, data, bytes);
    } else {
        char *target = realpath(path, NULL); /* a link stays a link */

        error = replace_file(target ? target : path, data, bytes);
        free(target);
    }
    if (error)
        return fail(err, PROACT_EINVAL, "%s: cannot be written: %s", path, strerror(error));
    return PROACT_OK;
}
