/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels as text, and the host: it launches them in a random order again and again,
   swaps arrays, copies and fills parts between, and tells what each array holds. */
#include <string.h>

#include "random/make.h"

enum { ACTS = 14 };

static unsigned size_of(const char *type)
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

static void parameters(struct text *t, const struct make_kernel *k, const char *end,
                       const char *restrictly)
{
    const char *between = "";

    for (unsigned i = 0; i < k->role_count; i++, between = end) {
        const struct make_role *r = &k->roles[i];

        text_print(t, "%s%s%s *%s%s", between, r->is_written ? "" : "const ", r->type,
                   restrictly, r->name);
    }
    for (unsigned i = 0; i < k->number_count; i++)
        if (k->numbers[i].declared)
            text_print(t, "%s%s", end, k->numbers[i].declared);
}

void make_kernel_text(struct maker *m, const struct make_kernel *k)
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
    text_print(t, "__global__ void k%u(%s)\n{\n%s}\n", k->name, list.data, k->body.data);
    if (k->is_alone) {
        if (k->template_name)
            text_print(t, "template <int N> ");
        text_print(
            t,
            "static void host%u(uint3 blockIdx, uint3 threadIdx, dim3 blockDim, dim3 "
            "gridDim, %s)\n{\n    const int *const table = host_table;\n"
            "    (void)table;\n",
            k->name, list.data);
        for (unsigned i = 0; i < k->number_count; i++)
            if (!k->numbers[i].declared)
                text_print(t, "    const int %s = %s;\n", k->numbers[i].is.text,
                           k->numbers[i].given);
        text_print(t, "%s}\n", k->body.data);
    }
    text_clear(&list);
}

/* Arrays for the roles, none that is written for two. False: there are not enough. */
static bool cast(struct maker *m, const struct make_kernel *k, unsigned *slots)
{
    for (unsigned i = 0; i < k->role_count; i++) {
        const struct make_role *r = &k->roles[i];
        bool fits = false;

        for (unsigned tries = 0; tries < 60 && !fits; tries++) {
            slots[i] = draw(m, m->array_count);
            fits = !strcmp(m->arrays[slots[i]].type, r->type) &&
                   m->arrays[slots[i]].count >= r->count;
            for (unsigned j = 0; fits && j < i; j++)
                fits = slots[j] != slots[i] || (!r->is_written && !k->roles[j].is_written);
        }
        if (!fits)
            return false;
    }
    return true;
}

static void arguments(struct maker *m, struct text *t, const struct make_kernel *k,
                      const unsigned *slots, const char *of)
{
    const char *between = "";

    (void)m;
    text_print(t, "%s", k->in_struct ? say(m, "s%u{", k->name) : "");
    for (unsigned i = 0; i < k->role_count; i++, between = ", ")
        text_print(t, "%s(%s *)%s[%u]", between, k->roles[i].type, of, slots[i]);
    for (unsigned i = 0; i < k->number_count; i++)
        if (k->numbers[i].declared)
            text_print(t, ", %s", k->numbers[i].given);
    text_print(t, "%s", k->in_struct ? "}" : "");
}

static void launch(struct maker *m, const struct make_kernel *k)
{
    struct text *t = &m->program;
    unsigned slots[MAKE_ROLES];
    const char *form = k->template_name ? say(m, "<%ld>", k->template_value) : "",
               *stream = one_in(m, 4)   ? ", 0, streams[1]"
                         : one_in(m, 4) ? ", 0, streams[0]"
                                        : "";

    if (!cast(m, k, slots))
        return;
    if (k->is_alone) {
        text_print(t, "        if (checks) {\n");
        for (unsigned i = 0; i < k->role_count; i++)
            text_print(t, "            h[%u] = brought(d[%u], bytes[%u]);\n", slots[i],
                       slots[i], slots[i]);
        text_print(t,
                   "            each(%s, %s, [&](uint3 b, uint3 t, dim3 bd, dim3 gd) { "
                   "host%u%s(b, t, bd, gd, ",
                   k->grid, k->block, k->name, form);
        arguments(m, t, k, slots, "h");
        text_print(t, "); });\n        }\n");
    }
    text_print(t, "        k%u%s<<<%s, %s%s>>>(", k->name, form, k->grid, k->block, stream);
    arguments(m, t, k, slots, "d");
    text_print(t, ");\n        CHECK(cudaGetLastError());\n");
    if (*stream)
        text_print(t, "        CHECK(cudaStreamSynchronize(streams[%c]));\n", stream[13]);
    for (unsigned i = 0; k->is_alone && i < k->role_count; i++)
        if (k->roles[i].is_written)
            text_print(t,
                       "        if (checks) compare(\"k%u\", d[%u], h[%u], bytes[%u]);\n",
                       k->name, slots[i], slots[i], slots[i]);
}

static void swap(struct maker *m)
{
    unsigned pair = draw(m, m->array_count / 2) * 2;

    text_print(&m->program, "        std::swap(d[%u], d[%u]);\n", pair, pair + 1);
}

static void copy(struct maker *m)
{
    struct text *t = &m->program;
    unsigned a = draw(m, m->array_count), b = draw(m, m->array_count);
    unsigned long of_a = (unsigned long)m->arrays[a].count * size_of(m->arrays[a].type),
                  of_b = (unsigned long)m->arrays[b].count * size_of(m->arrays[b].type),
                  least = of_a < of_b ? of_a : of_b,
                  bytes = one_in(m, 3) ? least : 1 + draw(m, (unsigned)least),
                  to = draw(m, (unsigned)(of_a - bytes + 1)) & ~15ul,
                  from = draw(m, (unsigned)(of_b - bytes + 1)) & ~15ul;

    switch (draw(m, 5)) {
    case 0:
        text_print(t, "        CHECK(cudaMemset((char *)d[%u] + %lu, %s, %lu));\n", a, to,
                   one_in(m, 2) ? "0" : "it", bytes & ~15ul);
        return;
    case 1:
        text_print(t, "        tell(\"part\", (char *)d[%u] + %lu, %lu);\n", a, to, bytes);
        return;
    case 2:
        if (bytes < 4096 || a == b || strcmp(m->arrays[a].type, m->arrays[b].type) != 0)
            return;
        text_print(t,
                   "        CHECK(cudaMemcpy2D((char *)d[%u] + %lu, 512, (char *)d[%u] + "
                   "%lu, 256, 128, %lu, cudaMemcpyDeviceToDevice));\n",
                   a, to, b, from, bytes / 512);
        return;
    case 3:
        text_print(t,
                   "        { void *h0 = brought(d[%u], bytes[%u]); "
                   "CHECK(cudaMemcpy((char *)d[%u] + %lu, (char *)h0 + %lu, %lu, "
                   "cudaMemcpyHostToDevice)); free(h0); }\n",
                   a, a, a, to, (of_a - bytes) & ~15ul, bytes & ~15ul);
        return;
    default:
        if (a != b && !strcmp(m->arrays[a].type, m->arrays[b].type))
            text_print(t,
                       "        CHECK(cudaMemcpyAsync((char *)d[%u] + %lu, (char *)d[%u] + "
                       "%lu, %lu, cudaMemcpyDeviceToDevice));\n",
                       a, to, b, from, bytes & ~15ul);
    }
}

static void acts(struct maker *m)
{
    for (unsigned i = 0; i < ACTS; i++) {
        if (one_in(m, 6))
            text_print(&m->program, "        if (it %% %u == %u) {\n", 2 + draw(m, 3),
                       draw(m, 2));
        else
            text_print(&m->program, "        {\n");
        switch (draw(m, 6)) {
        case 0:
            swap(m);
            break;
        case 1:
            copy(m);
            break;
        default:
            launch(m, &m->kernels[draw(m, m->kernel_count)]);
        }
        text_print(&m->program, "        }\n");
    }
}

static void begin(struct maker *m)
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
        make_kernel_text(m, &m->kernels[i]);
}

void make_host(struct maker *m)
{
    struct text *t = &m->program;

    begin(m);
    text_print(t,
               "int main(int argc, char **)\n{\n    void *d[%u], *h[%u];\n"
               "    size_t bytes[%u];\n    cudaStream_t streams[2];\n"
               "    checks = argc > 1;\n    (void)h;\n",
               m->array_count, m->array_count, m->array_count);
    for (unsigned i = 0; i < m->array_count; i++)
        text_print(t, "    d[%u] = fresh<%s>(%ld);\n    bytes[%u] = %ld * sizeof(%s);\n", i,
                   m->arrays[i].type, m->arrays[i].count, i, m->arrays[i].count,
                   m->arrays[i].type);
    text_print(
        t,
        "    for (int i = 0; i < %d; i++) host_table[i] = (int)(next_random() %% %d);\n"
        "    CHECK(cudaMemcpyToSymbol(table, host_table, sizeof host_table));\n"
        "    CHECK(cudaStreamCreate(&streams[0]));\n"
        "    CHECK(cudaStreamCreate(&streams[1]));\n"
        "    for (int it = 0; it < %u; it++) {\n",
        MAKE_TABLE, MAKE_TABLE, 3 + draw(m, 8));
    acts(m);
    text_print(t, "    }\n");
    for (unsigned i = 0; i < m->array_count; i++)
        text_print(t, "    tell(\"array %u\", d[%u], bytes[%u]);\n", i, i, i);
    text_print(t, "    return 0;\n}\n");
}
