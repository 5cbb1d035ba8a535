/* SPDX-License-Identifier: Apache-2.0 */
/* Our declarations of CUDA's runtime against NVIDIA's: names have their numbers when this
   compiles, and structs their shapes when it runs well. */
#include <cuda_runtime_api.h>
#include <stdio.h>

#include "abi_ours.h"

#define ERROR(name, number, words)                                                         \
    _Static_assert((int)name == (number), #name " has another number");
#include "cuda_error.def"
#define ATTRIBUTE(name, number, value)                                                     \
    _Static_assert((int)name == (number), #name " has another number");
#include "cuda_attribute.def"
_Static_assert(cudaMemcpyDeviceToHost == 2 && cudaMemcpyDefault == 4, "kinds of copies");
_Static_assert(cudaMemoryTypeHost == 1 && cudaMemoryTypeManaged == 3, "types of memory");
_Static_assert(cudaHostAllocMapped == 2 && cudaEventDisableTiming == 2 &&
                   cudaStreamNonBlocking == 1 &&
                   cudaFuncAttributeMaxDynamicSharedMemorySize == 8 &&
                   cudaLaunchAttributeCooperative == 2 &&
                   cudaLaunchAttributePriority == 8 &&
                   cudaLaunchAttributePreferredSharedMemoryCarveout == 14,
               "flags");

static const size_t theirs[] = {
#define SAME(ours, theirs) sizeof(theirs),
#define FIELD(ours, theirs, our_field, their_field) offsetof(theirs, their_field),
#include "abi_struct.def"
};

int main(void)
{
    int wrong = 0;

    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        if (abi_ours[i].bytes != theirs[i]) {
            printf("%s %s: %zu, NVIDIA's has %zu\n", abi_ours[i].name, abi_ours[i].field,
                   abi_ours[i].bytes, theirs[i]);
            wrong++;
        }
    printf("%zu sizes and places, %d wrong\n", sizeof theirs / sizeof *theirs, wrong);
    return wrong ? 1 : 0;
}
