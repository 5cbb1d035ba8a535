/* SPDX-License-Identifier: Apache-2.0 */
/* A plain host: it launches the kernels repeatedly in random order, swaps arrays, copies
   and fills parts in between, and prints the content of each array. */
#include <string.h>

#include "random/make.h"

enum { ACTS = 14 };

const char *const make_prelude = "prelude.cuh";
const bool make_variables = true;
const bool make_tables = true;

static void launch(struct maker *m, const struct make_kernel *k)
{
    struct text *t = &m->program;
    unsigned slots[MAKE_ROLES];
    const char *form = k->template_name ? make_format(m, "<%ld>", k->template_value) : "",
               *stream = one_in(m, 4)   ? ", 0, streams[1]"
                         : one_in(m, 4) ? ", 0, streams[0]"
                                        : "";

    if (!make_cast(m, k, slots))
        return;
    if (k->is_alone) {
        text_print(t, "        if (checks) {\n");
        for (unsigned i = 0; i < k->role_count; i++)
            text_print(t, "            h[%u] = copied(d[%u], bytes[%u]);\n", slots[i],
                       slots[i], slots[i]);
        text_print(t,
                   "            each(%s, %s, [&](uint3 b, uint3 t, dim3 bd, dim3 gd) { "
                   "host%u%s(b, t, bd, gd, ",
                   k->grid, k->block, k->name, form);
        make_arguments(t, k, slots, "h", "", true);
        text_print(t, "); });\n        }\n");
    }
    text_print(t, "        k%u%s<<<%s, %s%s>>>(%s", k->name, form, k->grid, k->block,
               stream, k->in_memory ? "in_memory(" : "");
    make_arguments(t, k, slots, "d", "", false);
    text_print(t, "%s);\n        CHECK(cudaGetLastError());\n", k->in_memory ? ")" : "");
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

    if (m->arrays[pair].variable || m->arrays[pair + 1].variable)
        return; /* a variable that kernels access by name */
    text_print(&m->program, "        std::swap(d[%u], d[%u]);\n", pair, pair + 1);
}

static void copy(struct maker *m)
{
    struct text *t = &m->program;
    unsigned a = draw(m, m->array_count), b = draw(m, m->array_count);
    unsigned long of_a =
                      (unsigned long)m->arrays[a].count * make_size_of(m->arrays[a].type),
                  of_b =
                      (unsigned long)m->arrays[b].count * make_size_of(m->arrays[b].type),
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
                   "        { void *h0 = copied(d[%u], bytes[%u]); "
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

void make_host(struct maker *m)
{
    struct text *t = &m->program;

    make_begin(m);
    text_print(t,
               "int main(int argc, char **)\n{\n    void *d[%u], *h[%u];\n"
               "    size_t bytes[%u];\n    cudaStream_t streams[2];\n"
               "    checks = argc > 1;\n    (void)h;\n",
               m->array_count, m->array_count, m->array_count);
    for (unsigned i = 0; i < m->array_count; i++)
        text_print(
            t, "    d[%u] = fresh<%s>(%ld, %s);\n    bytes[%u] = %ld * sizeof(%s);\n", i,
            m->arrays[i].type, m->arrays[i].count,
            m->arrays[i].variable ? make_format(m, "place_of(%s)", m->arrays[i].variable)
                                  : "NULL",
            i, m->arrays[i].count, m->arrays[i].type);
    text_print(
        t,
        "    for (int i = 0; i < %d; i++) host_table[i] = (int)(next_random() %% %d);\n"
        "    CHECK(cudaMemcpyToSymbol(table, host_table, sizeof host_table));\n"
        "    CHECK(cudaStreamCreate(&streams[0]));\n"
        "    CHECK(cudaStreamCreate(&streams[1]));\n%s"
        "    for (int it = 0; it < %u; it++) {\n        pictures_change(it);\n",
        MAKE_TABLE, MAKE_TABLE, m->sets.data ? m->sets.data : "", 3 + draw(m, 8));
    acts(m);
    text_print(t, "    }\n");
    for (unsigned i = 0; i < m->array_count; i++)
        text_print(t, "    tell(\"array %u\", d[%u], bytes[%u]);\n", i, i, i);
    text_print(t, "    return 0;\n}\n");
}
