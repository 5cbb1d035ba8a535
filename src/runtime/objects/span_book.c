/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/objects/span_book.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

_Static_assert((int)PROACT_TRACE_KERNEL == (int)DEVICE_SPAN_KERNEL &&
                   (int)PROACT_TRACE_COPY == (int)DEVICE_SPAN_COPY &&
                   (int)PROACT_TRACE_WAIT == (int)DEVICE_SPAN_WAIT &&
                   (int)PROACT_TRACE_LINK == (int)DEVICE_SPAN_LINK,
               "kinds of spans have the same numbers inside and outside");

static void add(struct span_list *l, uint64_t start_ns, uint64_t end_ns)
{
    if (end_ns <= start_ns)
        return;
    l->span = must_grow(l->span, l->count, &l->capacity, sizeof *l->span);
    l->span[l->count++] = (struct span_interval){start_ns, end_ns};
}

void span_book_take(void *book, const struct device_span *span)
{
    struct span_book *b = book;

    if (b->observer)
        b->observer(b->context,
                    &(struct proact_trace_span){(enum proact_trace_kind)span->kind,
                                                span->device, span->lane, span->name,
                                                span->start_ns, span->end_ns, span->bytes});
    if (span->device >= b->device_count)
        return;
    if (span->kind == DEVICE_SPAN_LINK)
        add(&b->link[span->device], span->start_ns, span->end_ns);
    if (span->kind == DEVICE_SPAN_KERNEL &&
        !(span->name && b->skip && strncmp(span->name, b->skip, strlen(b->skip)) == 0))
        add(&b->kernel[span->device], span->start_ns, span->end_ns);
}

void span_book_launched(struct span_book *b, unsigned device, uint64_t id)
{
    struct launch_ids *l = &b->launched[device];

    l->id = must_grow(l->id, l->count, &l->capacity, sizeof *l->id);
    l->id[l->count++] = id;
}

static int compare_start(const void *left, const void *right)
{
    const struct span_interval *a = left, *b = right;

    return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static void sort(struct span_list *l)
{
    if (l->count)
        qsort(l->span, l->count, sizeof *l->span, compare_start);
}

/* Sorts the spans and joins adjacent ones. */
static void join(struct span_list *l)
{
    size_t kept = 0;

    sort(l);
    for (size_t i = 0; i < l->count; i++) {
        struct span_interval *last = kept ? &l->span[kept - 1] : NULL;

        if (!last || l->span[i].start_ns > last->end_ns)
            l->span[kept++] = l->span[i];
        else if (l->span[i].end_ns > last->end_ns)
            last->end_ns = l->span[i].end_ns;
    }
    l->count = kept;
}

static double length(const struct span_list *l)
{
    double sum = 0;

    for (size_t i = 0; i < l->count; i++)
        sum += (double)(l->span[i].end_ns - l->span[i].start_ns);
    return sum;
}

/* Intersection of two joined lists. */
static void intersect(const struct span_list *a, const struct span_list *b,
                      struct span_list *out)
{
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        uint64_t start = a->span[i].start_ns, end = a->span[i].end_ns;

        if (b->span[j].start_ns > start)
            start = b->span[j].start_ns;
        if (b->span[j].end_ns < end)
            end = b->span[j].end_ns;
        add(out, start, end);
        if (a->span[i].end_ns < b->span[j].end_ns)
            i++;
        else
            j++;
    }
}

static void append(struct span_list *to, const struct span_list *from)
{
    for (size_t i = 0; i < from->count; i++)
        add(to, from->span[i].start_ns, from->span[i].end_ns);
}

struct duration {
    uint64_t id;
    double ns;
};

static int compare_duration(const void *left, const void *right)
{
    const struct duration *a = left, *b = right;

    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->ns > b->ns ? -1 : a->ns < b->ns;
}

/* Keeps the time of the latest launches. Ids grow from fold to fold. */
static void keep_time(struct span_book *b, uint64_t id, double ns)
{
    enum { TIMES_MAX = 4096 };

    if (b->time_count == TIMES_MAX) {
        b->time_count /= 2;
        memmove(b->times, b->times + b->time_count, b->time_count * sizeof *b->times);
    }
    b->times = must_grow(b->times, b->time_count, &b->time_capacity, sizeof *b->times);
    b->times[b->time_count++] = (struct launch_time){id, ns};
}

/* Sum over all launches of their longest kernel. A device runs its kernels in launch
   order. */
static double longest_kernels(struct span_book *b)
{
    struct duration *all = NULL;
    size_t count = 0, capacity = 0;
    double sum = 0;

    for (unsigned d = 0; d < b->device_count; d++) {
        struct span_list *l = &b->kernel[d];

        sort(l);
        for (size_t i = 0; i < l->count && i < b->launched[d].count; i++) {
            all = must_grow(all, count, &capacity, sizeof *all);
            all[count++] = (struct duration){
                b->launched[d].id[i], (double)(l->span[i].end_ns - l->span[i].start_ns)};
        }
        b->launched[d].count = 0;
    }
    if (count)
        qsort(all, count, sizeof *all, compare_duration);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || all[i].id != all[i - 1].id) {
            sum += all[i].ns;
            keep_time(b, all[i].id, all[i].ns);
        }
    free(all);
    return sum;
}

double span_book_launch_ns(const struct span_book *b, uint64_t id)
{
    size_t low = 0, high = b->time_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (b->times[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < b->time_count && b->times[low].id == id ? b->times[low].ns : 0;
}

/* Length of a joined list outside another. */
static double length_outside(const struct span_list *l, const struct span_list *other)
{
    struct span_list both = {0};

    intersect(l, other, &both);
    const double outside = length(l) - length(&both);

    free(both.span);
    return outside;
}

void span_book_fold(struct span_book *b)
{
    struct span_list links = {0}, overlaps = {0}, kernels = {0};

    b->all.kernel_ns += longest_kernels(b);
    for (unsigned d = 0; d < b->device_count; d++)
        append(&kernels, &b->kernel[d]);
    join(&kernels);
    for (unsigned d = 0; d < b->device_count; d++) {
        struct span_list overlap = {0};

        b->device[d].kernel_ns += length(&b->kernel[d]);
        join(&b->kernel[d]);
        join(&b->link[d]);
        intersect(&b->kernel[d], &b->link[d], &overlap);
        b->device[d].link_ns += length(&b->link[d]);
        b->device[d].overlap_ns += length(&overlap);
        b->device[d].exposed_ns += length_outside(&b->link[d], &kernels);
        append(&links, &b->link[d]);
        append(&overlaps, &overlap);
        b->kernel[d].count = b->link[d].count = 0;
        free(overlap.span);
    }
    join(&links);
    join(&overlaps);
    b->all.link_ns += length(&links);
    b->all.overlap_ns += length(&overlaps);
    b->all.exposed_ns += length_outside(&links, &kernels);
    free(links.span);
    free(overlaps.span);
    free(kernels.span);
}

void span_book_reset(struct span_book *b)
{
    for (unsigned d = 0; d < b->device_count; d++)
        b->device[d] = (struct span_sums){0};
    b->all = (struct span_sums){0};
}

void span_book_clear(struct span_book *b)
{
    for (unsigned d = 0; d < PROACT_DEVICES_MAX; d++) {
        free(b->kernel[d].span);
        free(b->link[d].span);
        free(b->launched[d].id);
    }
    free(b->times);
    *b = (struct span_book){0};
}
