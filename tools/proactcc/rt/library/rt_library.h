/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Calls of libraries with a CUDA runtime of their own, such as cuBLAS. proactcc links a
   trampoline in place of each library function. The trampoline enters
   proact_library_call(), which wraps the call (docs/proactcc.md). */

#include "rt/rt.h"

enum library_kind { /* the classes of library_call.def; 0: not classified */
                    LIBRARY_HOST = 1,
                    LIBRARY_CREATE,
                    LIBRARY_CREATE_INT,
                    LIBRARY_SETUP,
                    LIBRARY_QUERY,
                    LIBRARY_HIDES,
                    LIBRARY_PLAIN,
                    LIBRARY_ANY
};

/* The data of one trampoline. library_calls.sh writes the same layout. */
struct library_call {
    const char *name;
    void (*real)(void);
    uint32_t kind, was_refused;
};

/* Target of every trampoline. It expects a struct library_call in r11, so C code cannot
   call it. */
RT_API void proact_library_call(void);

/* Called at start-up for each object that proactcc linked with such libraries, with an
   address in it. */
RT_API void proact_library_linked(const void *address);

/* The arguments of a call: `registers` are rdi, rsi, rdx, rcx, r8, r9; `stack` starts above
   the return address. */
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
