/* SPDX-License-Identifier: Apache-2.0 */
/* Global memory accesses of warps: bounds, location and cost. */
#include "device/emulator/traffic/global_access.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "device/emulator/check/checked.h"
#include "device/emulator/memory/heap.h"
#include "device/emulator/quanta/quanta_run.h"
#include "device/emulator/traffic/message.h"

enum { LANES = 32, LINE_SHIFT = 7, LINE_BYTES = 1 << LINE_SHIFT, SECTOR_BYTES = 32 };

/* Bit mask of the sectors of a line, and its population count. */
enum { SECTORS = 4, ALL_SECTORS = (1 << SECTORS) - 1 };

static inline uint64_t count_sectors(uint32_t sectors)
{
    return 0x4332322132212110u >> 4 * sectors & 7;
}

/* Accesses sectors of one L2 line; missing ones are read from memory. An entry is the line
   number, with the mask of cached sectors in its lowest four bits: these bits follow from
   the entry's index and the remaining number. */
static inline void touch_line(struct emulated *d, uint64_t line, uint32_t sectors)
{
    uint32_t *entry = &d->l2_lines[(line ^ line >> L2_FOLD) & d->l2_mask];
    uint32_t tag = (uint32_t)line & ~(uint32_t)ALL_SECTORS, cached = *entry ^ tag;

    const bool is_other = cached > ALL_SECTORS;

    d->usage.sectors += count_sectors(sectors);
    if (is_other)
        cached = 0; /* another line */
    if (!(sectors & ~cached))
        return;
    d->usage.replaced += is_other;
    d->usage.missed_sectors += count_sectors(sectors & ~cached);
    *entry = tag | cached | sectors;
}

/* `first` is relative to the device's first byte. */
static inline void touch_run(struct emulated *d, uint64_t first, uint32_t bytes)
{
    uint64_t last = first + bytes - 1, line = first >> LINE_SHIFT;
    uint32_t sectors;

    if (!((first | bytes) & (LINE_BYTES - 1))) { /* common case of vector accesses */
        for (; line <= last >> LINE_SHIFT; line++)
            touch_line(d, line, ALL_SECTORS);
        return;
    }
    sectors = ALL_SECTORS & ALL_SECTORS << first / SECTOR_BYTES % SECTORS;
    for (; line < last >> LINE_SHIFT; line++, sectors = ALL_SECTORS)
        touch_line(d, line, sectors);
    touch_line(d, line,
               sectors & ALL_SECTORS >> (SECTORS - 1 - last / SECTOR_BYTES % SECTORS));
}

void access_touch(struct emulated *d, uint64_t address, uint32_t bytes)
{
    touch_run(d, address - d->base, bytes);
}

/* Accesses scattered lanes; consecutive lanes in one sector count once. */
static void touch_scattered(struct emulated *d, const struct execute_access *a)
{
    uint64_t last = ~0ull;

    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t sector = (a->address[__builtin_ctz(rest)] - d->base) / SECTOR_BYTES;

        if (sector != last)
            touch_line(d, sector / SECTORS, 1u << sector % SECTORS);
        last = sector;
    }
}

/* Position of an address that lies between the allocations, the nearer one first. */
static void print_between(const struct allocation *below, const struct allocation *above,
                          uint64_t address, char *into, size_t bytes)
{
    char past[96] = "", before[96] = "";
    const bool is_past = below && (!above || address - below->end < above->first - address);

    if (below)
        snprintf(past, sizeof past,
                 "%" PRIu64 " bytes past the end of an allocation of %" PRIu64 " bytes",
                 address - below->end, below->end - below->first);
    if (above)
        snprintf(before, sizeof before,
                 "%" PRIu64 " bytes before an allocation of %" PRIu64 " bytes",
                 above->first - address, above->end - above->first);
    snprintf(into, bytes, "%s%s%s", is_past ? past : before, below && above ? ", " : "",
             is_past ? before : past);
}

/* Position of an address relative to the nearest allocations. */
static void print_place(const struct emulated *d, uint64_t address, char *into,
                        size_t bytes)
{
    const struct device_memory *memory = &d->set->memory;
    const struct allocation *below = NULL, *in = memory_find(memory, address, &below),
                            *above = memory_next(memory, address);
    const unsigned device = memory_device(memory, address);
    char place[224];

    if (heap_holds(d->heap, address)) {
        heap_print(d->heap, address, into, bytes);
        return;
    }
    if (!below && !above) {
        snprintf(into, bytes, "no allocation is near it");
        return;
    }
    if (in)
        snprintf(place, sizeof place,
                 "byte %" PRIu64 " of an allocation of %" PRIu64 " bytes",
                 address - in->first, in->end - in->first);
    else
        print_between(below, above, address, place, sizeof place);
    if (device < d->set->count)
        snprintf(into, bytes, "%s on device %u", place, device);
    else
        snprintf(into, bytes, "%s", place);
}

static void global_fault_address(struct emulated *d, struct execute_warp *w,
                                 const struct execute_access *a, unsigned lane,
                                 const char *what)
{
    const uint64_t address = a->address[lane];
    char place[256];

    print_place(d, address, place, sizeof place);
    execute_fault(w, a->line, lane, "%u bytes at 0x%" PRIx64 " are %s: %s", a->bytes,
                  address, what, place);
}

static __attribute__((noinline)) enum execute_verdict refuse(struct emulated *d,
                                                             struct execute_warp *w,
                                                             const struct execute_access *a,
                                                             unsigned lane,
                                                             const char *what)
{
    global_fault_address(d, w, a, lane, what);
    return EXECUTE_FAULT;
}

/* Tolerates an access outside of allocations with a warning: kernels of some programs read
   or write one row too many at boundaries. */
static __attribute__((noinline)) bool forgive(struct emulated *d, struct execute_warp *w,
                                              const struct execute_access *a, unsigned lane)
{
    struct execute_cta *c = execute_warp_cta(w);

    if (!d->set->options.warn || d->set->check ||
        !memory_forgive(&d->set->memory, d->number, a->address[lane], a->bytes))
        return false;
    if (d->warning[0])
        return true;
    global_fault_address(d, w, a, lane, "out of bounds");
    snprintf(d->warning, sizeof d->warning, "device %u: %s", d->number, c->fault);
    c->fault[0] = '\0'; /* not a fault */
    return true;
}

__attribute__((noinline)) enum execute_verdict access_look_up(
    struct emulated *d, struct execute_warp *w, const struct execute_access *a,
    struct known_range *known)
{
    enum execute_verdict verdict = EXECUTE_GO;
    const struct device_memory *memory = &d->set->memory;

    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t address = a->address[lane];
        const struct allocation *in = memory_find(memory, address, NULL);

        if (address & (a->align - 1))
            return refuse(d, w, a, lane, "misaligned");
        if (!in || a->bytes > in->end - address) {
            if (!forgive(d, w, a, lane))
                return refuse(d, w, a, lane, "out of bounds");
            *known = (struct known_range){0, 0};
            continue;
        }
        unsigned owner = memory_device(memory, address);

        if (heap_holds(d->heap, address)) { /* no caching: the block may be freed */
            if (!heap_inside(d->heap, address, a->bytes))
                return refuse(d, w, a, lane, "out of bounds");
            *known = (struct known_range){0, 0};
        } else if (owner == d->number) {
            const struct allocation part = memory_part(in, address);

            *known = (struct known_range){part.first, part.end - part.first};
        } else {
            verdict = EXECUTE_TAKEN;
            if (d->set->topology->link_gbps[d->number][owner] <= 0)
                return refuse(d, w, a, lane, "on a device without a direct link");
        }
    }
    return verdict;
}

/* Whether all lanes are aligned and within the range; addresses below it wrap around. */
static inline bool scattered_within(const struct known_range *known,
                                    const struct execute_access *a)
{
    uint64_t limit = known->bytes - a->bytes, far = 0, low = 0;

    if (known->bytes < a->bytes)
        return false;
    if (a->mask == ~0u) {
        for (unsigned l = 0; l < LANES; l++) {
            uint64_t offset = a->address[l] - known->first;

            far |= offset | (limit - offset);
            low |= a->address[l];
        }
    } else {
        for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
            uint64_t offset = a->address[__builtin_ctz(rest)] - known->first;

            far |= offset | (limit - offset);
            low |= a->address[__builtin_ctz(rest)];
        }
    }
    return !(far >> 63) && !(low & (a->align - 1));
}

static inline bool run_within(const struct known_range *known,
                              const struct execute_access *a, uint64_t first,
                              uint32_t bytes)
{
    uint64_t offset = first - known->first;

    return offset <= known->bytes && bytes <= known->bytes - offset &&
           !(first & (a->align - 1));
}

/* Bytes per group of consecutive lanes; scattered lanes form groups of one. */
static inline uint32_t run_bytes(const struct execute_access *a)
{
    static const uint32_t lanes[] = {[EXECUTE_UNIT] = LANES,
                                     [EXECUTE_HALVES] = LANES / 2,
                                     [EXECUTE_EQUAL] = 1,
                                     [EXECUTE_SCATTERED] = 1};

    return lanes[a->shape] * a->bytes;
}

/* Records a strong access or atomic, to distinguish polling from progress. An access to a
   peer counts as polling if its address repeats. */
static __attribute__((noinline)) void note_strong(struct emulated *d,
                                                  const struct execute_access *a,
                                                  bool is_here)
{
    struct resident *r = d->current;
    uint64_t address = a->address[__builtin_ctz(a->mask)], value = 0;

    if (is_here)
        memcpy(&value, (const void *)(uintptr_t)address,
               a->bytes < sizeof value ? a->bytes : sizeof value);
    bool is_new = address != r->poll_address || value != r->poll_value;

    d->usage.strong++;
    d->usage.news += is_new;
    if (a->kind == EXECUTE_STORE || a->kind == EXECUTE_REDUCTION ||
        (a->kind == EXECUTE_ATOMIC && is_new && is_here))
        d->usage.stores++;
    if (a->kind >= EXECUTE_ATOMIC && is_here)
        for (uint32_t rest = a->shape == EXECUTE_EQUAL ? a->mask & -a->mask : a->mask; rest;
             rest &= rest - 1) {
            uint64_t through = atomic_pass(d, a->address[__builtin_ctz(rest)]);

            if (through > d->usage.atomics_ps)
                d->usage.atomics_ps = through;
        }
    if (a->kind == EXECUTE_STORE || a->kind == EXECUTE_REDUCTION)
        return;
    r->poll_line = a->line;
    r->poll_address = address;
    r->poll_value = value;
}

static inline void note_weak(struct emulated *d, const struct execute_warp *w,
                             const struct execute_access *a)
{
    struct resident *r = d->current;
    uint64_t address = a->address[__builtin_ctz(a->mask)];

    if (a->kind == EXECUTE_STORE) {
        d->usage.stores++;
        if (r->recorded)
            quanta_record_store(d, w, a);
        return;
    }
    d->usage.loads++;
    if (address == r->load_address)
        return;
    d->usage.fresh_loads++;
    r->load_address = address;
    r->load_line = a->line;
}

static inline void note(struct emulated *d, const struct execute_warp *w,
                        const struct execute_access *a, bool is_here)
{
    if (a->order == EXECUTE_WEAK && a->kind < EXECUTE_ATOMIC)
        note_weak(d, w, a);
    else
        note_strong(d, a, is_here);
}

enum execute_verdict access_global(void *context, struct execute_warp *w,
                                   const struct execute_access *a)
{
    struct emulated *d = context;
    struct known_range *known = &d->current->run->known[a->number];
    uint64_t first = a->address[__builtin_ctz(a->mask)];
    uint32_t bytes = run_bytes(a);
    bool is_scattered = a->shape == EXECUTE_SCATTERED,
         is_halves = a->shape == EXECUTE_HALVES;
    enum execute_verdict verdict = EXECUTE_GO;

    if (is_scattered
            ? !scattered_within(known, a)
            : !run_within(known, a, first, bytes) ||
                  (is_halves && !run_within(known, a, a->address[LANES / 2], bytes))) {
        verdict = access_look_up(d, w, a, known);
        if (verdict == EXECUTE_FAULT)
            return verdict;
    }
    const bool is_later = checked_is_store(d, a); /* checked with its values */

    if (d->set->check && !is_later && !checked_access(d, w, a))
        return EXECUTE_FAULT;
    note(d, w, a, verdict == EXECUTE_GO);
    if (a->order >= EXECUTE_RELEASE)
        count_fence(d, w, a->scope);
    /* A release at sys scope waits until all earlier stores are acknowledged. */
    if (a->order >= EXECUTE_RELEASE && a->scope == EXECUTE_SYS && !all_acknowledged(d))
        return EXECUTE_TAKEN;
    if (verdict != EXECUTE_GO)
        return verdict;
    uint64_t missed = d->usage.missed_sectors;

    if (is_scattered)
        touch_scattered(d, a);
    else
        touch_run(d, first - d->base, bytes);
    if (is_halves)
        touch_run(d, a->address[LANES / 2] - d->base, bytes);
    if (a->kind == EXECUTE_LOAD || a->kind == EXECUTE_ATOMIC) {
        d->usage.waited++;
        d->usage.missed += d->usage.missed_sectors != missed;
        d->usage.awaited_sectors += d->usage.missed_sectors - missed;
    }
    return is_later ? EXECUTE_TAKEN : EXECUTE_GO;
}

/* Sends stores of one CTA in order, so that barriers stay effective; stores of different
   CTAs are unordered. */
uint64_t access_send(struct emulated *d, struct resident *r, struct message *m,
                     uint64_t ready_ps, uint64_t packets)
{
    uint64_t ready = ready_ps > r->sent_ps ? ready_ps : r->sent_ps;
    uint64_t leaves = message_send(d, m, ready, packets);

    r->sent_ps = ready;
    if (leaves > d->usage.leaves_ps)
        d->usage.leaves_ps = leaves;
    return leaves;
}
