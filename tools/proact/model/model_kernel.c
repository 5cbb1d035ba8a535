/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_kernel.h"

#include <inttypes.h>
#include <proact/proact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze_select.h"
#include "base/memory.h"
#include "command.h"

/* Ranges that the CTAs of a device write. */
struct kernel_ranges {
    struct span *spans;
    size_t count, capacity;
    uint64_t bytes, extent; /* extent: the largest of a CTA */
};

static void kernel_add_written(const struct cta_runs *runs, uint32_t first, uint32_t end,
                               struct kernel_ranges *r)
{
    for (uint32_t cta = first; cta < end; cta++) {
        struct cta_runs_walk walk = cta_runs_walk(runs, cta, cta + 1);
        uint64_t begin = UINT64_MAX, last = 0;

        for (struct span s; cta_runs_span(&walk, &s);) {
            r->spans = must_grow(r->spans, r->count, &r->capacity, sizeof *r->spans);
            r->spans[r->count++] = s;
            r->bytes += s.end - s.first;
            begin = s.first < begin ? s.first : begin;
            last = s.end > last ? s.end : last;
        }
        if (last > begin && last - begin > r->extent)
            r->extent = last - begin;
    }
}

static int compare_kernel_ranges(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* Number of ranges after those without a gap are joined. */
static uint64_t count_pieces(struct kernel_ranges *r)
{
    uint64_t pieces = 0, end = 0;

    if (r->count)
        qsort(r->spans, r->count, sizeof *r->spans, compare_kernel_ranges);
    for (size_t i = 0; i < r->count; i++) {
        pieces += !i || r->spans[i].first > end;
        end = r->spans[i].end > end || !i ? r->spans[i].end : end;
    }
    return pieces;
}

/* The device that writes most, and the lengths of its ranges. */
static void count_written(const struct analyze_launch *l, struct model_kernel_launch *out)
{
    uint32_t first[PROACT_DEVICES_MAX + 1];

    analyze_split(l, l->devices, first);
    for (unsigned d = 0; d < l->devices; d++) {
        uint64_t bytes = 0, ranges = 0, pieces = 0, extent = 0;

        for (uint32_t a = 0; a < l->set->array_count; a++) {
            struct kernel_ranges r = {.spans = NULL};

            kernel_add_written(&l->set->arrays[a].runs, first[d], first[d + 1], &r);
            bytes += r.bytes;
            ranges += r.count;
            pieces += count_pieces(&r);
            extent = r.extent > extent ? r.extent : extent;
            free(r.spans);
        }
        if (bytes > out->bytes) {
            out->bytes = bytes;
            out->run = bytes / ranges;
            out->piece = bytes / pieces;
            out->extent = extent;
        }
        if (first[d + 1] - first[d] > out->own)
            out->own = first[d + 1] - first[d];
    }
}

/* A session on one emulated device, with the arrays of a launch. */
struct executed {
    struct proact *session;
    struct proact_kernel *kernel;
    struct proact_array *arrays[ANALYZE_ARRAYS_MAX];
};

static void executed_close(struct executed *e)
{
    proact_kernel_destroy(e->kernel);
    for (uint32_t i = 0; i < ANALYZE_ARRAYS_MAX; i++)
        proact_array_destroy(e->arrays[i]);
    proact_close(e->session);
}

/* Values that an execution needs and the analysis does not. */
static int check_values(const struct analyze_result *r, const struct model_request *q)
{
    const struct analyze_kernel *k = &r->kernel;
    const struct analyze_block *b = &r->launch.block;
    struct analyze_field fields[ANALYZE_FIELDS_MAX];
    const uint32_t count = analyze_fields(k, k->f, fields);
    char place[64];

    if (q->kernel.constant_count)
        return usage_error("model", "a kernel with --constant is not executed: add "
                                    "--kernel-us with its time on one device");
    for (uint32_t i = 0; i < count; i++) {
        analyze_place_text(k->f, fields[i].offset, place, sizeof place);
        if (!b->given[fields[i].offset])
            return usage_error("model",
                               "the execution of kernel '%s' needs --arg %s=VALUE, "
                               "or --kernel-us instead of an execution",
                               k->f->name, place);
    }
    for (uint32_t i = 0; i < b->array_count; i++)
        if (!b->sized[i])
            return usage_error("model",
                               "the execution of kernel '%s' needs --array %s=BYTES, "
                               "or --kernel-us instead of an execution",
                               k->f->name, b->names[i]);
    return EXIT_FINE;
}

static enum proact_status write_zeros(struct proact_array *a, uint64_t bytes,
                                      struct proact_error *err)
{
    void *zeros = must_calloc(bytes, 1);
    enum proact_status status = proact_array_write(a, 0, zeros, bytes, err);

    free(zeros);
    return status;
}

/* The arguments: an array where the parameter is a pointer to one. */
static int make_arguments(struct executed *e, const struct analyze_result *r,
                          struct proact_arg *args, struct proact_error *err)
{
    const struct ptx_function *f = r->kernel.f;
    const struct analyze_block *b = &r->launch.block;
    enum proact_status status = PROACT_OK;

    for (uint32_t i = 0; i < f->parameter_count; i++)
        args[i] = (struct proact_arg){.value = b->bytes + f->symbols[i].offset,
                                      .bytes = f->symbols[i].bytes};
    for (uint32_t a = 0; a < b->array_count && !status; a++) {
        const struct proact_shape shape = {
            .name = b->names[a], .count = b->arrays[a].bytes, .element_bytes = 1};
        uint32_t i = 0;

        while (i < f->parameter_count &&
               f->symbols[i].offset != b->pointers[a].parameter_offset)
            i++;
        if (i == f->parameter_count || f->symbols[i].bytes != 8)
            return usage_error("model",
                               "array %s is a part of an argument: add --kernel-us "
                               "with the kernel's time on one device",
                               b->names[a]);
        if (!(status = proact_array_create(e->session, &shape, &e->arrays[a], err)))
            status = write_zeros(e->arrays[a], shape.count, err);
        args[i] = PROACT_ARRAY(e->arrays[a]);
    }
    return status ? failure_exit(err) : EXIT_FINE;
}

static enum proact_status time_launch(const struct executed *e,
                                      const struct model_request *q,
                                      const struct proact_arg *args, uint32_t count,
                                      double *ns, struct proact_error *err)
{
    struct proact_grid grid = {.device_count = 1};
    enum proact_status status = proact_wait(e->session, err);
    const uint64_t begin_ns = proact_now_ns(e->session);

    memcpy(grid.ctas, q->kernel.grid, sizeof grid.ctas);
    memcpy(grid.threads, q->kernel.block, sizeof grid.threads);
    if (status || (status = proact_launch(e->kernel, &grid, args, count, err)) ||
        (status = proact_wait(e->session, err)))
        return status;
    *ns = (double)(proact_now_ns(e->session) - begin_ns);
    return PROACT_OK;
}

/* Virtual time of the launch on one device. Its arrays contain zeros. */
static int execute_once(const struct model_request *q, const struct analyze_result *r,
                        double *ns)
{
    const struct ptx_function *f = r->kernel.f;
    const struct proact_options options = {
        .machine = q->machine, .device_count = 1, .seed = 1};
    struct executed e = {.session = NULL};
    struct proact_error err = {""};
    size_t bytes;
    int code = check_values(r, q);

    if (code)
        return code;
    char *text = ptx_print(r->kernel.module, &bytes);
    const struct proact_image image = {
        .name = r->kernel.module->name, .text = text, .bytes = bytes};
    struct proact_arg *args = must_calloc(f->parameter_count + 1, sizeof *args);

    if (proact_open(&options, &e.session, &err) ||
        proact_kernel_load(e.session, &image, f->name, &e.kernel, &err))
        code = failure_exit(&err);
    if (!code)
        code = make_arguments(&e, r, args, &err);
    if (!code && time_launch(&e, q, args, f->parameter_count, ns, &err))
        code = failure_exit(&err);
    executed_close(&e);
    free(args);
    free(text);
    return code;
}

static int describe_result(const struct model_request *q, const struct analyze_result *r,
                           struct model_kernel_launch *out)
{
    const struct analyze_launch *l = &r->launch;
    const uint32_t *grid = q->kernel.grid, *block = q->kernel.block;

    snprintf(out->name, sizeof out->name, "%s", r->kernel.f->name);
    out->ctas = (uint64_t)grid[0] * grid[1] * grid[2];
    out->threads = block[0] * block[1] * block[2];
    out->single_ns = q->kernel_us * 1000;
    if (r->kernel.reductions.count)
        snprintf(out->refusal, sizeof out->refusal, "%s",
                 "it has atomics or indirect stores, whose transfers are not modelled");
    else if (!analyze_is_split(&r->kernel, l) || r->kernel.is_annotated)
        snprintf(out->refusal, sizeof out->refusal, "%s",
                 r->kernel.is_annotated    ? "it is annotated: the program gives its maps"
                 : r->kernel.why.text[0]   ? r->kernel.why.text
                 : l->left_out[0]          ? l->left_out
                 : r->kernel.uncut.text[0] ? r->kernel.uncut.text
                                           : l->why.text);
    else
        count_written(l, out);
    return out->single_ns > 0 || r->kernel.is_annotated
               ? EXIT_FINE
               : execute_once(q, r, &out->single_ns);
}

int model_kernel_describe(const struct model_request *q, const struct topology *t,
                          struct model_kernel_launch *out)
{
    struct analyze_modules all = {0};
    struct analyze_request request = q->kernel;
    struct proact_error err = {""};

    *out = (struct model_kernel_launch){.ctas = 0};
    request.devices = t->device_count;
    if (analyze_source(request.file, &all, &err))
        return failure_exit(&err);
    struct analyze_chosen c = analyze_choose(&all, request.kernel);
    int code = analyze_choice_check(&all, &request, &c);

    if (!code) {
        struct analyze_result r;

        code = analyze_result_open(&r, &request, c.modules[0], c.kernels[0]);
        if (!code)
            code = describe_result(q, &r, out);
        analyze_result_close(&r);
    }
    analyze_chosen_clear(&c);
    analyze_modules_clear(&all);
    return code;
}
