/* SPDX-License-Identifier: Apache-2.0 */
#include "link_query.h"

double link_once(void *context)
{
    struct link_query *a = context;

    return link_time(a->m, a->devices, a->streams, a->work, a);
}

struct bench_sample link_measure(struct link_query *a)
{
    return bench_repeat(link_once, a, a->m->backend->is_virtual);
}

struct bench_sample link_us(struct bench_sample ns, double count)
{
    struct bench_sample s = ns;

    s.median /= 1000 * count;
    s.lowest /= 1000 * count;
    s.highest /= 1000 * count;
    return s;
}
