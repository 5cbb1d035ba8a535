/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Private to load/: decoding of one kernel and the functions that it calls. */

#include "execute/program.h"

/* Place of a register of the function being decoded. */
struct home {
    op_place place;
    op_place spread;       /* of its addresses, if it varies ... */
    uint32_t spread_epoch; /* ... and the epoch in which it was computed */
    uint8_t file;
    bool is_known; /* always equals `value` */
    int64_t value;
};

/* A function that the kernel reaches, by index in the module. */
struct frame {
    bool is_reached, is_open, is_done;
    bool is_recursive; /* its local variables are then on the stack, from `base` on */
    bool allocates;    /* contains alloca: its stack is released to `base` */
    uint32_t entry;    /* index of an operation */
    op_place way_back; /* register with the index of the operation to return to */
    op_place base;
    uint32_t local_bytes;
    uint32_t *offsets; /* of its symbols: in thread memory, in shared memory, from base */
    bool *calls;       /* by function: calls it directly or indirectly */
};

struct decoder {
    struct execute_program *program;
    struct execute_kernel *kernel;
    const struct ptx_module *module;
    const struct ptx_function *function; /* being decoded */
    struct frame *frames, *frame;
    struct home *homes; /* by register */
    bool hoist;
    struct op_list *list;                /* receives the next operation */
    const struct ptx_instruction *guard; /* its guard applies to the next operations; NULL:
                                            none */
    uint32_t line;
    const struct ptx_instruction *source;
    uint32_t *shared_offsets; /* of the module's symbols, ~0: none */
    uint32_t thread_bytes, shared_bytes;
    uint32_t reserved_offset; /* %reserved_smem_offset_1, plus 1; 0: not assigned */
    uint32_t pred_offset[4], pred_left[4]; /* free space for predicates in the files */
    struct constant {
        uint64_t bits;
        op_place place;
        uint8_t bytes;
    } * constants;
    size_t constant_count, constant_capacity;
    size_t variable_capacity, site_capacity, table_capacity, matrix_capacity,
        texture_capacity, cleared_capacity;
    op_place *spreads; /* of registers that vary, in this epoch */
    size_t spread_count, spread_used, spread_capacity;
    uint32_t epoch;
    op_place stack; /* end of the thread's stack; PLACE_NONE: no stack */
    struct unfinished_call {
        size_t op;
        uint32_t function;
    } * unfinished; /* calls of functions that are not decoded yet */
    size_t unfinished_count, unfinished_capacity, saved_capacity, save_capacity;
    struct liveness *liveness; /* of the function being decoded */
    op_place scratch[4];       /* 0: predicate, then 4, 8, 16 bytes; discarded results */
    struct spread_memo {
        op_place base, spread;
    } * memos; /* of registers that do not vary */
    size_t memo_count, memo_capacity;
    op_place carried[4]; /* values that one instruction loads and then stores or
                            distributes */
    op_place moved[2];   /* addresses that an instruction computes per lane, by width */
    struct arena arena;
};

/* decode_emit.c: writes the kernel's refusal and returns false. The first refusal stays. */
__attribute__((format(printf, 2, 3))) bool refuse(struct decoder *d, const char *format,
                                                  ...);
bool refuse_instruction(struct decoder *d, const struct ptx_instruction *i);
/* True if the device has the instruction. */
bool refuse_capability(struct decoder *d, const struct ptx_instruction *i);
bool refuse_special(struct decoder *d, const struct ptx_operand *o);

/* decode_emit.c: operations and places */
op_place carried_place(struct decoder *d, unsigned n); /* 4 bytes per lane; n < 4 */
unsigned lane_bytes(unsigned type_bytes);              /* 4, 8 or 16; 0 for a predicate */
op_place place_new(struct decoder *d, enum op_file file, unsigned bytes);
op_place place_bytes(struct decoder *d, enum op_file file, uint32_t bytes);
op_place constant_place(struct decoder *d, uint64_t bits, unsigned bytes);
struct execute_op *emit(struct decoder *d, enum op_code code);
struct execute_op *emit_lanes(struct decoder *d, op_lanes *lanes, op_place to,
                              op_place from);

/* decode_layout.c: storage of a symbol. */
enum symbol_home {
    HOME_NONE,
    HOME_PARAMETER,
    HOME_THREAD,
    HOME_STACK, /* offset from the frame's base */
    HOME_SHARED,
    HOME_BLOCK,
    HOME_FUNCTION
};
enum symbol_home symbol_find(const struct decoder *d, int32_t symbol, uint64_t *offset);
bool symbols_place(struct decoder *d); /* all symbols of d->function */

/* decode_operand.c */
bool operand_is_hoistable(const struct decoder *d, const struct ptx_operand *o,
                          enum op_file *file);
enum op_file file_join(enum op_file a, enum op_file b);
/* Place of a source of `bytes` bytes per lane. */
bool operand_source(struct decoder *d, const struct ptx_operand *o, unsigned bytes,
                    op_place *out);
/* Place of a destination. A value written to `_` is discarded. */
op_place operand_target(struct decoder *d, const struct ptx_operand *o, unsigned bytes);
/* 8 bytes per lane: the address of byte `offset` of the module's variables. */
op_place variable_place(struct decoder *d, uint64_t offset);
bool special_find(enum ptx_special special, op_place *place, unsigned *bytes);
/* True if the value is the same for all kernels, or constant for this kernel. */
bool special_is_constant(const struct decoder *d, enum ptx_special special,
                         uint64_t *value);

struct register_list {
    int32_t used[40], set[16];
    unsigned used_count, set_count;
};
void instruction_registers(const struct ptx_instruction *i, struct register_list *out);
bool instruction_ends_block(const struct ptx_instruction *i);

/* Passes over one function, in order. */
bool hoist_function(struct decoder *d); /* moves invariant operations out of the stream */
void place_registers(struct decoder *d, const bool *leaders);
/* Clears a register of `bytes` bytes per lane before the warp starts. */
void clear_at_start(struct decoder *d, op_place place, unsigned bytes);
/* True if register `reg` is live after instruction n, which ends its block. */
bool is_live_after(const struct decoder *d, uint32_t n, uint32_t reg);
bool stream_function(struct decoder *d,
                     const bool *leaders); /* emits the remaining operations */

/* decode_memory.c. Both functions fill base and offset of a site from [reg + n], [symbol +
   n] or [n]. site_address() also sets the address pattern. */
bool site_base(struct decoder *d, struct site *s, const struct ptx_instruction *i,
               const struct ptx_operand *at, enum op_code *code);
bool site_address(struct decoder *d, struct site *s, const struct ptx_instruction *i,
                  const struct ptx_operand *at, enum op_code *code);
/* Sets the pattern of the addresses in s->base, the place of register `reg`. -1: no
   register. */
void site_spread(struct decoder *d, struct site *s, int32_t reg);
enum op_code code_of_space(const struct decoder *d, enum ptx_space space);
enum execute_scope scope_of(const struct ptx_instruction *i);
/* Registers that the access loads or stores: one element or a vector. */
bool site_values(struct decoder *d, struct site *s, const struct ptx_instruction *i,
                 const struct ptx_operand *values, bool is_load);
void site_add(struct decoder *d, struct site *s);
struct execute_op *site_emit(struct decoder *d, struct site *s, enum op_code code);

/* Decodes one instruction without its guard. */
bool decode_instruction(struct decoder *d, const struct ptx_instruction *i);
bool decode_move(struct decoder *d, const struct ptx_instruction *i);
bool decode_memory(struct decoder *d, const struct ptx_instruction *i);
bool decode_atomic(struct decoder *d, const struct ptx_instruction *i);
bool decode_copy(struct decoder *d, const struct ptx_instruction *i);
bool decode_sync(struct decoder *d, const struct ptx_instruction *i);
/* decode_stack.c */
bool is_stack(enum ptx_opcode opcode);
bool decode_stack(struct decoder *d, const struct ptx_instruction *i);

/* decode_video.c */
bool is_video(enum ptx_opcode opcode);
bool decode_video(struct decoder *d, const struct ptx_instruction *i);
/* decode_cluster.c */
bool decode_map(struct decoder *d, const struct ptx_instruction *i);
bool decode_rank(struct decoder *d, const struct ptx_instruction *i);
bool decode_is_space(struct decoder *d, const struct ptx_instruction *i);
bool decode_cluster_barrier(struct decoder *d, const struct ptx_instruction *i);
bool decode_collective(struct decoder *d, const struct ptx_instruction *i);
bool decode_store_async(struct decoder *d, const struct ptx_instruction *i);
bool decode_red_async(struct decoder *d, const struct ptx_instruction *i);
bool decode_mbarrier(struct decoder *d, const struct ptx_instruction *i);
bool decode_fragment(struct decoder *d, const struct ptx_instruction *i);
bool decode_product(struct decoder *d, const struct ptx_instruction *i);
bool decode_rows(struct decoder *d, const struct ptx_instruction *i);
bool decode_texture(struct decoder *d, const struct ptx_instruction *i);
bool decode_surface(struct decoder *d, const struct ptx_instruction *i);
/* Ends the epoch: the group of lanes may be larger from here on. */
void stretch_ends(struct decoder *d);
/* Waits for all lanes of the warp. */
void converge_all(struct decoder *d);
/* Issue slots that the instruction takes. */
uint32_t instruction_slots(const struct ptx_instruction *i);
bool decode_bulk_load(struct decoder *d, const struct ptx_instruction *i);
/* A call through a register. `target` is NULL for any other instruction. */
struct indirect_call {
    const struct ptx_operand *target, *arguments, *results;
};
struct indirect_call indirect_call_find(const struct ptx_module *m,
                                        const struct ptx_function *f,
                                        const struct ptx_instruction *i);
bool indirect_call_fits(const struct ptx_module *m, const struct ptx_function *f,
                        const struct indirect_call *c, const struct ptx_function *callee);
/* `from` and `to`: offsets of arguments and results in thread memory. */
bool decode_indirect_call(struct decoder *d, const struct ptx_instruction *i,
                          const struct indirect_call *c, const uint64_t *from,
                          const uint64_t *to);
bool decode_call(struct decoder *d, const struct ptx_instruction *i);
