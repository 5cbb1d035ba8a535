/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that depend more on memory, textures or other threads than those of
   make_together.c: early returns, minima and maxima, indices from a table, asynchronous
   copies, loops of a warp. */
#include "random/make.h"

static const char *const in_a_row = "blockIdx.x * blockDim.x + threadIdx.x";

static const char *read_here(struct maker *m, struct make_kernel *k)
{
    return make_read(m, k, (struct made){0});
}

static void place(struct maker *m, struct make_kernel *k, long threads)
{
    k->n = make_number(m, k, m->n);
    k->i = (struct made){"i", 0, m->n - 1};
    k->block = make_format(m, "%ld", threads);
    k->grid = make_format(m, "%ld", (m->n + threads - 1) / threads);
}

static void begin(struct maker *m, struct make_kernel *k)
{
    text_print(&k->body,
               "    %s i = %s;\n    if (i >= %s) return;\n    unsigned v = (unsigned)%s;\n",
               k->index, in_a_row, k->n.text, read_here(m, k));
}

/* A separate array to write. */
static const struct make_role *written(struct maker *m, struct make_kernel *k,
                                       const char *type)
{
    struct make_role *r = &k->roles[k->role_count];

    *r = (struct make_role){.type = type, .count = m->n, .is_written = true};
    r->name = make_format(m, "out%u", k->role_count++);
    r->text = k->in_struct ? make_format(m, "s.%s", r->name) : r->name;
    return r;
}

/* An argument that the host prepares at the start for this kernel only. */
static const char *given(struct maker *m, struct make_kernel *k, const char *type,
                         const char *how)
{
    unsigned name = k->number_count++;
    const char *of = make_format(m, "k%u_%u", k->name, name);

    text_print(&m->constants, "static %s%s;\n", type, of);
    text_print(&m->sets, "    %s = %s;\n", of, how);
    k->numbers[name] =
        (struct make_number){{make_format(m, k->in_struct ? "s.n%u" : "n%u", name), 0, 0},
                             make_format(m, "%sn%u", type, name),
                             of};
    return k->numbers[name].is.text;
}

static bool has_room(const struct make_kernel *k)
{
    return k->number_count < MAKE_NUMBERS;
}

/* Some threads return before the barriers, with or without a store. */
static void early(struct maker *m, struct make_kernel *k)
{
    long threads = 64l << draw(m, 2);
    const struct make_role *out, *other;
    const char *who =
        pick(m, "threadIdx.x % 2|threadIdx.x >= 40|v % 3 == 0|threadIdx.x % 32 > 20|"
                "blockIdx.x % 2 && threadIdx.x < 7");

    place(m, k, threads);
    begin(m, k);
    out = make_write_role(m, k, m->n);
    other = make_write_role(m, k, m->n);
    text_print(&k->body, "    __shared__ unsigned part[%ld];\n    part[threadIdx.x] = v;\n",
               threads);
    text_print(&k->body,
               "    if (%s) {\n        %s%s[i] = put<%s>(v + 1);\n        return;\n    }\n",
               who, one_in(m, 2) ? "if (v & 4) " : "", other->text, other->type);
    text_print(&k->body, "    __syncthreads();\n    v = v * 5 + part[threadIdx.x];\n");
    if (one_in(m, 2))
        text_print(
            &k->body,
            "    if (v & %u) {\n        %s[i] = put<%s>(v);\n        return;\n    }\n",
            1u << draw(m, 3), out->text, out->type);
    text_print(&k->body, "    __syncthreads();\n    %s[i] = put<%s>(v ^ 9);\n", out->text,
               out->type);
}

/* Maximum or minimum by compare-and-swap, in a few elements or one for each CTA. */
static void extremes(struct maker *m, struct make_kernel *k)
{
    const struct make_role *out;

    place(m, k, 32l << draw(m, 4));
    begin(m, k);
    out = written(m, k, "float");
    text_print(&k->body, "    %s(&%s[%s], (float)(v & 0xfffff));\n",
               pick(m, "greatest|least|greatest_bits"), out->text,
               one_in(m, 2) ? make_format(m, "v %% %u", 1 + draw(m, 50))
                            : make_format(m, "%u", draw(m, 200)));
}

/* Two operations on one array, in separate elements. */
static void ways(struct maker *m, struct make_kernel *k)
{
    const struct make_role *out;
    unsigned few = 1 + draw(m, 40);

    place(m, k, 32l << draw(m, 4));
    begin(m, k);
    out = written(m, k, "int");
    text_print(&k->body,
               "    atomicMin(&%s[v %% %u * 2], (int)(v & 0xffff));\n"
               "    atomic%s(&%s[v %% %u * 2 + 1], (int)(v & 0xffff));\n",
               out->text, few, pick(m, "Max|Add|Or"), out->text, few);
}

/* Distinct indices from a table; sometimes the old value is used. */
static void places(struct maker *m, struct make_kernel *k)
{
    const struct make_role *out;
    const char *table;

    place(m, k, 32l << draw(m, 4));
    if (!has_room(k)) {
        early(m, k);
        return;
    }
    begin(m, k);
    table = given(m, k, "const int *", make_format(m, "ranks(%ld)", m->n));
    out = make_write_role(m, k, m->n);
    switch (draw(m, 3)) {
    case 0:
        text_print(&k->body, "    %s[%s[i]] = put<%s>(v);\n", out->text, table, out->type);
        break;
    case 1:
        text_print(
            &k->body,
            "    int at = %s[i];\n    %s[at] = put<%s>((unsigned)get(%s[at]) * 3 + v);\n",
            table, out->text, out->type, out->text);
        break;
    default:
        text_print(&k->body, "    if (v %% 3) %s[%s[i]] = put<%s>(v);\n", out->text, table,
                   out->type);
    }
}

/* Rows bounded by a table; their elements are added up or written. */
static void sparse(struct maker *m, struct make_kernel *k)
{
    long rows = m->n / 8 + 1;
    const struct make_role *in = make_large_role(m, k, m->n), *out;
    const char *first, *column;

    k->n = make_number(m, k, rows);
    k->i = (struct made){"i", 0, rows - 1};
    k->block = "64";
    k->grid = make_format(m, "%ld", (rows + 63) / 64);
    if (k->number_count + 1 >= MAKE_NUMBERS) {
        early(m, k);
        return;
    }
    first = given(m, k, "const int *", make_format(m, "rows(%ld, %ld)", rows, m->n));
    column = given(m, k, "const int *", make_format(m, "ranks(%ld)", m->n));
    begin(m, k);
    out = make_write_role(m, k, m->n);
    if (one_in(m, 4))
        text_print(&k->body,
                   "    for (int j = %s[i]; j < %s[i + 1]; j++)\n"
                   "        %s[j] = put<%s>(v + (unsigned)get(%s[j]));\n",
                   first, first, out->text, out->type, in->text);
    else
        text_print(
            &k->body,
            "    for (int j = %s[i]; j < %s[i + 1]; j++)\n"
            "        v = v * 3 + (unsigned)get(%s[%s[j]]);\n    %s[i] = put<%s>(v);\n",
            first, first, in->text, column, out->text, out->type);
}

/* Reads of a texture, of linear memory or of a picture. */
static void textures(struct maker *m, struct make_kernel *k)
{
    const struct make_role *out;
    const char *t;
    bool is_line = one_in(m, 2);

    place(m, k, 32l << draw(m, 3));
    if (!has_room(k)) {
        early(m, k);
        return;
    }
    begin(m, k);
    t = given(m, k, "cudaTextureObject_t ",
              is_line ? make_format(m, "line_texture(%ld)", m->n)
                      : make_format(m, "picture(%ld, %ld, %u)", m->w, m->h, draw(m, 2)));
    out = make_write_role(m, k, m->n);
    if (is_line)
        text_print(&k->body, "    v += tex1Dfetch<unsigned>(%s, (int)i %c %u);\n", t,
                   one_in(m, 2) ? '+' : '-', draw(m, 3));
    else
        text_print(&k->body,
                   "    v += (unsigned)tex2D<float>(%s, (float)(i %% %ld) + 0.%u, "
                   "(float)(i / %ld %% %ld) + 0.5f);\n",
                   t, m->w, 1 + draw(m, 9), m->w, m->h);
    text_print(&k->body, "    %s[i] = put<%s>(v);\n", out->text, out->type);
}

/* Asynchronous copies that overlap other work. */
static void copies(struct maker *m, struct make_kernel *k)
{
    long threads = 32l << draw(m, 3);
    const struct make_role *out;
    struct make_role *in = &k->roles[k->role_count];

    *in = (struct make_role){.type = "int", .count = m->n};
    in->name = make_format(m, "in%u", k->role_count++);
    in->text = k->in_struct ? make_format(m, "s.%s", in->name) : in->name;
    place(m, k, threads);
    text_print(&m->constants, "#include <cuda_pipeline.h>\n");
    text_print(&k->body,
               "    __shared__ int tile[%ld];\n    %s i = %s;\n"
               "    for (int t = threadIdx.x; t < %ld; t += blockDim.x) {\n"
               "        int at = min((int)(blockIdx.x * blockDim.x) + t, (int)%s - 1);\n"
               "        __pipeline_memcpy_async(&tile[t], &%s[at], 4);\n    }\n"
               "    __pipeline_commit();\n    unsigned v = i < %s ? (unsigned)%s : 0;\n",
               threads + 8, k->index, in_a_row, threads + 8, k->n.text, in->text, k->n.text,
               read_here(m, k));
    out = make_write_role(m, k, m->n);
    text_print(&k->body,
               "    __pipeline_wait_prior(0);\n    __syncthreads();\n"
               "    if (i < %s) %s[i] = put<%s>(v + (unsigned)tile[threadIdx.x + %u]);\n",
               k->n.text, out->text, out->type, draw(m, 9));
}

/* A loop while any lane has work. */
static void until(struct maker *m, struct make_kernel *k)
{
    const struct make_role *out;

    place(m, k, 32l << draw(m, 3));
    text_print(
        &k->body,
        "    %s i = %s;\n    unsigned v = i < %s ? (unsigned)%s & 1023 : 0, c = 0;\n",
        k->index, in_a_row, k->n.text, read_here(m, k));
    out = make_write_role(m, k, m->n);
    text_print(&k->body,
               "    while (__any_sync(~0u, v)) {\n        v = v > %u ? v / 2 : 0;\n"
               "        c += __popc(__ballot_sync(~0u, v));\n    }\n"
               "    if (i < %s) %s[i] = put<%s>(c);\n",
               1 + draw(m, 5), k->n.text, out->text, out->type);
}

/* A tiled matrix product, as in introductions. */
static void product(struct maker *m, struct make_kernel *k)
{
    long side = 8l << draw(m, 2), rows = m->h, columns = m->w,
         inner = m->w < 48 ? m->w : 16 + (long)draw(m, 32);
    struct made w = make_number(m, k, columns), h = make_number(m, k, rows),
                d = make_number(m, k, inner);
    const struct make_role *a = make_large_role(m, k, rows * inner),
                           *b = make_large_role(m, k, inner * columns), *out;

    out = make_write_role(m, k, rows * columns);
    k->block = make_format(m, "dim3(%ld, %ld)", side, side);
    k->grid = make_format(m, "dim3(%ld, %ld)", (columns + side - 1) / side,
                          (rows + side - 1) / side);
    text_print(
        &k->body,
        "    __shared__ int left[%ld][%ld], right[%ld][%ld];\n"
        "    %s x = %s, y = blockIdx.y * blockDim.y + threadIdx.y;\n    unsigned v = 0;\n"
        "    for (int t = 0; t < (%s + %ld) / %ld; t++) {\n"
        "        int c = t * %ld + threadIdx.x, r = t * %ld + threadIdx.y;\n",
        side, side, side, side + 1, k->index, in_a_row, d.text, side - 1, side, side, side);
    text_print(&k->body,
               "        left[threadIdx.y][threadIdx.x] = y < %s && c < %s ? get(%s[y * %s "
               "+ c]) : 0;\n"
               "        right[threadIdx.y][threadIdx.x] = r < %s && x < %s ? get(%s[r * %s "
               "+ x]) : 0;\n"
               "        __syncthreads();\n        for (int j = 0; j < %ld; j++)\n"
               "            v += (unsigned)left[threadIdx.y][j] * "
               "(unsigned)right[j][threadIdx.x];\n"
               "        __syncthreads();\n    }\n",
               h.text, d.text, a->text, d.text, d.text, w.text, b->text, w.text, side);
    text_print(&k->body, "    if (x < %s && y < %s) %s[y * %s + x] = put<%s>(v);\n", w.text,
               h.text, out->text, w.text, out->type);
}

/* Groups within a warp, from CUDA's header. */
static void teams(struct maker *m, struct make_kernel *k)
{
    const struct make_role *out;
    unsigned size = 4u << draw(m, 4);

    place(m, k, 32l << draw(m, 3));
    text_print(&m->constants, "#include <cooperative_groups.h>\n");
    text_print(&k->body,
               "    namespace cg = cooperative_groups;\n"
               "    auto team = cg::tiled_partition<%u>(cg::this_thread_block());\n"
               "    %s i = %s;\n    unsigned v = i < %s ? (unsigned)%s : 0;\n"
               "    for (int s = team.size() / 2; s; s /= 2) v += team.shfl_down(v, s);\n",
               size, k->index, in_a_row, k->n.text, read_here(m, k));
    out = make_write_role(m, k, m->n / size + 1 > 200 ? m->n / size + 1 : 200);
    text_print(&k->body,
               "    if (i < %s && team.thread_rank() == 0) %s[i / %u] = put<%s>(v);\n",
               k->n.text, out->text, size, out->type);
}

void make_groups(struct maker *m, struct make_kernel *k)
{
    static void (*const all[])(struct maker *, struct make_kernel *) = {
        early,  early,    extremes, extremes, ways,  places,  places,
        sparse, textures, textures, copies,   until, product, teams};

    all[draw(m, sizeof all / sizeof *all)](m, k);
}
