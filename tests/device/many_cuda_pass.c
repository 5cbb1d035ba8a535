/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of the real driver under their own names: one jump for each entry that
   many_cuda.c does not define. */
#include "many_cuda.h"

#define DRIVER(name, symbol, parameters)                                                   \
    cu_result(*many_##name) parameters;                                                    \
    __asm__(".pushsection .text\n.weak " #symbol "\n.type " #symbol                        \
            ", @function\n" #symbol ":\n    jmp *many_" #name "(%rip)\n.popsection\n");
#define OPTIONAL DRIVER
#include "device/cuda/driver/driver.def"
#undef OPTIONAL
#undef DRIVER

const struct many_entry many_entries[] = {
#define DRIVER(name, symbol, parameters) {#symbol, &many_##name},
#define OPTIONAL DRIVER
#include "device/cuda/driver/driver.def"
#undef OPTIONAL
#undef DRIVER
    {0}};
