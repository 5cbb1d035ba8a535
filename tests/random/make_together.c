/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with cooperating threads: tiles in shared memory, sums of a CTA, atomics whose
   order is invisible, and updates in place of separate elements. */
#include <string.h>

#include "random/make.h"

static const char *const in_a_row = "blockIdx.x * blockDim.x + threadIdx.x";

static void place(struct maker *m, struct make_kernel *k, long threads)
{
    k->n = make_number(m, k, m->n);
    k->i = (struct made){"i", 0, m->n - 1};
    k->block = make_format(m, "%ld", threads);
    k->grid = make_format(m, "%ld", (m->n + threads - 1) / threads);
}

static const char *read_here(struct maker *m, struct make_kernel *k)
{
    return make_read(m, k, (struct made){0});
}

/* A line of shared memory with the neighbours of a CTA's part; outside the ends it is
   clamped, skipped or wrapped. */
static void staged_line(struct maker *m, struct make_kernel *k)
{
    long threads = 32l << draw(m, 4), halo = 1 + (long)draw(m, 4);
    const struct make_role *in, *out;
    const char *n;

    place(m, k, threads);
    n = k->n.text;
    in = make_large_role(m, k, m->n);
    out = make_write_role(m, k, m->n);
    text_print(&k->body,
               "    __shared__ int tile[%ld];\n    %s i = %s;\n    unsigned v = 0;\n"
               "    for (int t = threadIdx.x; t < %ld; t += blockDim.x) {\n"
               "        int at = (int)(blockIdx.x * blockDim.x) + t - %ld;\n",
               threads + 2 * halo, k->index, in_a_row, threads + 2 * halo, halo);
    switch (draw(m, 3)) {
    case 0:
        text_print(&k->body, "        tile[t] = at >= 0 && at < %s ? get(%s[at]) : 0;\n", n,
                   in->text);
        break;
    case 1:
        text_print(&k->body, "        tile[t] = get(%s[min(max(at, 0), (int)%s - 1)]);\n",
                   in->text, n);
        break;
    default:
        text_print(&k->body, "        tile[t] = get(%s[(at + %s) %% %s]);\n", in->text, n,
                   n);
    }
    text_print(&k->body,
               "    }\n    __syncthreads();\n    if (i >= %s) return;\n"
               "    for (int j = 0; j <= %ld; j++)\n"
               "        v = v * 3 + (unsigned)tile[threadIdx.x + j];\n",
               n, 2 * halo);
    if (one_in(m, 2))
        text_print(&k->body, "    v += (unsigned)%s;\n", read_here(m, k));
    text_print(&k->body, "    %s[i] = put<%s>(v);\n", out->text, out->type);
}

static void staged_plane(struct maker *m, struct make_kernel *k)
{
    long side = 8l << draw(m, 2);
    struct made w = make_number(m, k, m->w), h = make_number(m, k, m->h);
    const struct make_role *in = make_large_role(m, k, m->w * m->h), *out;
    bool is_turned = one_in(m, 2);

    out = make_write_role(m, k, m->w * m->h);
    k->block = make_format(m, "dim3(%ld, %ld)", side, side);
    k->grid = make_format(m, "dim3(%ld, %ld)", (m->w + side - 1) / side,
                          (m->h + side - 1) / side);
    text_print(
        &k->body,
        "    __shared__ int tile[%ld][%ld];\n"
        "    %s x = %s, y = blockIdx.y * %ld + threadIdx.y;\n"
        "    tile[threadIdx.y][threadIdx.x] =\n"
        "        x < %s && y < %s ? get(%s[y * %s + x]) : 7;\n    __syncthreads();\n",
        side, side + 1, k->index, in_a_row, side, w.text, h.text, in->text, w.text);
    if (is_turned)
        text_print(&k->body,
                   "    x = blockIdx.y * %ld + threadIdx.x;\n"
                   "    y = blockIdx.x * %ld + threadIdx.y;\n"
                   "    if (x < %s && y < %s)\n"
                   "        %s[y * %s + x] = put<%s>(tile[threadIdx.x][threadIdx.y]);\n",
                   side, side, h.text, w.text, out->text, h.text, out->type);
    else
        text_print(&k->body,
                   "    if (x < %s && y < %s)\n"
                   "        %s[y * %s + x] = put<%s>(tile[threadIdx.y][threadIdx.x] +\n"
                   "            tile[(threadIdx.y + 1) %% %ld][%ld - threadIdx.x]);\n",
                   w.text, h.text, out->text, w.text, out->type, side, side - 1);
}

/* One number for each CTA, by a tree in shared memory or by shuffles. */
static void sums(struct maker *m, struct make_kernel *k)
{
    long threads = 64l << draw(m, 3), grid;
    const struct make_role *out;

    place(m, k, threads);
    grid = one_in(m, 2) ? 5 + (long)draw(m, 60) : (m->n + threads - 1) / threads;
    k->grid = make_format(m, "%ld", grid);
    text_print(&k->body,
               "    __shared__ unsigned part[%ld];\n    unsigned v = 0;\n"
               "    for (%s i = %s; i < %s; i += gridDim.x * blockDim.x)\n"
               "        v += (unsigned)%s;\n",
               threads, k->index, in_a_row, k->n.text, read_here(m, k));
    out = make_write_role(m, k, grid < 200 ? 200 : grid);
    if (one_in(m, 2))
        text_print(&k->body, "    part[threadIdx.x] = v;\n    __syncthreads();\n"
                             "    for (int s = blockDim.x / 2; s > 0; s >>= 1) {\n"
                             "        if (threadIdx.x < s)\n"
                             "            part[threadIdx.x] += part[threadIdx.x + s];\n"
                             "        __syncthreads();\n    }\n    v = part[0];\n");
    else
        text_print(&k->body,
                   "    for (int s = 16; s > 0; s /= 2)\n"
                   "        v += __shfl_down_sync(~0u, v, s);\n"
                   "    if (threadIdx.x %% 32 == 0) part[threadIdx.x / 32] = v;\n"
                   "    __syncthreads();\n    v = 0;\n"
                   "    for (int s = 0; s < blockDim.x / 32; s++) v += part[s];\n");
    text_print(&k->body, "    if (threadIdx.x == 0) %s[blockIdx.x] = put<%s>(v);\n",
               out->text, out->type);
}

/* Prefix sums within a CTA. */
static void scan(struct maker *m, struct make_kernel *k)
{
    long threads = 64l << draw(m, 3);
    const struct make_role *out;

    place(m, k, threads);
    text_print(&k->body,
               "    __shared__ unsigned part[%ld];\n    %s i = %s;\n"
               "    part[threadIdx.x] = i < %s ? (unsigned)%s : 0;\n    __syncthreads();\n"
               "    for (unsigned s = 1; s < blockDim.x; s *= 2) {\n"
               "        unsigned before = threadIdx.x >= s ? part[threadIdx.x - s] : 0;\n"
               "        __syncthreads();\n        part[threadIdx.x] += before;\n"
               "        __syncthreads();\n    }\n",
               threads, k->index, in_a_row, k->n.text, read_here(m, k));
    out = make_write_role(m, k, m->n);
    text_print(&k->body, "    if (i < %s) %s[i] = put<%s>(part[threadIdx.x]);\n", k->n.text,
               out->text, out->type);
}

static void warps(struct maker *m, struct make_kernel *k)
{
    const struct make_role *out;

    place(m, k, 32l << draw(m, 4));
    text_print(
        &k->body,
        "    %s i = %s;\n    unsigned v = i < %s ? (unsigned)%s : 0;\n"
        "    unsigned all = __ballot_sync(~0u, v & %u);\n"
        "    v += __shfl_xor_sync(~0u, v, %u) + __popc(all & ((1u << threadIdx.x %% 32)"
        " - 1));\n",
        k->index, in_a_row, k->n.text, read_here(m, k), 1u << draw(m, 4), 1 + draw(m, 31));
    out = make_write_role(m, k, m->n);
    text_print(&k->body, "    if (i < %s%s) %s[i] = put<%s>(v);\n", k->n.text,
               one_in(m, 3) ? " && v % 3" : "", out->text, out->type);
}

/* An array of int that only atomics access. */
static const struct make_role *counted(struct maker *m, struct make_kernel *k)
{
    struct make_role *r = &k->roles[k->role_count];

    *r = (struct make_role){.type = "int", .count = m->n, .is_written = true};
    r->name = make_format(m, "out%u", k->role_count);
    r->text = k->in_struct ? make_format(m, "s.%s", r->name) : r->name;
    for (unsigned i = 0; i < m->array_count && !r->named; i++)
        if (!strcmp(m->arrays[i].type, "int") && m->arrays[i].count >= m->n)
            make_named(m, k, r, &m->arrays[i]);
    k->role_count++;
    return r;
}

static void atomics(struct maker *m, struct make_kernel *k)
{
    unsigned bins = 1 + draw(m, 600), part = 16u << draw(m, 4);
    const struct make_role *out = counted(m, k);
    const char *how = pick(m, "Add|Add|Max|Min|Or|Xor");

    place(m, k, 32l << draw(m, 4));
    if (one_in(m, 3)) {
        text_print(&k->body,
                   "    __shared__ int part[%u];\n"
                   "    for (int t = threadIdx.x; t < %u; t += blockDim.x) part[t] = 0;\n"
                   "    __syncthreads();\n    %s i = %s;\n"
                   "    if (i < %s) atomicAdd(&part[(unsigned)%s %% %u], 1);\n"
                   "    __syncthreads();\n"
                   "    for (int t = threadIdx.x; t < %u; t += blockDim.x)\n"
                   "        %satomicAdd(%s + t, part[t]);\n",
                   part, part, k->index, in_a_row, k->n.text, read_here(m, k), part, part,
                   one_in(m, 2) ? "if (part[t]) " : "", out->text);
        return;
    }
    text_print(&k->body, "    %s i = %s;\n    if (i < %s)\n        atomic%s(&%s[", k->index,
               in_a_row, k->n.text, how, out->text);
    text_print(&k->body, "(unsigned)%s %% %u], (int)(%s & 1023));\n", read_here(m, k), bins,
               read_here(m, k));
}

/* A flag that reports whether any thread found something, set after the thread's own
   store. */
static void flags(struct maker *m, struct make_kernel *k)
{
    const struct make_role *flag = counted(m, k), *out;

    place(m, k, 32l << draw(m, 4));
    out = make_write_role(m, k, m->n);
    text_print(&k->body,
               "    %s i = %s;\n    if (i >= %s) return;\n    unsigned v = (unsigned)%s;\n",
               k->index, in_a_row, k->n.text, read_here(m, k));
    text_print(&k->body, "    if (v %% %u == 1) ", 2 + draw(m, 3000));
    switch (draw(m, 3)) {
    case 0:
        text_print(&k->body, "*%s = 1;\n", flag->text);
        break;
    case 1:
        text_print(&k->body, "atomicOr(&%s[%u], 1);\n", flag->text, draw(m, 99));
        break;
    default:
        text_print(&k->body, "%s[%u] = %u;\n", flag->text, draw(m, 99), draw(m, 99));
    }
    text_print(&k->body, "    %s[i] = put<%s>(v);\n", out->text, out->type);
}

/* Elements of one colour from those of the other, in place. */
static void colours(struct maker *m, struct make_kernel *k)
{
    struct made w = make_number(m, k, m->w), h = make_number(m, k, m->h),
                c = make_changing(m, k, 0, 1);
    const struct make_role *a = make_write_role(m, k, m->w * m->h);

    k->block = "dim3(16, 8)";
    k->grid = make_format(m, "dim3(%ld, %ld)", (m->w + 15) / 16, (m->h + 7) / 8);
    text_print(&k->body,
               "    %s x = %s, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
               "    if (x < 1 || y < 1 || x >= %s - 1 || y >= %s - 1) return;\n"
               "    if ((x + y + %s) %% 2) return;\n    %s i = y * %s + x;\n"
               "    %s[i] = put<%s>((unsigned)(get(%s[i - 1]) + get(%s[i + 1]) +\n"
               "        3 * get(%s[i - %s]) + get(%s[i + %s])));\n",
               one_in(m, 2) ? "int" : "long long", in_a_row, w.text, h.text, c.text,
               k->index, w.text, a->text, a->type, a->text, a->text, a->text, w.text,
               a->text, w.text);
}

/* Exchange of two elements at a power-of-two distance. */
static void pairs(struct maker *m, struct make_kernel *k)
{
    const struct make_role *a;
    long count = 1;
    struct made j = make_changing(m, k, 0, 9);

    while (count * 2 <= m->n && count < 32768)
        count *= 2;
    k->block = "128";
    k->grid = make_format(m, "%ld", (count + 127) / 128);
    a = make_write_role(m, k, count);
    text_print(
        &k->body,
        "    %s i = %s;\n    unsigned other = (unsigned)i ^ (1u << %s);\n"
        "    if (i < %ld && other > i && other < %ld) {\n"
        "        %s first = %s[i], second = %s[other];\n"
        "        if (get(first) > get(second)) {\n"
        "            %s[i] = second;\n            %s[other] = first;\n        }\n    }\n",
        k->index, in_a_row, j.text, count, count, a->type, a->text, a->text, a->text,
        a->text);
}

/* The last CTA to arrive adds up the results of all; a counter from 0 determines it. */
static void last_one(struct maker *m, struct make_kernel *k)
{
    const struct make_role *out = counted(m, k);
    const char *arrival = make_format(m, "k%u_arrival", k->name);

    text_print(&m->constants, "__device__ int %s;\n", arrival);
    place(m, k, 128);
    text_print(&k->body,
               "    __shared__ int total, last;\n    %s i = %s;\n"
               "    if (threadIdx.x == 0) total = 0;\n    __syncthreads();\n"
               "    if (i < %s) atomicAdd(&total, %s & 4095);\n    __syncthreads();\n"
               "    if (threadIdx.x == 0) {\n        %s[blockIdx.x + 1] = total;\n"
               "        __threadfence();\n"
               "        last = atomicAdd(&%s, 1) == gridDim.x - 1;\n    }\n"
               "    __syncthreads();\n    if (!last || threadIdx.x) return;\n"
               "    __threadfence();\n"
               "    total = 0;\n"
               "    for (int b = 1; b <= gridDim.x; b++) total += %s[b];\n"
               "    %s[0] = total;\n    %s = 0;\n",
               k->index, in_a_row, k->n.text, read_here(m, k), out->text, arrival,
               out->text, out->text, arrival);
}

void make_together(struct maker *m, struct make_kernel *k)
{
    static void (*const all[])(struct maker *, struct make_kernel *) = {
        staged_line, staged_plane, sums,  scan,         warps,       atomics,
        flags,       colours,      pairs, staged_plane, staged_line, last_one};

    all[draw(m, sizeof all / sizeof *all)](m, k);
}
