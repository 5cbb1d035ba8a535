/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Calls of libraries that bring a CUDA runtime of their own (cuBLAS and its like). Where a
   program is linked, proactcc puts a trampoline in the place of each: it comes to
   proact_library_call(), which goes around the call (docs/proactcc.md). */

#include "rt/rt.h"

enum library_kind { /* as library_call.def has it; 0: not looked up yet */
                    LIBRARY_HOST = 1,
                    LIBRARY_SETUP,
                    LIBRARY_HIDES,
                    LIBRARY_PLAIN,
                    LIBRARY_ANY
};

/* One a trampoline, laid out as library_calls.sh writes it. */
struct library_call {
    const char *name;
    void (*real)(void);
    uint32_t kind, was_refused;
};

/* Jumped to with a struct library_call in a register of no caller's; not for C. */
RT_API void proact_library_call(void);

/* Start-up code of each object that proactcc linked with such libraries: where it is. */
RT_API void proact_library_linked(const void *address);

/* The trampoline's words for a call: `registers` are rdi, rsi, rdx, rcx, r8, r9, `stack`
   what lies behind the return address. */
struct library_words {
    const uint64_t *registers, *stack;
};
struct library_verdict {
    uint64_t is_refused, answer;
};
struct library_verdict rt_library_enter(struct library_call *call,
                                        struct library_words words);
void rt_library_leave(struct library_call *call, struct library_words words);

enum library_kind library_kind_of(const char *name);
uint64_t library_refusal_of(const char *name);
