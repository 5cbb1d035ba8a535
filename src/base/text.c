/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_TMPFILE. NOLINT(bugprone-reserved-identifier) */
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

enum {
    ASIDE_TRIES = 100
}; /* number of leftover files of crashed runs that are
      tolerated */
enum { PENDING_BYTES = 65536 };
enum { LINKS = 40, LINK_BYTES = 4096 }; /* as on Linux */

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

/* 0 or errno. */
static int write_all(int descriptor, const char *data, size_t bytes)
{
    while (bytes) {
        ssize_t wrote = write(descriptor, data, bytes);

        if (wrote >= 0) {
            data += wrote;
            bytes -= (size_t)wrote;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

static void print_aside(struct text *aside, const char *path, unsigned i)
{
    text_clear(aside);
    text_print(aside, "%s.part-%ld-%u", path, (long)getpid(), i);
}

/* Creates a new file next to `path` that no other process or thread writes. Its name is in
   `aside`. */
static int open_aside(const char *path, struct text *aside)
{
    int descriptor = -1;

    for (unsigned i = 0; i < ASIDE_TRIES && descriptor < 0; i++) {
        print_aside(aside, path, i);
        descriptor = open(aside->data, O_RDWR | O_CREAT | O_EXCL, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

/* Creates a file without a name in the folder of `path`: nothing is left of it however the
   process ends. */
static int open_nameless(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct text name = {0};

    text_print(&name, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    int descriptor = open(name.data, O_TMPFILE | O_RDWR, 0666);

    text_clear(&name);
    if (descriptor < 0 && (descriptor = open_aside(path, &name)) >= 0)
        unlink(name.data); /* file systems without O_TMPFILE */
    text_clear(&name);
    return descriptor;
}

/* Copies all of one file; 0 or errno. */
static int copy_contents(int from, int to)
{
    char part[PENDING_BYTES];
    ssize_t got = 0;
    int error = lseek(from, 0, SEEK_SET) < 0 ? errno : 0;

    while (!error && (got = read(from, part, sizeof part)) != 0)
        if (got > 0)
            error = write_all(to, part, (size_t)got);
        else if (errno != EINTR)
            error = errno;
    return error;
}

/* Links `own` to a new name next to `path`, which is in `aside`; 0 or errno. */
static int link_aside(const char *own, const char *path, struct text *aside)
{
    int error = EEXIST;

    for (unsigned i = 0; i < ASIDE_TRIES && error == EEXIST; i++) {
        print_aside(aside, path, i);
        error = linkat(AT_FDCWD, own, AT_FDCWD, aside->data, AT_SYMLINK_FOLLOW) ? errno : 0;
    }
    return error;
}

/* Copies the file to a new name next to `path`, which is in `aside`; 0 or errno. */
static int copy_aside(int descriptor, const char *path, struct text *aside)
{
    const int copy = open_aside(path, aside);

    if (copy < 0)
        return errno;
    int error = copy_contents(descriptor, copy);

    if (close(copy) && !error)
        error = errno;
    if (error)
        unlink(aside->data);
    return error;
}

/* Gives the nameless file the name `path`, whose old file stays until then; 0 or errno. */
static int name_file(int descriptor, const char *path)
{
    struct text own = {0}, aside = {0};
    int error = 0;

    text_print(&own, "/proc/self/fd/%d", descriptor);
    if (linkat(AT_FDCWD, own.data, AT_FDCWD, path, AT_SYMLINK_FOLLOW)) {
        error = errno == EEXIST ? link_aside(own.data, path, &aside) : errno;
        if (error) /* there is no /proc, or no O_TMPFILE */
            error = copy_aside(descriptor, path, &aside);
        if (!error && rename(aside.data, path)) {
            error = errno;
            unlink(aside.data);
        }
    }
    text_clear(&own);
    text_clear(&aside);
    return error;
}

static void file_clear(struct file_output *f)
{
    text_clear(&f->path);
    text_clear(&f->target);
    text_clear(&f->pending);
    *f = (struct file_output){.descriptor = -1};
}

/* Follows a dangling symbolic link to its end. False and errno if it does not end. */
static bool follow_links(struct text *path)
{
    char to[LINK_BYTES];

    for (int n = 0; n < LINKS; n++) {
        const ssize_t length = readlink(path->data, to, sizeof to - 1);
        const char *name = strrchr(path->data, '/');

        if (length < 0)
            return true;
        to[length] = '\0';
        struct text next = {0};

        if (to[0] != '/' && name)
            text_add(&next, path->data, (size_t)(name + 1 - path->data));
        text_add(&next, to, (size_t)length);
        text_clear(path);
        *path = next;
    }
    errno = ELOOP;
    return false;
}

/* A symbolic link remains: its target is written or created. */
static bool find_target(const char *path, struct text *out)
{
    char *real = realpath(path, NULL);
    const bool is_there = real != NULL;

    text_print(out, "%s", is_there ? real : path);
    free(real);
    return is_there || follow_links(out);
}

bool file_is_descriptor(const char *path)
{
    return strncmp(path, FILE_DESCRIPTORS, strlen(FILE_DESCRIPTORS)) == 0;
}

enum proact_status file_open(const char *path, struct file_output *out,
                             struct proact_error *err)
{
    struct file_output f = {.descriptor = -1};
    struct stat there;

    text_print(&f.path, "%s", path);
    if (file_is_descriptor(path)) { /* appends, if it is a file */
        f.descriptor = open(path, O_WRONLY | O_APPEND);
    } else if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) &&
               !S_ISDIR(there.st_mode)) {
        /* A pipe or a terminal, perhaps as /dev/stdout: there is no file to replace. */
        f.descriptor = open(path, O_WRONLY);
    } else {
        if (find_target(path, &f.target))
            f.descriptor = open_nameless(f.target.data);
        f.is_nameless = true;
    }
    if (f.descriptor < 0) {
        fail(err, PROACT_EINVAL, "%s: cannot be written: %s", path, strerror(errno));
        file_clear(&f);
        return PROACT_EINVAL;
    }
    *out = f;
    return PROACT_OK;
}

static void write_pending(struct file_output *f)
{
    if (!f->error)
        f->error = write_all(f->descriptor, f->pending.data, f->pending.length);
    f->pending.length = 0;
}

void file_add(struct file_output *f, const char *data, size_t bytes)
{
    text_add(&f->pending, data, bytes);
    if (f->pending.length >= PENDING_BYTES)
        write_pending(f);
}

enum proact_status file_finish(struct file_output *f, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;
    int error;

    write_pending(f);
    error = f->error;
    if (!error && f->is_nameless)
        error = name_file(f->descriptor, f->target.data);
    if (close(f->descriptor) && !error)
        error = errno;
    if (error)
        status = fail(err, PROACT_EINVAL, "%s: cannot be written: %s", f->path.data,
                      strerror(error));
    file_clear(f);
    return status;
}

void file_discard(struct file_output *f)
{
    close(f->descriptor);
    file_clear(f);
}

enum proact_status file_write(const char *path, const char *data, size_t bytes,
                              struct proact_error *err)
{
    struct file_output f;

    if (file_open(path, &f, err))
        return PROACT_EINVAL;
    file_add(&f, data, bytes);
    return file_finish(&f, err);
}
