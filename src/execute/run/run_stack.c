/* SPDX-License-Identifier: Apache-2.0 */
/* Stack of a thread in a kernel with recursive functions or alloca. */
#include "execute/run/run.h"

static bool fits(struct execute_warp *w, const struct execute_op *op, unsigned lane,
                 uint32_t end, uint64_t more)
{
    uint32_t has = w->grid->stack_bytes;
    uint32_t used = end - w->grid->kernel->info.local_bytes_per_thread;

    if (more <= has - used)
        return true;
    warp_fault(w, op->line, lane, "%s %llu bytes of stack, and a thread has %u",
               op->code == CODE_ALLOCA ? "alloca needs"
                                       : "functions that call themselves need",
               (unsigned long long)more + used, has);
    return false;
}

/* Clears a frame and marks it as never written. */
static void clear(struct execute_warp *w, size_t at, uint32_t bytes)
{
    memset(w->thread_memory + at, 0, bytes);
    if (w->thread_written)
        memset(w->thread_written + at, 0, bytes);
}

static void put_away(struct execute_warp *w, const struct stack_saved *s, unsigned lane,
                     unsigned char *at)
{
    const unsigned char *memory = w->thread_memory + (size_t)lane * w->grid->thread_bytes;
    const unsigned char *from =
        s->is_memory ? memory + s->place : op_register(&w->registers, s->place);
    uint32_t word;

    if (s->bytes) {
        memcpy(at, s->is_memory ? from : from + lane * s->bytes, s->bytes);
        return;
    }
    memcpy(&word, from, sizeof word);
    word = word >> lane & 1;
    memcpy(at, &word, sizeof word);
}

static void stack_restore(struct execute_warp *w, const struct stack_saved *s,
                          unsigned lane, const unsigned char *at)
{
    unsigned char *memory = w->thread_memory + (size_t)lane * w->grid->thread_bytes;
    unsigned char *to =
        s->is_memory ? memory + s->place : op_register(&w->registers, s->place);
    uint32_t *mask = (uint32_t *)(void *)to, word;

    if (s->bytes) {
        memcpy(s->is_memory ? to : to + lane * s->bytes, at, s->bytes);
        return;
    }
    memcpy(&word, at, sizeof word);
    *mask = (*mask & ~(1u << lane)) | word << lane;
}

static void move_saved(struct execute_warp *w, const struct stack_save *s, unsigned lane,
                       uint32_t at, bool back)
{
    const struct stack_saved *saved = w->grid->kernel->saved + s->first;
    unsigned char *stack = w->thread_memory + (size_t)lane * w->grid->thread_bytes + at;

    for (uint32_t n = 0; n < s->count; n++) {
        if (back)
            stack_restore(w, &saved[n], lane, stack);
        else
            put_away(w, &saved[n], lane, stack);
        stack += saved[n].bytes ? (saved[n].bytes + 3) / 4 * 4 : 4;
    }
}

/* What precedes each allocation in memory, so that stackrestore finds the former ends. */
struct stack_block {
    uint32_t end;  /* of the stack after the allocation */
    uint32_t seal; /* BLOCK_SEAL ^ end */
    uint32_t reserved[2];
};
enum { BLOCK_SEAL = 0x5ac4b10c };

static struct stack_block *stack_block_at(struct execute_warp *w, unsigned lane,
                                          uint32_t at)
{
    return (struct stack_block *)(void *)(w->thread_memory +
                                          (size_t)lane * w->grid->thread_bytes + at);
}

/* Releases the allocations after a stacksave. Its value is one of the ends that the stack
   has had since `first`, and not released since. */
static bool stack_release(struct execute_warp *w, const struct execute_op *op,
                          unsigned lane, uint32_t first, uint32_t *end)
{
    const void *values = op_register(&w->registers, op->from[1]);
    const uint64_t value = op->detail[0] == 8 ? ((const uint64_t *)values)[lane]
                                              : ((const uint32_t *)values)[lane];
    uint32_t at = first;

    while (at < value && at < *end) {
        const struct stack_block *block = stack_block_at(w, lane, at);

        if (block->seal != (BLOCK_SEAL ^ block->end) || block->end <= at ||
            block->end > *end) {
            warp_fault(w, op->line, lane,
                       "stackrestore finds the memory of alloca damaged: a store reached "
                       "the 16 bytes before byte %u of the stack",
                       at + (uint32_t)sizeof *block - first);
            return false;
        }
        at = block->end;
    }
    if (at == value) {
        *end = at;
        return true;
    }
    warp_fault(
        w, op->line, lane,
        "stackrestore of %llu, which is no value of a stacksave in this function, or "
        "was released since: the stack is from %u to %u",
        (unsigned long long)value, first, *end);
    return false;
}

/* Frames begin at multiples of 16 bytes. */
static bool stack_allocate(struct execute_warp *w, const struct execute_op *op,
                           unsigned lane, uint32_t *end)
{
    const void *sizes = op_register(&w->registers, op->from[1]);
    uint64_t bytes = op->detail[0] == 8 ? ((const uint64_t *)sizes)[lane]
                                        : ((const uint32_t *)sizes)[lane];
    const uint32_t begin = *end + (uint32_t)sizeof(struct stack_block);
    uint64_t skipped =
        sizeof(struct stack_block) + (op->extra - begin % op->extra) % op->extra;
    void *to = op_register(&w->registers, op->to);

    if (bytes > UINT32_MAX || !fits(w, op, lane, *end, (skipped + bytes + 15) / 16 * 16)) {
        if (bytes > UINT32_MAX)
            fits(w, op, lane, *end, bytes);
        return false;
    }
    struct stack_block *block = stack_block_at(w, lane, *end);
    uint32_t first = *end + (uint32_t)skipped;

    *end += (uint32_t)((skipped + bytes + 15) / 16 * 16);
    block->end = *end;
    block->seal = BLOCK_SEAL ^ *end;
    clear(w, (size_t)lane * w->grid->thread_bytes + first, *end - first);
    if (op->detail[1] == 8)
        ((uint64_t *)to)[lane] = first;
    else
        ((uint32_t *)to)[lane] = first;
    return true;
}

bool stack_run(struct execute_warp *w, const struct execute_op *op, uint32_t mask)
{
    const struct execute_kernel *k = w->grid->kernel;
    uint32_t *end = op_register(&w->registers, op->from[0]);

    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);

        if (op->code == CODE_ALLOCA) {
            if (!stack_allocate(w, op, l, &end[l]))
                return false;
            continue;
        }
        if (op->code == CODE_RELEASE) {
            const uint32_t *base = op_register(&w->registers, op->from[2]);

            if (!stack_release(w, op, l, base[l] + op->extra, &end[l]))
                return false;
            continue;
        }
        if (op->code == CODE_POP) {
            end[l] -= k->saves[op->extra].bytes;
            move_saved(w, &k->saves[op->extra], l, end[l], true);
            continue;
        }
        uint32_t bytes = op->code == CODE_ENTER ? op->extra : k->saves[op->extra].bytes;

        if (!fits(w, op, l, end[l], bytes))
            return false;
        if (op->code == CODE_ENTER) {
            ((uint32_t *)op_register(&w->registers, op->to))[l] = end[l];
            clear(w, (size_t)l * w->grid->thread_bytes + end[l], bytes);
        } else {
            move_saved(w, &k->saves[op->extra], l, end[l], false);
        }
        end[l] += bytes;
    }
    return true;
}
