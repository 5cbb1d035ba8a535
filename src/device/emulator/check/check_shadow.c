/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/check/check_shadow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    PAGE_SHIFT = 12,
    PAGE_BYTES = 1 << PAGE_SHIFT,
    LEAF_SHIFT = 12,
    LEAF_PAGES = 1 << LEAF_SHIFT
};

/* Cell sizes as powers of two: a page, a warp's store with 4 bytes per lane, a vector, a
   word, a byte. */
static const uint8_t shifts[] = {PAGE_SHIFT, 7, 4, 2, 0};

struct page {
    unsigned char *value; /* PAGE_BYTES, or NULL */
    uint32_t shift;       /* a cell is 1 << shift bytes */
    struct check_cell cells[];
};

struct check_shadow {
    uint64_t base, bytes; /* the base is a multiple of a page */
    struct page ***leaves;
    uint64_t leaf_count;
};

struct check_shadow *check_shadow_create(uint64_t base, uint64_t bytes)
{
    struct check_shadow *s = must_calloc(1, sizeof *s);
    uint64_t before = base % PAGE_BYTES;

    s->base = base - before;
    s->bytes = bytes + before;
    s->leaf_count = (s->bytes >> (PAGE_SHIFT + LEAF_SHIFT)) + 1;
    s->leaves = must_calloc(s->leaf_count, sizeof(struct page **));
    return s;
}

static void page_free(struct page *p)
{
    if (p)
        free(p->value);
    free(p);
}

void check_shadow_destroy(struct check_shadow *s)
{
    if (!s)
        return;
    for (uint64_t i = 0; i < s->leaf_count; i++)
        for (uint32_t j = 0; s->leaves[i] && j < LEAF_PAGES; j++)
            page_free(s->leaves[i][j]);
    for (uint64_t i = 0; i < s->leaf_count; i++)
        free(s->leaves[i]);
    free(s->leaves);
    free(s);
}

static struct page **page_place(struct check_shadow *s, uint64_t address)
{
    uint64_t number = (address - s->base) >> PAGE_SHIFT;
    struct page ***leaf = &s->leaves[number >> LEAF_SHIFT];

    if (!*leaf)
        *leaf = must_calloc(LEAF_PAGES, sizeof(struct page *));
    return &(*leaf)[number & (LEAF_PAGES - 1)];
}

static struct page *page_make(uint32_t shift)
{
    size_t count = (size_t)1 << (PAGE_SHIFT - shift);
    struct page *p =
        must_calloc(1, sizeof(struct page) + count * sizeof(struct check_cell));

    p->shift = shift;
    return p;
}

static uint32_t cells_of(const struct page *p)
{
    return (uint32_t)PAGE_BYTES >> p->shift;
}

/* Splits cells that contain one of the two offsets. */
static void page_cut(struct page **place, uint32_t first, uint32_t end)
{
    struct page *old = *place;
    uint32_t shift = 0;

    for (unsigned i = sizeof shifts; i-- > 0;)
        if (shifts[i] <= old->shift && ((first | end) & ((1u << shifts[i]) - 1)) == 0)
            shift = shifts[i];
    if (shift == old->shift)
        return;
    struct page *p = page_make(shift);

    for (uint32_t i = 0; i < cells_of(p); i++)
        p->cells[i] = old->cells[i >> (old->shift - shift)];
    p->value = old->value;
    free(old);
    *place = p;
}

static uint32_t piece(uint64_t offset, uint64_t bytes)
{
    return bytes < PAGE_BYTES - offset ? (uint32_t)bytes : (uint32_t)(PAGE_BYTES - offset);
}

struct check_span check_shadow_find(struct check_shadow *s, uint64_t address,
                                    uint64_t bytes)
{
    if (address < s->base || address - s->base >= s->bytes || !bytes)
        return (struct check_span){0};
    struct page **place = page_place(s, address);
    uint32_t first = (uint32_t)(address % PAGE_BYTES), length = piece(first, bytes);

    if (!*place)
        *place = page_make(PAGE_SHIFT);
    page_cut(place, first, first + length);
    struct page *p = *place;

    return (struct check_span){.cells = &p->cells[first >> p->shift],
                               .address = address,
                               .count = length >> p->shift,
                               .cell_bytes = 1u << p->shift};
}

/* Page of an address; NULL: it has no state. */
static struct page **page_known(const struct check_shadow *s, uint64_t address)
{
    if (address < s->base || address - s->base >= s->bytes)
        return NULL;
    uint64_t number = (address - s->base) >> PAGE_SHIFT;
    struct page **leaf = s->leaves[number >> LEAF_SHIFT];

    return leaf && leaf[number & (LEAF_PAGES - 1)] ? &leaf[number & (LEAF_PAGES - 1)]
                                                   : NULL;
}

struct check_span check_shadow_look(const struct check_shadow *s, uint64_t address)
{
    struct page **place = page_known(s, address);
    struct check_span span = {
        .address = address - address % PAGE_BYTES, .count = 1, .cell_bytes = PAGE_BYTES};

    if (place) {
        span.cells = (*place)->cells;
        span.count = cells_of(*place);
        span.cell_bytes = 1u << (*place)->shift;
    }
    return span;
}

unsigned char *check_shadow_value(struct check_shadow *s, uint64_t address)
{
    struct page *p = *page_known(s, address);

    if (!p->value)
        p->value = must_calloc(PAGE_BYTES, 1);
    return p->value + address % PAGE_BYTES;
}

void check_shadow_clear(struct check_shadow *s, uint64_t address, uint64_t bytes)
{
    while (bytes) {
        struct page **place = page_known(s, address);
        uint32_t length = piece(address % PAGE_BYTES, bytes);

        if (place && length == PAGE_BYTES) {
            page_free(*place);
            *place = NULL;
        } else if (place) {
            struct check_span span = check_shadow_find(s, address, length);

            assert(span.cells); /* the page exists */
            memset(span.cells, 0, span.count * sizeof *span.cells);
        }
        address += length;
        bytes -= length;
    }
}

static bool is_even(const struct page *p)
{
    for (uint32_t i = 1; i < cells_of(p); i++)
        if (memcmp(&p->cells[i], p->cells, sizeof *p->cells) != 0)
            return false;
    return true;
}

void check_shadow_unite(struct check_shadow *s, uint64_t address, uint64_t bytes)
{
    while (bytes) {
        struct page **place = page_known(s, address);
        uint32_t length = piece(address % PAGE_BYTES, bytes);

        if (place && length == PAGE_BYTES && (*place)->shift != PAGE_SHIFT &&
            is_even(*place)) {
            struct page *p = page_make(PAGE_SHIFT);

            p->cells[0] = (*place)->cells[0];
            p->value = (*place)->value;
            free(*place);
            *place = p;
        }
        address += length;
        bytes -= length;
    }
}
