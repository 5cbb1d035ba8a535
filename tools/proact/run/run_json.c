/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench.h"
#include "run/run_report.h"

static void write_machine(const struct run_report *r, struct json_writer *w)
{
    json_begin(w, "machine", JSON_OBJECT);
    json_put_text(w, "name", r->topology->name);
    json_put_text(w, "description", r->topology->description);
    json_put_text(w, "device", r->topology->device.name);
    if (r->topology->fabric.name[0])
        json_put_text(w, "fabric", r->topology->fabric.name);
    json_put_whole(w, "devices", r->study->device_count);
    json_put_flag(w, "emulated", r->study->emulated);
    json_end(w);
}

static void write_run(const struct run_report *r, struct json_writer *w)
{
    const struct run_outcome *one = &r->study->one;

    json_begin(w, "answer", JSON_OBJECT);
    json_put_whole(w, "iterations", one->iterations);
    json_put_real(w, "residual", one->residual);
    json_put_flag(w, "converged", one->converged);
    r->application->write_answer(r->work, one, w);
    json_end(w);
    if (!r->study->is_single) {
        json_begin(w, "one_device", JSON_OBJECT);
        json_put_whole(w, "time_ns", one->time_ns);
        json_end(w);
    }
    if (r->study->ideal_ns) {
        json_begin(w, "ideal", JSON_OBJECT);
        json_put_whole(w, "time_ns", r->study->ideal_ns);
        json_put_real(w, "speedup", (double)one->time_ns / (double)r->study->ideal_ns);
        json_end(w);
    }
}

static void write_row(const struct run_row *row, bool compared, struct json_writer *w)
{
    const struct proact_statistics *s = &row->statistics;

    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "method", row->method);
    json_put_whole(w, "time_ns", row->time_ns);
    if (row->instant_ns)
        json_put_whole(w, "elided_ns", row->instant_ns);
    if (compared) {
        json_put_real(w, "speedup", row->speedup);
        json_put_real(w, "captured_share", row->captured);
        json_put_real(w, "hidden_share", row->hidden);
    }
    json_put_whole(w, "sent_bytes", s->bytes);
    json_put_whole(w, "wire_bytes", s->wire_bytes);
    json_put_whole(w, "packets", s->packets);
    json_put_whole(w, "chunks", s->chunks);
    json_put_real(w, "kernel_ns", s->kernel_ns);
    json_put_real(w, "transfer_ns", s->transfer_ns);
    json_put_real(w, "overlap_ns", s->overlap_ns);
    if (compared)
        json_put_flag(w, "equal_to_one_device", row->equal);
    if (compared && !row->equal)
        json_put_whole(w, "differs_at_byte", row->differs_at);
    json_end(w);
}

enum proact_status run_report_write(const struct run_report *r, const char *path,
                                    struct proact_error *err)
{
    struct json_writer w = {.lines = 2};

    json_begin(&w, NULL, JSON_OBJECT);
    bench_write_build(&w);
    json_put_text(&w, "command", r->request->command_line);
    json_put_text(&w, "application", r->application->name);
    json_put_whole(&w, "seed", r->request->seed);
    json_put_text(&w, "clock", r->study->emulated ? "virtual" : "device");
    write_machine(r, &w);
    json_begin(&w, "plan", JSON_OBJECT);
    json_put_whole(&w, "chunk_bytes", r->request->chunk_bytes); /* 0: selected by proact */
    json_put_whole(&w, "threads", r->request->threads);
    json_end(&w);
    json_begin(&w, "input", JSON_OBJECT);
    r->application->write_input(r->work, &w);
    json_end(&w);
    write_run(r, &w);
    json_begin(&w, "methods", JSON_ARRAY);
    for (unsigned i = 0; i < r->study->row_count; i++)
        write_row(&r->study->row[i], !r->study->is_single, &w);
    json_end(&w);
    json_end(&w);
    enum proact_status status = file_write(path, w.text.data, w.text.length, err);

    text_clear(&w.text);
    return status;
}
