/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that depend on every step of the protocol, under the race checker. They run with
   every method on 2 and 4 devices and several seeds. Every replica must equal the result of
   one device bit for bit. Prints one line and returns 1 at the first failing case.
   Arguments: the number of seeds, and a single method. */
#include <proact/proact.h>
#include <proact/program.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol_acts.h"

struct run {
    struct proact *session;
    struct proact_array *array[ARRAYS];
    struct proact_kernel *kernel[FLAGS + 1];
    uint32_t truth[ARRAYS][COUNT], spare[COUNT];
    const char *method;
    struct proact_recording *recording;
    const struct act *recorded; /* the acts up to KEEP */
    bool is_recording;
    unsigned launches, kernels; /* of device 0 */
    struct proact_error err;
};

static const char *const kernel_names[] = {
    [STEP] = "step",   [SPREAD] = "spread", [STAGE] = "stage", [WHOLE] = "whole",
    [PLAIN] = "plain", [TALLY] = "tally",   [FLAGS] = "flags"};

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return text;
}

static enum proact_status prepare(struct run *r, char *text)
{
    static const struct proact_map maps[] = {
        [STEP] = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = 4 * CTA},
        [STAGE] = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = 4 * CTA},
        [SPREAD] = {.kind = PROACT_MAP_STRIDED,
                    .range_bytes = 4 * SPREAD_CTA,
                    .range_count = (COUNT + 1023) / 1024,
                    .stride_bytes = 4096,
                    .cta_stride_bytes = 4 * SPREAD_CTA},
    };
    static const char *const names[] = {"x", "a", "b", "c"};
    const struct proact_image image = {.name = "protocol_cases.cu", .text = text};
    enum proact_status status = PROACT_OK;

    for (int k = STEP; k <= FLAGS && !status; k++) {
        status =
            proact_kernel_load(r->session, &image, kernel_names[k], &r->kernel[k], &r->err);
        if (!status && k < WHOLE)
            status = proact_kernel_map(r->kernel[k], 1, &maps[k], &r->err);
    }
    for (int a = 0; a < ARRAYS && !status; a++) {
        const struct proact_shape shape = {names[a], COUNT, sizeof(uint32_t)};

        for (uint32_t i = 0; i < COUNT; i++)
            r->truth[a][i] = i * 2654435761u + (uint32_t)a;
        status = proact_array_create(r->session, &shape, &r->array[a], &r->err);
        if (!status)
            status = proact_array_write(r->array[a], 0, r->truth[a], COUNT, &r->err);
    }
    return status;
}

static void expect(struct run *r, const struct act *act)
{
    const bool flags = act->what == FLAGS || act->what == UNSET;

    if (act->what == ALONE) {
        r->truth[act->to][act->shift] = 12345;
        return;
    }
    if (act->what == TALLY) {
        for (uint32_t i = 0; i < COUNT; i++)
            r->truth[act->to][r->truth[act->from][i] % COUNT]++;
        return;
    }
    for (uint32_t i = 0; i < COUNT; i++)
        r->spare[i] = 3 * r->truth[act->from][(i + (flags ? 0 : act->shift)) % COUNT] + 1;
    if (flags)
        r->spare[act->shift] = act->what == FLAGS ? 12345 : r->truth[act->to][act->shift];
    memcpy(r->truth[act->to], r->spare, sizeof r->spare);
}

/* A parameter buffer launch: only these are split by reductions. */
static enum proact_status tally(struct run *r, const struct act *act)
{
    const struct proact_grid grid = {
        .ctas = {CTAS},
        .threads = {CTA},
        .device_count = act->over ? act->over : proact_device_count(r->session)};
    const struct proact_relocation relocations[] = {{0, r->array[act->from], 0},
                                                    {8, r->array[act->to], 0}};
    const uint32_t numbers[] = {COUNT, 0, CTAS * act->slow / 100, NONE};
    unsigned char bytes[2 * sizeof(uint64_t) + sizeof numbers] = {0};

    memcpy(bytes + 2 * sizeof(uint64_t), numbers, sizeof numbers);
    expect(r, act);
    r->launches++;
    return proact_launch_buffer(
        r->kernel[TALLY], &grid,
        &(struct proact_parameter_buffer){bytes, sizeof bytes, relocations, 2}, &r->err);
}

static enum proact_status launch(struct run *r, const struct act *act, uint32_t lost)
{
    const enum what what = act->what == LOSE                          ? STEP
                           : act->what == UNSET || act->what == ALONE ? FLAGS
                                                                      : act->what;
    const uint32_t ctas = what == SPREAD ? SPREAD_CTAS : CTAS;
    const uint32_t slow = ctas * act->slow / 100, shift = act->shift;
    const uint32_t count = act->what == ALONE ? 0 : COUNT;
    const struct proact_grid grid = {.ctas = {ctas},
                                     .threads = {what == SPREAD ? SPREAD_CTA : CTA},
                                     .device_count = act->over};
    const struct proact_arg args[] = {PROACT_ARRAY(r->array[act->from]),
                                      PROACT_ARRAY(r->array[act->to]),
                                      PROACT_VALUE(count),
                                      PROACT_VALUE(shift),
                                      PROACT_VALUE(slow),
                                      PROACT_VALUE(lost)};

    if (!r->is_recording)
        expect(r, act);
    r->launches++;
    return proact_launch(r->kernel[what], &grid, args, 6, &r->err);
}

/* Under `polling`, a missing CTA must be reported, and must not affect later launches. */
static enum proact_status lose(struct run *r, const struct act *act)
{
    if (strncmp(r->method, "polling", 7) != 0)
        return PROACT_OK;
    enum proact_status status = launch(r, act, 10);

    if (status || (status = proact_wait(r->session, &r->err)) == PROACT_ETIMEOUT)
        return status == PROACT_ETIMEOUT ? PROACT_OK : status;
    if (!status)
        snprintf(r->err.text, sizeof r->err.text, "a CTA that never came was not missed");
    return PROACT_EFAULT;
}

static enum proact_status record(struct run *r, const struct act *act)
{
    r->is_recording = act->what == RECORD;
    if (!r->is_recording)
        return proact_record_end(r->session, &r->recording, &r->err);
    r->recorded = act + 1;
    return proact_record_begin(r->session, &r->err);
}

static enum proact_status replay(struct run *r)
{
    for (const struct act *act = r->recorded; act->what != KEEP; act++)
        expect(r, act);
    return proact_replay(r->recording, &r->err);
}

/* Copies or fills device 0's memory, as a program does. */
static enum proact_status move(struct run *r, const struct act *act)
{
    const uint64_t to = proact_array_address(r->array[act->to], 0);

    if (act->what == FILL) {
        memset(r->truth[act->to], (int)act->shift, sizeof r->spare);
        return proact_device0_fill(r->session, to, (unsigned char)act->shift,
                                   sizeof r->spare, &r->err);
    }
    memcpy(r->truth[act->to], r->truth[act->from], sizeof r->spare);
    return proact_device0_copy(r->session, to, proact_array_address(r->array[act->from], 0),
                               sizeof r->spare, &r->err);
}

static enum proact_status act_out(struct run *r, const struct act *act)
{
    switch (act->what) {
    case LOSE:
        return lose(r, act);
    case RECORD:
    case KEEP:
        return record(r, act);
    case REPLAY:
        return replay(r);
    case NARROW:
        return PROACT_OK;
    case WRITE:
        memcpy(r->truth[act->to], r->truth[act->from], sizeof r->spare);
        return proact_array_write(r->array[act->to], 0, r->truth[act->from], COUNT,
                                  &r->err);
    case COPY:
    case FILL:
        return move(r, act);
    case TALLY:
        return tally(r, act);
    case FLAGS:
    case ALONE:
        return launch(r, act, 3);
    default:
        return launch(r, act, NONE);
    }
}

static enum proact_status compare(struct run *r)
{
    for (unsigned d = 0; d < proact_device_count(r->session); d++)
        for (int a = 0; a < ARRAYS; a++) {
            enum proact_status status =
                proact_array_read_replica(r->array[a], d, 0, r->spare, COUNT, &r->err);

            if (status)
                return status;
            for (uint32_t i = 0; i < COUNT; i++)
                if (r->spare[i] != r->truth[a][i]) {
                    snprintf(r->err.text, sizeof r->err.text,
                             "array '%c': element %u on device %u is %u, not %u", "xabc"[a],
                             i, d, r -> spare[i], r -> truth[a][i]);
                    return PROACT_EFAULT;
                }
        }
    return PROACT_OK;
}

/* True for cases with a failing launch. The race checker would report the remains of that
   launch. */
static bool breaks(const struct act *act)
{
    while (act->what && act->what != LOSE)
        act++;
    return act->what == LOSE;
}

static void count_kernel(void *context, const struct proact_trace_span *span)
{
    struct run *r = context;

    r->kernels += span->kind == PROACT_TRACE_KERNEL && span->device == 0;
}

/* Only `fused` and `bulk` split interiors. The kernels of other methods would fill so small
   a device. */
static bool is_narrow(const char *method, size_t number)
{
    return cases[number].act->what == NARROW &&
           (strcmp(method, "fused") == 0 || strcmp(method, "bulk") == 0);
}

/* Least number of launches with an interior split. On four devices these are the launches
   outside recordings with `fused`, and the recorded launches with `bulk`
   (runtime/partition/launch_divide.c). */
static unsigned divided_least(const char *method, unsigned devices, size_t number)
{
    const struct act *act = cases[number].act;
    const unsigned least = act->shift;

    while (act->what && act->what != RECORD)
        act++;
    const bool is_recorded = act->what, is_copied = strcmp(method, "bulk") == 0;

    return devices == 2 || is_recorded == is_copied ? least : 0;
}

static bool runs_well(const char *method, unsigned devices, uint64_t seed, size_t number,
                      char *text)
{
    struct run *r = calloc(1, sizeof *r);
    const struct proact_options options = {
        .machine = is_narrow(method, number) ? PROTOCOL_MACHINE : PROTOCOL_RECENT,
        .device_count = devices,
        .seed = seed,
        .check = !breaks(cases[number].act),
        .host_threads = 1,
        .wait_timeout_ms = 5,
        .plan = {.method = method,
                 .agent = seed % 2 ? "sleep" : "spin",
                 .chunk_bytes = 4096,
                 .transfer_threads = 64,
                 .broadcast = breaks(cases[number].act)}}; /* waits for all transfers */

    if (!r)
        abort();
    r->method = method;
    enum proact_status status = proact_open(&options, &r->session, &r->err);

    if (!status)
        status = prepare(r, text);
    if (!status)
        proact_trace_set_callback(r->session, count_kernel, r);
    for (const struct act *act = cases[number].act; act->what && !status; act++)
        status = act_out(r, act);
    if (!status)
        status = compare(r);
    if (!status && is_narrow(method, number) &&
        r->kernels < r->launches + divided_least(method, devices, number)) {
        status = PROACT_EFAULT;
        snprintf(r->err.text, sizeof r->err.text, "%u kernels of %u launches", r->kernels,
                 r->launches);
    }
    for (int k = TALLY; k <= FLAGS && !status && devices > 1; k++)
        if (proact_kernel_refusal(r->kernel[k])) {
            status = PROACT_EREFUSED;
            snprintf(r->err.text, sizeof r->err.text, "%s",
                     proact_kernel_refusal(r->kernel[k]));
        }
    if (status)
        printf("%s | %s, %u devices, seed %llu | %s\n", method, cases[number].name, devices,
               (unsigned long long)seed, r->err.text);
    proact_close(r->session);
    free(r);
    return !status;
}

static bool all_run_well(const char *method, uint64_t seed, char *text)
{
    bool well = true;

    for (size_t c = 0; c < sizeof cases / sizeof *cases && well; c++)
        well = runs_well(method, seed % 2 ? 4 : 2, seed, c, text);
    return well;
}

int main(int argc, char **argv)
{
    static const char *const mixed[] = {"copy-engine+fused:12K", "polling+fused:12K",
                                        "polling+copy-engine:12K", NULL};
    const char *const *const lists[] = {proact_method_names(), mixed, NULL};
    uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 2;
    const char *only = argc > 2 ? argv[2] : NULL;
    char *text = read_text(PROTOCOL_PTX);
    bool well = true;

    for (uint64_t seed = 1; seed <= seeds && well; seed++)
        for (const char *const *const *list = lists; *list; list++)
            for (const char *const *m = *list; *m && well; m++)
                if (!only || strcmp(only, *m) == 0)
                    well = all_run_well(*m, seed, text);
    free(text);
    return well ? 0 : 1;
}
