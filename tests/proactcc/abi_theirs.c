/* SPDX-License-Identifier: Apache-2.0 */
/* Compares proact's declarations of the CUDA runtime and driver with NVIDIA's: constants at
   compile time, structures at run time. */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>

#include "abi_ours.h"

#define ERROR(name, number, words)                                                         \
    _Static_assert((int)name == (number), #name " has another number");
#include "rt/abi/cuda_error.def"
#define ATTRIBUTE(name, number, value)                                                     \
    _Static_assert((int)name == (number), #name " has another number");
#include "rt/abi/cuda_attribute.def"
#define RESULT(name, number)                                                               \
    _Static_assert((int)name == (number), #name " has another number");
#include "rt/abi/driver_result.def"
_Static_assert(CU_JIT_WALL_TIME == 2 && CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES == 6 &&
                   CU_JIT_GLOBAL_SYMBOL_ADDRESSES == 18 && CU_JIT_INPUT_PTX == 1 &&
                   CU_JIT_INPUT_FATBINARY == 2,
               "options of the driver's compiler");
_Static_assert(CU_MEMORYTYPE_ARRAY == 3 && CU_MEMORYTYPE_UNIFIED == 4 &&
                   CU_RESOURCE_TYPE_PITCH2D == 3 && CU_AD_FORMAT_SIGNED_INT8 == 8 &&
                   CU_AD_FORMAT_HALF == 0x10 && CU_AD_FORMAT_FLOAT == 0x20 &&
                   CU_TRSF_SEAMLESS_CUBEMAP == 0x40,
               "memory of the driver's");
_Static_assert(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS == 6 &&
                   CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES == 14 &&
                   CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE == 15,
               "attributes of the driver's");
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
