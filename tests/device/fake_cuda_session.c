/* SPDX-License-Identifier: Apache-2.0 */
#include "device/fake_cuda_session.h"

#include <dlfcn.h>
#include <proact/program.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

/* The array is mapped memory, not from the driver's own allocator. The test uses its first
   cells. */
enum { CELLS = 300000, N = 4000, THREADS = 256, CTAS = (N + THREADS - 1) / THREADS };

static void call(const char *symbol, void *out)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *entry = library ? dlsym(library, symbol) : NULL;

    if (!entry)
        fail_msg("LD_LIBRARY_PATH leads to no driver of ours: %s is missing", symbol);
    memcpy(out, &entry, sizeof entry);
}

void fake_cuda_set_up(const char *settings)
{
    static const char *const all[] = {"DEVICES", "NAMES",   "MEMORY",
                                      "PEERS",   "VERSION", "ATTRIBUTES",
                                      "OPEN_MS", "LINK_MS", "FAIL"};
    char name[64], value[128];
    int length;
    void (*reset)(void);

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        snprintf(name, sizeof name, "FAKE_CUDA_%s", all[i]);
        unsetenv(name);
    }
    unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
    for (; sscanf(settings, " %63[A-Z_]=%127s%n", name, value, &length) == 2;
         settings += length)
        setenv(name, value, 1);
    call("fake_cuda_reset", &reset);
    reset();
}

unsigned fake_cuda_still_left(void)
{
    unsigned (*left)(void);

    call("fake_cuda_left", &left);
    return left();
}

unsigned fake_cuda_calls_of(const char *name)
{
    unsigned (*calls)(const char *);

    call("fake_cuda_calls", &calls);
    return calls(name);
}

unsigned fake_cuda_early_launches(void)
{
    unsigned (*early)(void);

    call("fake_cuda_early", &early);
    return early();
}

static enum proact_status make(struct proact *p, const char *name,
                               struct proact_array **array, struct proact_kernel **kernel,
                               struct proact_error *err)
{
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS,
                                   .range_bytes = THREADS * 4};
    enum proact_status status =
        proact_array_create(p, &(struct proact_shape){"cells", CELLS, 4}, array, err);
    size_t bytes;
    char *text;

    if (status || (status = file_read(PROACT_BINARY "/tests/runtime/runtime_kernels.ptx",
                                      &text, &bytes, err)))
        return status;
    status = proact_kernel_load(
        p, &(struct proact_image){.name = "runtime_kernels.ptx", .text = text}, name,
        kernel, err);
    free(text);
    return status ? status : proact_kernel_map(*kernel, 0, &map, err);
}

/* `forgets` has no factor: 0. */
static enum proact_status fill(struct proact_array *array, struct proact_kernel *kernel,
                               unsigned factor, struct proact_error *err)
{
    unsigned n = N;

    return proact_launch(
        kernel, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
        (struct proact_arg[]){PROACT_ARRAY(array), PROACT_VALUE(n), PROACT_VALUE(factor)},
        factor ? 3 : 2, err);
}

static enum proact_status replay(struct proact *p, struct proact_array *array,
                                 struct proact_kernel *kernel, struct proact_error *err)
{
    struct proact_recording *recording;
    enum proact_status status = proact_record_begin(p, err);

    if (status)
        return status;
    if ((status = fill(array, kernel, 7, err))) {
        proact_record_end(p, &recording, NULL);
        return status;
    }
    if ((status = proact_record_end(p, &recording, err)))
        return status;
    if (!(status = proact_replay(recording, err)))
        status = proact_replay(recording, err);
    return status;
}

static enum proact_status look(struct proact *p, struct proact_array *array,
                               struct proact_error *err)
{
    enum proact_status status = PROACT_OK;
    uint32_t *is = malloc(N * sizeof *is);

    assert_non_null(is);
    for (unsigned d = 0; d < proact_device_count(p) && !status; d++) {
        status = proact_array_read_replica(array, d, 0, is, N, err);
        for (unsigned i = 0; i < N && !status; i++)
            if (is[i] != 7 * (i + 1))
                fail_msg("device %u: element %u is %u", d, i, is[i]);
    }
    free(is);
    return status;
}

/* Copies some of the first cells to an unused location. */
static enum proact_status copy_rows(struct proact *p, const struct proact_array *array,
                                    struct proact_error *err)
{
    const uint64_t first = proact_array_address(array, 0);
    const struct proact_copy_2d rows = {first + 4ull * 2 * N, first, 4, 20, 8, 8};

    return proact_device0_copy_2d(p, &rows, err);
}

static enum proact_status use(struct proact *p, const struct fake_cuda_plan *plan,
                              struct proact_error *err)
{
    struct proact_array *array;
    struct proact_kernel *kernel;
    enum proact_status status =
        make(p, plan->forgets ? "forgets" : "fill", &array, &kernel, err);

    if (!status && plan->forgets)
        return (status = fill(array, kernel, 0, err)) ? status : proact_wait(p, err);
    if (status || (status = fill(array, kernel, plan->is_recorded ? 7 : 3, err)) ||
        (status = copy_rows(p, array, err)))
        return status;
    status =
        plan->is_recorded ? replay(p, array, kernel, err) : fill(array, kernel, 7, err);
    if (status || (status = proact_wait(p, err)))
        return status;
    return look(p, array, err);
}

static void fake_ignore_span(void *context, const struct proact_trace_span *span)
{
    (void)context, (void)span;
}

enum proact_status fake_cuda_session(const struct fake_cuda_plan *plan,
                                     struct proact_error *err)
{
    const struct proact_options options = {
        .machine = PROACT_MACHINE_LOCAL,
        .device_count = plan->devices,
        .host_threads = plan->threads,
        .lazy_devices = plan->is_lazy,
        .wait_timeout_ms = plan->wait_limit_ms > 0 ? plan->wait_limit_ms : 50,
        .plan = {.method = plan->method ? plan->method : "bulk",
                 .chunk_bytes = plan->chunk_bytes}};
    struct proact *p;
    enum proact_status status = proact_open(&options, &p, err);

    if (status)
        return status;
    if (plan->is_observed)
        proact_trace_set_callback(p, fake_ignore_span, NULL);
    status = use(p, plan, err);
    proact_close(p);
    return status;
}
