/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Text and files. */

#include <proact/status.h>
#include <stddef.h>

/* A growing string. Start from zero; `data` is NUL-terminated once anything was added. */
struct text {
    char *data;
    size_t length, capacity;
};

void text_add(struct text *t, const char *data, size_t length);
__attribute__((format(printf, 2, 3))) void text_print(struct text *t, const char *format,
                                                      ...);
void text_clear(struct text *t);

/* The whole file, NUL-terminated (the NUL is not counted); free(*out). */
enum proact_status file_read(const char *path, char **out, size_t *bytes,
                             struct proact_error *err);

/* Writes aside and renames, so that `path` is either the old file or the whole new one. */
enum proact_status file_write(const char *path, const char *data, size_t bytes,
                              struct proact_error *err);
