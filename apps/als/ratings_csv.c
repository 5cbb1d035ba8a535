/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "als/ratings_read.h"
#include "graph/complain.h"
#include "graph/number_scan.h"

enum { SHOWN_MAX = 40 }; /* characters of a line in a message */

struct csv_reader {
    const char *name, *at, *end;
    size_t line;
    char separator; /* 0: not known yet */
    struct proact_error *err;
};

struct csv_entry {
    uint64_t user, item;
    double value;
};

struct csv_entries {
    struct csv_entry *entry;
    size_t count, capacity;
};

static size_t csv_line_bytes(const struct csv_reader *r)
{
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    size_t bytes = (size_t)((newline ? newline : r->end) - r->at);

    return bytes && r->at[bytes - 1] == '\r' ? bytes - 1 : bytes;
}

static void csv_next_line(struct csv_reader *r)
{
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));

    r->at = newline ? newline + 1 : r->end;
    r->line++;
}

static enum proact_status csv_expected(const struct csv_reader *r, const char *what)
{
    char shown[SHOWN_MAX + 1];
    size_t bytes = csv_line_bytes(r);

    bytes = bytes < SHOWN_MAX ? bytes : SHOWN_MAX;
    for (size_t i = 0; i < bytes; i++)
        shown[i] = isprint((unsigned char)r->at[i]) ? r->at[i] : '?';
    shown[bytes] = '\0';
    return complain(r->err, PROACT_EINVAL, "%s:%zu: expected %s, found '%s'", r->name,
                    r->line, what, shown);
}

static bool is_csv_blank(char c)
{
    return c == ' ' || c == '\r';
}

/* The position after a separator, or NULL. The first one of the file decides. */
static const char *csv_separator(struct csv_reader *r, const char *at)
{
    while (is_csv_blank(*at))
        at++;
    if (!r->separator && *at && strchr(",;\t", *at))
        r->separator = *at;
    if (!r->separator || *at != r->separator)
        return NULL;
    do
        at++;
    while (is_csv_blank(*at));
    return at;
}

/* A separator, the end of the line or of the text. */
static bool ends_csv_field(const struct csv_reader *r, const char *at)
{
    while (is_csv_blank(*at))
        at++;
    return *at == '\n' || at == r->end || *at == r->separator;
}

static enum proact_status csv_read_line(struct csv_reader *r, struct csv_entry *out)
{
    const char *at = r->at;

    while (is_csv_blank(*at))
        at++;
    if (!(at = scan_unsigned(at, &out->user)) || !(at = csv_separator(r, at)) ||
        !(at = scan_unsigned(at, &out->item)) || !(at = csv_separator(r, at)))
        return csv_expected(r, "user,item,rating with numbers for user and item");
    at = scan_real(at, &out->value);
    if (!at || !isfinite(out->value) || !ends_csv_field(r, at))
        return csv_expected(r, "user,item,rating with a finite number as rating");
    return PROACT_OK;
}

static void csv_append(struct csv_entries *e, struct csv_entry entry)
{
    if (e->count == e->capacity) {
        e->capacity = e->capacity ? 2 * e->capacity : 1024;
        e->entry = realloc(e->entry, e->capacity * sizeof *e->entry);
        if (!e->entry)
            abort();
    }
    e->entry[e->count++] = entry;
}

static enum proact_status csv_read_lines(struct csv_reader *r, struct csv_entries *e)
{
    for (; r->at != r->end; csv_next_line(r)) {
        struct csv_entry entry = {0};
        size_t bytes = csv_line_bytes(r);

        if (bytes == 0 || strspn(r->at, " \r") >= bytes)
            continue;
        if (r->line == 1 && !isdigit((unsigned char)r->at[strspn(r->at, " ")]))
            continue; /* the heading */
        enum proact_status status = csv_read_line(r, &entry);

        if (status)
            return status;
        csv_append(e, entry);
    }
    if (e->count == 0)
        return complain(r->err, PROACT_EINVAL, "%s: the file has no ratings", r->name);
    return PROACT_OK;
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The distinct identifiers in ascending order. */
static uint64_t *csv_distinct_ids(const struct csv_entries *e, bool users, size_t *count)
{
    uint64_t *id = app_calloc(e->count, sizeof *id);

    *count = 0;
    for (size_t i = 0; i < e->count; i++)
        id[i] = users ? e->entry[i].user : e->entry[i].item;
    qsort(id, e->count, sizeof *id, compare_ids);
    for (size_t i = 0; i < e->count; i++)
        if (i == 0 || id[i] != id[i - 1])
            id[(*count)++] = id[i];
    return id;
}

static uint32_t csv_number_of(const uint64_t *ids, size_t count, uint64_t id)
{
    const uint64_t *found = bsearch(&id, ids, count, sizeof *ids, compare_ids);

    return (uint32_t)(found - ids);
}

static enum proact_status csv_number_ids(const struct csv_reader *r,
                                         const struct csv_entries *e, struct ratings *out)
{
    size_t users, items;

    if (e->count > UINT32_MAX)
        return complain(r->err, PROACT_EINVAL, "%s: %zu ratings, expected at most %u",
                        r->name, e->count, UINT32_MAX);
    out->user_id = csv_distinct_ids(e, true, &users);
    out->item_id = csv_distinct_ids(e, false, &items);
    out->user_count = (uint32_t)users;
    out->item_count = (uint32_t)items;
    out->count = e->count;
    out->entry = app_calloc(e->count, sizeof *out->entry);
    for (size_t i = 0; i < e->count; i++)
        out->entry[i] = (struct rating){
            csv_number_of(out->user_id, users, e->entry[i].user),
            csv_number_of(out->item_id, items, e->entry[i].item), e->entry[i].value};
    return PROACT_OK;
}

enum proact_status ratings_csv_parse(const char *name, const char *text, size_t bytes,
                                     struct ratings *out, struct proact_error *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* UTF-8's byte order mark */
    struct csv_reader r = {
        .name = name, .at = text, .end = text + bytes, .line = 1, .err = err};

    if (bytes >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0)
        r.at += sizeof mark - 1;
    struct csv_entries e = {0};
    enum proact_status status = csv_read_lines(&r, &e);

    if (!status)
        status = csv_number_ids(&r, &e, out);
    free(e.entry);
    return status;
}
