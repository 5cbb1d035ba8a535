/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The shared runtime library, which the stubs call. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* The folder of the library, defined by proactcc at compile time. */
extern const char proactrt_folder[] __attribute__((visibility("hidden")));

static void *open_shared_runtime(void)
{
    char path[4096];
    void *library;

    snprintf(path, sizeof path, "%s/libproactrt_shared.so", proactrt_folder);
    if (!(library = dlopen(path, RTLD_NOW | RTLD_GLOBAL)) &&
        !(library = dlopen("libproactrt_shared.so", RTLD_NOW | RTLD_GLOBAL))) {
        fprintf(stderr, "proact: %s\n", dlerror());
        exit(1);
    }
    return library;
}
