/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of the slice. The slice executes both sides of a branch that memory decides,
   one after the other. A value of the first side must not be visible in the second.
   Definitions therefore share a register only if some use in the slice sees both. */
#include "access/slice/slice.h"

struct joining {
    struct slice *s;
    uint32_t at;
};

static uint32_t root_of(uint32_t *names, uint32_t name)
{
    while (names[name] != name)
        name = names[name] = names[names[name]];
    return name;
}

static void names_join_reaching(void *context, uint32_t reg)
{
    const struct joining *j = context;
    struct slice *s = j->s;
    uint32_t view = slice_view(s, j->at, reg);

    for (uint32_t n = s->reaching.first[view]; n < s->reaching.first[view + 1]; n++)
        s->names[root_of(s->names, s->reaching.items[n])] =
            root_of(s->names, s->reaching.items[s->reaching.first[view]]);
}

void slice_find_names(struct slice *s)
{
    uint32_t count = s->definitions.first[s->registers];

    s->names = arena_alloc(s->arena, (count + 1) * sizeof *s->names);
    for (uint32_t d = 0; d < count; d++)
        s->names[d] = d;
    for (uint32_t n = 0; n < s->f->instruction_count; n++)
        if (s->kept[n])
            slice_visit_needed(s, n, names_join_reaching, &(struct joining){s, n});
    for (uint32_t d = 0; d < count; d++)
        s->names[d] = root_of(s->names, d);
}

int64_t slice_name(const struct slice *s, uint32_t instruction, uint32_t reg, bool defined)
{
    if (defined)
        return s->names[slice_definition(s, instruction, reg)];
    uint32_t view = slice_view(s, instruction, reg), first = s->reaching.first[view];

    return first < s->reaching.first[view + 1] ? (int64_t)s->names[s->reaching.items[first]]
                                               : -1;
}
