/* SPDX-License-Identifier: Apache-2.0 */
/* Overlap of kernels in a graph. A kernel may start before its predecessor ends, if its
   first instruction waits for that: griddepcontrol of sm_90 (CUDA C++ Programming Guide,
   "Programmatic Dependent Launch"). It saves some 0.2 us per kernel. This file inserts the
   instruction into kernels that are loaded from PTX. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/cuda/cuda_set.h"

/* compute capability with the instruction; oldest rewritten target; CUDA 12.3, whose graphs
   accept such launches */
enum { CAPABILITY = 90, OLDEST = 70, DRIVER = 12030 };

static const char wait[] = "griddepcontrol.wait;",
                  let_and_wait[] = "griddepcontrol.launch_dependents;griddepcontrol.wait;";

/* End of a comment or string at `p`; NULL: there is none. */
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

/* First occurrence of `word` from `p` on, outside comments and strings; NULL: none. */
static const char *find(const char *p, const char *word)
{
    const size_t length = strlen(word);

    for (; *p; p++) {
        if (*p == *word && strncmp(p, word, length) == 0)
            return p;
        const char *behind = *p == '/' || *p == '"' ? behind_words(p) : NULL;

        p = behind ? behind - 1 : p;
    }
    return NULL;
}

/* Start of the next entry's body; NULL: there is no entry, or it has no body. */
static const char *next_body(const char *p)
{
    const char *entry = find(p, ".entry");
    const char *brace = entry ? find(entry, "{") : NULL,
               *end = entry ? find(entry, ";") : NULL;

    return brace && (!end || brace < end) ? brace + 1 : NULL;
}

/* Raises version and target to values that know the instruction; the length stays the
   same. */
static bool raise_target(char *text)
{
    char *version = (char *)(uintptr_t)find(text, ".version ");
    char *target = version ? (char *)(uintptr_t)find(version, ".target sm_") : NULL;

    if (!target)
        return false;
    char *number = target + strlen(".target sm_"), *point;
    const unsigned long sm = strtoul(number, NULL, 10),
                        major = strtoul(version + strlen(".version "), &point, 10);

    if (sm < OLDEST || major < 7 || *point != '.')
        return false;
    if (sm < CAPABILITY) {
        number[0] = '9';
        number[1] = '0';
    }
    if (major == 7 && strtoul(point + 1, NULL, 10) < 8)
        point[1] = '8';
    return true;
}

static bool is_known(const struct driver *v, unsigned capability)
{
    int version;

    return capability >= CAPABILITY && v->launch_with && !v->version(&version) &&
           version >= DRIVER;
}

/* Inserts `words` into each body and returns the number of bodies; `to` has enough
   space. */
static size_t begin_all(const char *from, const char *words, char *to)
{
    size_t count = 0;

    for (const char *p; (p = next_body(from)); count++) {
        memcpy(to, from, (size_t)(p - from));
        to = stpcpy(to + (p - from), words);
        from = p;
    }
    memcpy(to, from, strlen(from) + 1);
    return count;
}

char *cuda_overlap_text(const struct driver *v, unsigned capability, const char *ptx,
                        bool lets)
{
    const char *const words = lets ? let_and_wait : wait;
    size_t entries = 0;

    if (!is_known(v, capability))
        return NULL;
    for (const char *p = ptx; (p = find(p, ".entry")); p++)
        entries++;
    char *text = must_calloc(strlen(ptx) + entries * strlen(words) + 1, 1);

    if (begin_all(ptx, words, text) == entries && raise_target(text))
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

cu_result cuda_launch_own(struct device_stream *s, struct cu_launch_config *config,
                          cu_function f, void *parameters, size_t bytes)
{
    const struct driver *v = &s->set->driver;
    void *extra[] = {CU_LAUNCH_BUFFER, parameters, CU_LAUNCH_BUFFER_BYTES, &bytes,
                     CU_LAUNCH_END};
    const struct cuda_device *d = &s->set->devices[s->device];
    struct cu_launch_attribute attributes[2] = {
        {.what = CU_LAUNCH_PRIORITY, .value = {.priority = d->highest}}};

    config->stream = s->stream;
    config->attributes = attributes;
    config->attribute_count =
        1 + cuda_overlap_attribute(s, d->resident_waits, &attributes[1]);
    s->is_behind_kernel = true;
    if (v->launch_with)
        return v->launch_with(config, f, NULL, extra);
    return v->launch(f, config->grid[0], config->grid[1], config->grid[2], config->block[0],
                     config->block[1], 1, 0, s->stream, NULL, extra);
}
