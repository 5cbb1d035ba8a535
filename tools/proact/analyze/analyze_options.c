/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_options.h"

#include <errno.h>
#include <inttypes.h>
#include <popt.h>
#include <proact/proact.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "check_words.h"
#include "command.h"

enum { DEVICES_DEFAULT = 4 };

/* Strings allocated by popt, which we own; NULL: not given. */
struct analyze_words {
    poptContext popt;
    struct poptOption *table;
    char *kernel, *grid, *block, *devices, *json, *stop_after;
    char **args, **arrays, **constants, **shapes;
    int reassociate_floats, help;
    struct text command_line;
};

static poptContext make_popt(struct analyze_words *w, int argc, char **argv)
{
    const struct poptOption table[] = {
        {"kernel", 0, POPT_ARG_STRING, &w->kernel, 0, NULL, NULL},
        {"grid", 0, POPT_ARG_STRING, &w->grid, 0, NULL, NULL},
        {"block", 0, POPT_ARG_STRING, &w->block, 0, NULL, NULL},
        {"arg", 0, POPT_ARG_ARGV, &w->args, 0, NULL, NULL},
        {"array", 0, POPT_ARG_ARGV, &w->arrays, 0, NULL, NULL},
        {"constant", 0, POPT_ARG_ARGV, &w->constants, 0, NULL, NULL},
        {"shape", 0, POPT_ARG_ARGV, &w->shapes, 0, NULL, NULL},
        {"devices", 'n', POPT_ARG_STRING, &w->devices, 0, NULL, NULL},
        {"json", 0, POPT_ARG_STRING, &w->json, 0, NULL, NULL},
        {"stop-after", 0, POPT_ARG_STRING, &w->stop_after, 0, NULL, NULL},
        {"reassociate", 0, POPT_ARG_NONE, &w->reassociate_floats, 0, NULL, NULL},
        {"help", 'h', POPT_ARG_NONE, &w->help, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    struct poptOption *kept = must_calloc(1, sizeof table); /* popt borrows it */

    memcpy(kept, table, sizeof table);
    w->table = kept;
    return poptGetContext("proact", argc, (const char **)argv, kept, 0);
}

/* An integer at `*at`, which advances past it; false if there is none. */
static bool take_whole(const char **at, uint64_t high, uint64_t *out)
{
    char *end = NULL;

    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return !errno && *out <= high;
}

static int take_sizes(const char *option, const char *word, const uint32_t most[3],
                      uint32_t out[3])
{
    const char *at = word;
    uint64_t value = 0;
    int count = 0;
    bool good = true;

    out[0] = out[1] = out[2] = 1;
    while (good && count < 3) {
        good = take_whole(&at, INT32_MAX, &value) && value;
        out[count++] = (uint32_t)value;
        if (*at != ',')
            break;
        at++;
    }
    if (!good || *at)
        return usage_error("analyze",
                           "--%s: expected sizes such as 64 or 8,8,2, found '%s'", option,
                           word);
    for (int d = 0; d < 3; d++)
        if (out[d] > most[d])
            return usage_error("analyze",
                               "--%s: %" PRIu32 " in %c, but CUDA allows at most %" PRIu32,
                               option, out[d], "xyz"[d], most[d]);
    return EXIT_FINE;
}

static bool read_setting(const char *word, struct analyze_setting *s)
{
    const char *at = word;
    uint64_t argument = 0, offset = 0;
    bool good = take_whole(&at, UINT16_MAX, &argument);

    if (good && *at == '.') {
        at++;
        good = take_whole(&at, UINT16_MAX, &offset);
    }
    *s = (struct analyze_setting){.word = word,
                                  .argument = (uint32_t)argument,
                                  .offset = (uint32_t)offset,
                                  .value = at + 1};
    return good && *at == '=' && at[1];
}

static int take_setting(const char *option, const char *word, struct analyze_setting *s)
{
    return read_setting(word, s)
               ? EXIT_FINE
               : usage_error(
                     "analyze",
                     "--%s: expected ARGUMENT[.OFFSET]=VALUE such as 3=1024, found '%s'",
                     option, word);
}

static int take_shape(const char *word, struct analyze_setting *s)
{
    bool good = read_setting(word, s);
    const char *at = s->value;

    while (good) {
        uint64_t *extent = &s->extents[s->extent_count++];

        good = take_whole(&at, UINT32_MAX, extent) && *extent;
        if (!good || *at != 'x' || s->extent_count == ANALYZE_EXTENTS_MAX)
            break;
        at++;
    }
    return good && !*at ? EXIT_FINE
                        : usage_error("analyze",
                                      "--shape: expected ARGUMENT[.OFFSET]=WIDTHxHEIGHT"
                                      "[xDEPTH] in elements, such as 0=640x480, found '%s'",
                                      word);
}

static int take_constant(const char *word, struct analyze_setting *s)
{
    size_t length = strcspn(word, ".=");
    const char *at = word + length;
    uint64_t offset = 0;
    bool good = length > 0;

    if (good && *at == '.') {
        at++;
        good = take_whole(&at, UINT16_MAX, &offset);
    }
    if (!good || *at != '=' || !at[1])
        return usage_error(
            "analyze",
            "--constant: expected NAME[.OFFSET]=VALUE such as width=64, found '%s'", word);
    *s = (struct analyze_setting){.word = word,
                                  .name = word,
                                  .name_length = length,
                                  .offset = (uint32_t)offset,
                                  .value = at + 1};
    return EXIT_FINE;
}

static int take_bytes(struct analyze_setting *s)
{
    const char *at = s->value, *found;
    uint64_t bytes = 0;
    bool good = take_whole(&at, (uint64_t)1 << 40, &bytes) && bytes;

    if (good && *at && (found = strchr("KMG", *at))) {
        bytes <<= 10 * (found - "KMG" + 1);
        at++;
    }
    if (!good || *at || bytes > (uint64_t)1 << 40)
        return usage_error("analyze",
                           "--array: expected bytes such as 4096, 64K or 1G, found '%s'",
                           s->value);
    s->bytes = bytes;
    return EXIT_FINE;
}

/* An error if two options set the same bytes. */
static int check_once(const struct analyze_setting *all, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t b = 0; b < n; b++)
            if (all[b].argument == all[n].argument && all[b].offset == all[n].offset)
                return usage_error("analyze", "--arg: given twice: %s and %s", all[b].word,
                                   all[n].word);
    return EXIT_FINE;
}

static int take_settings(const struct analyze_words *w, struct analyze_request *q)
{
    int code = EXIT_FINE;

    for (char **word = w->args; word && *word && !code; word++)
        code = q->arg_count == ANALYZE_SETTINGS_MAX
                   ? usage_error("analyze", "--arg: more than %d", ANALYZE_SETTINGS_MAX)
                   : take_setting("arg", *word, &q->args[q->arg_count++]);
    if (!code)
        code = check_once(q->args, q->arg_count);
    for (char **word = w->constants; word && *word && !code; word++)
        code =
            q->constant_count == ANALYZE_SETTINGS_MAX
                ? usage_error("analyze", "--constant: more than %d", ANALYZE_SETTINGS_MAX)
                : take_constant(*word, &q->constants[q->constant_count++]);
    for (char **word = w->shapes; word && *word && !code; word++)
        code = q->shape_count == ANALYZE_SETTINGS_MAX
                   ? usage_error("analyze", "--shape: more than %d", ANALYZE_SETTINGS_MAX)
                   : take_shape(*word, &q->shapes[q->shape_count++]);
    for (char **word = w->arrays; word && *word && !code; word++) {
        if (q->array_count == ANALYZE_SETTINGS_MAX)
            return usage_error("analyze", "--array: more than %d", ANALYZE_SETTINGS_MAX);
        struct analyze_setting *s = &q->arrays[q->array_count++];

        if (!(code = take_setting("array", *word, s)))
            code = take_bytes(s);
    }
    return code;
}

static int take_launch(const struct analyze_words *w, struct analyze_request *q)
{
    static const uint32_t grid_most[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
    static const uint32_t block_most[3] = {1024, 1024, 64};
    const char *at = w->devices;
    uint64_t devices = DEVICES_DEFAULT;
    int code;

    if (at && (!take_whole(&at, PROACT_DEVICES_MAX, &devices) || *at || !devices))
        return usage_error("analyze",
                           "--devices: expected a whole number from 1 to %d, found '%s'",
                           PROACT_DEVICES_MAX, w->devices);
    q->devices = (unsigned)devices;
    if (!w->grid != !w->block)
        return usage_error("analyze", "--grid and --block belong together: add --%s",
                           w->grid ? "block" : "grid");
    q->has_launch = w->grid;
    if (!w->grid && (w->args || w->arrays || w->constants || w->shapes || w->devices))
        return usage_error("analyze", "--%s is for a launch: add --grid and --block",
                           w->args        ? "arg"
                           : w->arrays    ? "array"
                           : w->constants ? "constant"
                           : w->shapes    ? "shape"
                                          : "devices");
    if (w->grid && ((code = take_sizes("grid", w->grid, grid_most, q->grid)) ||
                    (code = take_sizes("block", w->block, block_most, q->block))))
        return code;
    return take_settings(w, q);
}

static int take_words(struct analyze_words *w, struct analyze_request *q)
{
    const char *more;

    q->file = poptGetArg(w->popt);
    if (!q->file)
        return usage_error("analyze", "analyze needs a file: PTX, .cu or a program");
    more = poptGetArg(w->popt);
    if (more)
        return usage_error("analyze", "analyze: unexpected argument '%s'", more);
    q->kernel = w->kernel;
    q->json = take_output(w->json);
    q->stop_after = w->stop_after;
    q->reassociate_floats = w->reassociate_floats;
    q->command_line = w->command_line.data;
    if (w->stop_after && (w->grid || w->json))
        return usage_error("analyze", "--stop-after prints PTX: remove --%s",
                           w->grid ? "grid" : "json");
    return take_launch(w, q);
}

int analyze_options_parse(int argc, char **argv, struct analyze_words **words,
                          struct analyze_request *q, bool *help)
{
    struct analyze_words *w = must_calloc(1, sizeof *w);
    int code;

    *words = w;
    text_print(&w->command_line, "proact");
    for (int i = 0; i < argc; i++)
        text_print(&w->command_line, " %s", argv[i]);
    w->popt = make_popt(w, argc, argv);
    while ((code = poptGetNextOpt(w->popt)) > 0)
        ;
    if (code < -1)
        return usage_error("analyze", "analyze: %s: %s",
                           poptBadOption(w->popt, POPT_BADOPTION_NOALIAS),
                           poptStrerror(code));
    *help = w->help;
    return w->help ? EXIT_FINE : take_words(w, q);
}

static void free_all(char **words)
{
    for (char **word = words; word && *word; word++)
        free(*word);
    free(words);
}

void analyze_options_destroy(struct analyze_words *w)
{
    char *strings[] = {w->kernel, w->grid, w->block, w->devices, w->json, w->stop_after};

    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        free(strings[i]);
    free_all(w->args);
    free_all(w->arrays);
    free_all(w->constants);
    free_all(w->shapes);
    poptFreeContext(w->popt);
    free(w->table);
    text_clear(&w->command_line);
    free(w);
}
