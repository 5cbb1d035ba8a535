/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "ptx/ptx_parser.h"

static const struct {
    const char *spelling;
    enum ptx_effect effect;
} opcodes[] = {
#define OPCODE(tag, spelling, effect) [tag] = {spelling, effect},
#include "ptx/opcode.def"
#undef OPCODE
};

static const char *const parts[] = {
#define PART(tag, spelling) [tag] = spelling,
#include "ptx/part.def"
#undef PART
};

static const char *const specials[PTX_SPECIAL_OTHER] = {
    [PTX_TID_X] = "%tid.x",
    [PTX_TID_Y] = "%tid.y",
    [PTX_TID_Z] = "%tid.z",
    [PTX_NTID_X] = "%ntid.x",
    [PTX_NTID_Y] = "%ntid.y",
    [PTX_NTID_Z] = "%ntid.z",
    [PTX_CTAID_X] = "%ctaid.x",
    [PTX_CTAID_Y] = "%ctaid.y",
    [PTX_CTAID_Z] = "%ctaid.z",
    [PTX_NCTAID_X] = "%nctaid.x",
    [PTX_NCTAID_Y] = "%nctaid.y",
    [PTX_NCTAID_Z] = "%nctaid.z",
    [PTX_LANEID] = "%laneid",
    [PTX_WARPID] = "%warpid",
    [PTX_NWARPID] = "%nwarpid",
    [PTX_SMID] = "%smid",
    [PTX_NSMID] = "%nsmid",
    [PTX_GRIDID] = "%gridid",
    [PTX_LANEMASK_EQ] = "%lanemask_eq",
    [PTX_LANEMASK_LE] = "%lanemask_le",
    [PTX_LANEMASK_LT] = "%lanemask_lt",
    [PTX_LANEMASK_GE] = "%lanemask_ge",
    [PTX_LANEMASK_GT] = "%lanemask_gt",
    [PTX_CLOCK] = "%clock",
    [PTX_CLOCK_HI] = "%clock_hi",
    [PTX_CLOCK64] = "%clock64",
    [PTX_GLOBALTIMER] = "%globaltimer",
    [PTX_GLOBALTIMER_LO] = "%globaltimer_lo",
    [PTX_GLOBALTIMER_HI] = "%globaltimer_hi",
    [PTX_DYNAMIC_SMEM_SIZE] = "%dynamic_smem_size",
    [PTX_TOTAL_SMEM_SIZE] = "%total_smem_size",
    [PTX_ENVREG1] = "%envreg1",
    [PTX_ENVREG2] = "%envreg2",
    [PTX_RESERVED_SMEM_1] = "%reserved_smem_offset_1",
    [PTX_CLUSTERID_X] = "%clusterid.x",
    [PTX_CLUSTERID_Y] = "%clusterid.y",
    [PTX_CLUSTERID_Z] = "%clusterid.z",
    [PTX_NCLUSTERID_X] = "%nclusterid.x",
    [PTX_NCLUSTERID_Y] = "%nclusterid.y",
    [PTX_NCLUSTERID_Z] = "%nclusterid.z",
    [PTX_CLUSTER_CTAID_X] = "%cluster_ctaid.x",
    [PTX_CLUSTER_CTAID_Y] = "%cluster_ctaid.y",
    [PTX_CLUSTER_CTAID_Z] = "%cluster_ctaid.z",
    [PTX_CLUSTER_NCTAID_X] = "%cluster_nctaid.x",
    [PTX_CLUSTER_NCTAID_Y] = "%cluster_nctaid.y",
    [PTX_CLUSTER_NCTAID_Z] = "%cluster_nctaid.z",
    [PTX_CLUSTER_CTARANK] = "%cluster_ctarank",
    [PTX_CLUSTER_NCTARANK] = "%cluster_nctarank",
    [PTX_IS_EXPLICIT_CLUSTER] = "%is_explicit_cluster",
    [PTX_WARP_SZ] = "WARP_SZ",
};

static const uint8_t type_bytes[PTX_PART_GLOBAL] = {
    [PTX_PART_U8] = 1,     [PTX_PART_U16] = 2,    [PTX_PART_U32] = 4,
    [PTX_PART_U64] = 8,    [PTX_PART_S8] = 1,     [PTX_PART_S16] = 2,
    [PTX_PART_S32] = 4,    [PTX_PART_S64] = 8,    [PTX_PART_B8] = 1,
    [PTX_PART_B16] = 2,    [PTX_PART_B32] = 4,    [PTX_PART_B64] = 8,
    [PTX_PART_B128] = 16,  [PTX_PART_F16] = 2,    [PTX_PART_F16X2] = 4,
    [PTX_PART_BF16] = 2,   [PTX_PART_BF16X2] = 4, [PTX_PART_TF32] = 4,
    [PTX_PART_F32] = 4,    [PTX_PART_F32X2] = 8,  [PTX_PART_F64] = 8,
    [PTX_PART_E4M3] = 1,   [PTX_PART_E5M2] = 1,   [PTX_PART_E4M3X2] = 2,
    [PTX_PART_E5M2X2] = 2, [PTX_PART_U16X2] = 4,  [PTX_PART_S16X2] = 4,
};

void ptx_words_add(struct ptx_names *words)
{
    for (int32_t i = 0; i < PTX_OPCODE_COUNT; i++)
        ptx_names_add(words, PTX_NAME_OPCODE, opcodes[i].spelling,
                      (uint32_t)strlen(opcodes[i].spelling), i);
    for (int32_t i = 0; i < PTX_PART_COUNT; i++)
        ptx_names_add(words, PTX_NAME_PART, parts[i], (uint32_t)strlen(parts[i]), i);
    for (int32_t i = 0; i < PTX_SPECIAL_OTHER; i++)
        ptx_names_add(words, PTX_NAME_SPECIAL, specials[i], (uint32_t)strlen(specials[i]),
                      i);
}

enum ptx_part ptx_word_part(const struct ptx_parser *p, const struct ptx_token *t)
{
    if (t->kind != PTX_TOKEN_WORD)
        return PTX_PART_COUNT;
    const struct ptx_name *name = ptx_names_find(
        &p->words, PTX_NAME_PART, p->text + t->span.offset + 1, t->span.bytes - 1);

    return name ? (enum ptx_part)name->index : PTX_PART_COUNT;
}

bool ptx_is_type(enum ptx_part part)
{
    return part < PTX_PART_GLOBAL; /* types are first in the table */
}

unsigned ptx_type_bytes(enum ptx_part type)
{
    return ptx_is_type(type) ? type_bytes[type] : 0;
}

enum ptx_space ptx_part_space(enum ptx_part part)
{
    switch (part) {
    case PTX_PART_GLOBAL:
        return PTX_SPACE_GLOBAL;
    case PTX_PART_SHARED:
    case PTX_PART_SHARED_CTA:
    case PTX_PART_SHARED_CLUSTER:
        return PTX_SPACE_SHARED;
    case PTX_PART_LOCAL:
        return PTX_SPACE_LOCAL;
    case PTX_PART_CONST:
        return PTX_SPACE_CONST;
    case PTX_PART_PARAM:
    case PTX_PART_PARAM_ENTRY:
    case PTX_PART_PARAM_FUNC:
        return PTX_SPACE_PARAM;
    default:
        return PTX_SPACE_GENERIC;
    }
}

unsigned ptx_part_vector(enum ptx_part part)
{
    return part == PTX_PART_V2 ? 2 : part == PTX_PART_V4 ? 4 : part == PTX_PART_V8 ? 8 : 0;
}

const char *ptx_opcode_spelling(enum ptx_opcode opcode)
{
    return opcode < PTX_OPCODE_COUNT ? opcodes[opcode].spelling : "?";
}

const char *ptx_part_spelling(enum ptx_part part)
{
    return part < PTX_PART_COUNT ? parts[part] : "?";
}

/* An unknown opcode may have any effect. */
enum ptx_effect ptx_opcode_effect(enum ptx_opcode opcode)
{
    return opcode < PTX_OPCODE_COUNT ? opcodes[opcode].effect : PTX_ORDERS;
}

bool ptx_opcode_has_texels(enum ptx_opcode opcode)
{
    switch (opcode) {
    case PTX_TEX:
    case PTX_TLD4:
    case PTX_TXQ:
    case PTX_SULD:
    case PTX_SUST:
    case PTX_SURED:
    case PTX_SUQ:
        return true;
    default:
        return false;
    }
}

bool ptx_opcode_ends_thread(enum ptx_opcode opcode)
{
    return opcode == PTX_RET || opcode == PTX_EXIT;
}

enum ptx_effect ptx_instruction_effect(const struct ptx_instruction *i)
{
    if (i->opcode == PTX_CP && ptx_has(i, PTX_PART_PREFETCH))
        return PTX_LOADS;
    if (i->opcode != PTX_WMMA)
        return ptx_opcode_effect(i->opcode);
    return ptx_has(i, PTX_PART_LOAD)    ? PTX_LOADS
           : ptx_has(i, PTX_PART_STORE) ? PTX_STORES
                                        : PTX_ORDERS;
}
