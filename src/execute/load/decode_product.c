/* SPDX-License-Identifier: Apache-2.0 */
/* wmma.mma and mma: matrix products of a warp's fragments. */
#include "execute/load/decode_matrix.h"

static const struct {
    uint16_t part, m, n, k;
} shapes[] = {
    {PTX_PART_M16N16K16, 16, 16, 16}, {PTX_PART_M32N8K16, 32, 8, 16},
    {PTX_PART_M8N32K16, 8, 32, 16},   {PTX_PART_M16N16K8, 16, 16, 8},
    {PTX_PART_M8N8K4, 8, 8, 4},       {PTX_PART_M8N8K16, 8, 8, 16},
    {PTX_PART_M8N8K32, 8, 8, 32},     {PTX_PART_M8N8K128, 8, 8, 128},
    {PTX_PART_M16N8K4, 16, 8, 4},     {PTX_PART_M16N8K8, 16, 8, 8},
    {PTX_PART_M16N8K16, 16, 8, 16},   {PTX_PART_M16N8K32, 16, 8, 32},
    {PTX_PART_M16N8K64, 16, 8, 64},   {PTX_PART_M16N8K128, 16, 8, 128},
    {PTX_PART_M16N8K256, 16, 8, 256},
};

static const struct {
    uint16_t part;
    enum matrix_kind kind;
} kinds[] = {
    {PTX_PART_B1, MATRIX_B1},     {PTX_PART_S4, MATRIX_S4},   {PTX_PART_U4, MATRIX_U4},
    {PTX_PART_S8, MATRIX_S8},     {PTX_PART_U8, MATRIX_U8},   {PTX_PART_E4M3, MATRIX_E4M3},
    {PTX_PART_E5M2, MATRIX_E5M2}, {PTX_PART_F16, MATRIX_F16}, {PTX_PART_BF16, MATRIX_BF16},
    {PTX_PART_TF32, MATRIX_TF32}, {PTX_PART_F32, MATRIX_F32}, {PTX_PART_S32, MATRIX_S32},
    {PTX_PART_F64, MATRIX_F64},
};

/* Modifiers without further meaning, or checked where they matter. */
static bool is_plain_word(uint16_t part)
{
    static const uint16_t plain[] = {
        PTX_PART_SYNC,      PTX_PART_ALIGNED, PTX_PART_LOAD,       PTX_PART_STORE,
        PTX_PART_MMA,       PTX_PART_A,       PTX_PART_B,          PTX_PART_C,
        PTX_PART_D,         PTX_PART_ROW,     PTX_PART_COL,        PTX_PART_SATFINITE,
        PTX_PART_RN,        PTX_PART_XOR,     PTX_PART_AND,        PTX_PART_POPC,
        PTX_PART_GLOBAL,    PTX_PART_SHARED,  PTX_PART_SHARED_CTA, PTX_PART_SP,
        PTX_PART_SP_ORDERED};

    for (size_t n = 0; n < sizeof plain / sizeof *plain; n++)
        if (plain[n] == part)
            return true;
    return false;
}

static bool word_read(struct matrix_words *w, uint16_t part)
{
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++)
        if (shapes[n].part == part) {
            w->m = shapes[n].m;
            w->n = shapes[n].n;
            w->k = shapes[n].k;
            return true;
        }
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++)
        if (kinds[n].part == part && w->kind_count < 4) {
            w->kinds[w->kind_count++] = (uint8_t)kinds[n].kind;
            return true;
        }
    return is_plain_word(part);
}

struct matrix_words matrix_words_read(const struct ptx_instruction *i)
{
    struct matrix_words w = {.is_known = true};

    for (unsigned n = 0; n < i->part_count; n++)
        w.is_known &= word_read(&w, i->parts[n]);
    w.is_known &= w.m && w.kind_count;
    return w;
}

unsigned matrix_registers(unsigned elements, enum matrix_kind kind)
{
    return elements * (kind == MATRIX_F64 ? 32 : matrix_bits(kind)) / (LANES * 32);
}

bool operand_has_width(const struct decoder *d, const struct ptx_operand *o, unsigned bytes)
{
    return o->kind != PTX_REGISTER ||
           lane_bytes(d->function->registers[o->reg].bytes) == bytes;
}

static bool is_whole(enum matrix_kind kind)
{
    return kind >= MATRIX_B1 && kind <= MATRIX_U8;
}

/* A wmma.mma of f16 has the types of D and C only. All other forms have D, A, B, C. */
static bool kinds_take(const struct ptx_instruction *i, const struct matrix_words *w,
                       struct matrix_product *p)
{
    bool is_short = i->opcode == PTX_WMMA && w->kind_count == 2;
    enum matrix_kind a = is_short ? MATRIX_F16 : w->kinds[1];
    enum matrix_kind b = is_short ? MATRIX_F16 : w->kinds[2];

    if (!is_short && w->kind_count != 4)
        return false;
    p->a = (uint8_t)a;
    p->b = (uint8_t)b;
    p->d = w->kinds[0];
    p->c = w->kinds[w->kind_count - 1];
    if (matrix_bits(a) != matrix_bits(b) || (a == MATRIX_F64) != (p->d == MATRIX_F64) ||
        (p->c == MATRIX_F64) != (p->d == MATRIX_F64))
        return false;
    if (is_whole(a))
        return is_whole(b) && p->c == MATRIX_S32 && p->d == MATRIX_S32;
    return !is_whole(b) && a != MATRIX_F32 && b != MATRIX_F32 && a != MATRIX_S32 &&
           (p->c == MATRIX_F16 || p->c == MATRIX_F32 || p->c == MATRIX_F64) &&
           (p->d == MATRIX_F16 || p->d == MATRIX_F32 || p->d == MATRIX_F64);
}

/* A wmma fragment contains elements two or more times. Only the first copy is used. */
static bool sources_take(struct decoder *d, const struct ptx_instruction *i,
                         const struct ptx_operand *o, unsigned count, unsigned bytes,
                         op_place *out)
{
    const struct ptx_operand *list = o->kind == PTX_VECTOR ? o->list : o;
    unsigned has = o->kind == PTX_VECTOR ? o->count : 1;

    if (!count || count > FRAGMENT_MAX ||
        (i->opcode == PTX_WMMA ? has % count : has != count))
        return refuse_instruction(d, i);
    for (unsigned n = 0; n < count; n++)
        if (!operand_has_width(d, &list[n], bytes) ||
            !operand_source(d, &list[n], bytes, &out[n]))
            return refuse_instruction(d, i);
    return true;
}

static bool results_take(struct decoder *d, const struct ptx_instruction *i,
                         const struct ptx_operand *o, unsigned count, unsigned bytes,
                         op_place *out)
{
    if (o->kind != PTX_VECTOR || o->count != count || count > FRAGMENT_MAX)
        return refuse_instruction(d, i);
    for (unsigned n = 0; n < count; n++) {
        if (o->list[n].kind != PTX_REGISTER || !operand_has_width(d, &o->list[n], bytes))
            return refuse_instruction(d, i);
        out[n] = operand_target(d, &o->list[n], bytes);
    }
    return true;
}

/* Shapes of mma.sp by the bits of an element, and the number of selectors: the threads
   of a group of four that hold metadata are one, a pair or all. */
static const struct {
    uint8_t bits, k, selectors;
} sparse_shapes[] = {{16, 16, 4}, {16, 32, 2}, {32, 8, 4}, {32, 16, 2},
                     {8, 32, 2},  {8, 64, 1},  {4, 64, 2}, {4, 128, 1}};

static bool sparse_shape_is_known(const struct matrix_product *p, int64_t selector)
{
    for (size_t n = 0; n < sizeof sparse_shapes / sizeof *sparse_shapes; n++)
        if (sparse_shapes[n].bits == matrix_bits(p->a) && sparse_shapes[n].k == p->k)
            return p->m == 16 && p->n == 8 && p->a != MATRIX_F32 && p->a != MATRIX_S32 &&
                   selector >= 0 && selector < sparse_shapes[n].selectors;
    return false;
}

/* Operands e and f of mma.sp: metadata and selector. */
static bool metadata_take(struct decoder *d, const struct ptx_instruction *i,
                          struct matrix_product *p)
{
    const struct ptx_operand *e = &i->operands[4], *f = &i->operands[5];

    if (f->kind != PTX_INTEGER || !sparse_shape_is_known(p, f->integer) ||
        e->kind != PTX_REGISTER || !operand_has_width(d, e, 4) ||
        !operand_source(d, e, 4, &p->metadata))
        return refuse_instruction(d, i);
    p->selector = (uint8_t)f->integer;
    return true;
}

static bool is_sparse(const struct ptx_instruction *i)
{
    return ptx_has(i, PTX_PART_SP) || ptx_has(i, PTX_PART_SP_ORDERED);
}

static unsigned sums_registers(const struct matrix_product *p, enum matrix_kind kind)
{
    return p->m * p->n * (kind == MATRIX_F16 ? 1u : 2u) / (2 * LANES);
}

bool decode_product(struct decoder *d, const struct ptx_instruction *i)
{
    struct execute_kernel *k = d->kernel;
    const struct ptx_operand *o = i->operands;
    struct matrix_words w = matrix_words_read(i);
    struct matrix_product p = {.m = w.m,
                               .n = w.n,
                               .k = w.k,
                               .saturates = ptx_has(i, PTX_PART_SATFINITE),
                               .is_and = ptx_has(i, PTX_PART_AND),
                               .is_sparse = is_sparse(i),
                               .multiply = op_table_best()->multiply};

    if (!w.is_known || i->operand_count != (p.is_sparse ? 6 : 4) ||
        (p.is_sparse && i->opcode != PTX_MMA) || !kinds_take(i, &w, &p))
        return refuse_instruction(d, i);
    unsigned bytes = p.a == MATRIX_F64 ? 8 : 4, packed = (unsigned)p.m * p.k >> p.is_sparse;

    if ((p.is_sparse && !metadata_take(d, i, &p)) ||
        !sources_take(d, i, &o[1], matrix_registers(packed, p.a), bytes, p.a_at) ||
        !sources_take(d, i, &o[2], matrix_registers(p.n * p.k, p.b), bytes, p.b_at) ||
        !sources_take(d, i, &o[3], sums_registers(&p, p.c), bytes, p.c_at) ||
        !results_take(d, i, &o[0], sums_registers(&p, p.d), bytes, p.d_at))
        return false;
    converge_all(d);
    k->matrices =
        must_grow(k->matrices, k->matrix_count, &d->matrix_capacity, sizeof *k->matrices);
    k->matrices[k->matrix_count] = p;
    emit(d, CODE_MATRIX)->extra = (uint32_t)k->matrix_count++;
    return true;
}

/* Cost of a product. A slot is one warp instruction of one of an SM's four schedulers. In
   that time its tensor core computes 512 f16 products with sums (H200), half as many with
   twice the bits, and 32 of f64. */
static uint32_t product_slots(const struct matrix_words *w, bool is_half)
{
    enum matrix_kind a = w->kinds[w->kind_count > 2];
    uint32_t products = (uint32_t)w->m * w->n * w->k / (is_half ? 2 : 1);
    uint32_t bits = w->kind_count > 2 ? matrix_bits(a) : 16;
    uint32_t slots = a == MATRIX_F64 ? products / 32 : products * bits / (512 * 16);

    return slots ? slots : 1;
}

uint32_t instruction_slots(const struct ptx_instruction *i)
{
    if (i->opcode == PTX_WMMA && !ptx_has(i, PTX_PART_MMA) && i->operand_count > 1) {
        uint32_t count = i->operands[ptx_has(i, PTX_PART_STORE)].count;

        return count ? count : 1;
    }
    if (i->opcode != PTX_WMMA && i->opcode != PTX_MMA)
        return 1;
    struct matrix_words w = matrix_words_read(i);

    return w.is_known ? product_slots(&w, is_sparse(i)) : 1;
}
