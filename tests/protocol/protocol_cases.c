/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that lean on every step of the protocol, under the checker, by every method, on
   2 and 4 devices and a handful of seeds; every replica is compared bit for bit with what
   one device gives. Prints one line and returns 1 at the first case that fails.
   Arguments: how many seeds, and one method alone. */
#include <proact/proact.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 34 * 1024 - 40, ARRAYS = 4, ACTS_MAX = 18, CTA = 96, SPREAD_CTA = 64 };
enum { CTAS = (COUNT + CTA - 1) / CTA, SPREAD_CTAS = 1024 / SPREAD_CTA, NONE = 1 << 30 };
enum array { X, A, B, C };
enum what {
    END,
    STEP,
    SPREAD,
    STAGE,
    WHOLE,
    PLAIN,
    FLAGS, /* `shift`: the place of the flag */
    UNSET, /* as FLAGS, but nobody sets it */
    ALONE, /* nothing but the flag */
    WRITE,
    LOSE,
    RECORD,
    KEEP,
    REPLAY,
    NARROW /* of a case that begins with it, `shift` launches or more are divided */
};

/* What a case does, in order. What stands between RECORD and KEEP is what REPLAY does.
   `over` devices run it (0: all); CTAs from `slow` per cent on come late. */
struct act {
    enum what what;
    enum array from, to;
    unsigned shift, over, slow;
};

static const struct {
    const char *name;
    struct act act[ACTS_MAX];
} cases[] = {
    {"ping-pong",
     {{STEP, X, A, 0, 0, 100},
      {STEP, A, B, 9000, 0, 100},
      {STEP, B, A, 17000, 0, 50},
      {STEP, A, B, 25000, 0, 100},
      {STEP, B, A, 1, 0, 0}}},
    {"every CTA in every chunk",
     {{SPREAD, X, A, 0, 0, 100}, {SPREAD, A, B, 77, 0, 60}, {SPREAD, B, A, 4000, 0, 0}}},
    {"slow readers",
     {{STEP, X, A, 0, 0, 100},
      {STEP, A, B, 20000, 0, 50},
      {STEP, X, A, 100, 1, 100},
      {STEP, A, C, 20000, 0, 25},
      {STEP, B, A, 0, 0, 100}}},
    {"one sends, then overwrites",
     {{STEP, X, A, 0, 1, 100},
      {STEP, A, B, 0, 0, 100},
      {STEP, X, A, 500, 1, 100},
      {STEP, A, C, 0, 0, 100},
      {STEP, C, A, 5, 1, 100}}},
    {"owners change",
     {{STEP, X, A, 0, 0, 100},
      {SPREAD, X, A, 10, 0, 100},
      {STEP, X, A, 20, 1, 50},
      {STEP, X, A, 30, 0, 100},
      {STEP, A, B, 10000, 0, 100}}},
    {"whole arrays",
     {{WHOLE, X, A, 0, 0, 50},
      {STEP, A, B, 7, 0, 100},
      {WHOLE, B, A, 3, 0, 100},
      {WHOLE, X, B, 3, 0, 100},
      {STEP, A, C, 20000, 0, 50},
      {WHOLE, C, A, 1, 0, 100},
      {STEP, A, B, 9, 0, 100}}},
    {"writes between",
     {{STEP, X, A, 0, 0, 50},
      {WRITE, X, A, 0, 0, 0},
      {STEP, A, B, 30000, 0, 30},
      {WRITE, X, A, 0, 0, 0},
      {STEP, B, A, 0, 1, 100},
      {STEP, A, C, 0, 0, 100},
      {STEP, C, A, 20000, 1, 100},
      {WRITE, X, A, 0, 0, 0}}},
    {"after a launch that broke",
     {{STEP, X, A, 0, 0, 100},
      {LOSE, X, A, 0, 0, 100},
      {STEP, X, A, 50, 0, 3},
      {STEP, A, B, 9000, 0, 100}}},
    {"replayed",
     {{STEP, X, A, 0, 0, 100},
      {STEP, A, B, 9000, 0, 100},
      {STEP, B, A, 17000, 0, 50},
      {RECORD, X, X, 0, 0, 0},
      {STEP, A, B, 9000, 0, 100},
      {STEP, B, A, 17000, 0, 50},
      {KEEP, X, X, 0, 0, 0},
      {STEP, X, A, 40, 0, 100},
      {REPLAY, X, X, 0, 0, 0},
      {REPLAY, X, X, 0, 0, 0},
      {STEP, A, C, 20000, 0, 50},
      {REPLAY, X, X, 0, 0, 0},
      {WRITE, C, B, 0, 0, 0}}},
    {"replayed, and overwritten while it is sent",
     {{STEP, X, A, 0, 0, 100},
      {STEP, X, A, 3, 0, 100},
      {RECORD, X, X, 0, 0, 0},
      {STEP, X, A, 9000, 0, 100},
      {STEP, X, A, 17000, 0, 50},
      {KEEP, X, X, 0, 0, 0},
      {REPLAY, X, X, 0, 0, 0},
      {STEP, A, B, 20000, 0, 50}}},
    {"replayed after a launch that broke",
     {{STEP, X, A, 0, 0, 100},
      {STEP, A, B, 9000, 0, 100},
      {RECORD, X, X, 0, 0, 0},
      {STEP, X, A, 70, 0, 3},
      {STEP, A, B, 9000, 0, 100},
      {KEEP, X, X, 0, 0, 0},
      {LOSE, X, A, 0, 0, 100},
      {REPLAY, X, X, 0, 0, 0}}},
    {"staged, and sent in bulk",
     {{STAGE, X, A, 0, 0, 100},
      {STAGE, A, B, 9000, 0, 50},
      {STEP, B, A, 17000, 0, 100},
      {STAGE, A, C, 20000, 0, 0},
      {STAGE, C, A, 1, 1, 100}}},
    {"brought where nobody foresaw it",
     {{PLAIN, X, A, 0, 0, 100},
      {PLAIN, X, A, 5, 0, 100},
      {PLAIN, A, B, 9000, 0, 50}, /* to the last device from the first ... */
      {PLAIN, A, C, 17000, 0, 0}, /* ... and from there to the third */
      {PLAIN, X, A, 3, 0, 0},
      {PLAIN, A, B, 26000, 0, 100},
      {STEP, B, A, 100, 0, 50},
      {PLAIN, A, C, 9000, 1, 100},
      {PLAIN, C, B, 17000, 0, 50},
      {WRITE, X, C, 0, 0, 0}}},
    {"passed on before it was used", /* by the second device, to the first */
     {{PLAIN, X, A, 0, 0, 100},
      {PLAIN, A, B, 17400, 0, 100},
      {PLAIN, X, A, 3, 0, 0},
      {PLAIN, A, B, 26112, 0, 100},
      {PLAIN, X, A, 9, 0, 50},
      {PLAIN, A, C, 26112, 0, 0}}},
    {"sent to one who is still sent to", /* the first device, by the third and the second */
     {{PLAIN, X, A, 0, 0, 100},
      {PLAIN, A, B, 17304, 2, 100},
      {PLAIN, X, A, 5, 2, 100},
      {PLAIN, A, B, 17304, 2, 100},
      {PLAIN, X, A, 3, 0, 50},
      {PLAIN, X, A, 9, 2, 100},
      {PLAIN, A, C, 17304, 2, 0}}},
    {"flags",
     {{WRITE, X, A, 0, 0, 0},
      {FLAGS, X, A, 0, 0, 50},
      {STEP, A, B, 9000, 0, 0},
      {FLAGS, B, A, 30000, 0, 50},
      {FLAGS, B, A, 30000, 0, 0},
      {PLAIN, A, C, 17000, 0, 100},
      {WRITE, X, A, 0, 0, 0},
      {FLAGS, C, A, 20000, 2, 0},
      {WHOLE, A, B, 3, 0, 100}}},
    {"flags alone",
     {{WRITE, X, A, 0, 0, 0},
      {ALONE, X, A, 9000, 0, 0},
      {WHOLE, A, B, 3, 0, 100},
      {ALONE, B, A, 9001, 0, 0},
      {ALONE, B, A, 9002, 0, 100},
      {PLAIN, A, C, 17000, 0, 100},
      {ALONE, B, A, 20000, 0, 0},
      {WRITE, X, A, 0, 0, 0}}},
    {"flags that nobody sets",
     {{PLAIN, X, A, 0, 0, 100},
      {PLAIN, X, A, 5, 0, 100},
      {UNSET, X, A, 34000, 0, 100},
      {PLAIN, A, B, 9000, 0, 50},
      {UNSET, X, A, 34000, 0, 0}}},
    {"flags, replayed",
     {{FLAGS, X, A, 0, 0, 100},
      {STEP, A, B, 9000, 0, 100},
      {FLAGS, B, C, 34000, 0, 50},
      {RECORD, X, X, 0, 0, 0},
      {FLAGS, X, A, 0, 0, 100},
      {STEP, A, B, 9000, 0, 100},
      {FLAGS, B, C, 34000, 0, 50},
      {KEEP, X, X, 0, 0, 0},
      {WRITE, X, A, 0, 0, 0},
      {REPLAY, X, X, 0, 0, 0},
      {WRITE, X, C, 0, 0, 0},
      {REPLAY, X, X, 0, 0, 0}}},
    {"another array after a launch that broke",
     {{STEP, X, A, 0, 0, 100}, {LOSE, X, A, 0, 0, 100}, {STEP, X, C, 50, 0, 3}}},
    {"a stencil",
     {{NARROW, X, X, 6, 0, 0},
      {PLAIN, X, A, 1, 0, 100},
      {PLAIN, A, B, 1, 0, 50},
      {PLAIN, B, A, 1, 0, 100},
      {PLAIN, A, B, 1, 0, 0},
      {PLAIN, B, A, 1, 0, 90},
      {PLAIN, A, B, 1, 0, 100},
      {PLAIN, B, A, 1, 0, 40},
      {PLAIN, A, C, 9000, 0, 100},
      {PLAIN, B, A, 1, 0, 0},
      {PLAIN, A, B, 1, 0, 100},
      {PLAIN, B, C, 1, 0, 50},
      {PLAIN, C, A, 17000, 0, 0},
      {WRITE, X, B, 0, 0, 0},
      {PLAIN, B, A, 1, 0, 0},
      {PLAIN, A, B, 1, 0, 60}}},
};

struct run {
    struct proact *session;
    struct proact_array *array[ARRAYS];
    struct proact_kernel *kernel[FLAGS + 1];
    uint32_t truth[ARRAYS][COUNT], spare[COUNT];
    const char *method;
    struct proact_recording *recording;
    const struct act *recorded; /* what it does, up to KEEP */
    bool is_recording;
    unsigned launches, kernels; /* of the first device */
    struct proact_error err;
};

static const char *const kernel_names[] = {
    [STEP] = "step",   [SPREAD] = "spread", [STAGE] = "stage",
    [WHOLE] = "whole", [PLAIN] = "plain",   [FLAGS] = "flags"};

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
        [STEP] = {.kind = PROACT_MAP_CONTIGUOUS, .run_bytes = 4 * CTA},
        [STAGE] = {.kind = PROACT_MAP_CONTIGUOUS, .run_bytes = 4 * CTA},
        [SPREAD] = {.kind = PROACT_MAP_STRIDED,
                    .run_bytes = 4 * SPREAD_CTA,
                    .run_count = (COUNT + 1023) / 1024,
                    .stride_bytes = 4096,
                    .step_bytes = 4 * SPREAD_CTA},
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
    for (uint32_t i = 0; i < COUNT; i++)
        r->spare[i] = 3 * r->truth[act->from][(i + (flags ? 0 : act->shift)) % COUNT] + 1;
    if (flags)
        r->spare[act->shift] = act->what == FLAGS ? 12345 : r->truth[act->to][act->shift];
    memcpy(r->truth[act->to], r->spare, sizeof r->spare);
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

/* Under polling a CTA that never comes must be told of, and leave nothing behind. */
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

/* The checker itself refuses what a launch that broke left behind. */
static bool breaks(const struct act *act)
{
    while (act->what && act->what != LOSE)
        act++;
    return act->what == LOSE;
}

static void count_kernel(void *context, const struct proact_span *span)
{
    struct run *r = context;

    r->kernels += span->kind == PROACT_SPAN_KERNEL && span->device == 0;
}

/* Only `fused` has edges; what others run on so small a device beside kernels, would be
   all that fits. */
static bool is_narrow(const char *method, size_t number)
{
    return cases[number].act->what == NARROW && strcmp(method, "fused") == 0;
}

static bool runs_well(const char *method, unsigned devices, uint64_t seed, size_t number,
                      char *text)
{
    struct run *r = calloc(1, sizeof *r);
    const struct proact_options options = {
        .machine = is_narrow(method, number) ? PROTOCOL_MACHINE : "v100x4",
        .device_count = devices,
        .seed = seed,
        .check = !breaks(cases[number].act),
        .threads = 1,
        .wait_limit_ms = 5,
        .plan = {.method = method,
                 .chunk_bytes = 4096,
                 .threads = 64,
                 .everywhere = breaks(cases[number].act)}}; /* so that all is waited for */

    if (!r)
        abort();
    r->method = method;
    enum proact_status status = proact_open(&options, &r->session, &r->err);

    if (!status)
        status = prepare(r, text);
    if (!status)
        proact_observe(r->session, count_kernel, r);
    for (const struct act *act = cases[number].act; act->what && !status; act++)
        status = act_out(r, act);
    if (!status)
        status = compare(r);
    if (!status && is_narrow(method, number) &&
        r->kernels < r->launches + cases[number].act->shift) {
        status = PROACT_EFAULT;
        snprintf(r->err.text, sizeof r->err.text, "%u kernels of %u launches", r->kernels,
                 r->launches);
    }
    if (!status && devices > 1 && proact_kernel_refusal(r->kernel[FLAGS])) {
        status = PROACT_EREFUSED;
        snprintf(r->err.text, sizeof r->err.text, "%s",
                 proact_kernel_refusal(r->kernel[FLAGS]));
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
    const char *const *const lists[] = {proact_methods(), mixed, NULL};
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
