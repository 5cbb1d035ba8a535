/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The file that a generator writes, compressed by gzip if its name ends in .gz. It appears
   complete or not at all. */

#include "base/text.h"

struct make_output;

enum proact_status make_output_open(const char *path, struct make_output **out,
                                    struct proact_error *err);
void make_output_add(struct make_output *o, const char *data, size_t bytes);

/* Both free `o`. A failure of any earlier write is reported here and leaves no file. */
enum proact_status make_output_finish(struct make_output *o, struct proact_error *err);
void make_output_discard(struct make_output *o);
