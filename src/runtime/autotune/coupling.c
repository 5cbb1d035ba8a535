/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/autotune/coupling.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "runtime/autotune/choice.h"
#include "runtime/coherence/transfer_cost.h"
#include "runtime/objects/session.h"

enum {
    FETCH_NS = 10000,     /* events and copies before the first byte */
    RATE_BYTES = 1 << 20, /* minimum size of a measured fetch */
    MEMORY_TO_LINK = 12,  /* estimate of memory to link bandwidth without a measurement */
    COUPLINGS_MAX = 64,   /* per kernel */
    ROUNDS_MAX = 16,      /* limit of passes of the local search */
    MEAN_OF = 8,          /* window of the moving average */
    PERIODS_AGO = 4       /* launch intervals after which a kernel counts as inactive */
};

struct coupling {
    struct choice *writer, *reader;
    uint64_t to_split, to_whole; /* missing bytes of the reader in each mode if the writer
                                    runs in the other */
};

static struct coupling *find(const struct choice *c, const struct choice *writer)
{
    for (size_t n = 0; n < c->coupling_count; n++)
        if (c->couplings[n]->writer == writer && c->couplings[n]->reader == c)
            return c->couplings[n];
    return NULL;
}

static void attach(struct choice *c, struct coupling *of)
{
    c->couplings = must_grow(c->couplings, c->coupling_count, &c->coupling_capacity,
                             sizeof *c->couplings);
    c->couplings[c->coupling_count++] = of;
}

static struct coupling *make(struct choice *reader, struct choice *writer)
{
    struct coupling *of;

    if (reader->coupling_count >= COUPLINGS_MAX || writer->coupling_count >= COUPLINGS_MAX)
        return NULL;
    of = must_calloc(1, sizeof *of);
    *of = (struct coupling){writer, reader, 0, 0};
    attach(reader, of);
    attach(writer, of);
    return of;
}

struct joint_cost_context {
    struct choice *reader;
    bool as_whole;
};

void coupling_note(struct choice *reader, struct choice *writer, bool is_whole,
                   uint64_t bytes)
{
    struct coupling *of = find(reader, writer);

    if (writer == reader || (!of && !(of = make(reader, writer))))
        return;
    *(is_whole ? &of->to_whole : &of->to_split) = bytes;
}

static void joint_cost_visit(void *context, struct choice *writer, uint64_t bytes)
{
    const struct joint_cost_context *s = context;

    coupling_note(s->reader, writer, s->as_whole, bytes);
}

void joint_cost_record(struct choice *c, struct launching *l)
{
    struct joint_cost_context s = {.reader = c};

    for (int as_whole = 0; as_whole < 2; as_whole++) {
        s.as_whole = as_whole;
        launch_missing_bytes(l, as_whole, joint_cost_visit, &s);
    }
}

void coupling_note_rate(struct proact *p, uint64_t bytes, uint64_t ns)
{
    if (bytes < RATE_BYTES)
        return;
    p->fetched.bytes += (double)bytes;
    p->fetched.ns += (double)ns;
}

double coupling_rate(const struct proact *p)
{
    const struct topology *t = &p->topology;

    if (p->fetched.ns > 0)
        return p->fetched.bytes / p->fetched.ns;
    return t->fabric.egress_gbps > 0 ? t->fabric.egress_gbps
                                     : t->device.memory_gbps / MEMORY_TO_LINK;
}

/* Fraction of the session's launches. */
static double frequency(const struct choice *c)
{
    return 1 / c->apart;
}

/* Scales a cost for output that is read repeatedly, or for input that is written rarely. */
static double share(const struct choice *of, const struct choice *other)
{
    return fmin(1, frequency(other) / frequency(of));
}

/* A split launch fetches before it starts. Fetches to device 0 overlap with the split
   launch that writes the data. */
static double cost_ns(const struct coupling *of, bool writer_splits, bool reader_splits)
{
    const struct proact *p = of->writer->session;

    if (writer_splits == reader_splits)
        return 0;
    if (reader_splits)
        return of->to_split ? FETCH_NS + (double)of->to_split / coupling_rate(p) : 0;
    return fmax(0, (double)of->to_whole / coupling_rate(p) -
                       (double)choice_split_ns(of->writer));
}

bool coupling_is_of_now(const struct choice *c)
{
    const uint64_t ago = c->session->chosen - c->chosen;

    return (choice_is_made(c) || c->is_small) && !c->is_stored &&
           (double)ago * frequency(c) < PERIODS_AGO;
}

/* Joint cost of a kernel in the given mode, with all other kernels unchanged. */
static double ways_ns(const struct choice *c, bool is_split)
{
    double all = 0;

    for (size_t n = 0; n < c->coupling_count; n++) {
        const struct coupling *of = c->couplings[n];
        const struct choice *other = of->writer == c ? of->reader : of->writer;

        if (coupling_is_of_now(other))
            all += share(c, other) * (other == of->reader
                                          ? cost_ns(of, is_split, other->settled)
                                          : cost_ns(of, other->settled, is_split));
    }
    return all;
}

/* Whether split is cheaper, including joint costs, with all other kernels unchanged. */
static bool wins(const struct choice *c)
{
    return !c->is_small && (double)choice_split_ns(c) + ways_ns(c, true) <
                               (double)choice_whole_ns(c) + ways_ns(c, false);
}

static double own_ns(const struct choice *c)
{
    return (double)(c->settled ? choice_split_ns(c) : choice_whole_ns(c));
}

/* Modelled total. Each joint cost counts at its reader. */
static double all_ns(const struct proact *p)
{
    double all = 0;

    for (const struct choice *c = p->choices; c; c = c->next_of_all) {
        if (!coupling_is_of_now(c))
            continue;
        all += frequency(c) * own_ns(c);
        for (size_t n = 0; n < c->coupling_count; n++) {
            const struct coupling *of = c->couplings[n];

            if (of->reader == c && coupling_is_of_now(of->writer))
                all += frequency(c) * share(c, of->writer) *
                       cost_ns(of, of->writer->settled, c->settled);
        }
    }
    return all;
}

/* Local search from all kernels in the same mode. */
static double settle_from(const struct proact *p, bool is_split)
{
    bool changed = true;

    for (struct choice *c = p->choices; c; c = c->next_of_all)
        if (coupling_is_of_now(c))
            c->settled = is_split && !c->is_small;
    for (int round = 0; changed && round < ROUNDS_MAX; round++) {
        changed = false;
        for (struct choice *c = p->choices; c; c = c->next_of_all) {
            const bool was = c->settled;

            if (coupling_is_of_now(c))
                c->settled = wins(c);
            changed |= was != c->settled;
        }
    }
    return all_ns(p);
}

void coupling_settle(struct choice *c)
{
    const struct proact *p = c->session;

    if (!c->coupling_count) {
        c->settled = wins(c);
        return;
    }
    const double whole_ns = settle_from(p, false);

    if (settle_from(p, true) > whole_ns)
        settle_from(p, false);
}

void coupling_launched(struct choice *c)
{
    const double apart = (double)(++c->session->chosen - c->chosen);

    c->chosen = c->session->chosen;
    c->apart = c->launches > 2 ? ((MEAN_OF - 1) * c->apart + apart) / MEAN_OF : apart;
}

void coupling_choose(struct choice *c)
{
    if (c->is_stored)
        return;
    c->settled = wins(c);
    if (c->coupling_count && !(c->launches & (c->launches - 1)))
        coupling_settle(c);
}

static void detach(struct choice *c, const struct coupling *of)
{
    size_t n = 0;

    while (c->couplings[n] != of)
        n++;
    c->couplings[n] = c->couplings[--c->coupling_count];
}

void coupling_drop(struct choice *c)
{
    while (c->coupling_count) {
        struct coupling *of = c->couplings[--c->coupling_count];

        detach(of->writer == c ? of->reader : of->writer, of);
        free(of);
    }
    free(c->couplings);
    c->couplings = NULL;
}
