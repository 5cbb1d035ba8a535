/* SPDX-License-Identifier: Apache-2.0 */
/* `proact model advise`: the priorities of Groves et al. 2020, VI, with the figures of a
   machine. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "command.h"
#include "model/model_command.h"
#include "model/model_options.h"
#include "model/model_rank.h"

static const char advise_help[] =
    "Usage: proact model advise [OPTION...]\n"
    "\n"
    "Print the five priorities of the LogGOP paper (Groves et al. 2020, VI) for programs "
    "whose\n"
    "devices exchange data, with the figures of a machine.\n"
    "\n"
    "Examples:\n"
    "  proact model advise --machine h200x4\n"
    "  proact model advise --machine v100x4 --bytes 256K\n"
    "\n"
    "  -m, --machine M     a machine name or file (default v100x4)\n"
    "  -n, --devices N     only the first N devices\n"
    "  --bytes N           bytes that each device sends to every other in a launch "
    "(default "
    "16M)\n"
    "  -h, --help          print this text\n";

enum { ADVISED = 4 };
static const double advised_ratios[ADVISED] = {0.5, 1, 2, 4};
static const uint64_t advised_bytes[ADVISED] = {4 << 10, 64 << 10, 1 << 20, 16 << 20};

/* A message from device 0 to device 1. */
static struct model_loggop advised_loggop(const struct topology *t, enum model_sender who,
                                          bool is_pipelined, uint64_t bytes)
{
    const struct model_path path = {.to = 1, .run_bytes = bytes, .bytes = bytes};

    return model_derive_path(t, who, is_pipelined, &path);
}

static double alone_ns(const struct topology *t, enum model_sender who, uint64_t bytes)
{
    const struct model_loggop p = advised_loggop(t, who, false, bytes);

    return model_message_ns(&p, bytes);
}

static double queued_ns(const struct topology *t, enum model_sender who, uint64_t bytes)
{
    const struct model_loggop p = advised_loggop(t, who, true, bytes);

    return model_period_ns(&p, bytes);
}

/* Smallest power of two at which messages reach half of the rate of long ones; 0: none. */
static uint64_t half_rate(const struct topology *t, enum model_sender who,
                          double (*time)(const struct topology *, enum model_sender,
                                         uint64_t))
{
    const uint64_t longest = (uint64_t)1 << 34;
    const double rate = (double)longest / time(t, who, longest);

    for (uint64_t bytes = 8; bytes < longest; bytes *= 2)
        if (2 * (double)bytes / time(t, who, bytes) >= rate)
            return bytes;
    return 0;
}

static void advise_print_size(uint64_t bytes)
{
    printf("%.3g %s",
           (double)bytes / (bytes >= 1 << 20   ? 1 << 20
                            : bytes >= 1 << 10 ? 1 << 10
                                               : 1),
           bytes >= 1 << 20   ? "MB"
           : bytes >= 1 << 10 ? "KB"
                              : "bytes");
}

static void advise_scale(const struct topology *t, uint64_t bytes)
{
    struct model_ranking *r = must_calloc(1, sizeof *r);
    struct model_problem p = {.bytes = bytes, .ctas = (bytes + 4095) / 4096};
    const double copies_ns = model_copies_ns(t, &p);

    printf("1. Compute more per byte that is sent: scale up the problem of each device.\n"
           "   %-28s %10s %10s %12s %12s\n",
           "kernel / copies", "bulk us", "best us", "not hidden", "best method");
    for (int i = 0; i < ADVISED; i++) {
        p.kernel_ns = advised_ratios[i] * copies_ns;
        model_rank(t, &p, r);
        const struct rank_row *best = model_rank_first(r);

        printf("   %-28g %10.1f %10.1f %11.0f%% %12s\n", advised_ratios[i],
               r->bulk_ns / 1e3, best->time.ns / 1e3,
               100 * fmax(1 - p.kernel_ns / best->time.ns, 0),
               model_method_name(best->who));
    }
    free(r);
}

static void advise_size(const struct topology *t)
{
    printf("\n2. Send larger messages. GB/s of copies, one at a time:\n   ");
    for (int i = 0; i < ADVISED; i++) {
        advise_print_size(advised_bytes[i]);
        printf(": %.2f%s",
               (double)advised_bytes[i] / alone_ns(t, MODEL_SEND_COPY, advised_bytes[i]),
               i + 1 < ADVISED ? ", " : "\n   Half of the link's rate is reached from ");
    }
    advise_print_size(half_rate(t, MODEL_SEND_COPY, alone_ns));
    printf(" on.\n");
}

static void advise_batch(const struct topology *t)
{
    printf(
        "\n3. Batch messages, so that the next starts before the last has arrived. Gain:\n"
        "   %-14s",
        "");
    for (int i = 0; i < ADVISED; i++) {
        printf("    ");
        advise_print_size(advised_bytes[i]);
        printf("%*s", i < 2 ? 3 : 2, "");
    }
    printf("half rate from\n");
    for (int who = 0; who < MODEL_SENDERS; who++) {
        const enum model_sender sender = (enum model_sender)who;

        if (!model_sender_exists(t, sender))
            continue;
        printf("   %-14s", model_sender_name(sender));
        for (int i = 0; i < ADVISED; i++)
            printf(" %8.1f x ", alone_ns(t, sender, advised_bytes[i]) /
                                    queued_ns(t, sender, advised_bytes[i]));
        printf("   ");
        advise_print_size(half_rate(t, sender, queued_ns));
        printf("\n");
    }
}

static void advise_launches(const struct topology *t)
{
    const struct topology_device *d = &t->device;
    const double next_us = d->launch_next_us > 0 ? d->launch_next_us : d->launch_us;
    const double graph_us = d->launch_graph_us > 0 ? d->launch_graph_us : next_us;
    const double total_us = d->launch_us + d->launch_host_us;
    const struct model_loggop copy = advised_loggop(t, MODEL_SEND_COPY, true, 1 << 20);

    printf("\n4. Launch and synchronize less often. A launch takes %.2f us of the host and "
           "%.2f us of an\n   idle device; the link sends ",
           d->launch_host_us, d->launch_us);
    advise_print_size((uint64_t)(1000 * total_us / copy.G));
    printf(" in that time. After another kernel it takes\n   %.2f us of the device, in a "
           "recording %.2f us and no time of the host.\n",
           next_us, graph_us);
}

/* Smallest size, in steps of a quarter, at which a copy is faster; 0: never. */
static uint64_t copy_faster_from(const struct topology *t, enum model_sender who)
{
    for (double bytes = 64; bytes < 0x1p34; bytes *= 1.25) {
        const uint64_t b = (uint64_t)bytes / 64 * 64;

        if (alone_ns(t, MODEL_SEND_COPY, b) + 1000 * t->device.copy_host_us <
            alone_ns(t, who, b))
            return b;
    }
    return 0;
}

static void advise_initiator(const struct topology *t)
{
    const enum model_sender senders[] = {MODEL_SEND_FUSED, MODEL_SEND_AGENT,
                                         MODEL_SEND_CHILD};

    printf(
        "\n5. Choose who sends. One message alone, us; a copy includes its call:\n   %-14s",
        "");
    for (int i = 0; i < ADVISED; i++) {
        printf("    ");
        advise_print_size(advised_bytes[i]);
        printf("%*s", i < 2 ? 3 : 2, "");
    }
    printf("a copy is faster from\n   %-14s", "copy");
    for (int i = 0; i < ADVISED; i++)
        printf("%s %9.1f", i ? " " : "",
               alone_ns(t, MODEL_SEND_COPY, advised_bytes[i]) / 1e3 +
                   t->device.copy_host_us);
    printf("\n");
    for (size_t k = 0; k < sizeof senders / sizeof *senders; k++) {
        if (!model_sender_exists(t, senders[k]))
            continue;
        const uint64_t from = copy_faster_from(t, senders[k]);

        printf("   %-14s", model_sender_name(senders[k]));
        for (int i = 0; i < ADVISED; i++)
            printf(" %9.1f ", alone_ns(t, senders[k], advised_bytes[i]) / 1e3);
        printf("    ");
        if (from)
            advise_print_size(from);
        printf("%s\n", from ? "" : "no size");
    }
}

int model_advise_command(int argc, char **argv)
{
    struct model_words *w = NULL;
    struct model_request *q = must_calloc(1, sizeof *q);
    struct topology *t = must_calloc(1, sizeof *t);
    bool help = false;
    int code = model_options_parse(argc, argv, &w, q, &help);

    if (!code && help)
        fputs(advise_help, stdout);
    else if (!code && !(code = model_machine(q, t))) {
        const uint64_t bytes = q->bytes ? q->bytes : 16 << 20;

        printf("%s, %u x %s; each device sends %" PRIu64 " bytes to every other in a "
               "launch\n\n",
               t->name, t->device_count, t->device.name, bytes);
        advise_scale(t, bytes);
        advise_size(t);
        advise_batch(t);
        advise_launches(t);
        advise_initiator(t);
    }
    model_options_destroy(w);
    free(t);
    free(q);
    return code;
}
