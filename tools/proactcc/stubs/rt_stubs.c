/* SPDX-License-Identifier: Apache-2.0 */
/* Weak CUDA runtime calls, added to every object that proactcc compiles. Each forwards to
   libproactrt_shared.so. If proactcc links, the calls of libproactrt.a override them. If
   another linker command does (`g++ ... -lcudart`), they precede the toolkit's libraries,
   so that the program still uses proact. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "shared_runtime.h"

/* The resolver. A call jumps to the address in its slot, which is the resolver at first;
   the resolver fills all slots. Arguments are in registers or on the stack above the return
   address. No argument is a floating-point number. */
__asm__(".text\n"
        "proactrt_first_call:\n"
        "    push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n"
        "    push %r8\n    push %r9\n    push %r11\n"
        "    call proactrt_fill\n"
        "    pop %r11\n    pop %r9\n    pop %r8\n"
        "    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n"
        "    jmp *(%r11)\n");

#define STUB(name)                                                                         \
    __asm__(".text\n"                                                                      \
            ".weak " #name "\n"                                                            \
            ".type " #name ", @function\n" #name ":\n"                                     \
            "    jmp *proactrt_slot_" #name "(%rip)\n"                                     \
            "proactrt_first_" #name ":\n"                                                  \
            "    lea proactrt_slot_" #name "(%rip), %r11\n"                                \
            "    jmp proactrt_first_call\n"                                                \
            ".data\n"                                                                      \
            "    .balign 8\n"                                                              \
            "proactrt_slot_" #name ": .quad proactrt_first_" #name "\n"                    \
            ".text\n");                                                                    \
    extern void *proactrt_slot_##name __attribute__((visibility("hidden")));
#define CALL(name) STUB(name)
#define REFUSED(name) STUB(name)
#define ALIAS(name, of) STUB(name)
#include "rt/abi/cuda_call.def"
#undef CALL
#undef REFUSED
#undef ALIAS

#define CALL(name) {#name, &proactrt_slot_##name},
#define REFUSED(name) CALL(name)
#define ALIAS(name, of) CALL(name)
static const struct {
    const char *name;
    void **slot;
} calls[] = {
#include "rt/abi/cuda_call.def"
};

/* called by the resolver above */
static void fill(void) __asm__("proactrt_fill") __attribute__((used));
static void fill(void)
{
    void *library = open_shared_runtime();

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *call = dlsym(library, calls[i].name);

        if (!call) {
            fprintf(stderr, "proact: libproactrt_shared.so has no %s()\n", calls[i].name);
            exit(1);
        }
        *calls[i].slot = call;
    }
}

/* Defined by rt.c: the runtime is linked, and no jump is needed. */
extern const char proactrt_is_here __attribute__((weak));
extern void register_binary(void) __asm__("__cudaRegisterFatBinary");
extern bool proactrt_has_warned __attribute__((weak, visibility("hidden")));
bool proactrt_has_warned; /* one per linked object */

/* A warning if the user configures proact but another runtime is linked. NVIDIA's static
   library defines all calls if it precedes our objects and an earlier object needs one of
   its calls. */
static void __attribute__((constructor)) look_who_is_first(void)
{
    static const unsigned char jump[] = {0xff, 0x25};
    bool is_requested =
        getenv("PROACT_MACHINE") || getenv("PROACT_DEVICES") || getenv("PROACT_REPORT");

    if (!is_requested || proactrt_has_warned || &proactrt_is_here ||
        memcmp((const void *)(uintptr_t)register_binary, jump, sizeof jump) == 0)
        return;
    proactrt_has_warned = true;
    fprintf(stderr,
            "proact: another CUDA runtime is linked before that of proact, and runs this "
            "program on one GPU: link with proactcc, link the shared libcudart, or name "
            "the static one after all objects of proactcc\n");
}
