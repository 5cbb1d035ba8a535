/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/derive.h"

/* Each array of the launch once, in the order of its first place. */
static uint32_t find_arrays(const struct launching *l, struct write_set_array *arrays,
                            struct write_set_pointer *pointers)
{
    uint32_t count = 0;

    for (size_t i = 0; i < l->place_count; i++) {
        const struct proact_array *a = l->places[i].array;
        uint32_t n = 0;

        while (n < count && arrays[n].address != a->base[0])
            n++;
        if (n == count)
            arrays[count++] = (struct write_set_array){
                .name = a->name, .address = a->base[0], .bytes = a->bytes};
        pointers[i] = (struct write_set_pointer){l->places[i].offset, n};
    }
    return count;
}

/* With the addresses of the first device: the slice gets what the kernel gets there. */
enum proact_status derive_run(const struct launching *l, const struct write_set_slice *s,
                              struct write_set_cache *cache, const struct write_set **out,
                              struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;
    struct write_set_array *arrays = must_calloc(l->place_count + 1, sizeof *arrays);
    struct write_set_pointer *pointers = must_calloc(l->place_count + 1, sizeof *pointers);
    unsigned char *block = must_calloc(k->parameter_bytes + 1, 1);
    struct write_set_launch launch = {.dynamic_shared_bytes = l->shared_bytes,
                                      .threads = k->session->threads,
                                      .parameters = block,
                                      .parameter_bytes = k->parameter_bytes,
                                      .arrays = arrays};

    memcpy(block, l->block, k->parameter_bytes);
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->threads, sizeof launch.block);
    launch.array_count = find_arrays(l, arrays, pointers);
    for (size_t i = 0; i < l->place_count; i++) {
        uint64_t address = l->places[i].array->base[0] + l->places[i].byte;

        memcpy(block + l->places[i].offset, &address, sizeof address);
    }
    enum proact_status status = write_set_cached(cache, s, &launch, out, err);

    free(block);
    free(pointers);
    free(arrays);
    return status;
}
