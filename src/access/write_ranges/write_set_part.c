/* SPDX-License-Identifier: Apache-2.0 */
/* Records of some CTAs of a grid, separate from those of the other CTAs. */
#include <stdlib.h>

#include "access/write_ranges/write_set_record.h"
#include "base/memory.h"

void record_part_open(struct record *part, const struct record *of)
{
    *part = (struct record){.slice = of->slice, .array_count = of->array_count};
    part->arrays = must_calloc(of->array_count + 1u, sizeof *part->arrays);
    for (uint32_t n = 0; n < of->array_count; n++) {
        const struct record_array *a = &of->arrays[n];

        part->arrays[n] = (struct record_array){.name = a->name,
                                                .address = a->address,
                                                .bytes = a->bytes,
                                                .is_variable = a->is_variable};
    }
}

static bool take_array(struct record_array *to, const struct record_array *a, uint32_t from)
{
    bool all = true;

    for (uint32_t n = 0; n < a->runs.count && all; n++) {
        struct cta_run run = a->runs.run[n];

        run.cta += from;
        all = record_add_run(to, run, a->runs.rows + run.first, 0);
    }
    if (a->line)
        record_note_line(to, a->line, a->is_atomic);
    return all;
}

enum proact_status record_part_take(struct record *into, const struct record *part,
                                    uint32_t from, struct proact_error *err)
{
    for (uint32_t n = 0; n < into->array_count; n++)
        if (!take_array(&into->arrays[n], &part->arrays[n], from))
            return record_too_many(into, err);
    return PROACT_OK;
}

void record_part_close(struct record *part)
{
    for (uint32_t n = 0; n < part->array_count; n++)
        record_clear_array(&part->arrays[n]);
    free(part->of_cta.rows);
    free(part->arrays);
}
