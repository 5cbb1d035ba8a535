/* SPDX-License-Identifier: Apache-2.0 */
/* Linked where a program names the driver's library: its calls, which go to ours. They are
   nobody's outside of what is linked with them: NVIDIA's libraries find the driver. As
   libproactrt_driver.so, which who links by something else may name in the place of
   libcuda.so, they are everybody's. */

#ifdef FOR_ALL
#define NOTED(name)
#else
#define NOTED(name) ".hidden " #name "\n"
#endif

#define NAMED(name, kind)                                                                  \
    ".text\n.globl " #name "\n" NOTED(name) ".type " #name ", " kind "\n" #name ":\n"

#if defined __x86_64__
#define FORWARD(name, of)                                                                  \
    __asm__(NAMED(name, "@function") "    endbr64\n"                                       \
                                     "    jmp *proactrt_" #of "@GOTPCREL(%rip)\n");
#elif defined __aarch64__
#define FORWARD(name, of) __asm__(NAMED(name, "%function") "    b proactrt_" #of "\n");
#else
#error "the driver's calls are supported on x86-64 and arm64"
#endif

#define CALL(name, of, version) FORWARD(name, name)
#define REFUSED(name, of, version) FORWARD(name, name)
#define ALIAS(name, of) FORWARD(name, of)
#include "rt/abi/driver_call.def"
