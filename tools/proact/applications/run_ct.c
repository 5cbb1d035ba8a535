/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "applications/run_ct_job.h"
#include "base/clock.h"
#include "base/memory.h"

/* The answer: float64 attenuations, compared bit by bit, then the same in HU. */
static size_t ct_answer_pixels(const struct ct_job *work)
{
    size_t side = work->scan.geometry.size;

    return work->scan.slices * side * side;
}

static const float *ct_answer_hu(const struct ct_job *work,
                                 const struct run_outcome *outcome)
{
    return (const float *)((const double *)outcome->answer + ct_answer_pixels(work));
}

/* ---- Run ---- */

struct ct_watch {
    struct ct_job *job;
    const struct run_watcher *watcher;
};

static void ct_step_done(void *context, const struct ct_state *state)
{
    const struct ct_watch *watch = context;
    struct ct_job *job = watch->job;

    if (job->options.monitor && state->iteration && !watch->watcher->schedule) {
        job->history = must_grow(job->history, job->history_count, &job->history_capacity,
                                 sizeof *job->history);
        job->history[job->history_count++] = *state;
    }
    if (watch->watcher->progress)
        watch->watcher->progress(watch->watcher->context, state->iteration,
                                 state->change_hu);
}

/* The outcome owns the image with its copy in HU. */
static void ct_make_outcome(const struct ct_job *work, const struct ct_result *r,
                            struct run_outcome *out)
{
    size_t pixels = ct_answer_pixels(work), bytes = pixels * sizeof(double);
    double *answer = must_calloc(1, bytes + pixels * sizeof(float));
    float *hu = (float *)(answer + pixels);

    memcpy(answer, r->image, bytes);
    for (size_t i = 0; i < pixels; i++)
        hu[i] = (float)ct_to_hu(answer[i]);
    *out = (struct run_outcome){.answer = answer,
                                .answer_bytes = bytes + pixels * sizeof *hu,
                                .iterations = r->state.iteration,
                                .residual = r->state.change_hu,
                                .converged = r->converged,
                                .time_ns = r->time_ns,
                                .statistics = r->statistics,
                                .schedule = {.iterations = r->state.iteration}};
}

static enum proact_status ct_execute(void *context, struct proact *p,
                                     const struct run_watcher *watcher,
                                     struct run_outcome *out, struct proact_error *err)
{
    struct ct_job *work = context;
    struct ct_options options = work->options;
    struct ct_watch watch = {work, watcher};
    struct ct_result r;
    uint64_t began_ns = clock_host_ns();

    work->history_count = watcher->schedule ? work->history_count : 0;
    options.start = &work->start;
    options.progress = ct_step_done;
    options.context = &watch;
    options.checkpoint = watcher->checkpoint;
    if (watcher->schedule) {
        options.skips_transfers = true;
        options.iterations = watcher->schedule->iterations;
        options.tolerance = 0;
    }
    enum proact_status status = work->descends ? ct_descent(&work->scan, &options, &r, err)
                                               : ct_run(p, &work->scan, &options, &r, err);

    if (status)
        return status;
    if (work->descends)
        r.time_ns = clock_host_ns() - began_ns;
    if (!watcher->schedule)
        work->state = r.state;
    ct_make_outcome(work, &r, out);
    ct_result_clear(&r);
    return PROACT_OK;
}

static bool ct_runs_on_host(const void *context)
{
    return ((const struct ct_job *)context)->descends;
}

/* ---- Report ---- */

static const char *const beam_names[] = {"parallel beams", "a fan on a flat detector",
                                         "a fan on an arc"};

static void ct_print_input(const void *context, FILE *to)
{
    const struct ct_job *work = context;
    const struct ct_geometry *g = &work->scan.geometry;
    double needed = ct_geometry_needed_degrees(g);

    fprintf(to, "CT of %s: %u slice%s of %u x %u pixels of %.4g mm\n",
            work->sinogram ? work->sinogram
            : work->image  ? work->image
                           : "the Shepp-Logan phantom",
            work->scan.slices, work->scan.slices == 1 ? "" : "s", g->size, g->size,
            g->pixel_mm);
    fprintf(to, "from %u views of %u channels of %.4g mm over %.4g degrees, %s\n", g->views,
            g->channels, g->pitch_mm, g->arc_degrees, beam_names[g->beam]);
    if (g->arc_degrees < needed - 1e-9)
        fprintf(to, "Warning: the views cover %.4g degrees; an exact image needs %.4g%s.\n",
                g->arc_degrees, needed,
                g->beam == CT_PARALLEL ? "" : ", 180 plus the fan angle");
    if (work->scan.count_zero)
        fprintf(to, "Warning: %zu rays have a count of 0, which was raised to 1.\n",
                work->scan.count_zero);
    fprintf(to, "\n");
}

/* The iterations of the last run. */
static void ct_print_history(const struct ct_job *work, FILE *to)
{
    if (work->history_count)
        fprintf(to, "%9s  %14s  %14s  %14s  %10s  %10s\n", "iteration", "cost", "data",
                "prior", "change HU", "error HU");
    for (size_t i = 0; i < work->history_count; i++) {
        const struct ct_state *state = &work->history[i];

        fprintf(to, "%9u  %14.6f  %14.6f  %14.6f  %10.4f", state->iteration, state->cost,
                state->data, state->prior, state->change_hu);
        if (work->scan.truth)
            fprintf(to, "  %10.4f\n", state->error_hu);
        else
            fprintf(to, "  %10s\n", "-");
    }
    if (work->history_count)
        fprintf(to, "\n");
}

static void ct_print_answer(const void *context, const struct run_outcome *outcome,
                            FILE *to)
{
    const struct ct_job *work = context;
    const struct ct_state *state = &work->state;

    ct_print_history(work, to);
    fprintf(to, "%u iterations%s: the last one changed the image by %.3g HU (rms)\n",
            outcome->iterations, outcome->converged ? ", converged" : "",
            outcome->residual);
    fprintf(to, "cost %.6f: data %.6f, prior %.6f", state->cost, state->data, state->prior);
    if (work->scan.truth)
        fprintf(to, "; error %.4f HU (rms%s)", state->error_hu,
                work->scan.in_skull ? ", inside the skull" : "");
    fprintf(to, "\n");
}

static void ct_write_input(const void *context, struct json_writer *w)
{
    const struct ct_job *work = context;
    const struct ct_geometry *g = &work->scan.geometry;

    json_put_text(w, "object",
                  work->sinogram ? work->sinogram
                  : work->image  ? work->image
                                 : "shepp-logan");
    json_put_text(w, "geometry", beam_names[g->beam]);
    json_put_whole(w, "slices", work->scan.slices);
    json_put_whole(w, "size", g->size);
    json_put_whole(w, "views", g->views);
    json_put_whole(w, "channels", g->channels);
    json_put_real(w, "pixel_mm", g->pixel_mm);
    json_put_real(w, "pitch_mm", g->pitch_mm);
    json_put_real(w, "covered_degrees", g->arc_degrees);
    json_put_whole(w, "rays_with_count_0", work->scan.count_zero);
}

static void ct_write_answer(const void *context, const struct run_outcome *outcome,
                            struct json_writer *w)
{
    const struct ct_job *work = context;

    json_put_real(w, "cost", work->state.cost);
    json_put_real(w, "cost_data", work->state.data);
    json_put_real(w, "cost_prior", work->state.prior);
    json_put_real(w, "change_hu", outcome->residual);
    if (work->scan.truth)
        json_put_real(w, "error_hu", work->state.error_hu);
}

static unsigned ct_list_arrays(const void *context, const struct run_outcome *outcome,
                               struct run_array arrays[RUN_ARRAYS_MAX])
{
    const struct ct_job *work = context;
    size_t side = work->scan.geometry.size;

    arrays[0] = (struct run_array){
        "image", 'f', 3, {work->scan.slices, side, side}, ct_answer_hu(work, outcome)};
    return 1;
}

static char *ct_format_png(const void *context, const struct run_outcome *outcome,
                           size_t *bytes)
{
    const struct ct_job *work = context;

    return (char *)ct_png_format(ct_answer_hu(work, outcome), work->scan.slices,
                                 work->scan.geometry.size, &work->window, bytes);
}

static enum proact_status ct_compare(const void *context, const struct run_outcome *outcome,
                                     struct run_comparison *out, struct proact_error *err)
{
    const struct ct_job *work = context;
    const double *found = outcome->answer;
    struct ct_options options = work->options;
    struct ct_result want;

    options.progress = NULL;
    enum proact_status status = ct_reference(&work->scan, &options, &want, err);

    if (status)
        return status;
    *out = (struct run_comparison){.what = "largest difference of a pixel in HU",
                                   .tolerance = work->options.single ? 0.05 : 1e-6};
    for (size_t i = 0; i < want.pixels; i++)
        out->difference =
            fmax(out->difference, fabs(found[i] - want.image[i]) * 1000 / CT_WATER);
    ct_result_clear(&want);
    return PROACT_OK;
}

/* Numbers as they are, so that only the same computation goes on. */
static void ct_add_key(const void *context, struct text *key)
{
    const struct ct_job *work = context;
    const struct ct_options *o = &work->options;
    const struct ct_geometry *g = &work->scan.geometry;
    size_t rays = (size_t)work->scan.slices * g->views * g->channels;
    double sum = 0;

    for (size_t i = 0; i < rays; i++)
        sum += work->scan.measured[i] * (double)(i % 65521 + 1);
    text_print(key, "size %u\nslices %u\nviews %u\nchannels %u\nbeam %d\n", g->size,
               work->scan.slices, g->views, g->channels, (int)g->beam);
    text_print(key, "pixel %a\npitch %a\noffset %a\ndegrees %a\nmeasurements %a\n",
               g->pixel_mm, g->pitch_mm, g->offset, g->arc_degrees, sum);
    text_print(key, "subsets %u\nbeta %a\nrelax %a\nmomentum %d\nprecision %s\n",
               o->subsets, o->beta, o->relax, !o->no_momentum, o->single ? "f32" : "f64");
}

const struct run_application run_ct = {
    .name = "ct",
    .summary = "model-based reconstruction of X-ray CT slices",
    .help =
        "Reconstruct CT slices from a sinogram, or from simulated projections of an image\n"
        "or a phantom: the minimum of the weighted squares of A x - y plus an\n"
        "edge-preserving prior (q-GGMRF), by ordered subsets with momentum. A is the\n"
        "separable footprint. 10 iterations (--iterations); --tolerance is the change in\n"
        "HU below which to stop (default: never).\n"
        "\n"
        "Examples:\n"
        "  proact run ct --size 64 --views 90 --subsets 6 --output phantom.png\n"
        "      A small phantom as a picture in the window of --window.\n"
        "  proact run ct --size 32 --views 48 --geometry fan-arc --reference\n"
        "      The geometry of a GE LightSpeed, compared with the host.\n"
        "  proact make phantom --size 64 --views 90 -o sinogram.npy\n"
        "  proact run ct --sinogram sinogram.npy --size 64 --output image.npy\n"
        "      From a sinogram to an image in HU.\n",
    .options = run_ct_options,
    .open = ct_job_open,
    .run = ct_execute,
    .runs_on_host = ct_runs_on_host,
    .print_input = ct_print_input,
    .print_answer = ct_print_answer,
    .write_input = ct_write_input,
    .write_answer = ct_write_answer,
    .list_arrays = ct_list_arrays,
    .output_ending = ".png",
    .format_output = ct_format_png,
    .compare = ct_compare,
    .add_key = ct_add_key,
    .quantity = "change in HU",
    .close = ct_job_close,
};
