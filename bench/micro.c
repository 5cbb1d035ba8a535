/* SPDX-License-Identifier: Apache-2.0 */
/* PROACT V-A: one array made by one device or by all, and needed by all; the speedup of
   each mechanism over bulk, beside what was measured. --json writes the table as JSON.
   Usage: proact_bench_micro [--machine M] [--measured FILE] [--megabytes N] [--json FILE]
                             [--within PERCENT] [--sleep yes] [--host-threads N]
   With --sleep producers sleep instead of computing: quick, but nobody competes for issue
   slots with an agent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_write.h"
#include "micro_run.h"

struct options {
    const char *machine, *measured, *megabytes, *json, *within, *sleep, *threads;
};

struct row {
    char pattern[16], method[16], outside[160];
    double ratio, measured, emulated;
    uint64_t chunk_bytes, threads;
    double bulk_ns, kernel_ns, took_ns;
};

struct report {
    char machine[64], source[256];
    const char *emulated;
    struct row *rows;
    size_t count;
};

static void read_row(const struct json_at *at, struct row *r)
{
    const struct json_range size = {.low = 0, .high = 1e9};
    const struct json_range positive = {.low = 0, .high = 1e9, .above = true};
    struct proact_error err = {""};

    micro_must(json_get_text(at, "pattern", r->pattern, sizeof r->pattern, &err), &err);
    micro_must(json_get_text(at, "method", r->method, sizeof r->method, &err), &err);
    micro_must(json_get_real(at, "ratio", positive, &r->ratio, &err), &err);
    micro_must(json_get_real(at, "measured", positive, &r->measured, &err), &err);
    if (json_has(at, "chunk_bytes"))
        micro_must(json_get_whole(at, "chunk_bytes", size, &r->chunk_bytes, &err), &err);
    if (json_has(at, "threads"))
        micro_must(json_get_whole(at, "threads", size, &r->threads, &err), &err);
    if (json_has(at, "outside"))
        micro_must(json_get_text(at, "outside", r->outside, sizeof r->outside, &err), &err);
}

static void read_measured(const char *path, struct report *r)
{
    struct json_file *file = NULL;
    struct json_at root, rows;
    struct proact_error err = {""};

    micro_must(json_load(path, &file, &err), &err);
    root = json_root(file);
    micro_must(json_get_text(&root, "machine", r->machine, sizeof r->machine, &err), &err);
    micro_must(json_get_text(&root, "source", r->source, sizeof r->source, &err), &err);
    micro_must(json_get_array(&root, "rows", &rows, &err), &err);
    r->count = json_count(&rows);
    r->rows = calloc(r->count + 1, sizeof *r->rows);
    if (!r->rows)
        abort();
    for (size_t i = 0; i < r->count; i++) {
        struct json_at at = json_element(&rows, i);

        read_row(&at, &r->rows[i]);
    }
    json_destroy(file);
}

static bool same_bulk(const struct row *a, const struct row *b)
{
    return !strcmp(a->pattern, b->pattern) && !(a->ratio < b->ratio) &&
           !(a->ratio > b->ratio);
}

static double difference(const struct row *r)
{
    return r->emulated / r->measured - 1;
}

/* Rows of one pattern and ratio stand together: bulk is tuned once for all of them. */
static double run_rows(struct micro *m, struct report *r, bool sleeps)
{
    struct micro_bulk bulk = {.total_ns = 0};
    double worst = 0;

    printf("%-12s %5s %-8s %8s %7s %8s %8s %8s\n", "pattern", "ratio", "method", "chunk",
           "threads", "measured", "emulated", "differs");
    for (size_t i = 0; i < r->count; i++) {
        struct row *row = &r->rows[i];
        unsigned devices = strcmp(row->pattern, "all-to-all") ? 1 : 0;
        const struct proact_plan plan = {.method = row->method,
                                         .chunk_bytes = row->chunk_bytes,
                                         .threads = (unsigned)row->threads};

        if (i == 0 || !same_bulk(row, row - 1)) {
            bulk = micro_tune(m, devices, row->ratio, sleeps);
            printf("bulk: kernel %.1f us, in all %.1f us, ideal %.2f\n",
                   bulk.kernel_ns / 1e3, bulk.total_ns / 1e3,
                   bulk.total_ns / bulk.kernel_ns);
        }
        row->bulk_ns = bulk.total_ns;
        row->kernel_ns = bulk.kernel_ns;
        row->took_ns = micro_run(m, &plan, devices, bulk.work);
        row->emulated = bulk.total_ns / row->took_ns;
        printf("%-12s %5.2f %-8s %8llu %7llu %8.3f %8.3f %+7.1f%%%s\n", row->pattern,
               row->ratio, row->method, (unsigned long long)row->chunk_bytes,
               (unsigned long long)row->threads, row->measured, row->emulated,
               100 * difference(row), row->outside[0] ? " *" : "");
        fflush(stdout);
        if (!row->outside[0] && fabs(difference(row)) > fabs(worst))
            worst = difference(row);
    }
    return worst;
}

static void write_row(struct json_writer *w, const struct row *r)
{
    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "pattern", r->pattern);
    json_put_real(w, "ratio", r->ratio);
    json_put_text(w, "method", r->method);
    json_put_whole(w, "chunk_bytes", r->chunk_bytes);
    json_put_whole(w, "threads", r->threads);
    json_put_real(w, "measured", r->measured);
    json_put_real(w, "emulated", r->emulated);
    json_put_real(w, "bulk_ns", r->bulk_ns);
    json_put_real(w, "kernel_ns", r->kernel_ns);
    json_put_real(w, "took_ns", r->took_ns);
    if (r->outside[0])
        json_put_text(w, "outside", r->outside);
    json_end(w);
}

static void write_json(const struct report *r, const struct options *o)
{
    struct json_writer w = {.lines = 2};
    struct proact_error err = {""};

    json_begin(&w, NULL, JSON_OBJECT);
    json_put_text(&w, "measured_machine", r->machine);
    json_put_text(&w, "emulated_machine", r->emulated);
    json_put_text(&w, "source", r->source);
    json_put_whole(&w, "megabytes", strtoull(o->megabytes, NULL, 10));
    json_put_text(&w, "work", o->sleep ? "sleep" : "multiply-adds");
    json_put_text(&w, "runs", "1: the virtual clock gives the same time each run");
    json_begin(&w, "rows", JSON_ARRAY);
    for (size_t i = 0; i < r->count; i++)
        write_row(&w, &r->rows[i]);
    json_end(&w);
    json_end(&w);
    micro_must(file_write(o->json, w.text.data, w.text.length, &err), &err);
    text_clear(&w.text);
}

static void read_options(int argc, char **argv, struct options *o)
{
    struct {
        const char *name, **into;
    } known[] = {{"--machine", &o->machine},     {"--measured", &o->measured},
                 {"--megabytes", &o->megabytes}, {"--json", &o->json},
                 {"--within", &o->within},       {"--sleep", &o->sleep},
                 {"--host-threads", &o->threads}};
    const size_t count = sizeof known / sizeof *known;

    for (int i = 1; i < argc; i += 2) {
        size_t k = 0;

        while (k < count && strcmp(argv[i], known[k].name))
            k++;
        if (k == count || i + 1 == argc) {
            fprintf(stderr,
                    "usage: proact_bench_micro [--machine M] [--measured FILE] "
                    "[--megabytes N] [--json FILE] [--within PERCENT] [--sleep yes] "
                    "[--host-threads N]\n");
            exit(2);
        }
        *known[k].into = argv[i + 1];
    }
}

int main(int argc, char **argv)
{
    struct options o = {.measured = PROACT_SOURCE "/bench/measured/h200x4-micro.json",
                        .megabytes = "256",
                        .threads = "0"};
    struct report r = {.count = 0};

    read_options(argc, argv, &o);
    read_measured(o.measured, &r);
    r.emulated = o.machine ? o.machine : r.machine;
    struct micro *m = micro_open(r.emulated, strtoull(o.megabytes, NULL, 10) << 20,
                                 (unsigned)strtoul(o.threads, NULL, 10));
    double worst = run_rows(m, &r, o.sleep != NULL);

    printf(
        "measured: %s\nlargest difference, but for * which the model leaves out: %+.1f%%\n",
        r.source, 100 * worst);
    if (o.json)
        write_json(&r, &o);
    micro_close(m);
    free(r.rows);
    return o.within && 100 * fabs(worst) > strtod(o.within, NULL);
}
