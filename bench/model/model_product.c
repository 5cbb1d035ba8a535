/* SPDX-License-Identifier: Apache-2.0 */
/* A tiled matrix product, predicted and measured (LogGOP VI). Every device needs the whole
   product: its tiles are put by stores or by the CTAs that complete chunks, or fetched by
   copies after the kernel or after their chunks.

       model_product [FILE [MACHINE...]]
           FILE      receives the rows as JSON
           MACHINE   emulated machines (default: four), or local: the GPUs, with larger
                     squares, and medians of several launches */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "bench.h"
#include "bench_commit.h"
#include "model/predict.h"
#include "proact/proact.h"
#include "runtime/session/runtime_machine.h"

enum { TILE = 16, TILE_THREADS = TILE * TILE, SIZES = 5, CHUNK_BYTES = 16 << 10 };
enum { UNTIMED = 2, TIMED_GPU = 15 };

extern const char kernel_product[];

static char *product_machines[] = {"h200x4", "v100x4", "p100x4", "k40x4", NULL};
static const unsigned product_sizes[SIZES] = {64, 128, 192, 256, 384},
                      product_sizes_gpu[SIZES] = {256, 512, 1024, 2048, 4096};

static const struct {
    enum model_sender who;
    const char *how;
} ways[] = {{MODEL_SEND_STORE, "put"},
            {MODEL_SEND_FUSED, "put"},
            {MODEL_SEND_COPY, "copied"},
            {MODEL_SEND_COPY_WAIT, "copied"}};
enum { WAYS = sizeof ways / sizeof *ways };

static void product_must(enum proact_status status, const struct proact_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "model_product: %s\n", err->text);
    exit(1);
}

static struct proact_array *product_array(struct proact *p, const char *name, unsigned size)
{
    const struct proact_shape shape = {
        .name = name, .count = (uint64_t)size * size, .element_bytes = sizeof(float)};
    struct proact_error err = {""};
    struct proact_array *a;
    float *values = must_calloc(shape.count, sizeof *values);

    for (uint64_t i = 0; i < shape.count; i++)
        values[i] = (float)(i % 7);
    product_must(proact_array_create(p, &shape, &a, &err), &err);
    product_must(proact_array_write(a, 0, values, shape.count, &err), &err);
    free(values);
    return a;
}

static int compare_products(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Time of a launch whose arrays and tables are in place, on GPUs the median. */
static double product_ns(const char *machine, unsigned size, enum model_sender who,
                         bool skips)
{
    const struct proact_options options = {
        .machine = machine,
        .seed = 1,
        .plan = {.method = model_method_name(who),
                 .broadcast = true,
                 .chunk_bytes = model_sends_chunks(who) ? CHUNK_BYTES : 0,
                 .skip_transfers = skips}};
    const struct proact_image image = {.name = "product.ptx", .text = kernel_product};
    const struct proact_grid grid = {.ctas = {size / TILE * (size / TILE)},
                                     .threads = {TILE_THREADS}};
    const uint32_t count = size;
    struct proact_error err = {""};
    struct proact_kernel *k;
    struct proact *p;
    double ns[UNTIMED + TIMED_GPU];

    product_must(proact_open(&options, &p, &err), &err);
    product_must(proact_kernel_load(p, &image, "product", &k, &err), &err);
    const struct proact_arg args[] = {PROACT_ARRAY(product_array(p, "a", size)),
                                      PROACT_ARRAY(product_array(p, "b", size)),
                                      PROACT_ARRAY(product_array(p, "c", size)),
                                      PROACT_VALUE(count)};

    const unsigned timed = proact_is_emulated(p) ? 1 : TIMED_GPU, untimed = UNTIMED - 1;

    for (unsigned i = 0; i < untimed + timed; i++) {
        const uint64_t from = proact_now_ns(p);

        product_must(proact_launch(k, &grid, args, 4, &err), &err);
        product_must(proact_wait(p, &err), &err);
        ns[i] = (double)(proact_now_ns(p) - from);
    }
    qsort(ns + untimed, timed, sizeof *ns, compare_products);
    if (proact_kernel_refusal(k)) {
        fprintf(stderr, "model_product: %s\n", proact_kernel_refusal(k));
        exit(1);
    }
    proact_close(p);
    return ns[untimed + timed / 2];
}

static double product_predicted_ns(const struct topology *t, unsigned size,
                                   enum model_sender who, double kernel_ns)
{
    const unsigned devices = t->device_count;
    const struct model_problem p = {.bytes =
                                        (uint64_t)size * size * sizeof(float) / devices,
                                    .run_bytes = TILE * sizeof(float),
                                    .ctas = size / TILE * (size / TILE) / devices,
                                    .threads = TILE_THREADS,
                                    .stores = 1,
                                    .kernel_ns = kernel_ns};
    const struct model_plan plan = {.who = who, .chunks = {CHUNK_BYTES, 0}};
    const struct model_candidate c = model_candidate_of(t, &p, &plan);

    return model_candidate_time(&c).ns;
}

static void product_head(FILE *f, char *const *machines)
{
    char date[12];
    const time_t now = time(NULL);

    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    fprintf(f, "{\"date\": \"%s\", \"commit\": \"%s\", \"machine\": \"%s", date,
            BENCH_COMMIT, strcmp(machines[0], PROACT_MACHINE_LOCAL) ? "emulated: " : "");
    for (char *const *m = machines; *m; m++)
        fprintf(f, "%s%s", m > machines ? ", " : "", *m);
    fprintf(f, "\",\n \"command\": \"model_product FILE");
    for (char *const *m = machines; *m; m++)
        fprintf(f, " %s", *m);
    fprintf(f, "\",\n \"rows\": [");
}

/* All products of a machine. Returns the separator of the next row. */
static const char *product_machine(const char *machine, FILE *f, const char *comma)
{
    const struct device_backend *backend;
    struct proact_error err = {""};
    struct topology t;

    product_must(runtime_machine(machine, &t, &backend, &err), &err);
    const bool is_local = strcmp(machine, PROACT_MACHINE_LOCAL) == 0;

    for (int i = 0; i < SIZES; i++) {
        const unsigned size = is_local ? product_sizes_gpu[i] : product_sizes[i];
        const double kernel_ns = product_ns(machine, size, MODEL_SEND_COPY, true);

        for (int w = 0; w < WAYS; w++) {
            const char *method = model_method_name(ways[w].who);
            const double ns = product_ns(machine, size, ways[w].who, false);
            const double predicted = product_predicted_ns(&t, size, ways[w].who, kernel_ns);

            printf("%-7s %4u %-6s %-12s kernel %8.2f us, measured %8.2f, predicted "
                   "%8.2f, %+6.1f %%\n",
                   machine, size, ways[w].how, method, kernel_ns / 1e3, ns / 1e3,
                   predicted / 1e3, 100 * (predicted / ns - 1));
            if (f)
                fprintf(f,
                        "%s  {\"machine\": \"%s\", \"size\": %u, \"tiles\": \"%s\", "
                        "\"method\": \"%s\", \"kernel_ns\": %.0f, \"measured_ns\": "
                        "%.0f, \"predicted_ns\": %.0f}",
                        comma, machine, size, ways[w].how, method, kernel_ns, ns,
                        predicted);
            comma = ",\n";
        }
    }
    return comma;
}

int main(int argc, char **argv)
{
    char *const *machines = argc > 2 ? argv + 2 : product_machines;
    FILE *f = argc > 1 ? fopen(argv[1], "w") : NULL;
    const char *comma = "\n";

    if (argc > 1 && !f) {
        fprintf(stderr, "model_product: %s cannot be written\n", argv[1]);
        return 1;
    }
    if (f)
        product_head(f, machines);
    for (char *const *m = machines; *m; m++)
        comma = product_machine(*m, f, comma);
    if (f) {
        fprintf(f, "\n ]}\n");
        fclose(f);
    }
    return 0;
}
