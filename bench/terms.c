/* SPDX-License-Identifier: Apache-2.0 */
#include "terms.h"

#include <math.h>

/* The part of T(bulk) that its copies must take, so that a part of them can be hidden. */
static const double copies_share_min = 0.1;

double terms_ideal_ns(const struct terms_base *base)
{
    return fmax(base->uncopied, base->skipped);
}

double terms_ideal(const struct terms_base *base)
{
    return base->one / terms_ideal_ns(base);
}

struct terms terms_of(const struct terms_base *base, double time, double skipped)
{
    const double ideal = terms_ideal_ns(base), copies = base->bulk - ideal;
    struct terms t = {.speedup = base->one / time,
                      .captured = ideal / time,
                      .overhead = NAN,
                      .hidden = NAN};

    if (skipped > 0)
        t.overhead = skipped / base->skipped - 1;
    if (skipped > 0 && copies > fmax(base->spread, copies_share_min * base->bulk))
        t.hidden = 1 - (time - skipped) / copies;
    return t;
}
