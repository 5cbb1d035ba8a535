/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Runs the cases of one test against its reference, with every table that this processor
   supports, with all lanes and with some of them. */

#include <inttypes.h>
#include <string.h>

#include "lanes_machine.h"

/* Result of one lane; returns false if the test has no reference for this lane. */
typedef bool lanes_reference(const struct machine *m, const uint64_t in[4],
                             uint64_t out[2]);
typedef bool lanes_close(const struct machine *m, uint64_t ours, uint64_t expected);

enum { CHECK_ROUNDS = 24 };

static inline void check_lanes(const struct machine *m, const char *text, uint32_t mask,
                               lanes_reference *reference, lanes_close *close)
{
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t in[4] = {m->in[0][l], m->in[1][l], m->in[2][l], m->in[3][l]}, out[2] = {0};

        if (!(mask >> l & 1) || !reference(m, in, out))
            continue;
        for (unsigned k = 0; k < m->to_count; k++)
            if (m->out[k][l] != out[k] && !(close && close(m, m->out[k][l], out[k])))
                fail_msg("%s: %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64
                         ": destination %u is %" PRIx64 ", expected %" PRIx64,
                         text, in[0], in[1], in[2], in[3], k, m->out[k][l], out[k]);
    }
}

static inline void check_case(const struct lanes_case *c, const struct op_table *table,
                              lanes_reference *reference, lanes_close *close)
{
    uint64_t state = 88172645463325252;
    struct machine m;

    machine_init(&m, c->text, c->signature);
    for (unsigned round = 0; round < CHECK_ROUNDS; round++) {
        uint32_t mask = round & 1 ? (uint32_t)chance(&state) : UINT32_MAX;

        machine_fill(&m, &state);
        machine_run(&m, table, mask);
        check_lanes(&m, c->text, mask, reference, close);
    }
}

/* Runs every case that `mine` selects; returns their number. */
static inline unsigned check_cases(bool (*mine)(const struct machine *m),
                                   lanes_reference *reference, lanes_close *close)
{
    const struct op_table *table;
    unsigned count = 0;

    for (unsigned t = 0; (table = machine_table(t)); t++)
        for (unsigned k = 0; k < LANES_CASES; k++) {
            struct machine m;

            machine_init(&m, lanes_cases[k].text, lanes_cases[k].signature);
            if (!mine(&m))
                continue;
            check_case(&lanes_cases[k], table, reference, close);
            count++;
        }
    return count;
}

static inline bool type_is_float(unsigned type)
{
    return type == PTX_PART_F16 || type == PTX_PART_BF16 || type == PTX_PART_F16X2 ||
           type == PTX_PART_BF16X2 || type == PTX_PART_F32 || type == PTX_PART_F32X2 ||
           type == PTX_PART_F64;
}

/* Three tests share the cases: conversions, operations on floats, all others. */
static inline bool case_is_float(const struct machine *m)
{
    enum ptx_opcode code = m->instruction.opcode;

    return code != PTX_CVT && code != PTX_MOV && code != PTX_SELP && code != PTX_SLCT &&
           type_is_float(m->source_type);
}

/* Combination of a comparison with its predicate operand. */
static inline bool combine_truth(const struct machine *m, bool truth, bool c)
{
    return machine_has(m, PTX_PART_AND)   ? truth && c
           : machine_has(m, PTX_PART_OR)  ? truth || c
           : machine_has(m, PTX_PART_XOR) ? truth != c
                                          : truth;
}

static inline uint64_t set_value(unsigned type, bool truth)
{
    return !truth                  ? 0
           : type == PTX_PART_F32  ? 0x3f800000
           : type == PTX_PART_F16  ? 0x3c00
           : type == PTX_PART_BF16 ? 0x3f80
           : type == PTX_PART_U16  ? 0xffff
                                   : UINT32_MAX;
}
