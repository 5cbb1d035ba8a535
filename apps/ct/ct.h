/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Model-based reconstruction of X-ray CT slices (Thibault, Sauer, Bouman and Hsieh 2007):
   the image x >= 0 that minimises 1/2 |A x - y|^2_W + beta sum of w_jk psi(x_j - x_k) over
   pairs of neighbours. A is the separable footprint, W the counts over the counts without
   an object, psi the q-GGMRF prior with p = 2, q = 1.2 and c = 10 HU on 8 neighbours.
   Images are in 1/mm inside a round field; 0 outside. */

#include <proact/proact.h>

#include "ct/ct_shape.h"
#include "graph/app_state.h"

#define CT_WATER 0.02 /* attenuation, 1/mm: 0 HU */

struct ct_geometry {
    enum ct_beam beam;
    unsigned size, views, channels; /* pixels per side */
    double pixel_mm;
    double pitch_mm;                                 /* of a channel, on the detector */
    double offset;                                   /* of the detector, in channels */
    double source_to_axis_mm, source_to_detector_mm; /* fans */
    double arc_degrees;                              /* view v is at v / views of it */
};

/* The geometry with these counts; 0 selects the default: 256 pixels, for parallel beams 1.5
   channels a pixel and 360 views over 180 degrees, for fans the 888 channels and 984 views
   over 360 degrees of a GE LightSpeed. Other counts keep the width of the detector. */
struct ct_geometry ct_geometry_make(enum ct_beam beam, unsigned size, unsigned views,
                                    unsigned channels, double field_mm);
/* PROACT_EINVAL: a count that is 0 or too large, more than 2^31 rays in a slice, a length
   that is not positive, a field that reaches the source, a detector of a quarter turn or
   more. */
enum proact_status ct_geometry_check(const struct ct_geometry *g, struct proact_error *err);
/* PROACT_EINVAL: a launch over `slices` slices has too many CTAs. The geometry was checked.
 */
enum proact_status ct_geometry_check_slices(const struct ct_geometry *g, unsigned slices,
                                            struct proact_error *err);
/* The degrees that views must cover: 180, for fans plus the fan angle of the field. */
double ct_geometry_needed_degrees(const struct ct_geometry *g);

/* Measurements, [slice][view][channel], and the object if it is known. */
struct ct_scan {
    struct ct_geometry geometry;
    unsigned slices;
    double *measured; /* line integrals */
    double *weight;   /* counts over I0 */
    double *truth;    /* [slice][row][column], 1/mm; NULL: unknown */
    bool in_skull;    /* errors are measured inside the phantom's skull, not in the field */
    double field_mm;  /* diameter */
    size_t count_zero; /* rays without counts: a count of 0 was raised to 1 */
};

/* The phantom of Shepp and Logan, 240 mm wide, with exact line integrals and the noise of
   `counts` photons a ray (0: none). Slices differ in their noise. */
enum proact_status ct_scan_phantom(const struct ct_geometry *g, unsigned slices,
                                   double counts, uint64_t seed, struct ct_scan *out,
                                   struct proact_error *err);
/* An object in HU, [slice][side][side] values that cover field_mm, projected by A. Pixels
   are sampled at the nearest value. */
struct ct_object {
    unsigned slices, side;
    double field_mm;
    float *hu;
};
enum proact_status ct_scan_object(const struct ct_geometry *g,
                                  const struct ct_object *object, double counts,
                                  uint64_t seed, struct ct_scan *out,
                                  struct proact_error *err);
/* Slices of a file: a .npy image (slices, side, side) or (side, side), or a raw volume of
   256 x 256 little-endian int16 (.raw or .raw.gz) with pixels of 0.957 mm, from slice 60 on
   or the last ones. 0 slices: all of a .npy file, one of a volume. */
enum proact_status ct_object_read(const char *path, unsigned slices, struct ct_object *out,
                                  struct proact_error *err);
/* A .npy sinogram of line integrals (views, channels) or (views, slices, channels), as g
   says. Weights are exp(-y) as for counts; `object`, which may be NULL, becomes the truth
   and must fit. */
enum proact_status ct_scan_read(const char *path, const struct ct_geometry *g,
                                const struct ct_object *object, struct ct_scan *out,
                                struct proact_error *err);
/* The counts of such a file. */
enum proact_status ct_scan_read_counts(const char *path, unsigned *views,
                                       unsigned *channels, struct proact_error *err);
void ct_object_clear(struct ct_object *object);
void ct_scan_clear(struct ct_scan *scan);

struct ct_state {
    unsigned iteration;         /* 0: the start */
    double cost, data, prior;   /* cost = data + prior */
    double error_hu, change_hu; /* rms to the truth (NaN: unknown), of this iteration */
};

/* A zero field selects the default. */
struct ct_options {
    unsigned subsets;    /* of views, at most `views`; default one for 30 views, at most
                            24 */
    unsigned iterations; /* over all subsets; default 10 */
    double beta;         /* default 300; negative: no prior */
    double relax;        /* step 1 / (1 + relax (n - 1)) in iteration n; default 0 */
    bool no_momentum;
    bool start_zero;  /* instead of filtered back-projection */
    bool single;      /* float32 on the devices */
    bool monitor;     /* states have the cost after each iteration, not only the last one */
    double tolerance; /* change in HU below which to stop; 0 or less: never */
    /* For a session that skips transfers, whose image is wrong: all arrays have a content,
       and nothing that decides the time depends on a transfer. */
    bool skips_transfers;
    struct app_checkpoint checkpoint; /* of ct_run() */
    /* On devices also called with a zeroed state, before the clock starts. May be NULL. */
    void (*progress)(void *context, const struct ct_state *state);
    void *context;
    /* NULL, or the first image of all runs with the scan and start_zero: *start is NULL, or
       of an earlier ct_run(). The owner frees it. */
    double **start;
};

struct ct_result {
    double *image; /* [slice][row][column], 1/mm */
    size_t pixels; /* of all slices */
    struct ct_state state;
    bool converged;   /* the change is below the tolerance */
    uint64_t time_ns; /* of the iterations, by the devices' clock; virtual if emulated */
    struct proact_statistics statistics; /* of the iterations */
};

/* Ordered subsets with separable quadratic surrogates and Nesterov's momentum (Kim, Ramani
   and Fessler 2015) on all devices of the session. The image is identical for any number of
   devices and any method. PROACT_EINVAL for more subsets than views, and for the
   checkpoint of a later iteration than the last one. */
enum proact_status ct_run(struct proact *p, const struct ct_scan *scan,
                          const struct ct_options *options, struct ct_result *out,
                          struct proact_error *err);
/* The same on the host, in float64. */
enum proact_status ct_reference(const struct ct_scan *scan,
                                const struct ct_options *options, struct ct_result *out,
                                struct proact_error *err);
/* Iterative coordinate descent on the host, sweeps of all pixels in a fixed order; it
   converges. Subsets, relaxation and momentum are ignored. */
enum proact_status ct_descent(const struct ct_scan *scan, const struct ct_options *options,
                              struct ct_result *out, struct proact_error *err);
void ct_result_clear(struct ct_result *r);

double ct_to_hu(double attenuation);
