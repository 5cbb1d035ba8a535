/* SPDX-License-Identifier: Apache-2.0 */
/* Within a graph a kernel may be on the device before the one ahead of it has ended, where
   its first instruction waits for that: sm_90's griddepcontrol (CUDA C++ Programming Guide,
   "Programmatic Dependent Launch"). It takes half a microsecond off each kernel of a graph.
   So kernels that are loaded from a text are given that instruction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/cuda/cuda_set.h"

enum { CAPABILITY = 90, OLDEST = 70 }; /* that has it; that is rewritten for it */

static const char wait[] = "griddepcontrol.wait;",
                  let_and_wait[] = "griddepcontrol.launch_dependents;griddepcontrol.wait;";

/* Behind a comment or a string; NULL: there is none at `p`. */
static const char *behind_words(const char *p)
{
    static const char *const kinds[][2] = {{"//", "\n"}, {"/*", "*/"}, {"\"", "\""}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i][0]);

        if (strncmp(p, kinds[i][0], length) != 0)
            continue;
        const char *end = strstr(p + length, kinds[i][1]);

        return end ? end + strlen(kinds[i][1]) : p + strlen(p);
    }
    return NULL;
}

/* The first of `word` from `p` on; NULL: none. */
static const char *find(const char *p, const char *word)
{
    const size_t length = strlen(word);

    while (*p && strncmp(p, word, length) != 0) {
        const char *behind = behind_words(p);

        p = behind ? behind : p + 1;
    }
    return *p ? p : NULL;
}

/* Where the body of the next entry begins; NULL: there is no other, or it has none. */
static const char *next_body(const char *p)
{
    const char *entry = find(p, ".entry");
    const char *brace = entry ? find(entry, "{") : NULL,
               *end = entry ? find(entry, ";") : NULL;

    return brace && (!end || brace < end) ? brace + 1 : NULL;
}

/* For a device and of a version that know the instruction; neither changes the length. */
static bool raise_target(char *text)
{
    char *version = (char *)(uintptr_t)find(text, ".version ");
    char *target = version ? (char *)(uintptr_t)find(version, ".target sm_") : NULL;
    unsigned major, minor;

    if (!target || sscanf(version, ".version %u.%u", &major, &minor) != 2 || major < 7)
        return false;
    char *number = target + strlen(".target sm_");
    const unsigned long sm = strtoul(number, NULL, 10);

    if (sm < OLDEST)
        return false;
    if (sm < CAPABILITY)
        memcpy(number, "90", 2);
    if (major == 7 && minor < 8)
        strchr(version + 1, '.')[1] = '8';
    return true;
}

char *cuda_overlap_text(const struct driver *v, unsigned capability, const char *ptx,
                        bool lets)
{
    const char *const words = lets ? let_and_wait : wait, *from = ptx, *p;
    size_t entries = 0;

    if (capability < CAPABILITY || !v->launch_with)
        return NULL;
    for (p = ptx; (p = find(p, ".entry")); p++)
        entries++;
    char *text = must_calloc(strlen(ptx) + entries * strlen(words) + 1, 1), *to = text;

    for (; entries && (p = next_body(from)); entries--) {
        memcpy(to, from, (size_t)(p - from));
        to = stpcpy(to + (p - from), words);
        from = p;
    }
    strcpy(to, from);
    if (!entries && raise_target(text))
        return text;
    free(text);
    return NULL;
}

unsigned cuda_overlap_attribute(const struct device_stream *s, bool waits,
                                struct cu_launch_attribute *out)
{
    if (!s->is_behind_kernel || !waits)
        return 0;
    *out = (struct cu_launch_attribute){.what = CU_LAUNCH_PROGRAMMATIC,
                                        .value.programmatic = 1};
    return 1;
}
