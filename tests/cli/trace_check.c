/* SPDX-License-Identifier: Apache-2.0 */
/* Check of a trace as Perfetto's JSON importer reads it, without dropping events. Usage:
   trace_check FILE REPORT. It prints the rows, or the first error and exits with 1.

   The traced method is the last one in the report of --json; its time determines the unit.
   The format is "Trace Event Format",
   docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 512, NAME_BYTES = 64 };

struct slice {
    long long start_ns, end_ns;
    size_t number; /* position in the file: if two slices begin together, the first one is
                      the outer one */
};

struct row {
    long long device, lane; /* pid and tid; lane -1: the device */
    char name[NAME_BYTES];
    struct slice *slices;
    size_t count;
};

struct trace {
    struct row row[ROWS_MAX];
    size_t row_count;
    long long end_ns;
};

static void demand(bool holds, size_t event, const char *format, ...)
{
    va_list args;

    if (holds)
        return;
    printf("event %zu: ", event);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    exit(1);
}

static struct row *find_row(struct trace *t, long long device, long long lane)
{
    for (size_t i = 0; i < t->row_count; i++)
        if (t->row[i].device == device && t->row[i].lane == lane)
            return &t->row[i];
    return NULL;
}

static long long whole(const json_t *event, size_t number, const char *key)
{
    const json_t *value = json_object_get(event, key);

    demand(json_is_integer(value) && json_integer_value(value) >= 0, number,
           "\"%s\" is no whole number from 0 up", key);
    return json_integer_value(value);
}

static const char *word(const json_t *event, size_t number, const char *key)
{
    const char *value = json_string_value(json_object_get(event, key));

    demand(value && *value, number, "\"%s\" is no text", key);
    return value;
}

/* The file has microseconds; the devices' clocks count integral nanoseconds. */
static long long time_ns(const json_t *event, size_t number, const char *key)
{
    const json_t *value = json_object_get(event, key);
    double ns = json_number_value(value) * 1e3;

    demand(json_is_number(value) && ns >= 0 && ns < 1e15, number,
           "\"%s\" is no time from 0 up", key);
    demand(fabs(ns - nearbyint(ns)) < 1e-2, number,
           "\"%s\" is %.6f ns: not in microseconds?", key, ns);
    return llrint(ns);
}

/* Metadata: the name of a process or thread, once and before its slices. */
static void take_name(struct trace *t, const json_t *event, size_t number)
{
    bool of_process = strcmp(word(event, number, "name"), "process_name") == 0;

    demand(of_process || strcmp(word(event, number, "name"), "thread_name") == 0, number,
           "metadata '%s' names neither process nor thread", word(event, number, "name"));
    long long device = whole(event, number, "pid");
    long long lane = of_process ? -1 : whole(event, number, "tid");
    const char *name = word(json_object_get(event, "args"), number, "name");

    demand(!find_row(t, device, lane), number, "'%s' is a second name", name);
    demand(of_process || find_row(t, device, -1), number,
           "'%s' is named before its process", name);
    demand(t->row_count < ROWS_MAX, number, "more than %d rows", ROWS_MAX);
    struct row *row = &t->row[t->row_count++];

    *row = (struct row){.device = device, .lane = lane};
    snprintf(row->name, sizeof row->name, "%s", name);
}

static void take_slice(struct trace *t, const json_t *event, size_t number)
{
    const json_t *args = json_object_get(event, "args");
    long long device = whole(event, number, "pid"), lane = whole(event, number, "tid");
    struct row *row = find_row(t, device, lane);
    long long start_ns = time_ns(event, number, "ts");

    word(event, number, "name");
    word(event, number, "cat");
    demand(!args || json_is_object(args), number, "\"args\" is no object");
    demand(row && find_row(t, device, -1), number, "row %lld of device %lld has no name",
           lane, device);
    if ((row->count & (row->count + 1)) == 0) {
        row->slices = realloc(row->slices, (2 * row->count + 1) * sizeof *row->slices);
        if (!row->slices)
            abort();
    }
    long long end_ns = start_ns + time_ns(event, number, "dur");

    row->slices[row->count++] = (struct slice){start_ns, end_ns, number};
    t->end_ns = end_ns > t->end_ns ? end_ns : t->end_ns;
}

static int by_start(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Slices of a row are consecutive or nested; the importer drops others. */
static void check_nesting(const struct row *row)
{
    struct slice *open = calloc(row->count + 1, sizeof *open);
    size_t depth = 0;

    if (!open)
        abort();
    if (row->count)
        qsort(row->slices, row->count, sizeof *row->slices, by_start);
    for (size_t i = 0; i < row->count; i++) {
        const struct slice *s = &row->slices[i];

        while (depth && open[depth - 1].end_ns <= s->start_ns)
            depth--;
        demand(!depth || s->end_ns <= open[depth - 1].end_ns, s->number,
               "device %lld, %s: %lld to %lld ns overlaps event %zu, %lld to %lld ns",
               row->device, row->name, s->start_ns, s->end_ns,
               depth ? open[depth - 1].number : 0, depth ? open[depth - 1].start_ns : 0,
               depth ? open[depth - 1].end_ns : 0);
        open[depth++] = *s;
    }
    free(open);
}

static void take_event(struct trace *t, const json_t *event, size_t number)
{
    demand(json_is_object(event), number, "no object");
    const char *phase = word(event, number, "ph");

    if (strcmp(phase, "M") == 0)
        take_name(t, event, number);
    else if (strcmp(phase, "X") == 0)
        take_slice(t, event, number);
    else
        demand(false, number, "phase '%s' is neither M nor X", phase);
}

/* The trace is longer than the reported time, because arrays are written before the
   iterations. */
static void check_length(const struct trace *t, const char *report)
{
    json_t *all = json_load_file(report, 0, NULL);
    const json_t *methods = json_object_get(all, "methods");
    const json_t *traced = json_array_get(methods, json_array_size(methods) - 1);
    long long time_ns = json_integer_value(json_object_get(traced, "time_ns"));

    demand(time_ns > 0 && t->end_ns >= time_ns && t->end_ns < 10 * time_ns, 0,
           "the trace ends at %lld ns, the run took %lld", t->end_ns, time_ns);
    json_decref(all);
}

static void print_rows(const struct trace *t)
{
    for (size_t i = 0; i < t->row_count; i++) {
        const struct row *row = &t->row[i];

        demand(row->lane < 0 || row->count, 0, "row '%s' is empty", row->name);
        check_nesting(row);
        printf("%lld %s\n", row->device, row->name);
        free(row->slices);
    }
}

int main(int argc, char **argv)
{
    struct trace *t = calloc(1, sizeof *t);
    json_error_t fault = {.text = "trace_check FILE REPORT"};
    json_t *all =
        argc == 3 ? json_load_file(argv[1], JSON_REJECT_DUPLICATES, &fault) : NULL;
    const json_t *events = json_object_get(all, "traceEvents"), *event;
    const char *unit = json_string_value(json_object_get(all, "displayTimeUnit"));
    size_t number;

    if (!t || !events || !unit || (strcmp(unit, "ns") != 0 && strcmp(unit, "ms") != 0)) {
        printf("no trace: %s\n", fault.text);
        return 1;
    }
    json_array_foreach(events, number, event) take_event(t, event, number);
    check_length(t, argv[2]);
    print_rows(t);
    json_decref(all);
    free(t);
    return 0;
}
