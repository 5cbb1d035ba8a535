/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json/json_write.h"
#include "base/memory.h"
#include "bench_commit.h"
#include "kit.h"
#include "measured.h"

static double difference(const struct bench_row *row)
{
    return row->measured > 0 ? row->value.median / row->measured - 1 : 0;
}

/* The fraction added to the base, in percent. */
static double adds(const struct bench_row *row)
{
    return row->base > 0 ? 100 * (row->value.median / row->base - 1) : 0;
}

static double measured_adds(const struct bench_row *row)
{
    return row->base_measured > 0 ? 100 * (row->measured / row->base_measured - 1) : 0;
}

static double points(const struct bench_row *row)
{
    return row->measured > 0 && row->base_measured > 0 ? adds(row) - measured_adds(row) : 0;
}

static void print_size(uint64_t bytes)
{
    if (!bytes)
        printf(" %8s", "");
    else if (bytes >= 1 << 20)
        printf(" %5.4g MB", (double)bytes / (1 << 20));
    else
        printf(" %5.4g KB", (double)bytes / (1 << 10));
}

static void print_head(const struct bench_report *r, const struct bench_row *row)
{
    bool compares = r->before || row->measured > 0;

    printf("%s on %s: %u x %s%s\n", r->bench, r->machine, r->devices, r->device,
           r->is_virtual ? ", emulated" : "");
    if (row->pattern[0])
        printf("%-12s %5s %-20s %8s %7s %10s", "pattern", "ratio", "method", "chunk",
               "threads", "speedup");
    else
        printf("%-52s %10s     ", "case", "median");
    printf(" %s\n", compares ? "  measured differs" : "   lowest  highest runs");
}

static void print_method(const struct bench_row *row)
{
    char name[sizeof row->method + sizeof row->note + 4];

    snprintf(name, sizeof name, "%s%s%s", row->method, row->note[0] ? ", " : "", row->note);
    printf("%-12s %5.2f %-20s", row->pattern, row->ratio, name);
}

static void print_row(const struct bench_row *row)
{
    if (row->pattern[0]) {
        print_method(row);
        print_size(row->chunk_bytes);
        if (row->threads)
            printf(" %7llu", (unsigned long long)row->threads);
        else
            printf(" %7s", "");
        printf(" %10.3f", row->value.median);
    } else {
        printf("%-52s %10.2f %-4s", row->what, row->value.median, row->unit);
    }
    if (row->measured > 0)
        printf(" %10.2f %+6.1f%%%s", row->measured, 100 * difference(row),
               row->excluded[0] ? " *" : "");
    if (row->measured > 0 && row->base_measured > 0)
        printf(", the added cost by %+.1f points\n", points(row));
    else if (row->measured > 0)
        printf("\n");
    else
        printf(" %9.4g %8.4g %4u\n", row->value.lowest, row->value.highest,
               row->value.runs);
    fflush(stdout);
}

void bench_add(struct bench_report *r, const struct bench_row *row)
{
    if (r->count == 0)
        print_head(r, row);
    r->rows = must_grow(r->rows, r->count, &r->capacity, sizeof *r->rows);
    r->rows[r->count] = *row;
    measured_fill(r->before, &r->rows[r->count]);
    print_row(&r->rows[r->count++]);
}

double bench_worst(const struct bench_report *r)
{
    double worst = 0;

    for (size_t i = 0; i < r->count; i++)
        if (!r->rows[i].excluded[0] && fabs(difference(&r->rows[i])) > fabs(worst))
            worst = difference(&r->rows[i]);
    return worst;
}

double bench_worst_points(const struct bench_report *r)
{
    double worst = 0;

    for (size_t i = 0; i < r->count; i++)
        if (!r->rows[i].excluded[0] && fabs(points(&r->rows[i])) > fabs(worst))
            worst = points(&r->rows[i]);
    return worst;
}

static void write_row(const struct bench_report *r, const struct bench_row *row,
                      struct json_writer *w)
{
    json_begin(w, NULL, JSON_OBJECT);
    if (row->what[0])
        json_put_text(w, "what", row->what);
    if (row->pattern[0]) {
        json_put_text(w, "pattern", row->pattern);
        json_put_real(w, "ratio", row->ratio);
        json_put_text(w, "method", row->method);
        if (row->plan[0])
            json_put_text(w, "plan", row->plan);
        if (row->note[0])
            json_put_text(w, "note", row->note);
        json_put_whole(w, "chunk_bytes", row->chunk_bytes);
        json_put_whole(w, "threads", row->threads);
        json_put_real(w, "took_ns", row->took_ns);
        json_put_real(w, "bulk_uncopied_ns", row->uncopied_ns);
        json_put_real(w, "bulk_skipped_ns", row->skipped_ns);
        json_put_real(w, "ideal", row->ideal);
    }
    json_put_text(w, "unit", row->unit);
    if (r->is_virtual && row->measured > 0)
        json_put_real(w, "measured", row->measured);
    json_put_real(w, r->is_virtual ? "emulated" : "measured", row->value.median);
    json_put_real(w, "lowest", row->value.lowest);
    json_put_real(w, "highest", row->value.highest);
    json_put_whole(w, "runs", row->value.runs);
    if (row->base > 0)
        json_put_real(w, "adds_percent", adds(row));
    if (r->is_virtual && row->measured > 0 && row->base_measured > 0)
        json_put_real(w, "adds_percent_measured", measured_adds(row));
    if (row->excluded[0])
        json_put_text(w, "excluded", row->excluded);
    json_end(w);
}

void bench_write_build(struct json_writer *w)
{
    char date[32] = "";
    time_t now = time(NULL);
    struct tm tm;

    if (gmtime_r(&now, &tm))
        strftime(date, sizeof date, "%Y-%m-%d", &tm);
    json_put_text(w, "date", date);
    json_put_text(w, "proact", PROACT_VERSION);
    json_put_text(w, "commit", BENCH_COMMIT);
}

enum proact_status bench_write(const struct bench_report *r, const char *path,
                               const char *command_line, struct proact_error *err)
{
    struct json_writer w = {.lines = 2};

    json_begin(&w, NULL, JSON_OBJECT);
    json_put_text(&w, "bench", r->bench);
    json_put_text(&w, "machine", r->machine);
    json_put_text(&w, "device", r->device);
    json_put_whole(&w, "devices", r->devices);
    json_put_flag(&w, "emulated", r->is_virtual);
    bench_write_build(&w);
    json_put_text(&w, "command", command_line);
    if (r->source[0])
        json_put_text(&w, "source", r->source); /* of the earlier measurements */
    json_begin(&w, "rows", JSON_ARRAY);
    for (size_t i = 0; i < r->count; i++)
        write_row(r, &r->rows[i], &w);
    json_end(&w);
    json_end(&w);
    enum proact_status status = file_write(path, w.text.data, w.text.length, err);

    text_clear(&w.text);
    return status;
}

void bench_clear(struct bench_report *r)
{
    free(r->rows);
    *r = (struct bench_report){.bench = r->bench};
}
