/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Files that may be gzip. */

#include <proact/status.h>
#include <stddef.h>

/* The whole file, inflated when its first two bytes are gzip's, NUL-terminated (the NUL is
   not counted); free(*out). Several gzip members count as one file. A torn file, a wrong
   checksum and bytes after the last member each say at which byte of the file; what unpacks
   to more than 64 MiB and 64 times its size is refused. */
enum proact_status gzip_read(const char *path, char **out, size_t *bytes,
                             struct proact_error *err);

/* The same from memory; `name` is for messages. */
enum proact_status gzip_inflate(const char *name, const char *data, size_t size, char **out,
                                size_t *bytes, struct proact_error *err);
