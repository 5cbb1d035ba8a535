/* SPDX-License-Identifier: Apache-2.0 */
/* `proact bench link` and `latency`: lists of questions. The rows of link's methods follow
   those of its own copies and stores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "link_methods.h"
#include "measured.h"

enum { KB = 1 << 10, MB = 1 << 20, ALL = TOPOLOGY_DEVICES_MAX /* every peer */ };

struct item {
    const char *what, *probe;
    struct link_question question;
};

static const struct item goodput[] = {
    {"copy engine to one peer, 256 MB", "copies", {.bytes = 256 * MB, .peers = 1}},
    {"copy engine to one peer, 64 MB", "copies", {.bytes = 64 * MB, .peers = 1}},
    {"copy engine to one peer, 16 MB", "copies", {.bytes = 16 * MB, .peers = 1}},
    {"copy engine to one peer, 2 MB", "copies", {.bytes = 2 * MB, .peers = 1}},
    {"copy engine to one peer, 256 KB", "copies", {.bytes = 256 * KB, .peers = 1}},
    {"copy engine to one peer, 4 KB", "copies", {.bytes = 4 * KB, .peers = 1}},
    {"copy engine to all peers at once", "copies", {.bytes = 64 * MB, .peers = ALL}},
    {"all to all, one stream, rotated destinations", "broadcast", {.peers = 1}},
    {"all to all, one stream per destination", "broadcast", {.peers = ALL}},
    {"SM stores to one peer, 1 CTA", "stores", {.ctas = 1, .threads = 1024, .peers = 1}},
    {"SM stores to one peer, 2 CTAs", "stores", {.ctas = 2, .threads = 1024, .peers = 1}},
    {"SM stores to one peer, 4 CTAs", "stores", {.ctas = 4, .threads = 1024, .peers = 1}},
    {"SM stores to one peer, 8 CTAs", "stores", {.ctas = 8, .threads = 1024, .peers = 1}},
    {"SM stores to one peer, 16 CTAs", "stores", {.ctas = 16, .threads = 1024, .peers = 1}},
    {"SM stores to one peer, 132 CTAs",
     "stores",
     {.ctas = 132, .threads = 1024, .peers = 1}},
    {"SM stores to all peers, 8 CTAs",
     "stores",
     {.ctas = 8, .threads = 1024, .peers = ALL}},
    {"SM stores to all peers, 132 CTAs",
     "stores",
     {.ctas = 132, .threads = 1024, .peers = ALL}},
    {"bulk stores to one peer, 1 CTA",
     "bulk-stores",
     {.ctas = 1, .threads = 32, .peers = 1}},
    {"bulk stores to one peer, 8 CTAs",
     "bulk-stores",
     {.ctas = 8, .threads = 32, .peers = 1}},
    {"bulk stores to one peer, 132 CTAs",
     "bulk-stores",
     {.ctas = 132, .threads = 32, .peers = 1}},
    {"stores to one peer, ranges of 4 B", "runs", {4, 264, 1024, 1}},
    {"stores to one peer, ranges of 8 B", "runs", {8, 264, 1024, 1}},
    {"stores to one peer, ranges of 16 B", "runs", {16, 264, 1024, 1}},
    {"stores to one peer, ranges of 32 B", "runs", {32, 264, 1024, 1}},
    {"stores to one peer, ranges of 64 B", "runs", {64, 264, 1024, 1}},
    {"stores to one peer, ranges of 128 B", "runs", {128, 264, 1024, 1}},
    {"stores to one peer, ranges of 1 KB", "runs", {1024, 264, 1024, 1}},
    {"copy within one device, reads plus writes", "local-copy", {.peers = 0}},
};

static const struct item latency[] = {
    {"flag round trip to a peer", "ping-pong", {.peers = 1}},
    {"flag round trip with a copy of 4 KB", "landing", {.bytes = 4 * KB}},
    {"flag round trip with a copy of 64 KB", "landing", {.bytes = 64 * KB}},
    {"flag round trip with a copy of 1 MB", "landing", {.bytes = 1 * MB}},
    {"stream wait and copy of 4 KB, back to back", "wait-copy", {.bytes = 4 * KB}},
    {"stream wait and copy of 64 KB, back to back", "wait-copy", {.bytes = 64 * KB}},
    {"stream wait and copy of 1 MB, back to back", "wait-copy", {.bytes = 1 * MB}},
    {"2D copy to a peer, 2048 rows of 8 B", "rows", {.bytes = 8, .peers = 1}},
    {"2D copy to a peer, 2048 rows of 64 B", "rows", {.bytes = 64, .peers = 1}},
    {"2D copy to a peer, 2048 rows of 512 B", "rows", {.bytes = 512, .peers = 1}},
    {"2D copy to a peer, 2048 rows of 8 KB", "rows", {.bytes = 8 * KB, .peers = 1}},
    {"2D copy within a device, 2048 rows of 8 B", "rows", {.bytes = 8, .peers = 0}},
    {"stream wait for an event of a peer", "event-wait", {.peers = 1}},
    {"empty kernels, back to back", "empty-kernel", {.peers = 0}},
    {"barrier of all devices by flags", "step", {.peers = 1}},
};

static void link_measure_row(struct link_machine *m, const struct bench_row *row,
                             const char *probe, const struct link_question *question,
                             struct bench_report *r)
{
    const struct link_probe *p = link_probe_find(probe);
    struct bench_row out = *row;
    struct link_question q = *question;

    if (!p)
        bench_die("'%s': no probe '%s'", row->what, probe);
    if (q.peers == ALL)
        q.peers = m->peers;
    if (!link_can_answer(m, p, &q))
        return;
    snprintf(out.unit, sizeof out.unit, "%s", p->unit);
    out.value = p->measure(m, &q);
    bench_add(r, &out);
}

static void measure_list(struct link_machine *m, const struct item *list, size_t count,
                         struct bench_report *r)
{
    for (size_t i = 0; i < count; i++) {
        struct bench_row row = {.measured = 0};

        snprintf(row.what, sizeof row.what, "%s", list[i].what);
        link_measure_row(m, &row, list[i].probe, &list[i].question, r);
    }
}

/* True if the file states how to measure each row, so that the rows are measured again.
   Other files are only shown next to the rows. */
static bool has_recipe(const struct measured *before)
{
    return before->count && before->rows[0].probe[0];
}

static void measure_again(struct link_machine *m, struct measured *before,
                          struct bench_report *r)
{
    r->before = NULL;
    for (size_t i = 0; i < before->count; i++) {
        struct measured_row *b = &before->rows[i];

        b->row.threads = 0; /* part of the question */
        link_measure_row(m, &b->row, b->probe, &b->question, r);
    }
}

static void run(const struct bench_request *q, struct measured *before,
                const struct item *list, size_t count, struct bench_report *r)
{
    struct link_machine *m = must_calloc(1, sizeof *m);

    link_open(m, q, r);
    if (has_recipe(before))
        measure_again(m, before, r);
    else
        measure_list(m, list, count, r);
    link_close(m);
    free(m);
}

void bench_link(const struct bench_request *q, struct bench_report *r)
{
    struct measured before;
    struct bench_request effective;

    measured_beside(q, &before, &effective, r);
    if (has_recipe(&before) && q->method)
        bench_refuse("--method: %s selects what link measures: "
                     "remove one of the two",
                     q->against);
    if (has_recipe(&before) || bench_list_contains(q->method, BENCH_RAW))
        run(&effective, &before, goodput, sizeof goodput / sizeof *goodput, r);
    if (!has_recipe(&before))
        link_methods(&effective, r);
    measured_end(&before, r);
}

void bench_latency(const struct bench_request *q, struct bench_report *r)
{
    struct measured before;
    struct bench_request effective;

    measured_beside(q, &before, &effective, r);
    run(&effective, &before, latency, sizeof latency / sizeof *latency, r);
    measured_end(&before, r);
}
