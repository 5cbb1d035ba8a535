/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Decoded form of a module; private to this component. `load/` writes it, `run/` reads
   it. */

#include "base/memory.h"
#include "execute/execute.h"
#include "execute/matrix.h"
#include "execute/op.h"
#include "execute/texture.h"

/* Operations of the interpreter: execute_op.code. */
enum op_code {
    CODE_LANES,        /* op->lanes performs it */
    CODE_BLOCK,        /* start of a basic block: extra instructions, stalls in detail */
    CODE_GUARD,        /* the next operation runs only where from[0] is set (detail[0]: not
                          set) */
    CODE_JUMP,         /* to operation `extra` */
    CODE_BRANCH,       /* to operation `extra` where from[0] is set (detail[0]: not set) */
    CODE_BRANCH_TABLE, /* to tables[extra] by from[0] */
    CODE_CALL,         /* to operation `extra`; `to` receives the return address */
    CODE_RETURN,       /* to the operation in from[0] */
    CODE_SKIP,         /* as CODE_BRANCH */
    CODE_ENTER,  /* allocates a frame of `extra` bytes on the stack that ends at from[0];
                    `to`: the frame */
    CODE_PUSH,   /* pushes saves[extra] to the stack that ends at from[0] */
    CODE_POP,    /* ... and pops it */
    CODE_ALLOCA, /* allocates from[1] bytes (detail[0] bytes a lane), aligned to `extra`, on
                    the stack that ends at from[0]; `to`: the address (detail[1] bytes) */
    CODE_RELEASE, /* stackrestore: ends the stack of from[0] at from[1] (detail[0] bytes a
                     lane), an end that it had since the frame at from[2] plus `extra` */
    CODE_EXIT,
    CODE_TRAP,
    CODE_ASSERT,   /* __assertfail: message, file, line at from[0..2] of thread memory */
    CODE_BARRIER,  /* detail: enum barrier_kind; id in from[0], count from[1], predicate */
    CODE_CONVERGE, /* waits for the lanes of mask from[0] before the next operation */
    CODE_CLUSTER_ARRIVE,
    CODE_CLUSTER_WAIT,
    CODE_FENCE,     /* detail: order, scope */
    CODE_BULK,      /* detail: enum execute_bulk_step. A store: from the site after
                       sites[extra] to sites[extra], from[0] bytes. A wait: `extra`
                       groups. */
    CODE_PROXY,     /* orders the CTA's stores to shared memory before its bulk stores */
    CODE_MBARRIER,  /* detail: enum mbarrier_kind; sites[extra]; value, state or parity in
                       from[0]; `to`: state or predicate */
    CODE_BULK_LOAD, /* from[0] bytes to sites[extra] from the next site; the third site
                       counts them */
    CODE_CLOCK,     /* detail: enum clock_kind */
    CODE_SLEEP,     /* from[0]: ns */
    CODE_PRINT,     /* vprintf: offsets in thread memory: format, arguments; `to`: result */
    CODE_CHILD,     /* CUDA's device runtime; detail: enum child_kind; offsets in thread
                       memory: arguments, `to`: result */
    CODE_HEAP,      /* malloc, free; detail: enum heap_kind; offsets as in CODE_CHILD */
    CODE_MATRIX,    /* matrices[extra], for all lanes of the warp */
    CODE_TEXTURE,   /* textures[extra] */
    CODE_COPY,      /* `extra` bytes of thread memory from offset from[0] to offset `to` */
    CODE_GLOBAL,    /* all following ones are accesses: sites[extra] */
    CODE_SHARED,
    CODE_THREAD, /* local memory, and parameters of functions */
    CODE_CONSTANT,
    CODE_PARAMETER, /* of the kernel */
    CODE_GENERIC
};

/* Value that represents the address of function n of the module. */
#define EXECUTE_FUNCTION(n) (UINT64_C(0x1000) + 16 * (uint64_t)(n))

/* Bits of a shared-memory address above CLUSTER_SHIFT: 0 is the thread's own CTA, n the CTA
   of rank n - 1 in its cluster. Ranks above CLUSTER_RANK_MOST are invalid and would leave
   the window. */
enum { CLUSTER_SHIFT = 20, CLUSTER_RANK_MOST = 200 };

enum { OP_GUARDED = 5 }; /* detail: a CODE_GUARD precedes it; not for CODE_LANES */

enum barrier_kind { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR };
enum heap_kind { HEAP_TAKE, HEAP_GIVE };
enum child_kind { CHILD_PARAMETERS, CHILD_LAUNCH };
enum clock_kind { CLOCK_64, CLOCK_LOW, CLOCK_HIGH, TIMER_64, TIMER_LOW, TIMER_HIGH };

/* Pattern of 32 addresses, computed once for all accesses with the same base register.
   LINE: a constant stride. HALVES: each half of the warp has the same constant stride
   (tiles 16 wide). */
enum spread_kind { SPREAD_ANY, SPREAD_LINE, SPREAD_HALVES };
enum spread_words {
    WORDS_ANY,
    WORDS_UNIT,
    WORDS_EQUAL
}; /* pattern by halves, 4 bytes per
      lane */
struct spread {
    uint64_t first, second; /* of lanes 0 and 16 */
    uint32_t stride;
    enum spread_kind kind;
    enum spread_words words;
};
enum { SPREAD_BYTES = 64 };

enum { VALUES_MAX = 8 };

/* A memory access of the program. Frequently used fields come first. */
struct site {
    op_place base;   /* a register of constants if the instruction has none */
    op_place spread; /* of `base` */
    int64_t offset;
    uint8_t base_bytes; /* 4 or 8 */
    uint8_t element;    /* bytes of one element in memory */
    uint8_t count;      /* elements */
    uint8_t width;      /* bytes per lane of the register: 4, 8, 16 */
    bool is_signed;     /* sign-extends */
    bool is_strong;     /* stops the warp once before an access to global memory */
    bool fresh;         /* this access computes the pattern of `base` */
    bool is_word;       /* a load or store of one 4-byte element, with a 4-byte register */
    op_place value[VALUES_MAX];   /* loaded or stored registers; value[0] of an atomic:
                                     result */
    op_place operand, second;     /* of atomics */
    struct execute_access access; /* with all constant fields filled in */
};

struct jump_table {
    uint32_t count, *targets;
};

/* A 64-bit constant that depends on the address of the module's variables. */
struct variable_constant {
    op_place place;
    uint64_t offset;
};

/* Fixed places of special registers in their files. */
enum {
    SLOT_TID = 0, /* x, y, z */
    SLOT_WARPID = 384,
    SLOT_SPECIALS = 512, /* end */
    CTA_CTAID = 0,       /* x, y, z */
    CTA_SMID = 384,
    CTA_CLUSTERID = 512,     /* x, y, z */
    CTA_CLUSTER_CTAID = 896, /* x, y, z */
    CTA_CLUSTER_RANK = 1280,
    CTA_SPECIALS = 1408,
    LAUNCH_NTID = 0,
    LAUNCH_NCTAID = 384,
    LAUNCH_LANEID = 768,
    LAUNCH_MASKS = 896, /* eq, le, lt, ge, gt */
    LAUNCH_NWARPID = 1536,
    LAUNCH_NSMID = 1664,
    LAUNCH_GRIDID = 1792, /* 8 bytes a lane */
    LAUNCH_DYNAMIC = 2048,
    LAUNCH_SHARED = 2176,
    LAUNCH_MEETING = 2304,        /* arrival counter: high, low */
    LAUNCH_NCLUSTERID = 2560,     /* x, y, z */
    LAUNCH_CLUSTER_NCTAID = 2944, /* x, y, z */
    LAUNCH_CLUSTER_SIZE = 3328,
    LAUNCH_IN_CLUSTERS = 3456, /* a predicate */
    LAUNCH_SPECIALS = 3520
};

/* A warp register that may be read before it is written. It is zeroed at the start, so that
   a run never depends on previous contents. */
struct cleared_register {
    uint32_t offset, bytes;
};

/* A value that a caller needs after a call of a recursive function. */
struct stack_saved {
    op_place place; /* of a register; an offset for thread memory */
    uint32_t bytes; /* per lane; 0: a predicate */
    bool is_memory;
};
struct stack_save {
    uint32_t first, count; /* in execute_kernel.saved */
    uint32_t bytes;
};
enum { STACK_BYTES = 1 << 16 }; /* smallest stack of a thread with recursive functions */

struct op_list {
    struct execute_op *ops;
    size_t count, capacity;
};

struct execute_kernel {
    const struct execute_program *program;
    struct execute_kernel_info info;
    char *refusal; /* reason why it cannot be executed, or NULL */
    const struct ptx_function *function;
    struct op_list stream;     /* called functions first, the kernel last */
    struct op_list hoisted[4]; /* by file: operations computed once for it; none for
                                  FILE_WARP */
    uint32_t entry;            /* index of the first operation */
    uint32_t file_bytes[4];
    unsigned char *constants; /* initial content of FILE_LAUNCH */
    struct variable_constant *variable_constants;
    size_t variable_constant_count;
    struct site *sites;
    size_t site_count;
    struct jump_table *tables;
    size_t table_count;
    op_place stack; /* end of a thread's stack; PLACE_NONE: no recursion and no alloca */
    struct stack_saved *saved;
    struct stack_save *saves;
    size_t saved_count, save_count;
    struct matrix_product *matrices;
    size_t matrix_count;
    struct texture_site *textures;
    size_t texture_count;
    struct cleared_register *cleared;
    size_t cleared_count;
    bool stores_bulk; /* contains CODE_BULK */
    bool maps;        /* maps addresses of other CTAs' shared memory */
};

struct execute_program {
    const struct ptx_module *module;
    struct execute_kernel *kernels;
    uint32_t kernel_count;
    bool launches;       /* a kernel launches kernels */
    bool allocates;      /* a kernel allocates memory */
    unsigned capability; /* of the device; 0: any */
    size_t bytes;
    uint64_t *offsets; /* of the module's symbols in the block, by symbol */
    struct arena arena;
};

/* True if the symbol is in the block of the module's variables. */
static inline bool program_is_variable(const struct ptx_symbol *s)
{
    return !s->is_function && !s->is_extern &&
           (s->space == PTX_SPACE_GLOBAL || s->space == PTX_SPACE_CONST);
}

/* Decodes the kernel. On failure k->refusal has the reason. Without `hoist`, every
   operation stays in the warps' stream; tests use that. */
void kernel_decode(struct execute_program *p, struct execute_kernel *k, bool hoist);
void kernel_clear(struct execute_kernel *k);

/* execute_program_create() with a parameter for hoisting. */
enum proact_status program_create(const struct ptx_module *m, unsigned capability,
                                  bool hoist, struct execute_program **out,
                                  struct proact_error *err);
