/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of scheduling quanta: shapes, and what their occurrences show. */
#include "device/emulator/quanta/quanta_book.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/short_name.h"

struct device_quanta *device_quanta_create(unsigned sample, unsigned first)
{
    struct device_quanta *q = must_calloc(1, sizeof *q);

    q->sample = sample ? sample : 1;
    q->first = first;
    q->images.count = WRITE_IMAGES_MAX;
    return q;
}

static void shape_destroy(struct device_shape *s)
{
    for (uint32_t c = 0; c < s->cta_count; c++) {
        for (uint32_t n = 0; n < s->cta[c].count; n++) {
            free(s->cta[c].occurrence[n].quantum);
            free(s->cta[c].occurrence[n].range);
        }
        free(s->cta[c].occurrence);
    }
    free(s->cta);
    free(s->kernel);
    free(s);
}

void device_quanta_destroy(struct device_quanta *q)
{
    while (q && q->shapes) {
        struct device_shape *next = q->shapes->next;

        shape_destroy(q->shapes);
        q->shapes = next;
    }
    if (q)
        write_images_clear(&q->images);
    free(q);
}

struct device_shape *device_quanta_find(struct device_quanta *q, const char *kernel,
                                        uint64_t key, uint32_t cta_count)
{
    struct device_shape *s = q->shapes;

    while (s && (s->key != key || s->cta_count != cta_count))
        s = s->next;
    if (s)
        return s;
    s = must_calloc(1, sizeof *s);
    s->book = q;
    s->kernel = must_strdup(kernel);
    s->key = key;
    s->cta_count = cta_count;
    s->cta = must_calloc(cta_count, sizeof *s->cta);
    s->next = q->shapes;
    q->shapes = s;
    return s;
}

/* Quanta of an occurrence; NULL: not recorded. */
static const struct cta_quanta *shape_occurrence(const struct device_shape *s, uint32_t cta,
                                                 uint32_t occurrence)
{
    const struct shape_cta *c = &s->cta[cta];

    if (c->executed)
        c = &s->cta[c->executed - 1];
    return occurrence < c->count && c->occurrence[occurrence].is_complete
               ? &c->occurrence[occurrence]
               : NULL;
}

bool device_shape_is_recorded(struct device_shape *s)
{
    for (uint32_t c = 0; c < s->cta_count && !s->is_recorded; c++)
        if (!shape_occurrence(s, c, 0))
            return false;
    s->is_recorded = true;
    return true;
}

bool device_shape_depends(const struct device_shape *s)
{
    return s->depends;
}

/* Share of the instructions by which launches of equal work may differ, of a replay and of
   a sample, within the bounds on their times (tests/apps/quanta_test.c). */
static const double equal_share[] = {0.005, 0.03};

/* Whether the recorded launches differ: in a store, or in their instructions. */
static bool shape_differs(const struct device_shape *s)
{
    uint64_t all = 0, differ = 0;

    for (uint32_t c = 0; c < s->cta_count; c++) {
        const struct cta_quanta *first = shape_occurrence(s, c, 0), *next;

        for (uint32_t n = 1; (next = shape_occurrence(s, c, n)); n++) {
            if (first->digest != next->digest)
                return true;
            all += first->issued;
            differ += first->issued > next->issued ? first->issued - next->issued
                                                   : next->issued - first->issued;
        }
    }
    return (double)differ > equal_share[s->book->sample > 1] * (double)all;
}

enum proact_status device_shape_settle(struct device_shape *s, struct proact_error *err)
{
    const unsigned unfit = atomic_load(&s->unfit);

    if (unfit)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': CTA %u has atomics, fences, clock reads or accesses to "
                    "other devices; recorded quanta cannot replace it",
                    name_shorten(s->kernel).text, unfit - 1);
    if (!s->is_settled)
        s->depends = shape_differs(s);
    s->is_settled = true;
    if (s->depends && s->book->sample > 1)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': its work depends on data that launches change, which a "
                    "sample of its CTAs does not compute",
                    name_shorten(s->kernel).text);
    return PROACT_OK;
}
