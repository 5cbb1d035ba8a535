/* SPDX-License-Identifier: Apache-2.0 */
/* Weak driver calls, added to every object that proactcc compiles and that calls the
   driver. They call the linked runtime, or libproactrt_shared.so if no runtime is
   linked. */
#include <stdint.h>

#include "shared_runtime.h"

/* The resolver, as in rt_stubs.c. An argument may be a callback but never a floating-point
   number. */
__asm__(".text\n"
        "proactrt_first_driver_call:\n"
        "    push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n"
        "    push %r8\n    push %r9\n    push %r11\n"
        "    call proactrt_fill_driver\n"
        "    pop %r11\n    pop %r9\n    pop %r8\n"
        "    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n"
        "    jmp *(%r11)\n");

#define STUB(name, of)                                                                     \
    __asm__(".text\n"                                                                      \
            ".weak " #name "\n"                                                            \
            ".hidden " #name "\n"                                                          \
            ".type " #name ", @function\n" #name ":\n"                                     \
            "    jmp *proactrt_slot_" #name "(%rip)\n"                                     \
            "proactrt_first_" #name ":\n"                                                  \
            "    lea proactrt_slot_" #name "(%rip), %r11\n"                                \
            "    jmp proactrt_first_driver_call\n"                                         \
            ".data\n"                                                                      \
            "    .balign 8\n"                                                              \
            "proactrt_slot_" #name ": .quad proactrt_first_" #name "\n"                    \
            ".text\n");                                                                    \
    extern void *proactrt_slot_##name __attribute__((visibility("hidden")));               \
    extern void proactrt_##of(void) __attribute__((weak));
#define CALL(name, of, version) STUB(name, name)
#define REFUSED(name, of, version) STUB(name, name)
#define ALIAS(name, of) STUB(name, of)
#include "rt/abi/driver_call.def"
#undef CALL
#undef REFUSED
#undef ALIAS

#define ROW(name, of) {"proactrt_" #of, proactrt_##of, &proactrt_slot_##name},
#define CALL(name, of, version) ROW(name, name)
#define REFUSED(name, of, version) ROW(name, name)
#define ALIAS(name, of) ROW(name, of)
static const struct {
    const char *name;
    void (*linked)(void); /* NULL: not linked */
    void **slot;
} calls[] = {
#include "rt/abi/driver_call.def"
};

/* called by the resolver above */
static void fill(void) __asm__("proactrt_fill_driver") __attribute__((used));
static void fill(void)
{
    void *library = calls[0].linked ? NULL : open_shared_runtime();

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *call =
            library ? dlsym(library, calls[i].name) : (void *)(uintptr_t)calls[i].linked;

        if (!call) {
            fprintf(stderr, "proact: libproactrt_shared.so has no %s()\n", calls[i].name);
            exit(1);
        }
        *calls[i].slot = call;
    }
}
