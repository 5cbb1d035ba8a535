/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <string.h>

#include "rt/library/rt_library.h"

enum library_kind library_kind_of(const char *name)
{
    static const struct {
        const char *pattern;
        enum library_kind kind;
    } rows[] = {
#define CALLS(pattern, kind) {pattern, LIBRARY_##kind},
#include "rt/library/library_call.def"
#undef CALLS
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fnmatch(rows[i].pattern, name, 0) == 0)
            return rows[i].kind;
    return LIBRARY_ANY;
}

uint64_t library_refusal_of(const char *name)
{
    static const struct {
        const char *prefix;
        uint64_t answer;
    } rows[] = {
#define REFUSAL(prefix, answer) {prefix, answer},
#include "rt/library/library_refusal.def"
#undef REFUSAL
    };
    size_t i = 0;

    while (strncmp(name, rows[i].prefix, strlen(rows[i].prefix)) != 0)
        i++; /* the last row matches every name */
    return rows[i].answer;
}
