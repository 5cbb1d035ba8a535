/* SPDX-License-Identifier: Apache-2.0 */
#include "link_asking.h"

double link_once(void *context)
{
    struct asking *a = context;

    return link_time(a->m, a->devices, a->streams, a->work, a);
}

struct bench_sample link_ask(struct asking *a)
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
