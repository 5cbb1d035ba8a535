/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/flow/taint.h"

#include "instrument/flow/definition.h"

struct spreading {
    uint8_t *by_register, marks;
    bool changed;
};

static void collect(void *context, int32_t reg)
{
    struct spreading *s = context;

    s->marks |= s->by_register[reg];
}

static void mark(void *context, int32_t reg)
{
    struct spreading *s = context;

    s->changed |= (s->marks & ~s->by_register[reg]) != 0;
    s->by_register[reg] |= s->marks;
}

void taint_spread(const struct ptx_function *f, uint8_t *by_register, taint_of *of,
                  void *context)
{
    struct spreading s = {.by_register = by_register, .changed = true};

    while (s.changed) {
        s.changed = false;
        for (uint32_t n = 0; n < f->instruction_count; n++) {
            const struct ptx_instruction *i = &f->instructions[n];

            s.marks = 0;
            definition_each_use(i, collect, &s);
            s.marks = of(context, i, s.marks);
            if (s.marks)
                definition_each(i, mark, &s);
        }
    }
}
