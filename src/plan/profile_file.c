/* SPDX-License-Identifier: Apache-2.0 */
/* Files of profiles: reading, and updates under a lock. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "plan/profile.h"

enum { LOCK_TRIES = 1000, LOCK_PAUSE_NS = 10000000 }; /* 10 s */

/* Other files than regular ones could block or never end. */
static enum proact_status profile_check_kind(const char *path, const struct stat *is,
                                             struct proact_error *err)
{
    return S_ISREG(is->st_mode)
               ? PROACT_OK
               : fail(err, PROACT_EINVAL, "%s: a profile must be a regular file", path);
}

enum proact_status profile_read(const char *path, struct profile *into,
                                struct proact_error *err)
{
    struct stat is;
    char *data;
    size_t bytes;
    enum proact_status status;

    if (stat(path, &is))
        return errno == ENOENT || errno == ENOTDIR
                   ? PROACT_OK
                   : fail(err, PROACT_EINVAL, "%s: cannot be read: %s", path,
                          strerror(errno));
    if ((status = profile_check_kind(path, &is, err)) ||
        (status = file_read(path, &data, &bytes, err)))
        return status;
    status = profile_parse(path, data, bytes, into, err);
    free(data);
    return status;
}

/* Locks a descriptor without waiting forever. */
static enum proact_status profile_lock(const char *path, int descriptor, int *tries,
                                       struct proact_error *err)
{
    const struct timespec pause = {0, LOCK_PAUSE_NS};

    while (flock(descriptor, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail(err, PROACT_EINVAL, "%s: cannot be locked: %s", path,
                        strerror(errno));
        if (++*tries > LOCK_TRIES)
            return fail(err, PROACT_ETIMEOUT, "%s: another process has locked it for %d s",
                        path, LOCK_TRIES / (1000000000 / LOCK_PAUSE_NS));
        nanosleep(&pause, NULL);
    }
    return PROACT_OK;
}

/* Opens and locks the file, which is created if missing. An update replaces the file, so
   the locked one may be an old one: then the lock is taken again, of the new one. */
static enum proact_status profile_open_locked(const char *path, int *out,
                                              struct proact_error *err)
{
    struct stat mine, now;
    int tries = 0;
    enum proact_status status;

    for (;;) {
        if (stat(path, &now) == 0 && (status = profile_check_kind(path, &now, err)))
            return status;
        const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);

        if (descriptor < 0)
            return fail(err, PROACT_EINVAL, "%s: cannot be written: %s", path,
                        strerror(errno));
        if ((status = profile_lock(path, descriptor, &tries, err))) {
            close(descriptor);
            return status;
        }
        if (fstat(descriptor, &mine) == 0 && stat(path, &now) == 0 &&
            mine.st_ino == now.st_ino && mine.st_dev == now.st_dev) {
            *out = descriptor;
            return PROACT_OK;
        }
        close(descriptor);
    }
}

enum proact_status profile_update(const char *path,
                                  void (*change)(struct profile *file, void *context),
                                  void *context, struct proact_error *err)
{
    struct profile *file;
    struct text text = {0};
    int descriptor;
    enum proact_status status = profile_open_locked(path, &descriptor, err);

    if (status)
        return status;
    file = profile_create();
    status = profile_read(path, file, err);
    if (!status) {
        change(file, context);
        profile_print(file, &text);
        status = file_write(path, text.data, text.length, err);
    }
    text_clear(&text);
    profile_free(file);
    close(descriptor);
    return status;
}

static void profile_merge_into(struct profile *file, void *context)
{
    const struct profile *p = context;

    for (size_t i = 0; i < profile_count(p); i++)
        profile_put(file, profile_at(p, i));
}

enum proact_status profile_save(const struct profile *p, const char *path,
                                struct proact_error *err)
{
    return profile_update(path, profile_merge_into, (void *)p, err);
}

char *profile_absolute_path(const char *path)
{
    struct text text = {0};
    char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);

    text_print(&text, "%s%s%s", folder ? folder : "", folder ? "/" : "", path);
    free(folder);
    return text.data;
}

/* The XDG specification ignores relative paths. */
static char *profile_path_in(const char *folder, size_t length, const char *more)
{
    struct text path = {0};

    if (!length || folder[0] != '/')
        return NULL;
    text_add(&path, folder, length);
    text_print(&path, "%s/proact/profile", more);
    return path.data;
}

char *profile_user_path(void)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    char *path = data ? profile_path_in(data, strlen(data), "") : NULL;

    return path || !home ? path : profile_path_in(home, strlen(home), "/.local/share");
}

char **profile_default_paths(void)
{
    const char *folders = getenv("XDG_DATA_DIRS");
    char **paths = NULL;
    size_t count = 0, capacity = 0;

    if (!folders || !*folders)
        folders = "/usr/local/share:/usr/share";
    /* The first folder is the most significant one. */
    for (size_t end = strlen(folders) + 1, from; end-- > 0; end = from) {
        for (from = end; from > 0 && folders[from - 1] != ':';)
            from--;
        char *path = profile_path_in(folders + from, end - from, "");

        if (path) {
            paths = must_grow(paths, count, &capacity, sizeof *paths);
            paths[count++] = path;
        }
    }
    char *user = profile_user_path();

    paths = must_grow(paths, count + 1, &capacity, sizeof *paths);
    paths[count] = user;
    paths[count + (user != NULL)] = NULL;
    return paths;
}
