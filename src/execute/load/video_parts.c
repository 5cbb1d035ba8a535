/* SPDX-License-Identifier: Apache-2.0 */
/* Operations and operands that all kinds of video instructions have in common. */
#include "execute/load/decode_video.h"

enum video_opcode video_operation(const struct ptx_instruction *i)
{
    static const struct {
        uint16_t opcode;
        uint8_t is;
    } rows[] = {
        {PTX_VADD, VIDEO_ADD},          {PTX_VADD2, VIDEO_ADD},
        {PTX_VADD4, VIDEO_ADD},         {PTX_VSUB, VIDEO_SUB},
        {PTX_VSUB2, VIDEO_SUB},         {PTX_VSUB4, VIDEO_SUB},
        {PTX_VAVRG2, VIDEO_AVERAGE},    {PTX_VAVRG4, VIDEO_AVERAGE},
        {PTX_VABSDIFF, VIDEO_ABSDIFF},  {PTX_VABSDIFF2, VIDEO_ABSDIFF},
        {PTX_VABSDIFF4, VIDEO_ABSDIFF}, {PTX_VMIN, VIDEO_MIN},
        {PTX_VMIN2, VIDEO_MIN},         {PTX_VMIN4, VIDEO_MIN},
        {PTX_VMAX, VIDEO_MAX},          {PTX_VMAX2, VIDEO_MAX},
        {PTX_VMAX4, VIDEO_MAX},         {PTX_VSHL, VIDEO_SHL},
        {PTX_VSHR, VIDEO_SHR},
    };
    static const uint8_t comparisons[][2] = {
        {PTX_PART_EQ, VIDEO_EQ}, {PTX_PART_NE, VIDEO_NE}, {PTX_PART_LT, VIDEO_LT},
        {PTX_PART_LE, VIDEO_LE}, {PTX_PART_GT, VIDEO_GT}, {PTX_PART_GE, VIDEO_GE}};
    bool compares =
        i->opcode == PTX_VSET || i->opcode == PTX_VSET2 || i->opcode == PTX_VSET4;

    for (size_t n = 0; compares && n < sizeof comparisons / sizeof *comparisons; n++)
        if (ptx_has(i, comparisons[n][0]))
            return comparisons[n][1];
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
        if (rows[n].opcode == i->opcode)
            return rows[n].is;
    return VIDEO_NONE;
}

const char *video_selector(const struct decoder *d, const struct ptx_operand *o,
                           unsigned *digits)
{
    const char *end = d->module->text + o->span.offset + o->span.bytes, *at = end;

    if (!o->is_part)
        return NULL;
    while (at[-1] >= '0' && at[-1] <= '9')
        at--;
    *digits = (unsigned)(end - at);
    return at[-2] == '.' ? at - 1 : NULL;
}

bool video_source(struct decoder *d, const struct ptx_operand *o, op_place *out)
{
    struct ptx_operand positive = *o;

    positive.negated = false;
    if (o->kind == PTX_REGISTER && d->function->registers[o->reg].bytes != 4)
        return false;
    return operand_source(d, &positive, 4, out);
}
