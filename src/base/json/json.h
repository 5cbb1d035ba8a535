/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reads JSON files that people write: whatever is wrong with one is said as
       FILE:LINE: key 'fabric.latency_ns': expected a positive number, found "x"
   Outputs are written only on success. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_file;
struct json_t; /* jansson's value */

enum { JSON_PATH_MAX = 128 };

/* A value of a file and where it stands. Borrowed from its file. */
struct json_at {
    const struct json_file *file;
    struct json_t *value;
    size_t offset;            /* of the value in the file's text */
    char path[JSON_PATH_MAX]; /* "fabric.wire[2]", shortened where too long; "" is the file
                               */
};

/* Refuses, with line and column, what is no JSON, has a key twice or is no object. `name`
   is for messages; `text` is copied. */
enum proact_status json_parse(const char *name, const char *text, size_t bytes,
                              struct json_file **out, struct proact_error *err);
enum proact_status json_load(const char *path, struct json_file **out,
                             struct proact_error *err);
void json_destroy(struct json_file *file); /* NULL is fine */

struct json_at json_root(const struct json_file *file);
bool json_has(const struct json_at *object, const char *key);
bool json_is_list(const struct json_at *at);
size_t json_count(const struct json_at *at); /* elements or keys; 0 for anything else */

/* Key number `index`, in the file's order; NULL past the last. */
const char *json_key(const struct json_at *object, size_t index);

/* A key's value of any type; where the object lacks it, the object's place and value NULL.
 */
struct json_at json_child(const struct json_at *object, const char *key);

/* The value of a key, or an element of an array. A missing one, and one that is of another
   type than the name says, are refused. */
enum proact_status json_get_object(const struct json_at *object, const char *key,
                                   struct json_at *out, struct proact_error *err);
enum proact_status json_get_array(const struct json_at *object, const char *key,
                                  struct json_at *out, struct proact_error *err);
struct json_at json_element(const struct json_at *array, size_t index);

/* Numbers from `low` to `high`; `above`: more than `low`, which is 0 or so little that the
   sentence may say "positive". */
struct json_range {
    double low, high;
    bool above;
};
enum proact_status json_get_real(const struct json_at *object, const char *key,
                                 struct json_range range, double *out,
                                 struct proact_error *err);
/* Without a fraction; exact up to 2^53. */
enum proact_status json_get_whole(const struct json_at *object, const char *key,
                                  struct json_range range, uint64_t *out,
                                  struct proact_error *err);
enum proact_status json_get_flag(const struct json_at *object, const char *key, bool *out,
                                 struct proact_error *err);
/* At least one and fewer than `size` bytes, none of them a control character. */
enum proact_status json_get_text(const struct json_at *object, const char *key, char *into,
                                 size_t size, struct proact_error *err);

/* The element itself, as a number. */
enum proact_status json_element_real(const struct json_at *element, struct json_range range,
                                     double *out, struct proact_error *err);

/* Refuses a key that is none of the NULL-terminated `keys`, and names the nearest. */
enum proact_status json_known(const struct json_at *object, const char *const *keys,
                              struct proact_error *err);

/* Refuses the value with the line and key in front: "expected ...", "found ..." follows. */
__attribute__((format(printf, 3, 4))) enum proact_status json_refuse(
    const struct json_at *at, struct proact_error *err, const char *format, ...);
