/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json/json_write.h"
#include "base/memory.h"

/* Rows of a device: streams from 1, links from 1000. */
enum { ROW_STREAM = 1, ROW_LINK = 1000, ROWS_MAX = 2000 };
enum { TRACE_DEVICES_MAX = 64 };

struct run_trace {
    struct file_output file;
    struct json_writer writer;
    bool named[TRACE_DEVICES_MAX][ROWS_MAX]; /* row 0: the device itself */
};

static void run_trace_free(struct run_trace *t)
{
    text_clear(&t->writer.text);
    free(t);
}

static void write_out(struct run_trace *t)
{
    file_add(&t->file, t->writer.text.data, t->writer.text.length);
    t->writer.text.length = 0;
}

enum proact_status run_trace_open(const char *path, struct run_trace **out,
                                  struct proact_error *err)
{
    struct run_trace *t = must_calloc(1, sizeof *t);
    enum proact_status status = file_open(path, &t->file, err);

    if (status) {
        free(t);
        return status;
    }
    t->writer.lines = 2;
    json_begin(&t->writer, NULL, JSON_OBJECT);
    json_put_text(&t->writer, "displayTimeUnit", "ns");
    json_begin(&t->writer, "traceEvents", JSON_ARRAY);
    *out = t;
    return PROACT_OK;
}

/* Metadata: the name of a device (row 0) or of one of its rows. */
static void write_name(struct run_trace *t, unsigned device, unsigned row, const char *name)
{
    struct json_writer *w = &t->writer;

    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "ph", "M");
    json_put_text(w, "name", row ? "thread_name" : "process_name");
    json_put_whole(w, "pid", device);
    if (row)
        json_put_whole(w, "tid", row);
    json_begin(w, "args", JSON_OBJECT);
    json_put_text(w, "name", name);
    json_end(w);
    json_end(w);
}

static void name_rows(struct run_trace *t, const struct proact_trace_span *span,
                      unsigned row)
{
    char name[48];

    if (!t->named[span->device][0]) {
        t->named[span->device][0] = true;
        snprintf(name, sizeof name, "device %u", span->device);
        write_name(t, span->device, 0, name);
    }
    if (!t->named[span->device][row]) {
        t->named[span->device][row] = true;
        snprintf(name, sizeof name,
                 span->kind == PROACT_TRACE_LINK ? "link to device %u" : "stream %u",
                 span->track);
        write_name(t, span->device, row, name);
    }
}

void run_trace_span(void *context, const struct proact_trace_span *span)
{
    static const char *const kinds[] = {"kernel", "copy", "wait", "link"};
    struct run_trace *t = context;
    struct json_writer *w = &t->writer;
    unsigned row = span->track + (span->kind == PROACT_TRACE_LINK ? ROW_LINK : ROW_STREAM);

    if (span->device >= TRACE_DEVICES_MAX || row >= ROWS_MAX)
        return;
    name_rows(t, span, row);
    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "ph", "X");
    json_put_text(w, "name", span->name ? span->name : kinds[span->kind]);
    json_put_text(w, "cat", kinds[span->kind]);
    json_put_whole(w, "pid", span->device);
    json_put_whole(w, "tid", row);
    json_put_real(w, "ts", (double)span->start_ns / 1e3); /* the format has microseconds */
    json_put_real(w, "dur", (double)(span->end_ns - span->start_ns) / 1e3);
    if (span->bytes) {
        json_begin(w, "args", JSON_OBJECT);
        json_put_whole(w, "bytes", span->bytes);
        json_end(w);
    }
    json_end(w);
    write_out(t);
}

enum proact_status run_trace_finish(struct run_trace *t, struct proact_error *err)
{
    json_end(&t->writer);
    json_end(&t->writer);
    write_out(t);
    enum proact_status status = file_finish(&t->file, err);

    run_trace_free(t);
    return status;
}

void run_trace_discard(struct run_trace *t)
{
    if (!t)
        return;
    file_discard(&t->file);
    run_trace_free(t);
}
