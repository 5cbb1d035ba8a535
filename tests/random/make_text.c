/* SPDX-License-Identifier: Apache-2.0 */
/* Text of the kernels, and the code that any host needs to launch them. */
#include <string.h>

#include "random/make.h"

unsigned make_size_of(const char *type)
{
    static const struct {
        const char *type;
        unsigned bytes;
    } all[] = {{"unsigned char", 1}, {"short", 2},   {"__half", 2}, {"double", 8},
               {"long long", 8},     {"float4", 16}, {"int2", 8},   {"record", 12}};

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].type, type))
            return all[i].bytes;
    return 4;
}

static void role(struct text *t, const struct make_role *r, const char *restrictly,
                 const char *name)
{
    text_print(t, "%s%s *%s%s", r->is_written ? "" : "const ", r->type, restrictly, name);
}

static void parameters(struct text *t, const struct make_kernel *k, const char *end,
                       const char *restrictly)
{
    const char *between = "";

    for (unsigned i = 0; i < k->role_count; i++)
        if (!k->roles[i].named) {
            text_print(t, "%s", between);
            role(t, &k->roles[i], restrictly, k->roles[i].name);
            between = end;
        }
    for (unsigned i = 0; i < k->number_count; i++)
        if (k->numbers[i].declared) {
            text_print(t, "%s%s", between, k->numbers[i].declared);
            between = end;
        }
}

/* The host passes what the kernel accesses by name. */
static void host_text(struct maker *m, const struct make_kernel *k, const char *list)
{
    struct text *t = &m->program;

    if (k->template_name)
        text_print(t, "template <int N> ");
    text_print(t,
               "static void host%u(uint3 blockIdx, uint3 threadIdx, dim3 blockDim, dim3 "
               "gridDim",
               k->name);
    for (unsigned i = 0; i < k->role_count; i++)
        if (k->roles[i].named) {
            text_print(t, ", ");
            role(t, &k->roles[i], "", k->roles[i].text);
        }
    text_print(t, "%s%s)\n{\n    const int *const table = host_table;\n    (void)table;\n",
               list ? ", " : "", list ? list : "");
    for (unsigned i = 0; i < k->number_count; i++)
        if (!k->numbers[i].declared)
            text_print(t, "    const int %s = %s;\n", k->numbers[i].is.text,
                       k->numbers[i].given);
    text_print(t, "%s}\n", k->body.data);
}

static void kernel_text(struct maker *m, const struct make_kernel *k)
{
    struct text *t = &m->program, list = {0};

    if (k->in_struct) {
        text_print(t, "struct s%u {\n    ", k->name);
        parameters(t, k, ";\n    ", "");
        text_print(t, ";\n};\n");
        text_print(&list, "s%u s", k->name);
    } else {
        parameters(&list, k, ", ", k->is_restrict ? "__restrict__ " : "");
    }
    if (k->template_name)
        text_print(t, "template <int N> ");
    text_print(t, "__global__ void k%u(", k->name);
    if (k->in_memory)
        text_print(t, "const s%u *from)\n{\n    const s%u &s = *from;\n", k->name, k->name);
    else
        text_print(t, "%s)\n{\n", list.data ? list.data : "");
    text_print(t, "%s}\n", k->body.data);
    if (k->is_alone)
        host_text(m, k, list.data);
    text_clear(&list);
}

/* True if the slot may have the role, given the slots assigned so far. */
static bool suits(const struct maker *m, const struct make_kernel *k, const unsigned *slots,
                  unsigned role)
{
    const struct make_role *r = &k->roles[role];
    const unsigned slot = slots[role];

    if ((m->barred >> slot & 1) || strcmp(m->arrays[slot].type, r->type) != 0 ||
        m->arrays[slot].count < r->count)
        return false;
    for (unsigned j = 0; j < k->role_count; j++) {
        const bool has = j < role || k->roles[j].named;

        if (j != role && has && slots[j] == slot &&
            (r->is_written || k->roles[j].is_written))
            return false;
    }
    return true;
}

bool make_cast(struct maker *m, const struct make_kernel *k, unsigned *slots)
{
    for (unsigned i = 0; i < k->role_count; i++)
        if (k->roles[i].named)
            slots[i] = (unsigned)(k->roles[i].named - m->arrays);
    for (unsigned i = 0; i < k->role_count; i++) {
        bool fits = k->roles[i].named;

        for (unsigned tries = 0; tries < 60 && !fits; tries++) {
            slots[i] = draw(m, m->array_count);
            fits = suits(m, k, slots, i);
        }
        if (!fits)
            return false;
    }
    return true;
}

void make_arguments(struct text *t, const struct make_kernel *k, const unsigned *slots,
                    const char *of, const char *member, bool names)
{
    const char *between = "";

    for (unsigned i = 0; names && i < k->role_count; i++)
        if (k->roles[i].named) {
            text_print(t, "%s(%s *)%s[%u]%s", between, k->roles[i].type, of, slots[i],
                       member);
            between = ", ";
        }
    if (k->in_struct) {
        text_print(t, "%ss%u{", between, k->name);
        between = "";
    }
    for (unsigned i = 0; i < k->role_count; i++)
        if (!k->roles[i].named) {
            text_print(t, "%s(%s *)%s[%u]%s", between, k->roles[i].type, of, slots[i],
                       member);
            between = ", ";
        }
    for (unsigned i = 0; i < k->number_count; i++)
        if (k->numbers[i].declared) {
            text_print(t, "%s%s", between, k->numbers[i].given);
            between = ", ";
        }
    text_print(t, "%s", k->in_struct ? "}" : "");
}

void make_begin(struct maker *m)
{
    struct text *t = &m->program;

    text_print(t,
               "__constant__ int table[%d];\nstatic int host_table[%d];\n%s"
               "template <typename F> static void each(dim3 grid, dim3 block, F f)\n{\n"
               "    uint3 b, t;\n\n"
               "    for (b.z = 0; b.z < grid.z; b.z++)\n"
               "        for (b.y = 0; b.y < grid.y; b.y++)\n"
               "            for (b.x = 0; b.x < grid.x; b.x++)\n"
               "                for (t.z = 0; t.z < block.z; t.z++)\n"
               "                    for (t.y = 0; t.y < block.y; t.y++)\n"
               "                        for (t.x = 0; t.x < block.x; t.x++)\n"
               "                            f(b, t, block, grid);\n}\n",
               MAKE_TABLE, MAKE_TABLE, m->constants.data ? m->constants.data : "");
    for (unsigned i = 0; i < m->kernel_count; i++)
        kernel_text(m, &m->kernels[i]);
}
