/* SPDX-License-Identifier: Apache-2.0 */
/* State of a launch that is computed once for all its CTAs. */
#include <stdlib.h>
#include <string.h>

#include "execute/run/run_cluster.h"
#include "execute/run/run_grid.h"

static unsigned char *lines_create(size_t bytes)
{
    unsigned char *lines = aligned_alloc(64, (bytes + 64) / 64 * 64);

    if (!lines)
        abort();
    memset(lines, 0, (bytes + 64) / 64 * 64);
    return lines;
}

void fill_word(unsigned char *file, uint32_t offset, uint32_t value)
{
    uint32_t *lanes = (uint32_t *)(void *)(file + offset);

    for (unsigned l = 0; l < LANES; l++)
        lanes[l] = value;
}

static void fill_address(unsigned char *file, uint32_t offset, uint64_t value)
{
    uint64_t *lanes = (uint64_t *)(void *)(file + offset);

    for (unsigned l = 0; l < LANES; l++)
        lanes[l] = value;
}

void hoisted_run(const struct execute_kernel *k, enum op_file file,
                 const struct op_registers *registers)
{
    const struct op_list *list = &k->hoisted[file];

    for (size_t n = 0; n < list->count; n++)
        list->ops[n].lanes(registers, &list->ops[n], ~0u);
}

static void launch_specials(struct execute_grid *g)
{
    const struct execute_launch *launch = &g->launch;
    unsigned char *file = g->launch_file;

    for (uint32_t n = 0; n < 3; n++) {
        fill_word(file, LAUNCH_NTID + n * 128, launch->block[n]);
        fill_word(file, LAUNCH_NCTAID + n * 128, launch->grid[n]);
    }
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t equal = 1u << l, below = equal - 1;
        uint32_t masks[5] = {equal, equal | below, below, ~below, ~below & ~equal};

        memcpy(file + LAUNCH_LANEID + l * 4, &l, 4);
        for (uint32_t n = 0; n < 5; n++)
            memcpy(file + LAUNCH_MASKS + n * 128 + l * 4, &masks[n], 4);
    }
    fill_word(file, LAUNCH_NWARPID, g->warps);
    fill_word(file, LAUNCH_NSMID, launch->sm_count);
    fill_word(file, LAUNCH_DYNAMIC, launch->dynamic_shared_bytes);
    fill_word(file, LAUNCH_SHARED, g->shared_bytes);
    fill_address(file, LAUNCH_GRIDID, launch->grid_id);
    fill_word(file, LAUNCH_MEETING, (uint32_t)(launch->meeting >> 32));
    fill_word(file, LAUNCH_MEETING + 128, (uint32_t)launch->meeting);
    for (uint32_t n = 0; n < 3; n++) {
        fill_word(file, LAUNCH_NCLUSTERID + n * 128, launch->grid[n] / g->cluster[n]);
        fill_word(file, LAUNCH_CLUSTER_NCTAID + n * 128, g->cluster[n]);
    }
    fill_word(file, LAUNCH_CLUSTER_SIZE, g->cluster_size);
    *(uint32_t *)(void *)(file + LAUNCH_IN_CLUSTERS) = launch->cluster[0] ? ~0u : 0;
}

static void launch_file_create(struct execute_grid *g)
{
    const struct execute_kernel *k = g->kernel;

    g->launch_file = lines_create(k->file_bytes[FILE_LAUNCH]);
    memcpy(g->launch_file, k->constants, k->file_bytes[FILE_LAUNCH]);
    launch_specials(g);
    if (k->info.parameter_bytes)
        memcpy(g->launch_file + LAUNCH_SPECIALS, g->launch.parameters,
               k->info.parameter_bytes);
    for (size_t n = 0; n < k->variable_constant_count; n++)
        fill_address(g->launch_file, k->variable_constants[n].place & PLACE_OFFSET,
                     g->launch.variables + k->variable_constants[n].offset);
    const struct op_registers registers = {.file = {[FILE_LAUNCH] = g->launch_file}};

    hoisted_run(k, FILE_LAUNCH, &registers);
}

static void slot_file_fill(const struct execute_grid *g, uint32_t warp, unsigned char *file)
{
    const uint32_t *block = g->launch.block;

    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t n = warp * LANES + l;
        uint32_t tid[3] = {n % block[0], n / block[0] % block[1], n / block[0] / block[1]};

        for (uint32_t k = 0; k < 3; k++)
            memcpy(file + SLOT_TID + k * 128 + l * 4, &tid[k], 4);
    }
    fill_word(file, SLOT_WARPID, warp);
    const struct op_registers registers = {
        .file = {[FILE_LAUNCH] = g->launch_file, [FILE_SLOT] = file}};

    hoisted_run(g->kernel, FILE_SLOT, &registers);
}

static interpreter *interpreter_best(void)
{
#if defined __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return interpret_v3;
#endif
    return interpret_v1;
}

struct execute_grid *execute_grid_create(const struct execute_launch *launch)
{
    struct execute_grid *g = must_calloc(1, sizeof *g);
    const struct execute_kernel *k = launch->kernel;
    size_t slot_bytes = k->file_bytes[FILE_SLOT];

    g->launch = *launch;
    g->kernel = k;
    g->interpret = interpreter_best();
    g->threads = launch->block[0] * launch->block[1] * launch->block[2];
    g->warps = (g->threads + LANES - 1) / LANES;
    for (int n = 0; n < 3; n++)
        g->cluster[n] = launch->cluster[n] ? launch->cluster[n] : 1;
    g->cluster_size = g->cluster[0] * g->cluster[1] * g->cluster[2];
    g->shared_bytes = k->info.shared_bytes + launch->dynamic_shared_bytes;
    if (k->stack != PLACE_NONE)
        g->stack_bytes =
            launch->stack_bytes > STACK_BYTES ? launch->stack_bytes : STACK_BYTES;
    g->stack_bytes = g->stack_bytes / 16 * 16;
    g->thread_bytes = k->info.local_bytes_per_thread + g->stack_bytes;
    launch_file_create(g);
    g->slot_files = lines_create(slot_bytes * g->warps);
    for (uint32_t n = 0; n < g->warps; n++)
        slot_file_fill(g, n, g->slot_files + n * slot_bytes);
    return g;
}

void execute_grid_destroy(struct execute_grid *g)
{
    if (!g)
        return;
    clusters_clear(g);
    free(g->launch_file);
    free(g->slot_files);
    free(g);
}
