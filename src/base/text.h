/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Strings and files. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>

/* A growing string. It starts zeroed; `data` is NUL-terminated after the first addition. */
struct text {
    char *data;
    size_t length, capacity;
};

void text_add(struct text *t, const char *data, size_t length);
__attribute__((format(printf, 2, 3))) void text_print(struct text *t, const char *format,
                                                      ...);
void text_clear(struct text *t);

/* Reads a file. The result is NUL-terminated (not counted); release *out with free(). */
enum proact_status file_read(const char *path, char **out, size_t *bytes,
                             struct proact_error *err);

/* Writes a temporary file and renames it, so that `path` is always either the old or the
   complete new file. A symbolic link remains. A pipe, a terminal or an open descriptor is
   written directly. */
enum proact_status file_write(const char *path, const char *data, size_t bytes,
                              struct proact_error *err);

/* Path prefix of an open descriptor; a number follows. */
#define FILE_DESCRIPTORS "/dev/fd/"
bool file_is_descriptor(const char *path);

/* Incremental form of file_write(). Added data does not stay in memory. A process that is
   killed leaves no file. */
struct file_output {
    int descriptor, error; /* error: the first one, which file_finish()
                              reports */
    struct text path, target, pending;
    bool is_nameless; /* until file_finish(); else written directly */
};

enum proact_status file_open(const char *path, struct file_output *out,
                             struct proact_error *err);
void file_add(struct file_output *f, const char *data, size_t bytes);

/* Gives the file its name. Releases the output in any case; on failure
   no file is left. */
enum proact_status file_finish(struct file_output *f, struct proact_error *err);
void file_discard(struct file_output *f);
