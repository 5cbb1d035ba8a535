/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Incremental JSON writer, for reports and traces too long for a tree:
       struct json_writer w = {.lines = 2};

       json_begin(&w, NULL, JSON_OBJECT);
       json_put_text(&w, "machine", "v100x4");
       json_begin(&w, "rows", JSON_ARRAY);
       ...
       json_end(&w);
       json_end(&w);
       file_write(path, w.text.data, w.text.length, err);
       text_clear(&w.text);
   `key` is NULL in an array and at the top level. The caller may take and clear `text`
   between two calls. */

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { JSON_DEPTH_MAX = 32 };
enum json_container { JSON_OBJECT, JSON_ARRAY };

/* A writer starts zeroed. */
struct json_writer {
    struct text text;
    unsigned lines; /* containers nested deeper than this are on one line; 0: all are */
    unsigned depth;
    enum json_container open[JSON_DEPTH_MAX];
    bool filled[JSON_DEPTH_MAX]; /* contains a value */
};

void json_begin(struct json_writer *w, const char *key, enum json_container container);
void json_end(struct json_writer *w); /* ends the innermost container; adds a newline after
                                         the outermost */

/* Invalid UTF-8 is written as U+FFFD. NULL is written as null. */
void json_put_text(struct json_writer *w, const char *key, const char *value);
/* Written with as many digits as needed to read the same number. Infinities and NaN are
   null. */
void json_put_real(struct json_writer *w, const char *key, double value);
void json_put_whole(struct json_writer *w, const char *key, uint64_t value);
void json_put_flag(struct json_writer *w, const char *key, bool value);
