/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reader for JSON files that people write. Every error has the form
       FILE:LINE: key 'fabric.latency_ns': expected a positive number, found "x"
   Outputs are written only on success. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_file;
struct json_t; /* value of the jansson library */

enum { JSON_PATH_MAX = 128 };

/* A value of a file and its position. Borrowed from the file. */
struct json_at {
    const struct json_file *file;
    struct json_t *value;
    size_t offset;            /* of the value in the text of the file */
    char path[JSON_PATH_MAX]; /* "fabric.wire[2]", shortened if too long; "": the file
                                 itself */
};

/* Refuses text that is not JSON, has a duplicate key or is not an object. The message has
   line and column. `name` is used in messages; `text` is copied. */
enum proact_status json_parse(const char *name, const char *text, size_t bytes,
                              struct json_file **out, struct proact_error *err);
enum proact_status json_load(const char *path, struct json_file **out,
                             struct proact_error *err);
void json_destroy(struct json_file *file); /* NULL is allowed */

struct json_at json_root(const struct json_file *file);
bool json_has(const struct json_at *object, const char *key);
bool json_is_list(const struct json_at *at);
size_t json_count(const struct json_at *at); /* elements or keys; 0 for any other type */

/* Key number `index` in the order of the file. NULL after the last. */
const char *json_key(const struct json_at *object, size_t index);

/* Value of a key, of any type. If the object does not have the key: the object's position
   and value NULL. */
struct json_at json_child(const struct json_at *object, const char *key);

/* Value of a key, or an element of an array. Refuses a missing value, and a value of
   another type than the function's name states. */
enum proact_status json_get_object(const struct json_at *object, const char *key,
                                   struct json_at *out, struct proact_error *err);
enum proact_status json_get_array(const struct json_at *object, const char *key,
                                  struct json_at *out, struct proact_error *err);
struct json_at json_element(const struct json_at *array, size_t index);

/* Numbers from `low` to `high`, both of them included. `above`: 0 is not; `low` is so small
   that the message for numbers up to 0 says "positive". */
struct json_range {
    double low, high;
    bool above;
};
enum proact_status json_get_real(const struct json_at *object, const char *key,
                                 struct json_range range, double *out,
                                 struct proact_error *err);
/* Integer; exact up to 2^53. */
enum proact_status json_get_whole(const struct json_at *object, const char *key,
                                  struct json_range range, uint64_t *out,
                                  struct proact_error *err);
enum proact_status json_get_flag(const struct json_at *object, const char *key, bool *out,
                                 struct proact_error *err);
/* Refuses a text that is empty, has `size` bytes or more, or contains a control
   character. */
enum proact_status json_get_text(const struct json_at *object, const char *key, char *into,
                                 size_t size, struct proact_error *err);

/* The element as a number, or as a text as json_get_text() takes it. */
enum proact_status json_element_real(const struct json_at *element, struct json_range range,
                                     double *out, struct proact_error *err);
enum proact_status json_element_text(const struct json_at *element, char *into, size_t size,
                                     struct proact_error *err);

/* Refuses a key that is not among the NULL-terminated `keys`. The message has the most
   similar one. */
enum proact_status json_known(const struct json_at *object, const char *const *keys,
                              struct proact_error *err);

/* Refuses the value. The message starts with line and key; the formatted "expected ..." and
   "found ..." follow. */
__attribute__((format(printf, 3, 4))) enum proact_status json_refuse(
    const struct json_at *at, struct proact_error *err, const char *format, ...);
