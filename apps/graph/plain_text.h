/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reader of plain or gzip text files. */

#include <proact/status.h>
#include <stddef.h>

/* The text of a file, unpacked, with a NUL that `bytes` does not count. The caller frees
   *out. A damaged gzip file is refused, and so are archives and other packed files, which
   the message names. So is one that unpacks to more than 64 MiB and more
   than 64 times its size; the message suggests gunzip. */
enum proact_status plain_text_read(const char *path, char **out, size_t *bytes,
                                   struct proact_error *err);

/* The lines, borrowed from `text`, whose line ends become NUL. The caller frees only the
   array. */
char **plain_text_lines(char *text, size_t bytes, size_t *count);
