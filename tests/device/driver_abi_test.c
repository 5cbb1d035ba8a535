/* SPDX-License-Identifier: Apache-2.0 */
/* The declarations of the CUDA driver in driver.h, compared with NVIDIA's header at compile
   time: types, constants, structures and every function type. At run time the test checks
   that it compares every constant of driver.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if !__has_include(<cuda.h>)

int main(void)
{
    puts("no cuda.h here, so the driver's declarations are not compared: skipped");
    return 77;
}

#else

#define CU_STREAM_NON_BLOCKING OUR_STREAM_NON_BLOCKING /* both headers use this name */
#include "device/cuda/driver/driver.h"
#undef CU_STREAM_NON_BLOCKING
#include <cuda.h>
#if CUDA_VERSION < 12080
#define cuEventElapsedTime_v2 cuEventElapsedTime
#endif

#define NUMBER(ours, theirs)                                                               \
    _Static_assert((int)(ours) == (int)(theirs), #ours " is not " #theirs);
#define SIZE(ours, theirs)                                                                 \
    _Static_assert(sizeof(ours) == sizeof(theirs) && _Alignof(ours) == _Alignof(theirs),   \
                   #ours " is not laid out as " #theirs);
#define SAME(ours, theirs)                                                                 \
    _Static_assert(__builtin_types_compatible_p(ours, theirs), #ours " is not " #theirs);
#define MEMBER(ours, our_member, theirs, their_member)                                     \
    _Static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member) &&         \
                       sizeof((ours){0}.our_member) == sizeof((theirs){0}.their_member),   \
                   #ours "." #our_member " is not " #theirs "." #their_member);

SIZE(cu_result, CUresult)
SIZE(cu_device_attribute, CUdevice_attribute)
SIZE(cu_peer_attribute, CUdevice_P2PAttribute)
SIZE(cu_function_attribute, CUfunction_attribute)
SIZE(cu_jit_option, CUjit_option)
SIZE(cu_limit, CUlimit)
SIZE(cu_jit_input, CUjitInputType)
SIZE(cu_capture_mode, CUstreamCaptureMode)
SIZE(cu_granularity, CUmemAllocationGranularity_flags)
SIZE(cu_address, CUdeviceptr)
SAME(cu_device, CUdevice)
SAME(cu_physical, CUmemGenericAllocationHandle)
SAME(cu_context, CUcontext)
SAME(cu_stream, CUstream)
SAME(cu_event, CUevent)
SAME(cu_module, CUmodule)
SAME(cu_function, CUfunction)
SAME(cu_link, CUlinkState)
SAME(cu_graph, CUgraph)
SAME(cu_graph_exec, CUgraphExec)
SAME(cu_graph_node, CUgraphNode)

NUMBER(CU_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE)
NUMBER(CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY)
NUMBER(CU_STUB, CUDA_ERROR_STUB_LIBRARY)
NUMBER(CU_NO_DEVICE, CUDA_ERROR_NO_DEVICE)
NUMBER(CU_INVALID_IMAGE, CUDA_ERROR_INVALID_IMAGE)
NUMBER(CU_NO_BINARY, CUDA_ERROR_NO_BINARY_FOR_GPU)
NUMBER(CU_INVALID_PTX, CUDA_ERROR_INVALID_PTX)
NUMBER(CU_UNSUPPORTED_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
NUMBER(CU_NOT_FOUND, CUDA_ERROR_NOT_FOUND)
NUMBER(CU_NOT_READY, CUDA_ERROR_NOT_READY)
NUMBER(CU_LAUNCH_RESOURCES, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
NUMBER(CU_COOPERATIVE_TOO_LARGE, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
NUMBER(CU_INVALID_CLUSTER_SIZE, CUDA_ERROR_INVALID_CLUSTER_SIZE)
NUMBER(CU_LARGE_CLUSTERS, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
NUMBER(CU_LAUNCH_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
NUMBER(CU_LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
NUMBER(CU_PEER_ALREADY_ENABLED, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)

NUMBER(CU_THREADS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
NUMBER(CU_PITCH_MAX, CU_DEVICE_ATTRIBUTE_MAX_PITCH)
NUMBER(CU_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
NUMBER(CU_SM_COUNT, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
NUMBER(CU_MEMORY_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)
NUMBER(CU_MEMORY_BUS_BITS, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)
NUMBER(CU_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
NUMBER(CU_THREADS_PER_SM, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)
NUMBER(CU_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
NUMBER(CU_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
NUMBER(CU_SHARED_PER_SM, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
NUMBER(CU_SHARED_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
NUMBER(CU_MEMORY_MAPPING, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
NUMBER(CU_BLOCKS_PER_SM, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)

NUMBER(CU_PEER_ATOMICS, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED)
NUMBER(CU_COMPUTE_MODE, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)
NUMBER(CU_MODE_PROHIBITED, CU_COMPUTEMODE_PROHIBITED)
NUMBER(CU_MODE_EXCLUSIVE, CU_COMPUTEMODE_EXCLUSIVE_PROCESS)
#if CUDA_VERSION >= 12010
NUMBER(CU_MULTICAST, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED)
#endif

NUMBER(CU_FUNCTION_THREADS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
NUMBER(CU_CONST_BYTES, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)
NUMBER(CU_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS)
NUMBER(CU_STATIC_SHARED_BYTES, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
NUMBER(CU_LOCAL_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
NUMBER(CU_STACK_BYTES, CU_LIMIT_STACK_SIZE)
NUMBER(CU_HEAP_BYTES, CU_LIMIT_MALLOC_HEAP_SIZE)
NUMBER(CU_DYNAMIC_SHARED_MAX, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
NUMBER(CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER)
NUMBER(CU_JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
NUMBER(CU_LINK_PTX, CU_JIT_INPUT_PTX)
NUMBER(CU_LINK_LIBRARY, CU_JIT_INPUT_LIBRARY)

NUMBER(CU_STREAM_BLOCKING, CU_STREAM_DEFAULT)
NUMBER(OUR_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING)
NUMBER(CU_EVENT_WITH_TIME, CU_EVENT_DEFAULT)
NUMBER(CU_EVENT_WITHOUT_TIME, CU_EVENT_DISABLE_TIMING)
NUMBER(CU_WAIT_AT_LEAST, CU_STREAM_WAIT_VALUE_GEQ)
NUMBER(CU_WORD_WAIT, CU_STREAM_MEM_OP_WAIT_VALUE_32)
NUMBER(CU_WORD_WRITE, CU_STREAM_MEM_OP_WRITE_VALUE_32)
NUMBER(CU_LAUNCH_PROGRAMMATIC, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
NUMBER(CU_LAUNCH_PRIORITY, CU_LAUNCH_ATTRIBUTE_PRIORITY)
NUMBER(CU_GRAPH_PRIORITIES, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)
NUMBER(CU_CAPTURE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED)
NUMBER(CU_HOST_PORTABLE, CU_MEMHOSTALLOC_PORTABLE)
NUMBER(CU_MANAGED_GLOBAL, CU_MEM_ATTACH_GLOBAL)
NUMBER(CU_PHYSICAL_PINNED, CU_MEM_ALLOCATION_TYPE_PINNED)
NUMBER(CU_LOCATION_DEVICE, CU_MEM_LOCATION_TYPE_DEVICE)
NUMBER(CU_MEMORY_HOST, CU_MEMORYTYPE_HOST)
NUMBER(CU_MEMORY_UNIFIED, CU_MEMORYTYPE_UNIFIED)
NUMBER(CU_ACCESS_READ_WRITE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
NUMBER(CU_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_MINIMUM)

SIZE(struct cu_location, CUmemLocation)
MEMBER(struct cu_location, type, CUmemLocation, type)
MEMBER(struct cu_location, number, CUmemLocation, id)
SIZE(struct cu_memory_kind, CUmemAllocationProp)
MEMBER(struct cu_memory_kind, type, CUmemAllocationProp, type)
MEMBER(struct cu_memory_kind, handle_types, CUmemAllocationProp, requestedHandleTypes)
MEMBER(struct cu_memory_kind, location, CUmemAllocationProp, location)
MEMBER(struct cu_memory_kind, windows, CUmemAllocationProp, win32HandleMetaData)
MEMBER(struct cu_memory_kind, flags, CUmemAllocationProp, allocFlags)
MEMBER(struct cu_memory_kind, flags.compression, CUmemAllocationProp,
       allocFlags.compressionType)
MEMBER(struct cu_memory_kind, flags.remote_dma, CUmemAllocationProp,
       allocFlags.gpuDirectRDMACapable)
MEMBER(struct cu_memory_kind, flags.usage, CUmemAllocationProp, allocFlags.usage)
MEMBER(struct cu_memory_kind, flags.reserved, CUmemAllocationProp, allocFlags.reserved)
SIZE(struct cu_memory_access, CUmemAccessDesc)
MEMBER(struct cu_memory_access, location, CUmemAccessDesc, location)
MEMBER(struct cu_memory_access, access, CUmemAccessDesc, flags)

SIZE(union cu_word_op, CUstreamBatchMemOpParams)
MEMBER(union cu_word_op, what, CUstreamBatchMemOpParams, operation)
MEMBER(union cu_word_op, at.what, CUstreamBatchMemOpParams, waitValue.operation)
MEMBER(union cu_word_op, at.word, CUstreamBatchMemOpParams, waitValue.address)
MEMBER(union cu_word_op, at.value, CUstreamBatchMemOpParams, waitValue.value)
MEMBER(union cu_word_op, at.flags, CUstreamBatchMemOpParams, waitValue.flags)
MEMBER(union cu_word_op, at.word, CUstreamBatchMemOpParams, writeValue.address)
MEMBER(union cu_word_op, at.value, CUstreamBatchMemOpParams, writeValue.value)
MEMBER(union cu_word_op, at.flags, CUstreamBatchMemOpParams, writeValue.flags)
SIZE(struct cu_rows, CUDA_MEMCPY2D)
MEMBER(struct cu_rows, from.x, CUDA_MEMCPY2D, srcXInBytes)
MEMBER(struct cu_rows, from.y, CUDA_MEMCPY2D, srcY)
MEMBER(struct cu_rows, from.memory, CUDA_MEMCPY2D, srcMemoryType)
MEMBER(struct cu_rows, from.host, CUDA_MEMCPY2D, srcHost)
MEMBER(struct cu_rows, from.device, CUDA_MEMCPY2D, srcDevice)
MEMBER(struct cu_rows, from.array, CUDA_MEMCPY2D, srcArray)
MEMBER(struct cu_rows, from.pitch, CUDA_MEMCPY2D, srcPitch)
MEMBER(struct cu_rows, to.x, CUDA_MEMCPY2D, dstXInBytes)
MEMBER(struct cu_rows, to.y, CUDA_MEMCPY2D, dstY)
MEMBER(struct cu_rows, to.memory, CUDA_MEMCPY2D, dstMemoryType)
MEMBER(struct cu_rows, to.host, CUDA_MEMCPY2D, dstHost)
MEMBER(struct cu_rows, to.device, CUDA_MEMCPY2D, dstDevice)
MEMBER(struct cu_rows, to.array, CUDA_MEMCPY2D, dstArray)
MEMBER(struct cu_rows, to.pitch, CUDA_MEMCPY2D, dstPitch)
MEMBER(struct cu_rows, width, CUDA_MEMCPY2D, WidthInBytes)
MEMBER(struct cu_rows, height, CUDA_MEMCPY2D, Height)

SAME(cu_array, CUarray)
SAME(cu_object, CUtexObject)
SAME(cu_object, CUsurfObject)
NUMBER(CU_MEMORY_ARRAY, CU_MEMORYTYPE_ARRAY)
NUMBER(CU_ARRAY_LAYERED, CUDA_ARRAY3D_LAYERED)
NUMBER(CU_ARRAY_SURFACES, CUDA_ARRAY3D_SURFACE_LDST)
NUMBER(CU_ARRAY_CUBE, CUDA_ARRAY3D_CUBEMAP)
NUMBER(CU_ARRAY_GATHERED, CUDA_ARRAY3D_TEXTURE_GATHER)
NUMBER(CU_UNSIGNED_8, CU_AD_FORMAT_UNSIGNED_INT8)
NUMBER(CU_UNSIGNED_16, CU_AD_FORMAT_UNSIGNED_INT16)
NUMBER(CU_UNSIGNED_32, CU_AD_FORMAT_UNSIGNED_INT32)
NUMBER(CU_SIGNED_8, CU_AD_FORMAT_SIGNED_INT8)
NUMBER(CU_SIGNED_16, CU_AD_FORMAT_SIGNED_INT16)
NUMBER(CU_SIGNED_32, CU_AD_FORMAT_SIGNED_INT32)
NUMBER(CU_FLOAT_16, CU_AD_FORMAT_HALF)
NUMBER(CU_FLOAT_32, CU_AD_FORMAT_FLOAT)
NUMBER(CU_OF_ARRAY, CU_RESOURCE_TYPE_ARRAY)
NUMBER(CU_OF_LINE, CU_RESOURCE_TYPE_LINEAR)
NUMBER(CU_OF_ROWS, CU_RESOURCE_TYPE_PITCH2D)
NUMBER(CU_READ_ELEMENTS, CU_TRSF_READ_AS_INTEGER)
NUMBER(CU_READ_NORMALIZED, CU_TRSF_NORMALIZED_COORDINATES)
NUMBER(CU_READ_SRGB, CU_TRSF_SRGB)
SIZE(struct cu_box, CUDA_MEMCPY3D)
MEMBER(struct cu_box, from.x, CUDA_MEMCPY3D, srcXInBytes)
MEMBER(struct cu_box, from.z, CUDA_MEMCPY3D, srcZ)
MEMBER(struct cu_box, from.memory, CUDA_MEMCPY3D, srcMemoryType)
MEMBER(struct cu_box, from.host, CUDA_MEMCPY3D, srcHost)
MEMBER(struct cu_box, from.device, CUDA_MEMCPY3D, srcDevice)
MEMBER(struct cu_box, from.array, CUDA_MEMCPY3D, srcArray)
MEMBER(struct cu_box, from.pitch, CUDA_MEMCPY3D, srcPitch)
MEMBER(struct cu_box, from.rows, CUDA_MEMCPY3D, srcHeight)
MEMBER(struct cu_box, to.x, CUDA_MEMCPY3D, dstXInBytes)
MEMBER(struct cu_box, to.memory, CUDA_MEMCPY3D, dstMemoryType)
MEMBER(struct cu_box, to.host, CUDA_MEMCPY3D, dstHost)
MEMBER(struct cu_box, to.array, CUDA_MEMCPY3D, dstArray)
MEMBER(struct cu_box, to.rows, CUDA_MEMCPY3D, dstHeight)
MEMBER(struct cu_box, width, CUDA_MEMCPY3D, WidthInBytes)
MEMBER(struct cu_box, depth, CUDA_MEMCPY3D, Depth)
SIZE(struct cu_peer_box, CUDA_MEMCPY3D_PEER)
MEMBER(struct cu_peer_box, box.from.array, CUDA_MEMCPY3D_PEER, srcArray)
MEMBER(struct cu_peer_box, box.from.context, CUDA_MEMCPY3D_PEER, srcContext)
MEMBER(struct cu_peer_box, box.to.context, CUDA_MEMCPY3D_PEER, dstContext)
MEMBER(struct cu_peer_box, box.depth, CUDA_MEMCPY3D_PEER, Depth)
SIZE(struct cu_array_shape, CUDA_ARRAY3D_DESCRIPTOR)
MEMBER(struct cu_array_shape, depth, CUDA_ARRAY3D_DESCRIPTOR, Depth)
MEMBER(struct cu_array_shape, format, CUDA_ARRAY3D_DESCRIPTOR, Format)
MEMBER(struct cu_array_shape, channels, CUDA_ARRAY3D_DESCRIPTOR, NumChannels)
MEMBER(struct cu_array_shape, flags, CUDA_ARRAY3D_DESCRIPTOR, Flags)
SIZE(struct cu_resource, CUDA_RESOURCE_DESC)
MEMBER(struct cu_resource, of.array, CUDA_RESOURCE_DESC, res.array.hArray)
MEMBER(struct cu_resource, of.memory.address, CUDA_RESOURCE_DESC, res.pitch2D.devPtr)
MEMBER(struct cu_resource, of.memory.format, CUDA_RESOURCE_DESC, res.pitch2D.format)
MEMBER(struct cu_resource, of.memory.channels, CUDA_RESOURCE_DESC, res.pitch2D.numChannels)
MEMBER(struct cu_resource, of.memory.width, CUDA_RESOURCE_DESC, res.pitch2D.width)
MEMBER(struct cu_resource, of.memory.pitch, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes)
MEMBER(struct cu_resource, of.memory.width, CUDA_RESOURCE_DESC, res.linear.sizeInBytes)
MEMBER(struct cu_resource, flags, CUDA_RESOURCE_DESC, flags)
SIZE(struct cu_sampler, CUDA_TEXTURE_DESC)
MEMBER(struct cu_sampler, address_mode, CUDA_TEXTURE_DESC, addressMode)
MEMBER(struct cu_sampler, filter, CUDA_TEXTURE_DESC, filterMode)
MEMBER(struct cu_sampler, flags, CUDA_TEXTURE_DESC, flags)
MEMBER(struct cu_sampler, border, CUDA_TEXTURE_DESC, borderColor)

SIZE(struct cu_launch_attribute, CUlaunchAttribute)
MEMBER(struct cu_launch_attribute, what, CUlaunchAttribute, id)
MEMBER(struct cu_launch_attribute, value, CUlaunchAttribute, value)
MEMBER(struct cu_launch_attribute, value.priority, CUlaunchAttribute, value.priority)
MEMBER(struct cu_launch_attribute, value.programmatic, CUlaunchAttribute,
       value.programmaticStreamSerializationAllowed)
SIZE(struct cu_launch_config, CUlaunchConfig)
MEMBER(struct cu_launch_config, shared_bytes, CUlaunchConfig, sharedMemBytes)
MEMBER(struct cu_launch_config, stream, CUlaunchConfig, hStream)
MEMBER(struct cu_launch_config, attributes, CUlaunchConfig, attrs)
MEMBER(struct cu_launch_config, attribute_count, CUlaunchConfig, numAttrs)

SIZE(struct cu_kernel_node, CUDA_KERNEL_NODE_PARAMS_v2)
MEMBER(struct cu_kernel_node, shared_bytes, CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes)
MEMBER(struct cu_kernel_node, parameters, CUDA_KERNEL_NODE_PARAMS_v2, kernelParams)
MEMBER(struct cu_kernel_node, extra, CUDA_KERNEL_NODE_PARAMS_v2, extra)
MEMBER(struct cu_kernel_node, context, CUDA_KERNEL_NODE_PARAMS_v2, ctx)

/* Function types, with the type names of driver.h replaced by NVIDIA's. */
#define cu_result CUresult
#define cu_device_attribute CUdevice_attribute
#define cu_peer_attribute CUdevice_P2PAttribute
#define cu_function_attribute CUfunction_attribute
#define cu_jit_option CUjit_option
#define cu_limit CUlimit
#define cu_jit_input CUjitInputType
#define cu_capture_mode CUstreamCaptureMode
#define cu_capture_status CUstreamCaptureStatus
#define cu_edge CUgraphEdgeData_st
#define cu_kernel_node CUDA_KERNEL_NODE_PARAMS_v2_st
#define cu_granularity CUmemAllocationGranularity_flags
#define cu_address CUdeviceptr
#define cu_launch_config CUlaunchConfig_st
#define cu_rows CUDA_MEMCPY2D_st
#define cu_word_op CUstreamBatchMemOpParams_union
#define cu_box CUDA_MEMCPY3D_st
#define cu_peer_box CUDA_MEMCPY3D_PEER_st
#define cu_array_shape CUDA_ARRAY3D_DESCRIPTOR_st
#define cu_resource CUDA_RESOURCE_DESC_st
#define cu_sampler CUDA_TEXTURE_DESC_st
#define cu_view CUDA_RESOURCE_VIEW_DESC_st
#define cu_memory_kind CUmemAllocationProp_st
#define cu_memory_access CUmemAccessDesc_st
#define DRIVER(name, symbol, parameters)                                                   \
    _Static_assert(                                                                        \
        __builtin_types_compatible_p(cu_result(*) parameters, __typeof__(&symbol)),        \
        #symbol " has other parameters");
#define OPTIONAL DRIVER
#include "device/cuda/driver/driver.def"

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 16);

    assert_non_null(f);
    assert_true(text && fread(text, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    return text;
}

/* Every CU_NAME with a value in driver.h has a row above. */
static void every_constant_is_compared(void **state)
{
    char *header = read_text(PROACT_SOURCE "/src/device/cuda/driver/driver.h");
    char *rows = read_text(PROACT_SOURCE "/tests/device/driver_abi_test.c"), name[80],
         row[96];
    size_t count = 0;

    (void)state;
    for (const char *at = header; (at = strstr(at, "CU_")); at++) {
        if (sscanf(at, "CU_%60[A-Z0-9_] = ", name) != 1 || !strstr(at, " = ") ||
            strncmp(at + 3 + strlen(name), " = ", 3) != 0)
            continue;
        if (strcmp(name, "STREAM_NON_BLOCKING") == 0)
            snprintf(row, sizeof row, "\nNUMBER(OUR_%s, ", name);
        else
            snprintf(row, sizeof row, "\nNUMBER(CU_%s, ", name);
        if (!strstr(rows, row))
            fail_msg("driver.h gives CU_%s a value that is not compared", name);
        count++;
    }
    assert_true(count > 30);
    free(header);
    free(rows);
}

/* Pointers are not constant expressions in C. */
static void pointer_constants_are_equal(void **state)
{
    (void)state;
    assert_ptr_equal(CU_STREAM_OLD_DEFAULT, CU_STREAM_LEGACY);
    assert_ptr_equal(CU_LAUNCH_END, CU_LAUNCH_PARAM_END);
    assert_ptr_equal(CU_LAUNCH_BUFFER, CU_LAUNCH_PARAM_BUFFER_POINTER);
    assert_ptr_equal(CU_LAUNCH_BUFFER_BYTES, CU_LAUNCH_PARAM_BUFFER_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_constant_is_compared),
        cmocka_unit_test(pointer_constants_are_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
