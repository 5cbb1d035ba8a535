/* SPDX-License-Identifier: Apache-2.0 */
#include "applications/run_ct_job.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"

enum ct_option {
    CT_OPTION_SINOGRAM,
    CT_OPTION_IMAGE,
    CT_OPTION_PHANTOM,
    CT_OPTION_SLICES,
    CT_OPTION_SIZE,
    CT_OPTION_FIELD,
    CT_OPTION_GEOMETRY,
    CT_OPTION_VIEWS,
    CT_OPTION_ANGLE,
    CT_OPTION_CHANNELS,
    CT_OPTION_PITCH,
    CT_OPTION_OFFSET,
    CT_OPTION_COUNTS,
    CT_OPTION_NOISE,
    CT_OPTION_SUBSETS,
    CT_OPTION_BETA,
    CT_OPTION_RELAX,
    CT_OPTION_MOMENTUM,
    CT_OPTION_START,
    CT_OPTION_SOLVER,
    CT_OPTION_PRECISION,
    CT_OPTION_MONITOR,
    CT_OPTION_WINDOW
};

const struct run_option run_ct_options[] = {
    [CT_OPTION_SINOGRAM] = {.name = "sinogram",
                            .kind = RUN_TEXT,
                            .argument = "FILE",
                            .help = "line integrals, .npy: (views, channels) or (views,\n"
                                    "slices, channels), as of --geometry, --angle and\n"
                                    "--pitch"},
    [CT_OPTION_IMAGE] = {.name = "image",
                         .kind = RUN_TEXT,
                         .argument = "FILE",
                         .help = "the object in HU: .npy (side, side) or (slices, side,\n"
                                 "side), or a raw volume of 256 x 256 int16, .raw[.gz];\n"
                                 "with --sinogram, only to measure errors"},
    [CT_OPTION_PHANTOM] = {.name = "phantom",
                           .kind = RUN_CHOICE,
                           .argument = "NAME",
                           .help = "shepp-logan, with exact projections (the default)",
                           .choices = "shepp-logan"},
    [CT_OPTION_SLICES] = {.name = "slices",
                          .kind = RUN_WHOLE,
                          .argument = "N",
                          .help = "slices of the phantom or the volume (default 1)",
                          .low = 1,
                          .high = 4096},
    [CT_OPTION_SIZE] = {.name = "size",
                        .kind = RUN_WHOLE,
                        .argument = "N",
                        .help = "pixels per side, 2 to 8192 (default 256)",
                        .low = 2,
                        .high = 8192},
    [CT_OPTION_FIELD] = {.name = "field",
                         .kind = RUN_REAL,
                         .argument = "MM",
                         .help = "width of the image (default 240; a raw volume: its own)",
                         .least = 1e-3,
                         .most = 1e5},
    [CT_OPTION_GEOMETRY] = {.name = "geometry",
                            .kind = RUN_CHOICE,
                            .argument = "NAME",
                            .help = "parallel, fan-flat or fan-arc (default parallel);\n"
                                    "fans are those of a GE LightSpeed",
                            .choices = "parallel|fan-flat|fan-arc"},
    [CT_OPTION_VIEWS] = {.name = "views",
                         .kind = RUN_WHOLE,
                         .argument = "N",
                         .help = "views (default 360; fans 984)",
                         .low = 1,
                         .high = 65536},
    [CT_OPTION_ANGLE] = {.name = "angle",
                         .kind = RUN_REAL,
                         .argument = "DEG",
                         .help = "degrees that the views cover (default 180; fans 360)",
                         .least = 1,
                         .most = 3600},
    [CT_OPTION_CHANNELS] = {.name = "channels",
                            .kind = RUN_WHOLE,
                            .argument = "N",
                            .help = "channels of the detector (default 1.5 a pixel; fans\n"
                                    "888)",
                            .low = 1,
                            .high = 65536},
    [CT_OPTION_PITCH] = {.name = "pitch",
                         .kind = RUN_REAL,
                         .argument = "MM",
                         .help = "width of a channel (default: together 1.1 fields; fans\n"
                                 "909.2 mm)",
                         .least = 1e-6,
                         .most = 1e4},
    [CT_OPTION_OFFSET] = {.name = "offset",
                          .kind = RUN_REAL,
                          .argument = "X",
                          .help = "shift of the detector in channels (default 0.25; fans\n"
                                  "1.25)",
                          .least = -65536,
                          .most = 65536},
    [CT_OPTION_COUNTS] = {.name = "i0",
                          .kind = RUN_REAL,
                          .argument = "N",
                          .help = "photons a ray without an object (default 1e5)",
                          .least = 1,
                          .most = 1e12},
    [CT_OPTION_NOISE] = {.name = "noise-seed",
                         .kind = RUN_WHOLE,
                         .argument = "S",
                         .help = "another seed, other noise (default 1)",
                         .low = 0,
                         .high = INT64_MAX},
    [CT_OPTION_SUBSETS] = {.name = "subsets",
                           .kind = RUN_WHOLE,
                           .argument = "M",
                           .help =
                               "subsets of the views (default one for 30 views, at most\n"
                               "24); subsets of few views diverge",
                           .low = 1,
                           .high = 65536},
    [CT_OPTION_BETA] = {.name = "beta",
                        .kind = RUN_REAL,
                        .argument = "B",
                        .help = "weight of the prior (default 300); 0: none",
                        .least = 0,
                        .most = 1e12},
    [CT_OPTION_RELAX] = {.name = "relax",
                         .kind = RUN_REAL,
                         .argument = "G",
                         .help = "divide the step of iteration n by 1 + G (n - 1), which\n"
                                 "ends the cycle of many subsets (default 0)",
                         .least = 0,
                         .most = 1e6},
    [CT_OPTION_MOMENTUM] = {.name = "momentum",
                            .kind = RUN_CHOICE,
                            .argument = "on|off",
                            .help = "Nesterov's momentum (default on)",
                            .choices = "on|off"},
    [CT_OPTION_START] = {.name = "start",
                         .kind = RUN_CHOICE,
                         .argument = "fbp|zero",
                         .help = "filtered back-projection (default; a fan that covers\n"
                                 "another angle than 360 degrees starts at zero)",
                         .choices = "fbp|zero"},
    [CT_OPTION_SOLVER] = {.name = "solver",
                          .kind = RUN_CHOICE,
                          .argument = "sqs|icd",
                          .help = "icd: coordinate descent, which converges, on the host\n"
                                  "only (default sqs)",
                          .choices = "sqs|icd"},
    [CT_OPTION_PRECISION] = {.name = "precision",
                             .kind = RUN_CHOICE,
                             .argument = "f32|f64",
                             .help = "of the devices (default f64)",
                             .choices = "f64|f32"},
    [CT_OPTION_MONITOR] = {.name = "monitor",
                           .kind = RUN_FLAG,
                           .help = "print the cost, the error and the change of each\n"
                                   "iteration; times exclude them"},
    [CT_OPTION_WINDOW] = {.name = "window",
                          .kind = RUN_TEXT,
                          .argument = "C/W",
                          .help = "centre and width in HU of --output FILE.png (default\n"
                                  "40/400)"},
    {.name = NULL},
};

/* Counts that the input has; 0: it has none. */
struct ct_counts {
    unsigned size, views, channels;
};

static unsigned ct_whole(const struct run_request *r, enum ct_option option)
{
    return (unsigned)r->value[option].whole; /* 0: not given */
}

static enum proact_status ct_take_window(const struct run_request *r, struct ct_window *out,
                                         struct proact_error *err)
{
    const struct run_value *value = &r->value[CT_OPTION_WINDOW];
    const char *word = value->given ? value->text : "40/400";
    char *slash, *end;
    double centre = strtod(word, &slash), width = 0;

    if (slash != word && *slash == '/') {
        width = strtod(slash + 1, &end);
        width = end == slash + 1 || *end ? 0 : width;
    }
    if (!isfinite(centre) || !(width > 0 && width < HUGE_VAL))
        return fail(err, PROACT_EINVAL,
                    "--window: expected CENTRE/WIDTH in HU such as 40/400, found '%s'",
                    word);
    *out = (struct ct_window){centre - width / 2, centre + width / 2};
    return PROACT_OK;
}

/* The geometry with these counts, unless the command line has others. */
static struct ct_geometry ct_take_geometry(const struct run_request *r,
                                           const struct ct_counts *counts, double field_mm)
{
    const struct run_value *value = r->value;
    unsigned size = ct_whole(r, CT_OPTION_SIZE), views = ct_whole(r, CT_OPTION_VIEWS);
    unsigned channels = ct_whole(r, CT_OPTION_CHANNELS);

    if (value[CT_OPTION_FIELD].given)
        field_mm = value[CT_OPTION_FIELD].real;
    struct ct_geometry g = ct_geometry_make(
        (enum ct_beam)value[CT_OPTION_GEOMETRY].choice, size ? size : counts->size,
        views ? views : counts->views, channels ? channels : counts->channels, field_mm);

    if (value[CT_OPTION_ANGLE].given)
        g.arc_degrees = value[CT_OPTION_ANGLE].real;
    if (value[CT_OPTION_PITCH].given)
        g.pitch_mm = value[CT_OPTION_PITCH].real;
    if (value[CT_OPTION_OFFSET].given)
        g.offset = value[CT_OPTION_OFFSET].real;
    return g;
}

static void ct_take_options(const struct run_request *r, struct ct_job *work)
{
    const struct run_value *value = r->value;
    bool has_beta = value[CT_OPTION_BETA].given, has_counts = value[CT_OPTION_COUNTS].given;

    work->options = (struct ct_options){
        .subsets = ct_whole(r, CT_OPTION_SUBSETS),
        .iterations = r->iterations,
        .beta =
            has_beta && value[CT_OPTION_BETA].real == 0 ? -1 : value[CT_OPTION_BETA].real,
        .relax = value[CT_OPTION_RELAX].real,
        .no_momentum = value[CT_OPTION_MOMENTUM].choice == 1,
        .start_zero = value[CT_OPTION_START].choice == 1,
        .single = value[CT_OPTION_PRECISION].choice == 1,
        .monitor = value[CT_OPTION_MONITOR].given,
        .tolerance = r->tolerance,
    };
    work->counts = has_counts ? value[CT_OPTION_COUNTS].real : 1e5;
    work->noise_seed = value[CT_OPTION_NOISE].given ? value[CT_OPTION_NOISE].whole : 1;
    work->descends = value[CT_OPTION_SOLVER].choice == 1;
    work->image = value[CT_OPTION_IMAGE].text;
    work->sinogram = value[CT_OPTION_SINOGRAM].text;
}

/* ---- Input ---- */

static enum proact_status ct_open_scan(const struct run_request *r,
                                       const struct ct_object *object, struct ct_job *work,
                                       struct proact_error *err)
{
    double field_mm = object && object->field_mm > 0 ? object->field_mm : 240;
    struct ct_counts counts = {.size = object ? object->side : 0};
    unsigned slices = ct_whole(r, CT_OPTION_SLICES);
    enum proact_status status = PROACT_OK;

    if (work->sinogram)
        status = ct_scan_read_counts(work->sinogram, &counts.views, &counts.channels, err);
    if (status)
        return status;
    struct ct_geometry g = ct_take_geometry(r, &counts, field_mm);

    if (work->sinogram)
        return ct_scan_read(work->sinogram, &g, object, &work->scan, err);
    if (object)
        return ct_scan_object(&g, object, work->counts, work->noise_seed, &work->scan, err);
    return ct_scan_phantom(&g, slices ? slices : 1, work->counts, work->noise_seed,
                           &work->scan, err);
}

void ct_job_close(void *context)
{
    struct ct_job *work = context;

    ct_scan_clear(&work->scan);
    free(work->history);
    free(work->start);
    free(work);
}

enum proact_status ct_job_open(const struct run_request *r, void **out,
                               struct proact_error *err)
{
    struct ct_job *work = must_calloc(1, sizeof *work);
    struct ct_object object = {0};

    ct_take_options(r, work);
    enum proact_status status = ct_take_window(r, &work->window, err);

    if (!status && work->image && r->value[CT_OPTION_PHANTOM].given)
        status = fail(err, PROACT_EINVAL, "--phantom and --image both name an object");
    if (!status && work->image)
        status = ct_object_read(work->image, ct_whole(r, CT_OPTION_SLICES), &object, err);
    if (!status)
        status = ct_open_scan(r, work->image ? &object : NULL, work, err);
    ct_object_clear(&object);
    if (status) {
        ct_job_close(work);
        return status;
    }
    *out = work;
    return PROACT_OK;
}
