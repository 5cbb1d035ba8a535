/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/abi/cuda_calls.h"
#include "rt/rt.h"

static const struct {
    int number;
    const char *name, *words;
} errors[] = {
#define ERROR(name, number, words) {number, #name, words},
#include "rt/abi/cuda_error.def"
#undef ERROR
};

enum cuda_error cudaGetLastError(void)
{
    return rt_last_error(true);
}

enum cuda_error cudaPeekAtLastError(void)
{
    return rt_last_error(false);
}

const char *cudaGetErrorName(enum cuda_error error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)error)
            return errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(enum cuda_error error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)error)
            return errors[i].words;
    return "unrecognized error code";
}
