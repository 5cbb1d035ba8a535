/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Files that may be gzip-compressed. */

#include <proact/status.h>
#include <stddef.h>

/* Reads a file, and decompresses it if it starts with gzip's two magic bytes. The result is
   NUL-terminated (not counted); release *out with free(). Several gzip members are one
   file. Fails for a truncated member, a wrong checksum, or bytes after the last member; the
   message has the byte offset. Also refuses a result of more than 64 MiB plus 64 times the
   file's size. */
enum proact_status gzip_read(const char *path, char **out, size_t *bytes,
                             struct proact_error *err);

/* The same for data in memory; `name` is used in messages. */
enum proact_status gzip_inflate(const char *name, const char *data, size_t size, char **out,
                                size_t *bytes, struct proact_error *err);
