/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/topology_tables.h"

#include <stdio.h>

#include "base/text.h"
#include "model/model.h"
#include "transfer/transfer.h"

enum { LONG_COPY_BYTES = 1 << 28, CELL_WIDTH = 7 };

double topology_copies_gbps(const struct topology *t)
{
    return model_goodput_gbps(&t->fabric, MODEL_COPY_ENGINE, LONG_COPY_BYTES);
}

static void print_device(const struct topology *t)
{
    const struct topology_device *d = &t->device;
    double mib = 1 << 20;

    printf("Each GPU\n");
    printf("  name            %s, compute capability %u.%u\n", d->name, d->capability / 10,
           d->capability % 10);
    printf("  SMs             %u at %.4g GHz, %.3g warp instructions a cycle\n",
           d->sm_count, d->clock_ghz, d->issue_width);
    printf("  an SM holds     %u threads, %u CTAs, %.4g KiB shared memory (%.4g a CTA)\n",
           d->threads_per_sm, d->ctas_per_sm, (double)d->shared_bytes_per_sm / 1024,
           (double)d->shared_bytes_per_cta / 1024);
    printf("  memory          %.4g GiB, %.4g GB/s by a copy, %.4g ns\n",
           (double)d->memory_bytes / mib / 1024, d->memory_gbps, d->memory_latency_ns);
    printf("  L2              %.4g MiB, %.4g GB/s, %.4g ns\n", (double)d->l2_bytes / mib,
           d->l2_gbps, d->l2_latency_ns);
    printf("  launch          %.3g us, and %.3g us of the host\n", d->launch_us,
           d->launch_host_us);
}

static void print_fabric(const struct topology *t)
{
    static const unsigned runs[] = {4, 16, 32, 64, 128, 1024};
    const struct topology_fabric *f = &t->fabric;

    printf("\n%s%s\n", f->name,
           f->shared_bus               ? ", one bus for all"
           : t->groups.bridge_gbps > 0 ? ", one bridge between two groups"
                                       : "");
    printf("  raw             %.4g GB/s out of a GPU, %.4g into it, %.4g ns\n",
           f->egress_gbps, f->ingress_gbps, f->latency_ns);
    printf("  by copies       %.4g GB/s useful, %.3g us per queued copy\n",
           topology_copies_gbps(t), f->copy_start_us);
    printf("  by stores       %.4g GB/s useful a CTA; at most, in runs of\n",
           f->sm_gbps_per_cta);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        printf("%*u B", CELL_WIDTH, runs[i]);
    printf("\n");
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        printf("%*.1f", CELL_WIDTH + 2, model_goodput_gbps(f, MODEL_SM, runs[i]));
    printf("\n");
}

static bool links_reach(const void *context, unsigned from, unsigned to)
{
    const struct topology *t = context;

    return t->link_gbps[from][to] > 0;
}

static void print_links(const struct topology *t)
{
    struct text methods = {0};
    bool staged = false;

    printf("\n     ");
    for (unsigned j = 0; j < t->device_count; j++) {
        char label[16];

        snprintf(label, sizeof label, "GPU%u", j);
        printf(" %*s", CELL_WIDTH, label);
    }
    for (unsigned i = 0; i < t->device_count; i++) {
        printf("\nGPU%-2u", i);
        for (unsigned j = 0; j < t->device_count; j++) {
            if (i == j)
                printf(" %*s", CELL_WIDTH, "X");
            else if (t->link_gbps[i][j] > 0)
                printf(" %*.4g", CELL_WIDTH, t->link_gbps[i][j]);
            else
                printf(" %*s", CELL_WIDTH, "HOST");
            staged |= i != j && t->link_gbps[i][j] <= 0;
        }
    }
    printf("\n\nRaw GB/s from one GPU to another. X: itself.%s\n",
           staged ? " HOST: no direct path, through the host." : "");
    printf("Between the host and a GPU: %.4g GB/s.\n", t->host_gbps);
    if (transfer_pairs_explain(t->device_count, links_reach, t, true, &methods))
        printf("No peer access: %s.\n", methods.data);
    text_clear(&methods);
}

void topology_tables_print(const struct topology *t)
{
    print_device(t);
    print_fabric(t);
    print_links(t);
}
