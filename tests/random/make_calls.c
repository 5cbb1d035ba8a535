/* SPDX-License-Identifier: Apache-2.0 */
/* A host that uses several streams, threads and graphs on memory of every kind (acts.cuh).
   The waits are computed at run time. */
#include <string.h>

#include "random/make.h"

enum { ACTS = 16, GRAPH_ACTS = 5 };

const char *const make_prelude = "acts.cuh";
const bool make_variables = false;
const bool make_tables = false;

static void launch(struct maker *m, const struct make_kernel *k)
{
    struct text *t = &m->program;
    unsigned slots[MAKE_ROLES];

    if (!make_cast(m, k, slots))
        return;
    text_print(t, "        act({{&all_table, false}");
    for (unsigned i = 0; i < k->role_count; i++)
        text_print(t, ", {d[%u], %s}", slots[i], k->roles[i].is_written ? "true" : "false");
    text_print(t, "}, [&](cudaStream_t at) {\n            launch(k%u%s, %s, %s, at, ",
               k->name, k->template_name ? make_format(m, "<%ld>", k->template_value) : "",
               k->grid, k->block);
    make_arguments(t, k, slots, "d", "->p", false);
    text_print(t, ");\n        });\n");
}

/* An array that may be used now, of int if `is_int`. Returns false if none was found. */
static bool some(struct maker *m, bool is_int, unsigned *slot)
{
    for (unsigned tries = 0; tries < 40; tries++) {
        *slot = draw(m, m->array_count);
        if (!(m->barred >> *slot & 1) &&
            (!is_int ||
             (!strcmp(m->arrays[*slot].type, "int") && m->arrays[*slot].count > 300)))
            return true;
    }
    return false;
}

static unsigned long bytes_of(const struct maker *m, unsigned slot)
{
    return (unsigned long)m->arrays[slot].count * make_size_of(m->arrays[slot].type);
}

static void copy(struct maker *m)
{
    struct text *t = &m->program;
    unsigned a, b;
    unsigned long least, bytes, to, from;
    bool is_2d;

    if (!some(m, false, &a) || !some(m, false, &b))
        return;
    least = bytes_of(m, a) < bytes_of(m, b) ? bytes_of(m, a) : bytes_of(m, b);
    bytes = 1 + draw(m, (unsigned)least);
    to = draw(m, (unsigned)(bytes_of(m, a) - bytes + 1)) & ~15ul;
    from = draw(m, (unsigned)(bytes_of(m, b) - bytes + 1)) & ~15ul;
    is_2d = bytes > 4096 && one_in(m, 2);
    if (one_in(m, 3) || a == b || strcmp(m->arrays[a].type, m->arrays[b].type) != 0)
        text_print(t,
                   "        act({{d[%u], true}}, [&](cudaStream_t at) { "
                   "CHECK(cudaMemset%s(d[%u]->p + %lu, %s%s, %lu%s, at)); });\n",
                   a, is_2d ? "2DAsync" : "Async", a, to, is_2d ? "64, " : "",
                   one_in(m, 2) ? "0" : "it", is_2d ? 32 : bytes & ~15ul,
                   is_2d ? make_format(m, ", %lu", bytes / 64) : "");
    else if (bytes > 4096 && one_in(m, 3))
        text_print(t, "        boxes(d[%u], d[%u], %lu, 8, %lu);\n", a, b,
                   (bytes / 32) & ~15ul, 1 + (unsigned long)draw(m, 4));
    else
        text_print(t,
                   "        act({{d[%u], true}, {d[%u], false}}, [&](cudaStream_t at) { "
                   "CHECK(cudaMemcpyAsync(d[%u]->p + %lu, d[%u]->p + %lu, %lu, %s, at)); "
                   "});\n",
                   a, b, a, to, b, from, bytes & ~15ul, "cudaMemcpyDefault");
}

/* Operations on one or two arrays; one of two threads uses no module variables. */
static void other(struct maker *m)
{
    struct text *t = &m->program;
    unsigned a, b, what = draw(m, 8);

    if (!some(m, what >= 3 && what <= 5, &a) || !some(m, true, &b))
        return;
    switch (what) {
    case 0:
    case 1:
        text_print(t, "        by_host<%s>(d[%u], (unsigned)it + %u);\n", m->arrays[a].type,
                   a, draw(m, 99));
        break;
    case 2:
        text_print(t, "        renewed(d[%u]);\n        advised(d[%u]);\n", a, a);
        break;
    case 3:
        if (a != b && m->arrays[b].count >= 300)
            text_print(t, "        scatter(d[%u], d[%u], %ld);\n", a, b,
                       m->arrays[a].count < m->arrays[b].count ? m->arrays[a].count
                                                               : m->arrays[b].count);
        break;
    case 4:
        if (a != b && !m->barred)
            text_print(t, "        sums(d[%u], d[%u], %ld);\n", a, b,
                       m->arrays[a].count < m->arrays[b].count ? m->arrays[a].count
                                                               : m->arrays[b].count);
        break;
    case 5:
        if (!m->barred)
            text_print(t, "        symbol(d[%u], %ld);\n", a, m->arrays[a].count);
        break;
    default:
        copy(m);
    }
}

static void acts(struct maker *m, unsigned count)
{
    while (count--)
        if (one_in(m, 3))
            other(m);
        else
            launch(m, &m->kernels[draw(m, m->kernel_count)]);
}

static void graph(struct maker *m)
{
    text_print(&m->program,
               "        static graph recorded;\n        play(recorded, all, [&] {\n");
    acts(m, 1 + draw(m, GRAPH_ACTS));
    text_print(&m->program, "        });\n");
}

static void swap(struct maker *m)
{
    unsigned pair = draw(m, m->array_count / 2) * 2;

    text_print(&m->program, "        std::swap(d[%u], d[%u]);\n", pair, pair + 1);
}

static void threads(struct maker *m)
{
    unsigned mine = 3, all = (1u << m->array_count) - 1; /* pairs, because one may be
                                                            swapped */

    for (unsigned i = 2; i < m->array_count; i += 2)
        mine |= draw(m, 2) * 3 << i;
    text_print(&m->program, "        two_threads([&] {\n");
    m->barred = all & ~mine;
    acts(m, 4);
    text_print(&m->program, "        }, [&] {\n");
    m->barred = mine;
    acts(m, 4);
    m->barred = 0;
    text_print(&m->program, "        });\n");
}

static void iteration(struct maker *m)
{
    unsigned a;

    for (unsigned i = 0; i < ACTS; i++) {
        if (one_in(m, 6))
            text_print(&m->program, "        if (it %% %u == %u)\n", 2 + draw(m, 3),
                       draw(m, 2));
        text_print(&m->program, "        {\n");
        switch (draw(m, 12)) {
        case 0:
            swap(m);
            break;
        case 1:
            threads(m);
            break;
        case 2:
        case 3:
            graph(m);
            break;
        case 4:
            if (some(m, false, &a))
                text_print(&m->program, "        print_array(\"part\", d[%u]);\n", a);
            break;
        default:
            acts(m, 1);
        }
        text_print(&m->program, "        }\n");
    }
}

void make_host(struct maker *m)
{
    struct text *t = &m->program;

    make_begin(m);
    text_print(
        t,
        "int main()\n{\n    array *d[%u];\n    checks = false;\n"
        "    for (int i = 0; i < %d; i++) host_table[i] = (int)(next_random() %% %d);\n"
        "    CHECK(cudaMemcpyToSymbol(table, host_table, sizeof host_table));\n"
        "    begin(%u, host_table);\n    std::vector<array *> all = {&order_counters, "
        "&all_words, &all_table};\n",
        m->array_count, MAKE_TABLE, MAKE_TABLE, draw(m, 1u << 20));
    for (unsigned i = 0; i < m->array_count; i++)
        text_print(t, "    all.push_back(d[%u] = made<%s>(%ld));\n", i, m->arrays[i].type,
                   m->arrays[i].count);
    text_print(t, "%s    for (int it = 0; it < %u; it++) {\n",
               m->sets.data ? m->sets.data : "", 3 + draw(m, 6));
    iteration(m);
    text_print(
        t, "        act({{&all_table, true}}, [&](cudaStream_t at) {\n"
           "            CHECK(cudaMemcpyToSymbolAsync(table, all_table.mirror, 4 * (it + "
           "9), 4 * it, cudaMemcpyHostToDevice, at));\n        });\n    }\n");
    for (unsigned i = 0; i < m->array_count; i++)
        text_print(t, "    print_array(\"array %u\", d[%u]);\n", i, i);
    text_print(t, "    return 0;\n}\n");
}
