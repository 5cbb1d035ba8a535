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

static void write_time(struct json_writer *w, const struct run_time *t)
{
    json_put_whole(w, "time_ns", t->ns);
    json_put_whole(w, "spread_ns", t->spread_ns);
    json_put_whole(w, "runs", t->runs);
    json_put_real(w, "setup_s", t->setup_s);
}

static void write_run(const struct run_report *r, struct json_writer *w)
{
    const struct run_outcome *one = &r->study->one;

    if (r->request->sample) {
        json_put_whole(w, "sample", r->request->sample);
    } else {
        json_begin(w, "answer", JSON_OBJECT);
        json_put_whole(w, "iterations", one->iterations);
        json_put_real(w, "residual", one->residual);
        json_put_flag(w, "converged", one->converged);
        r->application->write_answer(r->work, one, w);
        json_end(w);
    }
    if (r->study->is_single)
        return;
    json_begin(w, "one_device", JSON_OBJECT);
    write_time(w, &r->study->one_time);
    json_end(w);
    json_begin(w, "ideal", JSON_OBJECT);
    json_put_real(w, "time_ns", terms_ideal_ns(&r->study->base));
    json_put_whole(w, "bulk_uncopied_ns", r->study->uncopied.ns);
    json_put_whole(w, "bulk_skipped_ns", r->study->row[0].skipped.ns);
    json_put_real(w, "speedup", run_report_ideal(r->study));
    json_end(w);
}

static void write_hints(const struct run_row *row, struct json_writer *w)
{
    json_put_text(w, "hint", run_hint_name(row->hint));
    json_put_whole(w, "faults", row->statistics.faults);
    json_begin(w, "hints", JSON_ARRAY);
    for (enum proact_unified h = PROACT_UNIFIED_NO_HINT; h <= PROACT_UNIFIED_PREFETCH;
         h++) {
        if (!row->hint_ns[h])
            continue;
        json_begin(w, NULL, JSON_OBJECT);
        json_put_text(w, "hint", run_hint_name(h));
        json_put_whole(w, "time_ns", row->hint_ns[h]);
        json_end(w);
    }
    json_end(w);
}

static void write_row(const struct run_study *study, const struct run_row *row,
                      struct json_writer *w)
{
    const struct proact_statistics *s = &row->statistics;
    const bool compared = !study->is_single, has_answer = compared && !study->replayed;

    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "method", row->method);
    if (row->plan[0])
        json_put_text(w, "plan", row->plan);
    if (row->copies[0])
        json_put_text(w, "copies", row->copies);
    write_time(w, &row->time);
    if (compared) {
        json_put_whole(w, "skipped_ns", row->skipped.ns);
        json_put_whole(w, "skipped_spread_ns", row->skipped.spread_ns);
        json_put_real(w, "speedup", row->terms.speedup);
        json_put_real(w, "captured_share", row->terms.captured);
        json_put_real(w, "overhead_share", row->terms.overhead);
        json_put_real(w, "hidden_share", row->terms.hidden);
    }
    json_put_whole(w, "sent_bytes", s->bytes);
    json_put_whole(w, "wire_bytes", s->wire_bytes);
    json_put_whole(w, "packets", s->packets);
    json_put_whole(w, "chunks", s->chunks);
    json_put_real(w, "kernel_ns", s->kernel_ns);
    json_put_real(w, "transfer_ns", s->transfer_ns);
    json_put_real(w, "overlap_ns", s->overlap_ns);
    json_put_real(w, "exposed_ns", s->exposed_ns);
    if (row->hint)
        write_hints(row, w);
    if (has_answer)
        json_put_flag(w, "equal_to_one_device", row->equal);
    if (has_answer && !row->equal)
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
    json_put_flag(&w, "replayed", r->study->replayed);
    write_machine(r, &w);
    json_begin(&w, "plan", JSON_OBJECT);
    json_put_whole(&w, "chunk_bytes", r->request->chunk_bytes); /* 0: selected by proact */
    json_put_whole(&w, "threads", r->request->threads);
    json_put_text(&w, "send", r->request->sends_all ? "all" : "needed");
    json_end(&w);
    json_begin(&w, "input", JSON_OBJECT);
    r->application->write_input(r->work, &w);
    json_end(&w);
    write_run(r, &w);
    json_begin(&w, "methods", JSON_ARRAY);
    for (unsigned i = 0; i < r->study->row_count; i++)
        write_row(r->study, &r->study->row[i], &w);
    json_end(&w);
    json_end(&w);
    enum proact_status status = file_write(path, w.text.data, w.text.length, err);

    text_clear(&w.text);
    return status;
}
