/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and records of reads and writes.

   A cell stores at most CHECK_READERS unordered readers since the last write, preferably of
   different devices. An early write that races only with a further reader is not detected;
   a missing wait is usually unordered with every reader. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/short_name.h"
#include "device/emulator/check/check_inside.h"

/* One access, with the state that all its bytes share. */
struct access {
    struct check *c;
    struct finding finding;
    check_stamp stamp;
    bool strong;
    bool copies;                /* to the same offset of another replica */
    bool is_same;               /* stores the value that is there already */
    const unsigned char *value; /* values of a kernel's store, from `first` on; else NULL */
    uint64_t first, bytes;      /* `bytes` of a read */
    uint32_t cell_bytes;        /* of the current cell */
    uint32_t site;
    uint32_t content; /* operation of the access, or of the content that it copies */
};

static struct access access_begin(struct check *c, uint32_t actor, bool strong,
                                  const struct check_where *where, const char *verb)
{
    struct actor *a = &c->actors[actor];

    check_settle(c, a);
    a->last = a->epoch;
    return (struct access){
        .c = c,
        .finding = {.check = c, .actor = actor, .where = where, .verb = verb},
        .stamp = check_stamp_make(a->epoch, strong, actor),
        .strong = strong,
        .site = check_site(c, where, a->device),
        .content = check_issue_of(c, actor)};
}

static bool races(const struct access *a, check_stamp other)
{
    return other && !(a->strong && check_stamp_strong(other)) &&
           !check_knows(a->c, a->finding.actor, other);
}

/* Whether this reader may replace another one in its slot. */
static bool outlives(const struct access *a, check_stamp other)
{
    if (!other)
        return true;
    if (a->strong && !check_stamp_strong(other) && check_stamp_time(other) > a->c->quiesced)
        return false; /* a strong write races with the other reader only */
    return check_knows(a->c, a->finding.actor, other);
}

static void remember_reader(const struct access *a, struct check_cell *cell)
{
    const struct actor *actors = a->c->actors;
    int slot = -1;

    for (int i = 0; i < CHECK_READERS && slot < 0; i++)
        if (outlives(a, cell->read[i]))
            slot = i;
    for (int i = 0; i < CHECK_READERS && slot < 0 && !a->strong; i++)
        if (actors[check_stamp_actor(cell->read[i])].device ==
            actors[a->finding.actor].device)
            slot = i;
    if (slot < 0 && !a->strong)
        slot = CHECK_READERS - 1;
    if (slot >= 0)
        cell->read[slot] = a->stamp;
}

/* Whether the access follows the last write and the writes of equal values. */
static bool follows_writers(const struct access *a, const struct check_cell *cell)
{
    if (races(a, cell->write))
        check_report_race(&a->finding, "written", cell->write, cell->write_site);
    else if (races(a, cell->alike))
        check_report_race(&a->finding, "written", cell->alike, 0);
    else
        return true;
    return false;
}

/* Whether a read of a sending access may be uninitialized: a map may cover bytes of a new
   array that no CTA wrote. */
static bool passes_on(const struct access *a)
{
    struct replica_place r;

    return a->finding.where && a->finding.where->sends &&
           check_replica_of(a->c, a->finding.address, &r);
}

/* Whether some of the bytes in the range are initialized. */
static bool is_written_in(const struct check *c, uint64_t address, uint64_t bytes)
{
    const uint64_t end = address + bytes;

    while (address < end) {
        struct check_span s = check_shadow_look(c->shadow, address);
        const uint64_t past = s.address + (uint64_t)s.count * s.cell_bytes;

        for (; s.cells && address < end && address < past; address++)
            if (s.cells[(address - s.address) / s.cell_bytes].write)
                return true;
        address = past;
    }
    return false;
}

/* Whether the unwritten byte may be padding: kernels copy structs in words that include
   it. */
static bool is_padding(const struct access *a)
{
    return a->finding.where && a->bytes <= CHECK_LANE_BYTES &&
           is_written_in(a->c, a->first, a->bytes);
}

/* Whether the load is the first look of a compare-and-swap loop: a wrong value makes the
   compare-and-swap fail. Threads for which nothing is to be done may skip it. */
static bool is_first_look(const struct access *a, const struct check_cell *cell)
{
    return a->finding.where && cell->compared && cell->compared == a->content &&
           check_stamp_strong(cell->write) && !races(a, cell->alike);
}

static bool read_cell(const struct access *a, struct check_cell *cell)
{
    if (!cell->write && (passes_on(a) || is_padding(a)))
        return true;
    if (!cell->write) {
        check_report_unwritten(&a->finding);
        return false;
    }
    if (cell->stale && cell->stale_content <= a->content &&
        check_knows(a->c, a->finding.actor, cell->stale)) {
        check_report_stale(&a->finding, cell);
        return false;
    }
    if (!is_first_look(a, cell) && !follows_writers(a, cell))
        return false;
    remember_reader(a, cell);
    return true;
}

/* Keeps a byte stale if its new content is older than the missing content. */
static void keep_stale(struct check_cell *cell, const struct check_cell *before)
{
    if (!before->stale || before->stale_content <= cell->content)
        return;
    cell->stale = before->stale;
    cell->stale_site = before->stale_site;
    cell->stale_content = before->stale_content;
}

/* Whether a store leaves a current byte as it is: neighbours of new bytes, and bytes of a
   map that no CTA wrote, are sent as well. Concurrent readers see the same value; other
   stores must be ordered with it. */
static bool changes_nothing(const struct access *a, const struct check_cell *cell)
{
    return cell->write && !cell->stale &&
           (a->is_same || (a->copies && cell->content == a->content));
}

/* Whether another CTA of the launch stored the same value; the order of such stores is
   irrelevant. */
static bool is_alike(const struct access *a, const struct check_cell *cell)
{
    return a->value && cell->has_value && cell->content == a->content &&
           !memcmp(check_shadow_value(a->c->shadow, a->finding.address),
                   a->value + (a->finding.address - a->first), a->cell_bytes);
}

static check_stamp unknown_writer(const struct access *a, const struct check_cell *before)
{
    if (races(a, before->alike))
        return before->alike;
    return races(a, before->write) ? before->write : 0;
}

static bool is_compare(const struct access *a)
{
    return a->finding.where && a->finding.where->compares;
}

/* Whether the reader had its first look at a word for this or an earlier compare-and-swap
   of the launch. */
static bool had_first_look(const struct access *a, const struct check_cell *cell,
                           check_stamp reader)
{
    return a->strong && a->content && (is_compare(a) || cell->compared == a->content) &&
           check_issue_at(a->c, reader) == a->content;
}

static bool write_cell(const struct access *a, struct check_cell *cell)
{
    const bool alike = is_alike(a, cell);

    if (!alike && !follows_writers(a, cell))
        return false;
    if (!alike && changes_nothing(a, cell)) { /* otherwise it is one of several
                                                 idempotent stores */
        remember_reader(a, cell);
        return true;
    }
    for (int i = 0; i < CHECK_READERS; i++)
        if (races(a, cell->read[i]) && !had_first_look(a, cell, cell->read[i])) {
            check_report_race(&a->finding, "read", cell->read[i], 0);
            return false;
        }
    const struct check_cell before = *cell;

    *cell = (struct check_cell){.write = a->stamp,
                                .alike = unknown_writer(a, &before),
                                .write_site = a->site,
                                .content = a->content,
                                .compared = is_compare(a) ? a->content : cell->compared,
                                .has_value = a->value != NULL};
    if (a->value)
        memcpy(check_shadow_value(a->c->shadow, a->finding.address),
               a->value + (a->finding.address - a->first), a->cell_bytes);
    keep_stale(cell, &before);
    return true;
}

static bool each_cell(struct access *a, uint64_t address, uint64_t bytes,
                      bool (*act)(const struct access *a, struct check_cell *cell))
{
    while (bytes) {
        struct check_span s = check_shadow_find(a->c->shadow, address, bytes);

        if (!s.count)
            break;
        a->cell_bytes = s.cell_bytes;
        for (uint32_t i = 0; i < s.count; i++) {
            a->finding.address = s.address + (uint64_t)i * s.cell_bytes;
            if (!act(a, &s.cells[i]))
                return false;
        }
        address += (uint64_t)s.count * s.cell_bytes;
        bytes -= (uint64_t)s.count * s.cell_bytes;
    }
    return true;
}

bool check_read(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                bool strong, const struct check_where *where, char *fault,
                size_t fault_bytes)
{
    struct access a = access_begin(c, actor, strong, where, "reads");

    a.first = address;
    a.bytes = bytes;
    a.finding.fault = fault;
    a.finding.fault_bytes = fault_bytes;
    return each_cell(&a, address, bytes, read_cell);
}

static bool make_stale(const struct access *a, struct check_cell *cell)
{
    if (cell->content > a->content || cell->stale_content > a->content)
        return true;
    cell->stale = a->stamp;
    cell->stale_site = a->site;
    cell->stale_content = a->content;
    return true;
}

/* A kernel's store into its device's replica makes the other replicas stale. */
static void others_stale(struct access *a, uint64_t address, uint64_t bytes)
{
    struct check *c = a->c;
    struct replica_place r;

    if (!a->site || !check_replica_of(c, address, &r) ||
        r.device != c->actors[a->finding.actor].device)
        return;
    if (bytes > r.array->bytes - r.offset)
        bytes = r.array->bytes - r.offset;
    r.array->stores++;
    for (unsigned d = 0; d < c->device_count; d++)
        if (d != r.device && r.array->base[d])
            each_cell(a, r.array->base[d] + r.offset, bytes, make_stale);
}

static bool write_range(struct access *a, uint64_t address, uint64_t bytes)
{
    if (!each_cell(a, address, bytes, write_cell))
        return false;
    check_shadow_unite(a->c->shadow, address, bytes);
    others_stale(a, address, bytes);
    return true;
}

bool check_write(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                 bool strong, const struct check_where *where, char *fault,
                 size_t fault_bytes)
{
    struct access a = access_begin(c, actor, strong, where, "writes");

    a.finding.fault = fault;
    a.finding.fault_bytes = fault_bytes;
    return write_range(&a, address, bytes);
}

bool check_store(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                 const unsigned char *value, const struct check_where *where, char *fault,
                 size_t fault_bytes)
{
    struct access a = access_begin(c, actor, false, where, "writes");

    a.value = value;
    a.first = address;
    a.finding.fault = fault;
    a.finding.fault_bytes = fault_bytes;
    return write_range(&a, address, bytes);
}

bool check_store_again(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                       const unsigned char *value, const struct check_where *where,
                       char *fault, size_t fault_bytes)
{
    struct access a = access_begin(c, actor, false, where, "writes");

    a.is_same = true;
    a.value = value;
    a.first = address;
    a.finding.fault = fault;
    a.finding.fault_bytes = fault_bytes;
    return each_cell(&a, address, bytes, write_cell);
}

/* Range of a copy with the content of one operation. */
struct stretch {
    uint64_t address, bytes;
    uint32_t content;
};

struct stretches {
    struct stretch *stretch;
    size_t count, capacity;
};

static void add_stretch(struct stretches *s, uint64_t first, uint64_t end, uint32_t content)
{
    struct stretch *last = s->count ? &s->stretch[s->count - 1] : NULL;

    if (last && last->address + last->bytes == first && last->content == content) {
        last->bytes += end - first;
        return;
    }
    s->stretch = must_grow(s->stretch, s->count, &s->capacity, sizeof *s->stretch);
    s->stretch[s->count++] = (struct stretch){first, end - first, content};
}

/* Appends the initialized ranges of a range. */
static void add_written(const struct check *c, uint64_t address, uint64_t bytes,
                        struct stretches *out)
{
    uint64_t end = address + bytes;

    while (address < end) {
        struct check_span s = check_shadow_look(c->shadow, address);

        for (uint32_t i = 0; i < s.count; i++) {
            uint64_t at = s.address + (uint64_t)i * s.cell_bytes, stop = at + s.cell_bytes;
            uint64_t first = at < address ? address : at;

            if (s.cells && s.cells[i].write && first < end && stop > first)
                add_stretch(out, first, stop < end ? stop : end, s.cells[i].content);
        }
        address = s.address + (uint64_t)s.count * s.cell_bytes;
    }
}

static bool read_stretches(struct check *c, uint32_t actor, const struct stretches *s,
                           char *fault, size_t fault_bytes)
{
    bool good = true;

    for (size_t n = 0; n < s->count && good; n++)
        good = check_read(c, actor, s->stretch[n].address, s->stretch[n].bytes, false, NULL,
                          fault, fault_bytes);
    return good;
}

bool check_copy_out(struct check *c, uint32_t actor, uint64_t from, uint64_t bytes,
                    char *fault, size_t fault_bytes)
{
    struct stretches s = {0};

    add_written(c, from, bytes, &s);
    const bool good = read_stretches(c, actor, &s, fault, fault_bytes);

    free(s.stretch);
    return good;
}

/* Copy of uninitialized bytes. */
static bool unwrite_cell(const struct access *a, struct check_cell *cell)
{
    if (!write_cell(a, cell))
        return false;
    *cell = (struct check_cell){.stale = cell->stale,
                                .stale_site = cell->stale_site,
                                .stale_content = cell->stale_content};
    return true;
}

/* Writes the copies of the stretches to `to`. Between replicas, what lies between them is
   left as it is. */
static bool write_stretches(struct access *a, const struct stretches *s, uint64_t to,
                            uint64_t from, uint64_t bytes)
{
    const uint32_t own = a->content;
    uint64_t end = from;

    for (size_t n = 0; n < s->count; n++) {
        const struct stretch *e = &s->stretch[n];

        if (!a->copies && !each_cell(a, to + (end - from), e->address - end, unwrite_cell))
            return false;
        a->content = a->copies ? e->content : own;
        if (!write_range(a, to + (e->address - from), e->bytes))
            return false;
        end = e->address + e->bytes;
    }
    return a->copies || each_cell(a, to + (end - from), from + bytes - end, unwrite_cell);
}

bool check_copy_replica(struct check *c, uint32_t actor, uint64_t to, uint64_t from,
                        uint64_t bytes, char *fault, size_t fault_bytes)
{
    struct access write = access_begin(c, actor, false, NULL, "writes");
    struct replica_place source, target;
    struct stretches s = {0};

    write.finding.fault = fault;
    write.finding.fault_bytes = fault_bytes;
    write.copies = check_replica_of(c, from, &source) && check_replica_of(c, to, &target) &&
                   source.array == target.array && source.offset == target.offset;
    add_written(c, from, bytes, &s);
    const bool good = read_stretches(c, actor, &s, fault, fault_bytes) &&
                      write_stretches(&write, &s, to, from, bytes);

    free(s.stretch);
    return good;
}

bool check_current(const struct check *c, uint64_t address, uint64_t bytes, char *fault,
                   size_t fault_bytes)
{
    uint64_t end = address + bytes;
    struct replica_place r;

    if (!check_replica_of(c, address, &r))
        return true;
    while (address < end) {
        struct check_span s = check_shadow_look(c->shadow, address);

        for (uint32_t i = 0; s.cells && i < s.count; i++) {
            uint64_t at = s.address + (uint64_t)i * s.cell_bytes;

            if (!s.cells[i].stale || at + s.cell_bytes <= address || at >= end)
                continue;
            const struct site *from = &c->sites[s.cells[i].stale_site];

            at = at < address ? address : at;
            snprintf(fault, fault_bytes,
                     "byte %" PRIu64
                     " of array '%s' was not sent to device %u by device %u "
                     "(kernel '%s', PTX line %" PRIu32 ")",
                     at - r.array->base[r.device], r.array->name, r.device, from->device,
                     name_shorten(from->kernel).text, from->line);
            return false;
        }
        address = s.address + (uint64_t)s.count * s.cell_bytes;
    }
    return true;
}
