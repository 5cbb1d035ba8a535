/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/pages_time.h"

enum { FAULTS_CAPABILITY = 60, NOBODY = 0xff, MICRO = 1000 };

const char *const pages_hint_names[PAGES_HINTS] = {
    [PAGES_NO_HINT] = "none",
    [PAGES_PREFERRED] = "preferred location",
    [PAGES_READ_MOSTLY] = "read-mostly",
    [PAGES_PREFETCH] = "prefetch",
};

struct page {
    uint64_t copies; /* a bit for each device */
    bool on_host;
    /* The first device that wrote the page, and the first that read it as a part of the
       array, or NOBODY. */
    uint8_t writer, reader;
};

struct pages_array {
    uint64_t bytes;
    uint32_t count;
    struct page *page;
    bool is_used; /* by the current launch */
};

struct pages {
    const struct topology *t;
    enum pages_hint hint;
    uint64_t page_bytes;
    struct pages_array *array;
    size_t count, capacity;
    struct pages_counts counts;
    /* The current launch. */
    bool works[TOPOLOGY_DEVICES_MAX];
    uint64_t faults[TOPOLOGY_DEVICES_MAX], prefetches[TOPOLOGY_DEVICES_MAX];
    struct pages_moves moves;
};

static bool has_faults(const struct topology *t)
{
    return t->device.capability >= FAULTS_CAPABILITY;
}

bool pages_has_machine(const struct topology *t)
{
    return !has_faults(t) || (t->device.fault_us > 0 && t->device.fault_batch > 0);
}

bool pages_has_hints(const struct topology *t)
{
    return has_faults(t);
}

struct pages *pages_create(const struct topology *t, enum pages_hint hint)
{
    struct pages *p = must_calloc(1, sizeof *p);

    p->t = t;
    p->hint = has_faults(t) ? hint : PAGES_NO_HINT;
    p->page_bytes = p->hint == PAGES_PREFETCH ? PAGES_LARGE_BYTES : PAGES_SMALL_BYTES;
    return p;
}

void pages_destroy(struct pages *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++)
        free(p->array[i].page);
    free(p->array);
    free(p);
}

uint32_t pages_array_add(struct pages *p, uint64_t bytes)
{
    const uint32_t count = (uint32_t)((bytes + p->page_bytes - 1) / p->page_bytes);
    struct page *page = must_calloc(count, sizeof *page);

    for (uint32_t i = 0; i < count; i++)
        page[i] = (struct page){.on_host = true, .writer = NOBODY, .reader = NOBODY};
    p->array = must_grow(p->array, p->count, &p->capacity, sizeof *p->array);
    p->array[p->count] = (struct pages_array){.bytes = bytes, .count = count, .page = page};
    return (uint32_t)p->count++;
}

/* Pages first to end - 1, and bytes first to end - 1. */
struct page_range {
    uint32_t first, end;
};
struct page_bytes {
    uint64_t first, end;
};

static struct page_range pages_of(const struct pages *p, const struct pages_array *a,
                                  uint64_t first, uint64_t end)
{
    if (end > a->bytes)
        end = a->bytes;
    if (first >= end)
        return (struct page_range){0, 0};
    return (struct page_range){(uint32_t)(first / p->page_bytes),
                               (uint32_t)((end + p->page_bytes - 1) / p->page_bytes)};
}

/* The last page of an array may be short. */
static uint64_t page_bytes_of(const struct pages *p, const struct pages_array *a,
                              uint32_t index)
{
    const uint64_t rest = a->bytes - index * p->page_bytes;

    return rest < p->page_bytes ? rest : p->page_bytes;
}

void pages_host_access(struct pages *p, uint32_t array, uint64_t first, uint64_t end)
{
    const struct pages_array *a = &p->array[array];
    const struct page_range range = pages_of(p, a, first, end);

    for (uint32_t i = range.first; i < range.end; i++) {
        a->page[i].copies = 0;
        a->page[i].on_host = true;
    }
}

void pages_use(struct pages *p, uint32_t array)
{
    p->array[array].is_used = true;
}

/* The device with the fastest link of those that have the page; the host if none has a
   direct link. */
static unsigned page_source(const struct pages *p, const struct page *page, unsigned device)
{
    unsigned best = PAGES_HOST;
    double gbps = 0;

    for (unsigned d = 0; d < p->t->device_count; d++)
        if (page->copies >> d & 1 && p->t->link_gbps[d][device] > gbps) {
            gbps = p->t->link_gbps[d][device];
            best = d;
        }
    if (best == PAGES_HOST && !page->on_host && page->copies)
        return (unsigned)__builtin_ctzll(page->copies); /* by way of the host */
    return best;
}

static void page_migrate(struct pages *p, const struct pages_array *a, uint32_t index,
                         unsigned device)
{
    const uint64_t bytes = page_bytes_of(p, a, index);

    p->moves.migrated[page_source(p, &a->page[index], device)][device] += (double)bytes;
    p->counts.migrated_pages++;
    p->counts.migrated_bytes += bytes;
}

static void page_fault(struct pages *p, unsigned device)
{
    p->faults[device]++;
    p->counts.faults++;
}

/* Whether readers have copies of their own. */
static bool copies_pages(const struct pages *p)
{
    return p->hint == PAGES_READ_MOSTLY || p->hint == PAGES_PREFETCH;
}

/* Preferred location: the writer, else the reader, else one of equal parts of the array. */
static unsigned page_location(const struct pages *p, const struct pages_array *a,
                              uint32_t index)
{
    if (a->page[index].writer != NOBODY)
        return a->page[index].writer;
    if (a->page[index].reader != NOBODY)
        return a->page[index].reader;
    return (unsigned)((uint64_t)index * p->t->device_count / a->count);
}

static void page_move(struct page *page, unsigned device)
{
    page->copies = 1ull << device;
    page->on_host = false;
}

/* Access to one page. */
struct page_access {
    unsigned device;
    uint64_t bytes;
    bool is_write, is_part; /* is_part: the range is not the entire array */
};

/* An access where the page is, without a migration. */
static void access_remote(struct pages *p, const struct page *page,
                          const struct page_access *access)
{
    const unsigned device = access->device,
                   at = page->on_host ? PAGES_HOST : page_source(p, page, device);

    if (access->is_write)
        p->moves.stored[device][at] += (double)access->bytes;
    else
        p->moves.loaded[at][device] += (double)access->bytes;
    p->counts.remote_bytes += access->bytes;
}

/* Only an access of the device at the preferred location moves the page. */
static void access_preferred(struct pages *p, const struct pages_array *a, uint32_t index,
                             const struct page_access *access)
{
    struct page *page = &a->page[index];
    const unsigned device = access->device;

    if (access->is_write && page->writer == NOBODY)
        page->writer = (uint8_t)device;
    if (!access->is_write && access->is_part && page->reader == NOBODY)
        page->reader = (uint8_t)device;
    if (page->copies >> device & 1)
        return;
    if (page_location(p, a, index) != device) {
        access_remote(p, page, access);
        return;
    }
    page_fault(p, device);
    page_migrate(p, a, index, device);
    page_move(page, device);
}

/* A missing page comes by a fault or by a prefetch. A write ends all other
   copies by a fault, which may be the same one. */
static void access_page(struct pages *p, const struct pages_array *a, uint32_t index,
                        const struct page_access *access)
{
    struct page *page = &a->page[index];
    const uint64_t own = 1ull << access->device;
    const bool has = page->copies & own, fetches = p->hint == PAGES_PREFETCH;

    if (!has) {
        page_migrate(p, a, index, access->device);
        if (!fetches)
            page_fault(p, access->device);
    }
    if (copies_pages(p) && !access->is_write) {
        page->copies |= own;
        return;
    }
    if ((page->copies & ~own || (page->on_host && copies_pages(p))) && (has || fetches))
        page_fault(p, access->device);
    page_move(page, access->device);
}

static void access_range(struct pages *p, unsigned device, uint32_t array,
                         struct page_bytes range, bool is_write)
{
    const struct pages_array *a = &p->array[array];
    const struct page_range pages = pages_of(p, a, range.first, range.end);
    struct page_access access = {.device = device,
                                 .is_write = is_write,
                                 .is_part = range.first > 0 || range.end < a->bytes};
    bool had = true;

    p->works[device] |= pages.end > pages.first;
    if (!has_faults(p->t))
        return;
    for (uint32_t i = pages.first; i < pages.end; i++) {
        const uint64_t from = i * p->page_bytes, to = from + page_bytes_of(p, a, i);
        const bool has = a->page[i].copies >> device & 1;

        access.bytes =
            (range.end < to ? range.end : to) - (range.first > from ? range.first : from);
        /* Consecutive pages are one prefetch. */
        p->prefetches[device] += p->hint == PAGES_PREFETCH && had && !has;
        had = has;
        if (p->hint == PAGES_PREFERRED)
            access_preferred(p, a, i, &access);
        else
            access_page(p, a, i, &access);
    }
}

void pages_read(struct pages *p, unsigned device, uint32_t array, uint64_t first,
                uint64_t end)
{
    access_range(p, device, array, (struct page_bytes){first, end}, false);
}

void pages_write(struct pages *p, unsigned device, uint32_t array, uint64_t first,
                 uint64_t end)
{
    access_range(p, device, array, (struct page_bytes){first, end}, true);
}

/* Without faults the arrays of the launch pass the bus to every device that works. */
static void pages_migrate_all(struct pages *p)
{
    for (size_t i = 0; i < p->count; i++)
        for (unsigned d = 0; p->array[i].is_used && d < p->t->device_count; d++) {
            if (!p->works[d])
                continue;
            p->moves.migrated[PAGES_HOST][d] += (double)p->array[i].bytes;
            p->counts.migrated_pages += p->array[i].count;
            p->counts.migrated_bytes += p->array[i].bytes;
        }
}

void pages_launch_end(struct pages *p, double wait_ns[TOPOLOGY_DEVICES_MAX])
{
    const struct topology_device *device = &p->t->device;

    if (!has_faults(p->t))
        pages_migrate_all(p);
    pages_moves_time(p->t, &p->moves, wait_ns);
    for (unsigned d = 0; d < p->t->device_count; d++) {
        const uint64_t groups =
            p->faults[d] ? (p->faults[d] + device->fault_batch - 1) / device->fault_batch
                         : 0;

        p->counts.fault_groups += groups;
        wait_ns[d] += (double)groups * device->fault_us * MICRO +
                      (double)p->prefetches[d] * p->t->fabric.copy_start_us * MICRO;
    }
    for (size_t i = 0; i < p->count; i++)
        p->array[i].is_used = false;
    memset(p->works, 0, sizeof p->works);
    memset(p->faults, 0, sizeof p->faults);
    memset(p->prefetches, 0, sizeof p->prefetches);
    memset(&p->moves, 0, sizeof p->moves);
}

struct pages_counts pages_counts(const struct pages *p)
{
    return p->counts;
}

void pages_counts_reset(struct pages *p)
{
    p->counts = (struct pages_counts){0};
}
