/* SPDX-License-Identifier: Apache-2.0 */
/* Every sample kernel from every compiler's PTX in the executor, with a minimal host: one
   memory, no time. Results equal the CPU's reference. The annotated form runs complete and
   in three partitions, and stores only the bytes of its map. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "execute/execute.h"
#include "samples/samples_ptx.h"

#include <proact/device.h>

enum {
    BLOCK_BYTES = SAMPLES_BLOCK_MAX + sizeof(struct proact_partition),
    ALIGNMENT = 512,
    MEMORY_SMALL = 8 << 20,
    MEMORY_LARGE = 256 << 20
};

/* One run of one sample. */
struct run {
    const struct sample *sample;
    struct samples_case c;
    char title[96]; /* for messages */
    bool large;
    unsigned char *memory;
    size_t used, size;
    unsigned char *place[SAMPLES_ARRAYS_MAX];
    uint32_t *owner[SAMPLES_ARRAYS_MAX]; /* by 4 bytes: the CTA that may store it, plus 1 */
    uint32_t claimant;
    unsigned claimed; /* the array whose map is read */
    enum samples_form form;
    uint32_t cta_first;
    unsigned char *variables;
    size_t variables_bytes;
};

static unsigned char *place_bytes(struct run *r, size_t bytes)
{
    unsigned char *p = r->memory + r->used;

    r->used +=
        (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; /* at least a gap of one */
    if (r->used > r->size)
        fail_msg("%s: the test's memory is too small", r->title);
    return p;
}

static bool may_touch(const struct run *r, const struct execute_cta *cta, uint64_t address,
                      uint32_t bytes, bool stores)
{
    uint64_t variables = (uint64_t)(uintptr_t)r->variables;

    if (address - variables < r->variables_bytes)
        return address - variables + bytes <= r->variables_bytes;
    for (unsigned i = 0; i < r->c.array_count; i++) {
        uint64_t offset = address - (uint64_t)(uintptr_t)r->place[i];
        size_t size = samples_bytes(&r->c.arrays[i]);

        if (offset >= size)
            continue;
        if (bytes > size - offset)
            return false;
        if (!stores || r->form == SAMPLES_PLAIN || !r->owner[i])
            return true;
        for (uint64_t word = offset / 4; word < (offset + bytes + 3) / 4; word++)
            if (r->owner[i][word] != r->cta_first + cta->number + 1)
                return false;
        return true;
    }
    return false;
}

static enum execute_verdict host_access(void *context, struct execute_warp *w,
                                        const struct execute_access *a)
{
    const struct run *r = context;
    struct execute_cta *cta = execute_warp_cta(w);

    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(a->mask >> lane & 1) ||
            may_touch(r, cta, a->address[lane], a->bytes, a->kind != EXECUTE_LOAD))
            continue;
        snprintf(cta->fault, sizeof cta->fault,
                 "line %" PRIu32 ", CTA %" PRIu32 ": %s 0x%" PRIx64
                 " is out of bounds or of "
                 "the map",
                 a->line, cta->number, a->kind == EXECUTE_LOAD ? "load from" : "store to",
                 a->address[lane]);
        return EXECUTE_FAULT;
    }
    return EXECUTE_GO;
}

static void claim(void *sink, uint64_t first_byte, uint64_t bytes)
{
    struct run *r = sink;
    uint64_t end = samples_bytes(&r->c.arrays[r->claimed]);

    if (first_byte >= end)
        return;
    if (bytes < end - first_byte)
        end = first_byte + bytes;
    for (uint64_t word = first_byte / 4; word < (end + 3) / 4; word++) {
        uint32_t *owner = &r->owner[r->claimed][word];

        if (*owner && *owner != r->claimant)
            fail_msg("%s: the map gives bytes %" PRIu64 " of %s to CTAs %" PRIu32
                     " and %" PRIu32,
                     r->title, word * 4, r->c.arrays[r->claimed].name, *owner - 1,
                     r->claimant - 1);
        *owner = r->claimant;
    }
}

static uint32_t cta_count(const struct proact_grid *g)
{
    return g->ctas[0] * g->ctas[1] * g->ctas[2];
}

static void set_up(struct run *r)
{
    samples_begin(&r->c, r->sample, r->large);
    r->size = r->large ? MEMORY_LARGE : MEMORY_SMALL;
    r->memory = aligned_alloc(ALIGNMENT, r->size);
    assert_true((uint64_t)(uintptr_t)r->memory >= EXECUTE_WINDOWS_END);
    for (unsigned i = 0; i < r->c.array_count; i++) {
        const struct samples_array *a = &r->c.arrays[i];

        r->place[i] = place_bytes(r, samples_bytes(a));
        memcpy(r->place[i], a->content, samples_bytes(a));
        if (!a->is_mapped)
            continue;
        r->owner[i] = calloc(a->count, sizeof *r->owner[i]);
        r->claimed = i;
        for (uint32_t cta = 0; cta < cta_count(&r->c.grid); cta++) {
            r->claimant = cta + 1;
            samples_ranges(&a->map, r->c.grid.ctas, cta, claim, r);
        }
    }
}

static void tear_down(struct run *r)
{
    for (unsigned i = 0; i < r->c.array_count; i++)
        free(r->owner[i]);
    free(r->memory);
    samples_end(&r->c);
}

/* Returns the size of the buffer; the annotated form ends with the partition. */
static size_t lay_parameters(const struct run *r, unsigned char block[BLOCK_BYTES])
{
    uint64_t address[SAMPLES_ARRAYS_MAX];

    for (unsigned i = 0; i < SAMPLES_ARRAYS_MAX; i++)
        address[i] = (uint64_t)(uintptr_t)r->place[i];
    size_t at = samples_lay_parameters(&r->c, address, block);

    if (r->form == SAMPLES_PLAIN)
        return at;
    struct proact_partition partition = {.cta_first = r->cta_first,
                                         .silent_count = UINT32_MAX};

    memcpy(partition.grid, r->c.grid.ctas, sizeof partition.grid);
    at = (at + 7) / 8 * 8;
    memcpy(block + at, &partition, sizeof partition);
    return at + sizeof partition;
}

static void run_ctas(const struct run *r, struct execute_grid *grid, const uint32_t ctas[3])
{
    struct execute_pool *pool = execute_pool_create();

    for (uint32_t i = 0; i < ctas[0] * ctas[1] * ctas[2]; i++) {
        const uint32_t id[3] = {i % ctas[0], i / ctas[0] % ctas[1], i / ctas[0] / ctas[1]};
        struct execute_cta *cta = execute_cta_create(grid, pool, id, 0);
        enum execute_stop stop;

        do
            stop = execute_cta_run(cta, 100000, i);
        while (stop == EXECUTE_BUDGET || stop == EXECUTE_STRONG);
        if (stop != EXECUTE_EXITED)
            fail_msg("%s: stopped with %d: %s", r->title, (int)stop, cta->fault);
        execute_cta_destroy(cta);
    }
    execute_pool_destroy(pool);
}

/* Launches CTAs first to first + count - 1; the plain form is launched complete, in its own
   shape. */
static void launch(struct run *r, const struct execute_program *program, uint32_t first,
                   uint32_t count)
{
    _Alignas(16) unsigned char block[BLOCK_BYTES] = {0};
    struct execute_host host = execute_host_quiet(r);
    struct execute_launch l = {.kernel = execute_kernel_find(program, r->sample->name),
                               .host = &host,
                               .grid = {count, 1, 1},
                               .parameters = block,
                               .variables = (uint64_t)(uintptr_t)r->variables,
                               .sm_count = 1};

    host.access = host_access;
    r->cta_first = first;
    if (!l.kernel)
        fail_msg("%s: no such kernel", r->title);
    if (r->form == SAMPLES_PLAIN)
        memcpy(l.grid, r->c.grid.ctas, sizeof l.grid);
    memcpy(l.block, r->c.grid.threads, sizeof l.block);
    size_t bytes = lay_parameters(r, block);

    if (bytes != execute_kernel_info(l.kernel).parameter_bytes)
        fail_msg("%s: %zu bytes of parameters, the kernel takes %" PRIu32, r->title, bytes,
                 execute_kernel_info(l.kernel).parameter_bytes);
    struct execute_grid *grid = execute_grid_create(&l);

    run_ctas(r, grid, l.grid);
    execute_grid_destroy(grid);
}

static void launch_parts(struct run *r, const struct execute_program *program,
                         uint32_t parts)
{
    uint32_t ctas = cta_count(&r->c.grid);

    for (uint32_t i = 0; i < parts; i++) {
        uint32_t first = i * ctas / parts, end = (i + 1) * ctas / parts;

        if (first < end)
            launch(r, program, first, end - first);
    }
}

static void run_to_the_end(struct run *r, const struct execute_program *program,
                           uint32_t parts)
{
    int32_t *again = r->c.again < 0 ? NULL : (int32_t *)(void *)r->place[r->c.again];

    r->variables_bytes = execute_program_bytes(program);
    r->variables = place_bytes(r, r->variables_bytes + 1);
    execute_program_image(program, (uint64_t)(uintptr_t)r->variables, r->variables);
    do {
        if (again)
            *again = 0;
        launch_parts(r, program, parts);
    } while (again && *again);
    for (unsigned i = 0; i < r->c.array_count; i++) {
        const struct samples_array *a = &r->c.arrays[i];
        char sentence[160];

        if (a->expected && !samples_agree(a, r->place[i], sentence, sizeof sentence))
            fail_msg("%s: %s", r->title, sentence);
    }
}

/* Returns false if the compiler is missing. */
static bool run_sample(const struct sample *s, const char *compiler, enum samples_form form,
                       uint32_t parts, bool large)
{
    struct proact_error err = {""};
    struct run r = {.sample = s, .form = form, .large = large};
    struct ptx_module *module = NULL;
    struct execute_program *program = NULL;
    size_t bytes;
    char *text = samples_ptx(s, compiler, form, &bytes);

    if (!text)
        return false;
    snprintf(r.title, sizeof r.title, "%s, %s, %s, %" PRIu32 " parts", s->name, compiler,
             form == SAMPLES_ANNOTATED ? "marked" : "plain", parts);
    if (ptx_parse(s->file, text, bytes, &module, &err) ||
        execute_program_create(module, &program, &err))
        fail_msg("%s: %s", r.title, err.text);
    set_up(&r);
    run_to_the_end(&r, program, parts);
    tear_down(&r);
    execute_program_destroy(program);
    ptx_destroy(module);
    free(text);
    return true;
}

static void run_all(enum samples_form form, uint32_t parts, bool large)
{
    unsigned ran = 0;

    for (int i = 0; samples_compilers[i]; i++)
        for (int j = 0; j < SAMPLES_COUNT; j++)
            ran += run_sample(&samples[j], samples_compilers[i], form, parts, large);
    assert_true(ran >= SAMPLES_COUNT - 3); /* three have no annotated form */
}

static void plain_samples_equal_their_reference(void **state)
{
    run_all(SAMPLES_PLAIN, 1, *state != NULL);
}

static void annotated_samples_equal_their_reference(void **state)
{
    run_all(SAMPLES_ANNOTATED, 1, *state != NULL);
}

static void annotated_samples_in_partitions_equal_their_reference(void **state)
{
    run_all(SAMPLES_ANNOTATED, 3, *state != NULL);
}

int main(int argc, char **argv)
{
    char *large = argc > 1 && !strcmp(argv[1], "large") ? argv[1] : NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(plain_samples_equal_their_reference, large),
        cmocka_unit_test_prestate(annotated_samples_equal_their_reference, large),
        cmocka_unit_test_prestate(annotated_samples_in_partitions_equal_their_reference,
                                  large),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
