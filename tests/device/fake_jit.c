/* SPDX-License-Identifier: Apache-2.0 */
/* Replacement of NVIDIA's compiler library. A compilation takes FAKE_CUDA_LINK_MS. If an
   exit handler of the library has run by then, the process aborts. The first compilation
   registers a second handler, like a compiler that loads another library. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

__attribute__((visibility("default"))) void fake_jit_compile(void);

static atomic_bool has_ended, has_compiled;

static void fake_jit_end(void)
{
    atomic_store(&has_ended, true);
}

__attribute__((constructor)) static void fake_jit_begin(void)
{
    atexit(fake_jit_end);
}

void fake_jit_compile(void)
{
    const char *text = getenv("FAKE_CUDA_LINK_MS");
    const long ms = text ? strtol(text, NULL, 10) : 0;

    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
    if (atomic_load(&has_ended))
        abort();
    if (!atomic_exchange(&has_compiled, true))
        atexit(fake_jit_end);
}
