/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* PTX inside programs: executables, libraries, objects, archives and fat binaries, as nvcc
   and clang write them. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>

struct analyze_texts {
    struct analyze_text {
        char *text; /* with a NUL that `bytes` does not count */
        size_t bytes;
    } * items;
    size_t count;
};

/* True if the content of a file is that of a program, not text. */
bool analyze_is_binary(const char *data, size_t bytes);

/* The PTX of each translation unit, unpacked: of several architectures the newest up to
   sm_90, as in the CUDA runtime (tools/proactcc/rt/module/rt_image.c). `path` is for
   messages. Refuses a program without PTX. */
enum proact_status analyze_binary(const char *path, const char *data, size_t bytes,
                                  struct analyze_texts *out, struct proact_error *err);
void analyze_texts_clear(struct analyze_texts *t);
