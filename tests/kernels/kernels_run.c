/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/kernels_run.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ALIGNMENT = 512 };

/* Context of the host's callbacks. */
struct stage {
    const struct kernels_run *run;
    struct samples_case c;
    unsigned char *memory;
    uint64_t address[SAMPLES_ARRAYS_MAX + 1]; /* the last: module variables */
    size_t bytes[SAMPLES_ARRAYS_MAX + 1];
};

/* Returns the array that contains the bytes, SAMPLES_ARRAYS_MAX for variables, or -1. */
static int array_of(const struct stage *s, uint64_t address, uint32_t bytes)
{
    for (int i = 0; i <= SAMPLES_ARRAYS_MAX; i++) {
        uint64_t offset = address - s->address[i];

        if (offset < s->bytes[i] && bytes <= s->bytes[i] - offset)
            return i;
    }
    return -1;
}

static enum execute_verdict host_access(void *context, struct execute_warp *w,
                                        const struct execute_access *a)
{
    const struct stage *s = context;
    struct execute_cta *cta = execute_warp_cta(w);

    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(a->mask >> lane & 1))
            continue;
        int array = array_of(s, a->address[lane], a->bytes);

        if (array < 0) {
            snprintf(cta->fault, sizeof cta->fault,
                     "line %" PRIu32 ", CTA %" PRIu32 ": 0x%" PRIx64 " is out of bounds",
                     a->line, cta->number, a->address[lane]);
            return EXECUTE_FAULT;
        }
        if (s->run->watch)
            s->run->watch(s->run->context, cta->number, a,
                          array < SAMPLES_ARRAYS_MAX ? array : -1, lane,
                          a->address[lane] - s->address[array]);
    }
    return EXECUTE_GO;
}

static size_t rounded(size_t bytes)
{
    return (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; /* a gap after each array */
}

static void set_up(struct stage *s, const struct execute_program *program)
{
    size_t used = 0, variables = execute_program_bytes(program);

    samples_begin_seeded(&s->c, s->run->sample, s->run->large, s->run->seed);
    s->bytes[SAMPLES_ARRAYS_MAX] = variables;
    for (unsigned i = 0; i < s->c.array_count; i++)
        s->bytes[i] = samples_bytes(&s->c.arrays[i]);
    for (int i = 0; i <= SAMPLES_ARRAYS_MAX; i++)
        used += rounded(s->bytes[i]);
    s->memory = aligned_alloc(ALIGNMENT, used);
    assert_non_null(s->memory);
    s->address[0] = (uint64_t)(uintptr_t)s->memory;
    assert_true(s->address[0] >= EXECUTE_WINDOWS_END);
    for (int i = 0; i < SAMPLES_ARRAYS_MAX; i++)
        s->address[i + 1] = s->address[i] + rounded(s->bytes[i]);
    for (unsigned i = 0; i < s->c.array_count; i++)
        samples_lay_content(&s->c, s->address, i,
                            s->memory + (s->address[i] - s->address[0]));
    execute_program_image(program, s->address[SAMPLES_ARRAYS_MAX],
                          s->memory + (s->address[SAMPLES_ARRAYS_MAX] - s->address[0]));
}

static void run_ctas(const struct stage *s, struct execute_grid *grid,
                     const uint32_t ctas[3])
{
    struct execute_pool *pool = execute_pool_create();

    for (uint32_t i = 0; i < ctas[0] * ctas[1] * ctas[2]; i++) {
        const uint32_t id[3] = {i % ctas[0], i / ctas[0] % ctas[1], i / ctas[0] / ctas[1]};
        struct execute_cta *cta = execute_cta_create(grid, pool, id, 0);
        enum execute_stop stop;
        uint64_t turns = 0;

        do
            stop = execute_cta_run(cta, 100000, i + s->run->seed);
        while ((stop == EXECUTE_BUDGET || stop == EXECUTE_STRONG) && ++turns < 100000);
        if (stop != EXECUTE_EXITED)
            fail_msg("%s: %s: stopped with %d: %s", s->run->title, s->run->sample->name,
                     (int)stop, cta->fault);
        execute_cta_destroy(cta);
    }
    execute_pool_destroy(pool);
}

static void launch(struct stage *s, const struct execute_program *program)
{
    struct execute_host host = execute_host_quiet(s);
    _Alignas(16) unsigned char block[SAMPLES_BLOCK_MAX] = {0};
    const char *name = s->run->sample->name;
    struct execute_launch l = {.kernel = execute_kernel_find(program, name),
                               .host = &host,
                               .dynamic_shared_bytes = s->c.grid.dynamic_shared_bytes,
                               .parameters = block,
                               .variables = s->address[SAMPLES_ARRAYS_MAX],
                               .sm_count = 1};
    size_t bytes = samples_lay_parameters(&s->c, s->address, block);

    host.access = host_access;
    memcpy(l.grid, s->c.grid.ctas, sizeof l.grid);
    memcpy(l.block, s->c.grid.threads, sizeof l.block);
    if (!l.kernel) {
        const char *why = execute_kernel_refusal(program, name);

        fail_msg("%s: %s: %s", s->run->title, name, why ? why : "no such kernel");
    }
    if (bytes != execute_kernel_info(l.kernel).parameter_bytes)
        fail_msg("%s: %s: %zu bytes of parameters, the kernel takes %" PRIu32,
                 s->run->title, name, bytes, execute_kernel_info(l.kernel).parameter_bytes);
    struct execute_grid *grid = execute_grid_create(&l);

    run_ctas(s, grid, l.grid);
    execute_grid_destroy(grid);
}

/* Launches once, or until an array reports no change. */
static void launch_all(struct stage *s, const struct execute_program *program)
{
    int32_t zero = 0, changed = 0;
    unsigned char *again = NULL;

    if (s->c.again >= 0)
        again = s->memory + (s->address[s->c.again] - s->address[0]);
    do {
        if (again)
            memcpy(again, &zero, sizeof zero);
        launch(s, program);
        if (again)
            memcpy(&changed, again, sizeof changed);
    } while (changed);
}

void kernels_execute(const struct kernels_run *run, const struct execute_program *program)
{
    struct stage s = {.run = run};

    set_up(&s, program);
    launch_all(&s, program);
    for (unsigned i = 0; i < s.c.array_count; i++) {
        const struct samples_array *a = &s.c.arrays[i];
        const unsigned char *got = s.memory + (s.address[i] - s.address[0]);
        char sentence[160];

        if (a->expected && !samples_agree(a, got, sentence, sizeof sentence))
            fail_msg("%s: %s, seed %" PRIu32 ": %s", run->title, run->sample->name,
                     run->seed, sentence);
    }
    free(s.memory);
    samples_end(&s.c);
}
