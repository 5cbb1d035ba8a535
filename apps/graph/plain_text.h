/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Files that may be gzipped, read in one go. */

#include <proact/status.h>
#include <stddef.h>

/* The file's text, NUL-terminated (not counted), unpacked if it is gzip; free(*out). A torn
   or damaged gzip file is refused, and one that unpacks to more than 64 MiB and 64 times
   its size: gunzip it, if it is not a bomb. */
enum proact_status plain_text_read(const char *path, char **out, size_t *bytes,
                                   struct proact_error *err);

/* Its lines: borrowed from `text`, whose line ends become NUL; free() the array only. */
char **plain_text_lines(char *text, size_t bytes, size_t *count);
