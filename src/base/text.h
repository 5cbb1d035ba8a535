/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Text and files. */

#include <proact/status.h>
#include <stdbool.h>
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

/* Writes aside and renames, so that `path` is either the old file or the whole new one; a
   link stays a link. What is no file (a pipe, a terminal), or is open already, is written
   as it comes. */
enum proact_status file_write(const char *path, const char *data, size_t bytes,
                              struct proact_error *err);

/* Of one that is open already: a number follows. */
#define FILE_DESCRIPTORS "/dev/fd/"
bool file_is_descriptor(const char *path);

/* The same piece by piece: what is added is not kept. */
struct file_output {
    int descriptor, error;                    /* the first one; file_finish() says it */
    struct text path, target, aside, pending; /* no `aside`: written as it comes */
};

enum proact_status file_open(const char *path, struct file_output *out,
                             struct proact_error *err);
void file_add(struct file_output *f, const char *data, size_t bytes);

/* Names the file what it was asked to be. Frees in any case, and a failure leaves nothing.
 */
enum proact_status file_finish(struct file_output *f, struct proact_error *err);
void file_discard(struct file_output *f);
