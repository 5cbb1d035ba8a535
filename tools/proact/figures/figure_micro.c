/* SPDX-License-Identifier: Apache-2.0 */
#include "figures/figure_micro.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "micro_run.h"

enum { MB = 1 << 20, BYTES = 64 * MB, BYTES_QUICK = 8 * MB };

struct figure_micro {
    struct bench_request request;
    struct bench_report report;
    struct micro *micro;
    struct micro_bulk bulk;
};

struct figure_micro *figure_micro_open(const struct figure_session *s, const char *machine)
{
    struct figure_micro *f = must_calloc(1, sizeof *f);

    f->request =
        (struct bench_request){.machine = machine, .bytes = s->quick ? BYTES_QUICK : BYTES};
    f->report.bench = "micro";
    f->micro = micro_open(&f->request, &f->report);
    f->bulk = micro_tune(f->micro, 1, 1, f->request.sleeps);
    return f;
}

void figure_micro_close(struct figure_micro *f)
{
    micro_close(f->micro);
    free(f);
}

uint64_t figure_micro_bytes(const struct figure_micro *f)
{
    return f->request.bytes;
}

void figure_micro_add(struct figure_micro *f, const char *method, uint64_t chunk_bytes,
                      unsigned threads, struct figure_row *row, struct figure_rows *out)
{
    const struct proact_plan plan = {.method = method,
                                     .broadcast = true,
                                     .chunk_bytes = chunk_bytes,
                                     .compute_to_copy_ratio = 1,
                                     .transfer_threads = threads};
    const struct micro_launch what = {.devices = 1, .work = f->bulk.work};
    struct bench_sample ns = {.median = 0};
    struct proact_error err = {""};
    enum proact_status status = micro_run(f->micro, &plan, &what, &ns, &err);

    if (status == PROACT_EREFUSED || (status == PROACT_EINVAL && threads))
        return;
    bench_must(status, &err);
    snprintf(row->machine, sizeof row->machine, "%.40s", f->report.machine);
    snprintf(row->panel, sizeof row->panel, "%.40s", f->report.machine);
    row->value = f->bulk.terms.bulk / ns.median;
    figure_rows_add(out, row);
}

void figure_size_name(uint64_t bytes, char into[FIGURE_WORD_BYTES])
{
    if (bytes < MB)
        snprintf(into, FIGURE_WORD_BYTES, "%u kB", (unsigned)(bytes >> 10));
    else
        snprintf(into, FIGURE_WORD_BYTES, "%u MB", (unsigned)(bytes >> 20));
}
