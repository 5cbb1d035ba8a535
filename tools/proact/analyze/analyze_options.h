/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { ANALYZE_EXTENTS_MAX = 3 };

/* One option: --arg N[.OFFSET]=VALUE, --array N[.OFFSET]=BYTES, --constant
   NAME[.OFFSET]=VALUE or --shape N[.OFFSET]=WIDTHxHEIGHTxDEPTH. Borrows from the words. */
struct analyze_setting {
    const char *word; /* as on the command line */
    const char *name; /* of --constant, not NUL-terminated */
    size_t name_length;
    uint32_t argument, offset;
    const char *value;
    uint64_t bytes;                        /* of --array */
    uint64_t extents[ANALYZE_EXTENTS_MAX]; /* of --shape, innermost first */
    uint32_t extent_count;
};
enum { ANALYZE_SETTINGS_MAX = 128 };

struct analyze_request {
    const char *file, *kernel, *json, *stop_after;
    const char *command_line;
    bool has_launch, reassociate_floats;
    uint32_t grid[3], block[3];
    struct analyze_setting args[ANALYZE_SETTINGS_MAX], arrays[ANALYZE_SETTINGS_MAX],
        constants[ANALYZE_SETTINGS_MAX], shapes[ANALYZE_SETTINGS_MAX];
    uint32_t arg_count, array_count, constant_count, shape_count;
    unsigned devices;
};

/* The request, which borrows from the words. Returns an exit status. */
struct analyze_words;
int analyze_options_parse(int argc, char **argv, struct analyze_words **words,
                          struct analyze_request *q, bool *help);
void analyze_options_destroy(struct analyze_words *w);
void analyze_help(FILE *to);
