/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "band/band.h"
#include "base/text.h"
#include "check_words.h"
#include "command.h"
#include "make/make_generator.h"
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
    char *rows, *half_width, *dominance, *output;
    int help;
};

struct band_request {
    struct band_shape shape;
    const char *path;
};

static void band_words_clear(struct band_words *w)
{
    free(w->rows);
    free(w->half_width);
    free(w->dominance);
    free(w->output);
}

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

static int band_take_values(const struct band_words *w, struct band_request *r)
{
    const struct option_range row_range = {"make band", "rows", 1, UINT32_MAX};
    const struct option_range width_range = {"make band", "half-width", 0, UINT32_MAX};
    uint64_t rows = BAND_ROWS_DEFAULT, half_width = HALF_WIDTH_DEFAULT;
    int code;

    r->shape.dominance = dominance_default;
    if ((code = option_integer(&row_range, w->rows, &rows)) ||
        (code = option_integer(&width_range, w->half_width, &half_width)) ||
        (code = band_take_dominance(w->dominance, &r->shape.dominance)))
        return code;
    if (!w->output)
        return usage_error("make band", "no file is named: add -o FILE");
    r->shape.rows = (uint32_t)rows;
    r->shape.half_width = (uint32_t)half_width;
    r->path = take_output(w->output);
    return EXIT_FINE;
}

static int band_parse(int argc, char **argv, struct band_words *w, struct band_request *r)
{
    const struct poptOption table[] = {
        {"rows", 0, POPT_ARG_STRING, &w->rows, 0, NULL, NULL},
        {"half-width", 0, POPT_ARG_STRING, &w->half_width, 0, NULL, NULL},
        {"dominance", 0, POPT_ARG_STRING, &w->dominance, 0, NULL, NULL},
        {"output", 'o', POPT_ARG_STRING, &w->output, 0, NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, &w->help, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    poptContext popt = poptGetContext("proact", argc, (const char **)argv, table, 0);
    int code, result = EXIT_FINE;

    while ((code = poptGetNextOpt(popt)) > 0)
        ;
    const char *more = poptPeekArg(popt);

    if (code < -1)
        result =
            usage_error("make band", "%s: %s", poptBadOption(popt, POPT_BADOPTION_NOALIAS),
                        poptStrerror(code));
    else if (!w->help && more)
        result = usage_error("make band", "unexpected argument '%s'", more);
    else if (!w->help)
        result = band_take_values(w, r);
    poptFreeContext(popt);
    return result;
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

static enum proact_status band_create(const struct band_request *request,
                                      struct progress_bar *bar, struct proact_error *err)
{
    struct make_output *output;
    struct band_system system;
    enum proact_status status = band_generate(&request->shape, &system, err);

    if (status)
        return status;
    if (!(status = make_output_open(request->path, &output, err))) {
        band_write(&request->shape, &system, bar, output);
        status = make_output_finish(output, err);
    }
    band_system_clear(&system);
    return status;
}

static int make_band_run(int argc, char **argv)
{
    struct band_words words = {0};
    struct band_request request = {0};
    struct progress_bar bar;
    struct proact_error err = {""};
    int code = band_parse(argc, argv, &words, &request);

    if (!code && words.help) {
        fputs(band_help, stdout);
    } else if (!code) {
        progress_bar_init(&bar);
        if (check_folder(request.path, &err) || band_create(&request, &bar, &err))
            code = EXIT_FAILED;
        progress_bar_clear(&bar);
        if (code)
            failure_exit(&err);
    }
    band_words_clear(&words);
    return code;
}

const struct make_generator make_band = {
    .name = "band",
    .summary = "a band matrix with random entries, for band",
    .run = make_band_run,
};
