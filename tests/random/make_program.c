/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a random CUDA program to stdout. Usage: make_program SEED, make_calls SEED */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "random/make.h"

unsigned draw(struct maker *m, unsigned below)
{
    return (unsigned)random_below(&m->chance, below);
}

bool one_in(struct maker *m, unsigned of)
{
    return draw(m, of) == 0;
}

const char *make_format(struct maker *m, const char *format, ...)
{
    va_list list;
    char *text;
    int length;

    va_start(list, format);
    length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    text = must_calloc((size_t)length + 1, 1);
    va_start(list, format);
    vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    m->texts = must_grow(m->texts, m->text_count + 1, &m->text_capacity, sizeof *m->texts);
    m->texts[m->text_count++] = text;
    return text;
}

const char *pick(struct maker *m, const char *choices)
{
    unsigned count = 1, which;
    const char *end;

    for (const char *c = choices; *c; c++)
        count += *c == '|';
    for (which = draw(m, count); which; which--)
        choices = strchr(choices, '|') + 1;
    end = strchr(choices, '|');
    return make_format(m, "%.*s", end ? (int)(end - choices) : (int)strlen(choices),
                       choices);
}

static void add_array(struct maker *m, const char *type, long count)
{
    struct make_array *a = &m->arrays[m->array_count];

    *a = (struct make_array){.type = type, .count = count};
    if (m->has_variables && one_in(m, 3)) {
        a->variable = make_format(m, "v%u", m->array_count);
        text_print(&m->constants, "__device__ __align__(16) %s %s[%ld];\n", type,
                   a->variable, count);
    }
    m->array_count++;
}

/* Two arrays of most kinds, for swaps and selections. */
static void make_arrays(struct maker *m)
{
    unsigned kinds = 3 + draw(m, MAKE_ARRAYS / 2 - 3);

    m->has_variables = make_variables && one_in(m, 3);

    m->w = 20 + draw(m, 200);
    m->h = 10 + draw(m, 80);
    m->d = 1 + draw(m, 4);
    if (one_in(m, 4)) { /* powers of two: boundaries of arrays are boundaries of CTAs */
        m->w = 64l << draw(m, 2);
        m->h = 32l << draw(m, 2);
    }
    if (one_in(m, 6)) { /* many planes */
        m->w = 9 + m->w / 8;
        m->h = 5 + m->h / 8;
        m->d = 16 + draw(m, 20);
    }
    m->n = m->w * m->h * m->d;
    add_array(m, "int", m->n);
    add_array(m, "int", m->n);
    for (unsigned i = 1; i < kinds; i++) {
        const char *type =
            pick(m, "int|int|float|float|float|unsigned|double|unsigned char|"
                    "short|long long|float4|int2|record|__half");
        long count = m->n;

        if (one_in(m, 2))
            count = one_in(m, 2) ? m->w * m->h : m->n + (long)draw(m, 900);
        if (one_in(m, 5))
            count = 2 * m->n + (long)draw(m, 5);
        add_array(m, type, count);
        add_array(m, type, count);
    }
}

void make_named(struct maker *m, struct make_kernel *k, struct make_role *r,
                const struct make_array *a)
{
    if (!a->variable || one_in(m, 3))
        return;
    for (unsigned i = 0; i < k->role_count; i++)
        if (k->roles[i].named == a)
            return; /* one of them may be written */
    r->named = a;
    r->text = a->variable;
}

static struct make_role *add_role(struct maker *m, struct make_kernel *k, const char *name,
                                  const struct make_array *a)
{
    struct make_role *r = &k->roles[k->role_count];

    *r = (struct make_role){.type = a->type, .count = a->count};
    r->name = make_format(m, "%s%u", name, k->role_count);
    r->text = k->in_struct ? make_format(m, "s.%s", r->name) : r->name;
    make_named(m, k, r, a);
    k->role_count++;
    return r;
}

const struct make_role *make_read_role(struct maker *m, struct make_kernel *k)
{
    bool is_full = k->role_count >= MAKE_READ_ROLES, is_new = !is_full && one_in(m, 3);
    unsigned first = k->role_count ? draw(m, k->role_count) : 0;

    for (unsigned i = 0; !is_new && i < k->role_count; i++) {
        const struct make_role *r = &k->roles[(first + i) % k->role_count];

        if (!r->is_written)
            return r;
    }
    return add_role(m, k, "in", &m->arrays[draw(m, m->array_count)]);
}

static const struct make_array *large_array(struct maker *m, long least)
{
    for (unsigned tries = 0; tries < 20; tries++) {
        const struct make_array *a = &m->arrays[draw(m, m->array_count)];

        if (a->count >= least)
            return a;
    }
    return &m->arrays[0];
}

const struct make_role *make_large_role(struct maker *m, struct make_kernel *k, long least)
{
    return add_role(m, k, "in", large_array(m, least));
}

const struct make_role *make_write_role(struct maker *m, struct make_kernel *k, long least)
{
    struct make_role *r = add_role(m, k, "out", large_array(m, least));

    r->is_written = true;
    return r;
}

static void clear(struct maker *m)
{
    for (size_t i = 0; i < m->text_count; i++)
        free(m->texts[i]);
    free(m->texts);
    for (unsigned i = 0; i < m->kernel_count; i++)
        text_clear(&m->kernels[i].body);
    text_clear(&m->program);
    text_clear(&m->constants);
    text_clear(&m->sets);
}

int main(int argc, char **argv)
{
    static void (*const make[])(struct maker *, struct make_kernel *) = {
        make_alone, make_alone, make_together, make_rows, make_groups};
    struct maker m = {0};

    if (argc != 2) {
        fprintf(stderr, "usage: %s SEED\n", argv[0]);
        return 2;
    }
    m.chance = strtoull(argv[1], NULL, 10);
    make_arrays(&m);
    text_print(&m.program, "// Seed %s\n#include \"%s\"\n", argv[1], make_prelude);
    while (m.kernel_count < MAKE_KERNELS) {
        struct make_kernel *k = &m.kernels[m.kernel_count];

        k->name = m.kernel_count++;
        k->in_struct = one_in(&m, 4);
        k->in_memory = k->in_struct && make_tables && one_in(&m, 2);
        k->is_restrict = one_in(&m, 3);
        k->index = pick(&m, "int|int|int|unsigned|size_t|long long");
        make[draw(&m, sizeof make / sizeof *make)](&m, k);
    }
    make_host(&m);
    fputs(m.program.data, stdout);
    clear(&m);
    return 0;
}
