/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command.h"
#include "ct/ct.h"
#include "ct/ct_npy.h"
#include "make/make_generator.h"
#include "make/make_options.h"
#include "make/make_output.h"
#include "option_values.h"

static const char phantom_help[] =
    "Usage: proact make phantom [OPTION...] -o FILE\n"
    "\n"
    "Projects the phantom of Shepp and Logan, 240 mm wide, by exact line integrals, and "
    "adds\n"
    "the noise of photon counts. The file is a sinogram for proact run ct, .npy in "
    "float32:\n"
    "(views, channels), or (views, slices, channels) for several slices, which differ in\n"
    "their noise. The same options make the same sinogram on every machine.\n"
    "\n"
    "  --size N           pixels per side that the default channels fit (256)\n"
    "  --geometry NAME    parallel, fan-flat or fan-arc (parallel)\n"
    "  --views N          views (360; fans 984)\n"
    "  --channels N       channels (1.5 a pixel; fans 888)\n"
    "  --slices N         slices, 1 to 4096 (1)\n"
    "  --i0 N             photons a ray without an object, 1 to 1000000000000 (100000)\n"
    "  --seed S           another seed, other noise (1)\n"
    "  --object           write the phantom in HU instead, (slices, size, size)\n"
    "  -o, --output FILE  the file, compressed if the name ends in .gz; -: stdout\n"
    "\n"
    "Example:\n"
    "  proact make phantom --size 64 --views 90 -o sinogram.npy\n"
    "  proact run ct --sinogram sinogram.npy --size 64 --output image.png\n"
    "      The image that the sinogram gives.\n";

struct phantom_words {
    char *size, *geometry, *views, *channels, *slices, *counts, *seed;
    int object;
};

struct phantom_request {
    uint64_t size, views, channels, slices, counts, seed;
    enum ct_beam beam;
    struct phantom_words words;
};

static int phantom_take_beam(const char *word, enum ct_beam *out)
{
    static const char *const names[] = {"parallel", "fan-flat", "fan-arc"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!word || strcmp(word, names[i]) == 0) {
            *out = (enum ct_beam)i;
            return EXIT_FINE;
        }
    return usage_error("make phantom",
                       "--geometry: expected parallel, fan-flat or fan-arc, found '%s'",
                       word);
}

static int phantom_take_values(void *request)
{
    struct phantom_request *r = request;
    const struct phantom_words *w = &r->words;
    const struct {
        struct option_range range;
        const char *word;
        uint64_t *out;
    } numbers[] = {
        {{"make phantom", "size", 2, 8192}, w->size, &r->size},
        {{"make phantom", "views", 1, 65536}, w->views, &r->views},
        {{"make phantom", "channels", 1, 65536}, w->channels, &r->channels},
        {{"make phantom", "slices", 1, 4096}, w->slices, &r->slices},
        {{"make phantom", "i0", 1, 1000000000000}, w->counts, &r->counts},
        {{"make phantom", "seed", 0, INT64_MAX}, w->seed, &r->seed},
    };
    int code = phantom_take_beam(w->geometry, &r->beam);

    r->slices = r->seed = 1;
    r->counts = 100000;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !code; i++)
        code = option_integer(&numbers[i].range, numbers[i].word, numbers[i].out);
    return code;
}

/* Line integrals by [view][slice][channel], or the object in HU. The caller frees the
   values. */
static struct ct_npy phantom_npy(const struct ct_scan *scan, bool object)
{
    const struct ct_geometry *g = &scan->geometry;
    size_t n = g->size, slices = scan->slices, views = g->views, channels = g->channels;
    struct ct_npy npy = {.dimensions = 3, .shape = {views, slices, channels}};

    if (object) {
        npy = (struct ct_npy){.dimensions = 3, .shape = {slices, n, n}};
        npy.value = must_calloc(slices * n * n, sizeof *npy.value);
        for (size_t i = 0; i < slices * n * n; i++)
            npy.value[i] = ct_to_hu(scan->truth[i]);
        return npy;
    }
    npy.value = must_calloc(slices * views * channels, sizeof *npy.value);
    for (size_t i = 0; i < slices * views * channels; i++) {
        size_t view = i / channels / slices, slice = i / channels % slices;

        npy.value[i] = scan->measured[(slice * views + view) * channels + i % channels];
    }
    if (slices == 1) {
        npy.dimensions = 2;
        npy.shape[1] = channels;
    }
    return npy;
}

static enum proact_status phantom_create(void *request, const char *path,
                                         struct proact_error *err)
{
    const struct phantom_request *r = request;
    struct ct_geometry g = ct_geometry_make(r->beam, (unsigned)r->size, (unsigned)r->views,
                                            (unsigned)r->channels, 240);
    struct make_output *output;
    struct ct_scan scan;
    enum proact_status status =
        ct_scan_phantom(&g, (unsigned)r->slices, (double)r->counts, r->seed, &scan, err);

    if (status)
        return status;
    struct ct_npy npy = phantom_npy(&scan, r->words.object);
    size_t bytes;
    char *content = (char *)ct_npy_format(&npy, &bytes);

    if (!(status = make_output_open(path, &output, err))) {
        make_output_add(output, content, bytes);
        status = make_output_finish(output, err);
    }
    free(content);
    ct_npy_clear(&npy);
    ct_scan_clear(&scan);
    return status;
}

static int phantom_run(int argc, char **argv)
{
    struct phantom_request request = {.size = 0};
    const struct poptOption table[] = {
        {"size", 0, POPT_ARG_STRING, &request.words.size, 0, NULL, NULL},
        {"geometry", 0, POPT_ARG_STRING, &request.words.geometry, 0, NULL, NULL},
        {"views", 0, POPT_ARG_STRING, &request.words.views, 0, NULL, NULL},
        {"channels", 0, POPT_ARG_STRING, &request.words.channels, 0, NULL, NULL},
        {"slices", 0, POPT_ARG_STRING, &request.words.slices, 0, NULL, NULL},
        {"i0", 0, POPT_ARG_STRING, &request.words.counts, 0, NULL, NULL},
        {"seed", 0, POPT_ARG_STRING, &request.words.seed, 0, NULL, NULL},
        {"object", 0, POPT_ARG_NONE, &request.words.object, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    const struct make_options options = {
        "make phantom", phantom_help, table, &request, phantom_take_values, phantom_create};

    return make_options_run(&options, argc, argv);
}

const struct make_generator make_phantom = {
    .name = "phantom",
    .summary = "a sinogram of the Shepp-Logan phantom, for ct",
    .run = phantom_run,
};
