/* SPDX-License-Identifier: Apache-2.0 */
#include "measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/memory.h"

static void read_text(const struct json_at *at, const char *key, char *into, size_t size)
{
    struct proact_error err = {""};

    if (json_has(at, key))
        bench_must(json_get_text(at, key, into, size, &err), &err);
}

static void read_whole(const struct json_at *at, const char *key, uint64_t *into)
{
    struct proact_error err = {""};
    const struct json_range range = {.low = 0, .high = 1e12};

    if (json_has(at, key))
        bench_must(json_get_whole(at, key, range, into, &err), &err);
}

static void read_row(const struct json_at *at, const char *key, struct measured_row *r)
{
    const struct json_range positive = {.low = 0, .high = 1e9, .above = true};
    struct proact_error err = {""};

    if (!json_has(at, key))
        bench_must(json_refuse(at, &err, "expected a row with the key '%s'", key), &err);
    read_text(at, "what", r->row.what, sizeof r->row.what);
    read_text(at, "excluded", r->row.excluded, sizeof r->row.excluded);
    read_text(at, "pattern", r->row.pattern, sizeof r->row.pattern);
    read_text(at, "method", r->row.method, sizeof r->row.method);
    read_text(at, "note", r->row.note, sizeof r->row.note);
    read_text(at, "probe", r->probe, sizeof r->probe);
    read_whole(at, "chunk_bytes", &r->row.chunk_bytes);
    read_whole(at, "threads", &r->row.threads);
    read_whole(at, "bytes", &r->question.bytes);
    read_whole(at, "ctas", &r->question.ctas);
    read_whole(at, "peers", &r->question.peers);
    r->question.threads = r->row.threads;
    if (json_has(at, "ratio"))
        bench_must(json_get_real(at, "ratio", positive, &r->row.ratio, &err), &err);
    bench_must(json_get_real(at, "measured", positive, &r->row.measured, &err), &err);
}

void measured_read(const char *path, const char *key, struct measured *out)
{
    struct json_file *file = NULL;
    struct json_at root, rows;
    struct proact_error err = {""};

    *out = (struct measured){.count = 0};
    bench_must(json_load(path, &file, &err), &err);
    root = json_root(file);
    bench_must(json_get_text(&root, "machine", out->machine, sizeof out->machine, &err),
               &err);
    read_text(&root, "source", out->source, sizeof out->source);
    bench_must(json_get_array(&root, "rows", &rows, &err), &err);
    out->count = json_count(&rows);
    out->rows = must_calloc(out->count + 1, sizeof *out->rows);
    for (size_t i = 0; i < out->count; i++) {
        struct json_at at = json_element(&rows, i);

        read_row(&at, key, &out->rows[i]);
    }
    json_destroy(file);
}

void measured_name(const struct measured *m, struct bench_report *r)
{
    snprintf(r->source, sizeof r->source, "%s", m->source);
    snprintf(r->source_machine, sizeof r->source_machine, "%s", m->machine);
}

void measured_beside(const struct bench_request *q, struct measured *out,
                     struct bench_request *effective, struct bench_report *r)
{
    *out = (struct measured){.count = 0};
    *effective = *q;
    if (!q->against)
        return;
    measured_read(q->against, "what", out);
    effective->machine = q->machine ? q->machine : out->machine;
    measured_name(out, r);
    r->before = out;
}

/* Values follow a colon and are not compared. */
static bool same_what(const char *a, const char *b)
{
    size_t length = strcspn(a, ":");

    return length == strcspn(b, ":") && !strncmp(a, b, length);
}

void measured_fill(const struct measured *m, struct bench_row *row)
{
    for (size_t i = 0; m && i < m->count; i++)
        if (same_what(m->rows[i].row.what, row->what)) {
            row->measured = m->rows[i].row.measured;
            memcpy(row->excluded, m->rows[i].row.excluded, sizeof row->excluded);
            return;
        }
}

static bool is_same(const struct bench_row *a, const struct bench_row *b)
{
    return same_what(a->what, b->what) && !strcmp(a->pattern, b->pattern) &&
           !strcmp(a->method, b->method) && !strcmp(a->note, b->note) &&
           fabs(a->ratio - b->ratio) < 1e-9 && a->chunk_bytes == b->chunk_bytes;
}

static bool is_compared(const struct bench_row *row, const struct bench_report *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (is_same(row, &r->rows[i]))
            return true;
    return false;
}

void measured_end(struct measured *m, struct bench_report *r)
{
    r->before = NULL;
    r->rows_before = m->count;
    for (size_t i = 0; i < m->count; i++) {
        const struct bench_row *row = &m->rows[i].row;

        if (is_compared(row, r))
            r->rows_compared++;
        else if (row->what[0])
            snprintf(r->left_over, sizeof r->left_over, "%s", row->what);
        else
            snprintf(r->left_over, sizeof r->left_over, "%s, %g, %s, chunks of %llu bytes",
                     row->pattern, row->ratio, row->method,
                     (unsigned long long)row->chunk_bytes);
    }
    free(m->rows);
    *m = (struct measured){.count = 0};
}
