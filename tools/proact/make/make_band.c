/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "band/band.h"
#include "base/text.h"
#include "command.h"
#include "make/make_generator.h"
#include "make/make_options.h"
#include "make/make_output.h"
#include "option_values.h"
#include "progress_bar.h"

enum { BAND_ROWS_DEFAULT = 10000, HALF_WIDTH_DEFAULT = 13, BAND_LINES_BYTES = 1 << 16 };
static const double dominance_default = 1.1;

static const char band_help[] =
    "Usage: proact make band [OPTION...] -o FILE\n"
    "\n"
    "Generates the band matrix of proact run band: random entries from -1 to 0 off the\n"
    "diagonal, which is D times the sum of the moduli of its row. Values have 17 digits,\n"
    "so that the matrix is read as it was made.\n"
    "\n"
    "  --rows N           rows, 1 to 4294967295 (10000)\n"
    "  --half-width N     diagonals on each side of the main one (13)\n"
    "  --dominance D      Jacobi's method converges above 1 (1.1)\n"
    "  -o, --output FILE  a Matrix Market file, compressed if the name ends in .gz; -: "
    "stdout\n"
    "\n"
    "Examples:\n"
    "  proact make band --rows 2000 --half-width 4 -o band.mtx\n"
    "  proact run band --matrix band.mtx --tolerance 1e-6\n"
    "      Solves a system with this matrix.\n";

struct band_words {
    char *rows, *half_width, *dominance;
};

struct band_request {
    struct band_words words;
    struct band_shape shape;
};

static int band_take_dominance(const char *word, double *out)
{
    char *end;

    if (!word)
        return EXIT_FINE;
    errno = 0;
    const double d = strtod(word, &end);

    if (end == word || *end || errno || !(d > 0) || d > 1e6)
        return usage_error("make band",
                           "--dominance: expected a number above 0, found '%s'", word);
    *out = d;
    return EXIT_FINE;
}

static int band_take_values(void *request)
{
    struct band_request *r = request;
    const struct band_words *w = &r->words;
    const struct option_range row_range = {"make band", "rows", 1, UINT32_MAX};
    const struct option_range width_range = {"make band", "half-width", 0, UINT32_MAX};
    uint64_t rows = BAND_ROWS_DEFAULT, half_width = HALF_WIDTH_DEFAULT;
    int code;

    r->shape.dominance = dominance_default;
    if ((code = option_integer(&row_range, w->rows, &rows)) ||
        (code = option_integer(&width_range, w->half_width, &half_width)) ||
        (code = band_take_dominance(w->dominance, &r->shape.dominance)))
        return code;
    r->shape.rows = (uint32_t)rows;
    r->shape.half_width = (uint32_t)half_width;
    return EXIT_FINE;
}

static uint32_t band_low(const struct band_system *s, uint32_t row)
{
    return row < s->half_width ? 0 : row - s->half_width;
}

static uint32_t band_high(const struct band_system *s, uint32_t row)
{
    return s->rows - 1 - row < s->half_width ? s->rows - 1 : row + s->half_width;
}

static void band_write_head(const struct band_shape *shape, const struct band_system *s,
                            struct text *lines)
{
    uint64_t entries = 0;

    for (uint32_t i = 0; i < s->rows; i++)
        entries += band_high(s, i) - band_low(s, i) + 1;
    text_print(lines,
               "%%%%MatrixMarket matrix coordinate real general\n"
               "%% proact make band --rows %u --half-width %u --dominance %.17g\n"
               "%u %u %llu\n",
               shape->rows, shape->half_width, shape->dominance, s->rows, s->rows,
               (unsigned long long)entries);
}

static void band_write(const struct band_shape *shape, const struct band_system *s,
                       struct progress_bar *bar, struct make_output *output)
{
    struct text lines = {0};

    band_write_head(shape, s, &lines);
    for (uint32_t i = 0; i < s->rows; i++) {
        for (uint32_t j = band_low(s, i); j <= band_high(s, i); j++)
            text_print(&lines, "%llu %llu %.17g\n", i + 1ULL, j + 1ULL,
                       s->diagonals[(size_t)(j + s->half_width - i) * s->rows + i]);
        if (lines.length < BAND_LINES_BYTES && i + 1 < s->rows)
            continue;
        make_output_add(output, lines.data, lines.length);
        text_clear(&lines);
        if (progress_bar_is_due(bar))
            progress_bar_draw(bar, (double)i / s->rows, "writing");
    }
    text_clear(&lines);
}

static enum proact_status band_create(void *context, const char *path,
                                      struct proact_error *err)
{
    const struct band_request *request = context;
    struct progress_bar bar;
    struct make_output *output;
    struct band_system system;
    enum proact_status status = band_generate(&request->shape, &system, err);

    if (status)
        return status;
    if (!(status = make_output_open(path, &output, err))) {
        progress_bar_init(&bar);
        band_write(&request->shape, &system, &bar, output);
        progress_bar_clear(&bar);
        status = make_output_finish(output, err);
    }
    band_system_clear(&system);
    return status;
}

static int make_band_run(int argc, char **argv)
{
    struct band_request request = {.shape = {.rows = 0}};
    const struct poptOption table[] = {
        {"rows", 0, POPT_ARG_STRING, &request.words.rows, 0, NULL, NULL},
        {"half-width", 0, POPT_ARG_STRING, &request.words.half_width, 0, NULL, NULL},
        {"dominance", 0, POPT_ARG_STRING, &request.words.dominance, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    const struct make_options options = {"make band", band_help,        table,
                                         &request,    band_take_values, band_create};

    return make_options_run(&options, argc, argv);
}

const struct make_generator make_band = {
    .name = "band",
    .summary = "a band matrix with random entries, for band",
    .run = make_band_run,
};
