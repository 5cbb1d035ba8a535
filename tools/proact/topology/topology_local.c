/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/topology_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "device/cuda/driver/cuda_survey.h"
#include "topology/topology_cache.h"
#include "transfer/transfer.h"

enum { CELL_WIDTH = 7 };

struct found {
    struct topology_probe probe;
    char when[32];
    bool is_kept;             /* read from the file, or written to it */
    struct proact_error lost; /* the reason if not */
};

static void print_matrix(const struct topology_probe *p,
                         const double of[][TOPOLOGY_DEVICES_MAX])
{
    printf("     ");
    for (unsigned j = 0; j < p->count; j++) {
        char label[16];

        snprintf(label, sizeof label, "GPU%u", j);
        printf(" %*s", CELL_WIDTH, label);
    }
    for (unsigned i = 0; i < p->count; i++) {
        printf("\nGPU%-2u", i);
        for (unsigned j = 0; j < p->count; j++)
            if (i == j)
                printf(" %*s", CELL_WIDTH, "X");
            else
                printf(" %*.4g%s", CELL_WIDTH - p->is_staged[i][j], of[i][j],
                       p->is_staged[i][j] ? "h" : "");
    }
    printf("\n\n");
}

void topology_probe_print(const struct topology_probe *p)
{
    bool is_staged = false;

    if (p->count < 2) {
        printf("One device: there is no link to measure.\n");
        return;
    }
    for (unsigned i = 0; i < p->count; i++)
        for (unsigned j = 0; j < p->count; j++)
            is_staged |= p->is_staged[i][j];
    printf("Measured: GB/s of copies of %.4g MiB from one GPU to another%s\n",
           (double)p->bytes / (1 << 20), is_staged ? " (h: through the host)" : "");
    print_matrix(p, p->gbps);
    printf("Measured: us of a copy of 4 bytes, alone\n");
    print_matrix(p, p->copy_us);
}

static void print_devices(const struct topology *t, int version)
{
    const struct topology_device *d = &t->device;

    printf("%s: %s; the driver is for CUDA %d.%d\n\n", t->name, t->description,
           version / 1000, version / 10 % 100);
    printf("Each GPU\n");
    printf("  name            %s, compute capability %u.%u\n", d->name, d->capability / 10,
           d->capability % 10);
    printf("  SMs             %u at up to %.4g GHz\n", d->sm_count, d->clock_ghz);
    printf("  an SM holds     %u threads, %u CTAs, %.4g KiB shared memory (%.4g a CTA)\n",
           d->threads_per_sm, d->ctas_per_sm, (double)d->shared_bytes_per_sm / 1024,
           (double)d->shared_bytes_per_cta / 1024);
    printf("  memory          %.4g GiB, %.4g GB/s by its clock\n",
           (double)d->memory_bytes / (1 << 30), d->memory_gbps);
    printf("  L2              %.4g MiB\n\n", (double)d->l2_bytes / (1 << 20));
}

/* Equal devices in another order have other links, so the key includes their order. */
static void make_key(const struct topology *t, int version, struct text *key)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");

    text_print(key, "%u x %s, driver %d", t->device_count, t->device.name, version);
    if (visible)
        text_print(key, ", CUDA_VISIBLE_DEVICES=%s", visible);
}

static void local_date_print(char when[32])
{
    time_t now = time(NULL);
    struct tm utc;

    strftime(when, 32, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
}

static enum proact_status find(const struct topology *t, const char *key, const char *path,
                               bool fresh, struct found *f, struct proact_error *err)
{
    enum proact_status status;

    f->is_kept = !fresh && topology_cache_read(path, key, &f->probe, f->when) &&
                 f->probe.count == t->device_count;
    if (f->is_kept)
        return PROACT_OK;
    if ((status = topology_probe(&device_cuda, t, &f->probe, err)))
        return status;
    local_date_print(f->when);
    f->is_kept = path && !topology_cache_write(path, key, f->when, &f->probe, &f->lost);
    return PROACT_OK;
}

static bool probe_reaches(const void *context, unsigned from, unsigned to)
{
    const struct topology_probe *p = context;

    return !p->is_staged[from][to];
}

static void print_peer_access(const struct topology_probe *p)
{
    struct text methods = {0};

    if (transfer_pairs_explain(p->count, probe_reaches, p, false, &methods))
        printf("No peer access: %s.\n", methods.data);
    text_clear(&methods);
}

static void print(const struct topology *t, int version, const struct found *f,
                  const char *path)
{
    print_devices(t, version);
    topology_probe_print(&f->probe);
    print_peer_access(&f->probe);
    if (f->is_kept)
        printf("Measured %s, cached in %s; --fresh measures again.\n", f->when, path);
    else if (f->lost.text[0])
        printf("Not cached: %s\n", f->lost.text);
}

enum proact_status topology_local(const struct topology *t,
                                  const struct topology_local_options *options,
                                  struct proact_error *err)
{
    struct found *f = must_calloc(1, sizeof *f);
    struct cuda_survey *s = must_calloc(1, sizeof *s);
    struct text key = {0}, json = {0};
    char *path = NULL;
    enum proact_status status = cuda_survey(s, err);

    if (!status) {
        make_key(t, s->version, &key);
        path = topology_cache_path(key.data);
        status = find(t, key.data, path, options->fresh, f, err);
    }
    if (!status && options->json) {
        topology_cache_print(key.data, f->when, &f->probe, &json);
        fputs(json.data, stdout);
    } else if (!status) {
        print(t, s->version, f, path);
    }
    text_clear(&json);
    text_clear(&key);
    free(path);
    free(s);
    free(f);
    return status;
}
