/* SPDX-License-Identifier: Apache-2.0 */
/* The wrapper of a library call, which runs on device 0. It records the arrays that the
   call may have written. The session processes them at the program's next runtime call. */
#include "rt/library/rt_library.h"

#include <proact/interop.h>
#include <string.h>

#include "base/memory.h"

/* Upper bound: a PLAIN function has at most 26 arguments. */
enum { REGISTERS = 6, STACK_WORDS = 24 };

static struct library_verdict refuse(const struct library_call *call)
{
    return (struct library_verdict){true, library_refusal_of(call->name)};
}

/* The library's success without a call. A new handle is a number: only calls that use no
   handle, or that are refused, receive it. */
static struct library_verdict set_up_emulated(struct rt *rt,
                                              const struct library_call *call, void *out)
{
    const uint64_t handle = ++rt->interop.handles;

    if (call->kind != LIBRARY_SETUP && !out)
        return refuse(call);
    if (call->kind != LIBRARY_SETUP)
        memcpy(out, &handle,
               call->kind == LIBRARY_CREATE_INT ? sizeof(int) : sizeof(void *));
    return (struct library_verdict){true, 0};
}

static struct library_verdict refuse_emulated(struct library_call *call)
{
    if (!call->was_refused)
        rt_print(
            "%s() runs on a GPU only, and this machine is emulated: run the program on "
            "a GPU, or replace the call by a kernel in CUDA C",
            call->name);
    call->was_refused = true;
    return refuse(call);
}

/* The library's own runtime does not know our captures; its work would run immediately. */
static struct library_verdict refuse_captured(struct library_call *call)
{
    if (!call->was_refused)
        rt_print("%s() cannot be captured: call it before or after the graph", call->name);
    call->was_refused = true;
    return refuse(call);
}

static enum cuda_error enter(struct rt *rt)
{
    struct proact_error err = {""};
    enum cuda_error error = rt_shadows_out(rt);

    rt->interop.calls++;
    return error ? error : rt_error(rt, proact_interop_begin(rt->session, &err), &err);
}

struct library_verdict rt_library_enter(struct library_call *call,
                                        struct library_words words)
{
    struct library_verdict verdict = {false, 0};
    struct rt *rt;

    if (!call->kind)
        call->kind = library_kind_of(call->name);
    if (call->kind == LIBRARY_HOST)
        return verdict;
    rt = rt_enter_interop();
    if (rt_open(rt))
        verdict = refuse(call);
    else if (rt->is_emulated && call->kind <= LIBRARY_SETUP)
        verdict = set_up_emulated(rt, call, (void *)(uintptr_t)words.registers[0]);
    else if (rt->is_emulated)
        verdict = refuse_emulated(call);
    else if (call->kind >= LIBRARY_PLAIN && rt->open_captures)
        verdict = refuse_captured(call);
    else if (call->kind >= LIBRARY_PLAIN && enter(rt))
        verdict = refuse(call);
    rt_leave(rt, cudaSuccess);
    return verdict;
}

/* Records the array that a word may address. */
static void note(struct rt *rt, uint64_t word)
{
    struct rt_interop *g = &rt->interop;
    struct rt_range *range = rt_range_of(rt, (const void *)(uintptr_t)word);

    if (!range)
        return;
    range->is_shown = true;
    g->any |= range->kind == RT_VARIABLE && !range->array;
    if (!range->array || range->is_shadow)
        return;
    for (size_t i = 0; i < g->count; i++)
        if (g->written[i] == range->array)
            return;
    g->written =
        must_grow(g->written, g->count + 1, &g->capacity, sizeof(struct proact_array *));
    g->written[g->count++] = range->array;
}

void rt_library_leave(struct library_call *call, struct library_words words)
{
    if (call->kind < LIBRARY_HIDES)
        return;
    struct rt *rt = rt_enter_interop();
    struct rt_interop *g = &rt->interop;

    if (call->kind == LIBRARY_HIDES)
        g->hide = true;
    else
        g->is_pending = true;
    g->any |= call->kind == LIBRARY_ANY || g->hide;
    for (unsigned i = 0; i < REGISTERS && !g->any; i++)
        note(rt, words.registers[i]);
    for (unsigned i = 0; i < STACK_WORDS && !g->any; i++)
        note(rt, words.stack[i]);
    rt_leave(rt, cudaSuccess);
}
