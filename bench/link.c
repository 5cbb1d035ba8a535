/* SPDX-License-Identifier: Apache-2.0 */
/* The links of an emulated machine beside those that were measured: asks the emulator each
   question of a file of measurements, and prints a table; --json writes it as JSON.
   Usage: proact_bench_link [--machine M] [--measured FILE] [--json FILE] [--within PERCENT]
   With --within it fails when a row that the model covers is further off. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_write.h"
#include "link_probe.h"

struct options {
    const char *machine, *measured, *json, *within;
};

struct row {
    char what[96], outside[160]; /* outside: why the model does not cover it, or "" */
    const struct link_probe *probe;
    struct link_question question;
    double measured, emulated;
};

struct report {
    char machine[64], source[256];
    const char *emulated; /* the machine asked, which may be another */
    struct row *rows;
    size_t count;
};

static void read_row(const struct json_at *at, struct row *r)
{
    const struct json_range count = {.low = 0, .high = 1e12};
    struct proact_error err = {""};
    struct {
        const char *key;
        uint64_t *into;
    } numbers[] = {{"bytes", &r->question.bytes},
                   {"ctas", &r->question.ctas},
                   {"threads", &r->question.threads},
                   {"peers", &r->question.peers}};
    char probe[32];

    link_must(json_get_text(at, "what", r->what, sizeof r->what, &err), &err);
    link_must(json_get_text(at, "probe", probe, sizeof probe, &err), &err);
    if (json_has(at, "outside"))
        link_must(json_get_text(at, "outside", r->outside, sizeof r->outside, &err), &err);
    link_must(json_get_real(at, "measured", (struct json_range){0, 1e9, true}, &r->measured,
                            &err),
              &err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (json_has(at, numbers[i].key))
            link_must(json_get_whole(at, numbers[i].key, count, numbers[i].into, &err),
                      &err);
    if (!(r->probe = link_probe_find(probe))) {
        json_refuse(at, &err, "expected a probe that is known, found \"%s\"", probe);
        link_must(PROACT_EINVAL, &err);
    }
}

static void read_measured(const char *path, struct report *r)
{
    struct json_file *file = NULL;
    struct json_at root, rows;
    struct proact_error err = {""};

    link_must(json_load(path, &file, &err), &err);
    root = json_root(file);
    link_must(json_get_text(&root, "machine", r->machine, sizeof r->machine, &err), &err);
    link_must(json_get_text(&root, "source", r->source, sizeof r->source, &err), &err);
    link_must(json_get_array(&root, "rows", &rows, &err), &err);
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

static double difference(const struct row *r)
{
    return r->emulated / r->measured - 1;
}

/* Gives the largest difference of what the model covers. */
static double print_table(const struct report *r)
{
    double worst = 0;

    printf("%-48s %10s %10s %-5s %7s\n", r->emulated, "measured", "emulated", "",
           "differs");
    for (size_t i = 0; i < r->count; i++) {
        const struct row *row = &r->rows[i];

        printf("%-48s %10.2f %10.2f %-5s %+6.1f%%%s\n", row->what, row->measured,
               row->emulated, row->probe->unit, 100 * difference(row),
               row->outside[0] ? " *" : "");
        if (!row->outside[0] && fabs(difference(row)) > fabs(worst))
            worst = difference(row);
    }
    printf(
        "measured: %s\nlargest difference, but for * which the model leaves out: %+.1f%%\n",
        r->source, 100 * worst);
    return fabs(worst);
}

static void write_json(const struct report *r, const char *path)
{
    struct json_writer w = {.lines = 2};
    struct proact_error err = {""};

    json_begin(&w, NULL, JSON_OBJECT);
    json_put_text(&w, "measured_machine", r->machine);
    json_put_text(&w, "emulated_machine", r->emulated);
    json_put_text(&w, "source", r->source);
    json_put_text(&w, "runs", "1: the virtual clock gives the same time each run");
    json_begin(&w, "rows", JSON_ARRAY);
    for (size_t i = 0; i < r->count; i++) {
        const struct row *row = &r->rows[i];

        json_begin(&w, NULL, JSON_OBJECT);
        json_put_text(&w, "what", row->what);
        json_put_text(&w, "unit", row->probe->unit);
        json_put_real(&w, "measured", row->measured);
        json_put_real(&w, "emulated", row->emulated);
        if (row->outside[0])
            json_put_text(&w, "outside", row->outside);
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
    link_must(file_write(path, w.text.data, w.text.length, &err), &err);
    text_clear(&w.text);
}

static void read_options(int argc, char **argv, struct options *o)
{
    struct {
        const char *name, **into;
    } known[] = {{"--machine", &o->machine},
                 {"--measured", &o->measured},
                 {"--json", &o->json},
                 {"--within", &o->within}};
    const size_t count = sizeof known / sizeof *known;

    for (int i = 1; i < argc; i += 2) {
        size_t k = 0;

        while (k < count && strcmp(argv[i], known[k].name))
            k++;
        if (k == count || i + 1 == argc) {
            fprintf(stderr, "usage: proact_bench_link [--machine M] [--measured FILE] "
                            "[--json FILE] [--within PERCENT]\n");
            exit(2);
        }
        *known[k].into = argv[i + 1];
    }
}

int main(int argc, char **argv)
{
    struct options o = {.measured = PROACT_SOURCE "/bench/measured/h200x4.json"};
    struct report r = {.count = 0};
    struct link_machine m;

    read_options(argc, argv, &o);
    read_measured(o.measured, &r);
    r.emulated = o.machine ? o.machine : r.machine;
    link_open(&m, r.emulated);
    for (size_t i = 0; i < r.count; i++)
        r.rows[i].emulated = r.rows[i].probe->ask(&m, &r.rows[i].question);
    double worst = print_table(&r);

    if (o.json)
        write_json(&r, o.json);
    link_close(&m);
    free(r.rows);
    return o.within && 100 * worst > strtod(o.within, NULL);
}
