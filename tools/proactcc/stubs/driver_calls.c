/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's calls, linked if a program names the driver's library; each jumps to the
   runtime's implementation. They are hidden outside the linked object, so that NVIDIA's
   libraries find the real driver. In libproactrt_driver.so (FOR_ALL) they are global;
   another linker command can name that library instead of libcuda.so. */

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
