/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Readers of files with ratings. */

#include "als/ratings.h"

/* Text with a line "user,item,rating" for each rating. Users and items are numbers of up to
   64 bits. The separator is a comma, a semicolon or a tab; further columns, empty lines and
   a heading are skipped. `text` has a NUL at `bytes` and is borrowed for the call. `name`
   is for messages of the form "name:line: what was expected, what was found". */
enum proact_status ratings_csv_parse(const char *name, const char *text, size_t bytes,
                                     struct ratings *out, struct proact_error *err);

/* A plain or gzip file: Matrix Market with values, whose rows are users and whose columns
   are items, or CSV as above. */
enum proact_status ratings_read(const char *path, struct ratings *out,
                                struct proact_error *err);
