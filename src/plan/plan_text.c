/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "plan/plan.h"

static const char plan_fields[] =
    "devices axis method tail tail_bytes chunk step threads interior staging needed_first";

void plan_print_methods(const struct plan *p, char out[PLAN_METHODS_BYTES])
{
    const unsigned long long tail_bytes = p->tail_bytes ? p->tail_bytes : 1;

    snprintf(out, PLAN_METHODS_BYTES, *p->tail ? "%s+%s:%llu" : "%s", p->method, p->tail,
             tail_bytes);
}

void plan_print(const struct plan *p, char out[PLAN_TEXT_BYTES])
{
    char *at = out;
    const char *end = out + PLAN_TEXT_BYTES;

#define PRINT(is_set, ...)                                                                 \
    do {                                                                                   \
        if (is_set)                                                                        \
            at += snprintf(at, (size_t)(end - at), __VA_ARGS__);                           \
    } while (0)
    *at = '\0';
    PRINT(p->devices, " devices=%u", p->devices);
    PRINT(p->axis, " axis=%u", p->axis);
    PRINT(*p->method, " method=%s", p->method);
    PRINT(*p->tail, " tail=%s", p->tail);
    PRINT(p->tail_bytes, " tail_bytes=%llu", (unsigned long long)p->tail_bytes);
    PRINT(p->chunk_first, " chunk=%llu", (unsigned long long)p->chunk_first);
    PRINT(p->chunk_step, " step=%llu", (unsigned long long)p->chunk_step);
    PRINT(p->threads, " threads=%u", p->threads);
    PRINT(p->interior, " interior=1");
    PRINT(p->staging, " staging=1");
    PRINT(p->needed_first, " needed_first=1");
#undef PRINT
    if (at > out)
        memmove(out, out + 1, (size_t)(at - out)); /* without the first space */
}

static bool plan_number(const char *text, uint64_t most, uint64_t *out)
{
    char *end;

    errno = 0;
    const unsigned long long n = strtoull(text, &end, 10);

    if (!isdigit((unsigned char)*text) || *end || errno || n > most)
        return false;
    *out = n;
    return true;
}

static bool plan_word(const char *text, char out[PLAN_METHOD_BYTES])
{
    const size_t length = strlen(text);

    if (!length || length >= PLAN_METHOD_BYTES)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)text[i]) && text[i] != '-')
            return false;
    memcpy(out, text, length + 1);
    return true;
}

/* Sets one field. False: the value is not allowed. *is_known: whether there is such a
   field. */
static bool plan_field(struct plan *p, const char *name, const char *value, bool *is_known)
{
    const struct {
        const char *name;
        uint64_t most;
        unsigned *small;
        uint64_t *large;
        bool *is;
        char *word;
    } fields[] = {
        {"devices", 64, .small = &p->devices},
        {"axis", 3, .small = &p->axis},
        {"method", .word = p->method},
        {"tail", .word = p->tail},
        {"tail_bytes", UINT64_MAX, .large = &p->tail_bytes},
        {"chunk", UINT64_MAX, .large = &p->chunk_first},
        {"step", UINT64_MAX, .large = &p->chunk_step},
        {"threads", 1u << 20, .small = &p->threads},
        {"interior", 1, .is = &p->interior},
        {"staging", 1, .is = &p->staging},
        {"needed_first", 1, .is = &p->needed_first},
    };

    *is_known = true;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        uint64_t number;

        if (strcmp(name, fields[i].name) != 0)
            continue;
        if (fields[i].word)
            return plan_word(value, fields[i].word);
        if (!plan_number(value, fields[i].most, &number))
            return false;
        if (fields[i].small)
            *fields[i].small = (unsigned)number;
        else if (fields[i].large)
            *fields[i].large = number;
        else
            *fields[i].is = number;
        return true;
    }
    *is_known = false;
    return false;
}

enum proact_status plan_parse(const char *text, struct plan *out, struct proact_error *err)
{
    struct plan p = {0};
    char copy[PLAN_TEXT_BYTES], *rest = copy, *field;

    if (strlen(text) >= sizeof copy)
        return fail(err, PROACT_EINVAL, "the plan has %zu characters, at most %zu possible",
                    strlen(text), sizeof copy - 1);
    memcpy(copy, text, strlen(text) + 1);
    while ((field = strtok_r(rest, " ", &rest))) {
        char *value = strchr(field, '=');
        bool is_known;

        if (!value)
            return fail(err, PROACT_EINVAL, "plan field '%s' has no value; expected %s=...",
                        field, field);
        *value++ = '\0';
        if (plan_field(&p, field, value, &is_known))
            continue;
        if (is_known)
            return fail(err, PROACT_EINVAL, "plan field %s: '%s' is not a valid value",
                        field, value);
        return fail(err, PROACT_EINVAL, "plan field '%s' is unknown; the fields are %s",
                    field, plan_fields);
    }
    *out = p;
    return PROACT_OK;
}
