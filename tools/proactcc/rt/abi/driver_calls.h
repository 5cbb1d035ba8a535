/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The implemented calls of the CUDA driver. driver_call.def lists all calls;
   driver_same.def lists those that equal a runtime call. */

#include "rt/abi/cuda_calls.h"
#include "rt/abi/driver_abi.h"

#define SAME(name, need, of, parameters, arguments)                                        \
    RT_API enum cuda_error name parameters DRIVER_NAME(name);
#include "rt/abi/driver_same.def"
#undef SAME

/* rt_driver.c */
DRIVER_API(cuInit)(unsigned flags) DRIVER_NAME(cuInit);
DRIVER_API(cuGetErrorName)(int error, const char **out) DRIVER_NAME(cuGetErrorName);
DRIVER_API(cuGetErrorString)(int error, const char **out) DRIVER_NAME(cuGetErrorString);

/* rt_driver_device.c */
DRIVER_API(cuDeviceGet)(int *out, int number) DRIVER_NAME(cuDeviceGet);
DRIVER_API(cuDeviceGetName)(char *out, int bytes, int device) DRIVER_NAME(cuDeviceGetName);
DRIVER_API(cuDeviceTotalMem_v2)(size_t *out, int device) DRIVER_NAME(cuDeviceTotalMem_v2);
DRIVER_API(cuDeviceGetUuid_v2)(char *out, int device) DRIVER_NAME(cuDeviceGetUuid_v2);
DRIVER_API(cuDeviceComputeCapability)
(int *major, int *minor, int device) DRIVER_NAME(cuDeviceComputeCapability);
DRIVER_API(cuDeviceGetProperties)
(struct driver_properties *out, int device) DRIVER_NAME(cuDeviceGetProperties);
DRIVER_API(cuDeviceGetTexture1DLinearMaxWidth)
(size_t *out, int format, unsigned channels, int device)
    DRIVER_NAME(cuDeviceGetTexture1DLinearMaxWidth);
DRIVER_API(cuDeviceGetExecAffinitySupport)
(int *out, int type, int device) DRIVER_NAME(cuDeviceGetExecAffinitySupport);

/* rt_driver_context.c */
DRIVER_API(cuDevicePrimaryCtxRetain)
(struct cuda_context **out, int device) DRIVER_NAME(cuDevicePrimaryCtxRetain);
DRIVER_API(cuDevicePrimaryCtxRelease_v2)
(int device) DRIVER_NAME(cuDevicePrimaryCtxRelease_v2);
DRIVER_API(cuDevicePrimaryCtxSetFlags_v2)
(int device, unsigned flags) DRIVER_NAME(cuDevicePrimaryCtxSetFlags_v2);
DRIVER_API(cuDevicePrimaryCtxGetState)
(int device, unsigned *flags, int *is_active) DRIVER_NAME(cuDevicePrimaryCtxGetState);
DRIVER_API(cuDevicePrimaryCtxReset_v2)(int device) DRIVER_NAME(cuDevicePrimaryCtxReset_v2);
DRIVER_API(cuCtxCreate_v2)
(struct cuda_context **out, unsigned flags, int device) DRIVER_NAME(cuCtxCreate_v2);
DRIVER_API(cuCtxCreate_v3)
(struct cuda_context **out, const void *affinity, int count, unsigned flags, int device)
    DRIVER_NAME(cuCtxCreate_v3);
DRIVER_API(cuCtxCreate_v4)
(struct cuda_context **out, const void *how, unsigned flags, int device)
    DRIVER_NAME(cuCtxCreate_v4);
DRIVER_API(cuCtxDestroy_v2)(struct cuda_context *c) DRIVER_NAME(cuCtxDestroy_v2);
DRIVER_API(cuCtxAttach)(struct cuda_context **out, unsigned flags) DRIVER_NAME(cuCtxAttach);
DRIVER_API(cuCtxDetach)(struct cuda_context *c) DRIVER_NAME(cuCtxDetach);
DRIVER_API(cuCtxPushCurrent_v2)(struct cuda_context *c) DRIVER_NAME(cuCtxPushCurrent_v2);
DRIVER_API(cuCtxPopCurrent_v2)(struct cuda_context **out) DRIVER_NAME(cuCtxPopCurrent_v2);
DRIVER_API(cuCtxSetCurrent)(struct cuda_context *c) DRIVER_NAME(cuCtxSetCurrent);
DRIVER_API(cuCtxGetCurrent)(struct cuda_context **out) DRIVER_NAME(cuCtxGetCurrent);
DRIVER_API(cuCtxGetDevice)(int *out) DRIVER_NAME(cuCtxGetDevice);
DRIVER_API(cuCtxGetDevice_v2)
(int *out, struct cuda_context *c) DRIVER_NAME(cuCtxGetDevice_v2);
DRIVER_API(cuCtxGetFlags)(unsigned *flags) DRIVER_NAME(cuCtxGetFlags);
DRIVER_API(cuCtxSetFlags)(unsigned flags) DRIVER_NAME(cuCtxSetFlags);
DRIVER_API(cuCtxGetId)
(struct cuda_context *c, unsigned long long *id) DRIVER_NAME(cuCtxGetId);
DRIVER_API(cuCtxSynchronize_v2)(struct cuda_context *c) DRIVER_NAME(cuCtxSynchronize_v2);
DRIVER_API(cuCtxGetApiVersion)
(struct cuda_context *c, unsigned *version) DRIVER_NAME(cuCtxGetApiVersion);
DRIVER_API(cuStreamGetCtx)
(struct cuda_stream *s, struct cuda_context **out) DRIVER_NAME(cuStreamGetCtx);
DRIVER_API(cuStreamGetCtx_v2)
(struct cuda_stream *s, struct cuda_context **out, void **green)
    DRIVER_NAME(cuStreamGetCtx_v2);

/* rt_driver_memory.c */
DRIVER_API(cuMemAlloc_v2)(void **out, size_t bytes) DRIVER_NAME(cuMemAlloc_v2);
DRIVER_API(cuMemAllocPitch_v2)
(void **out, size_t *pitch, size_t width, size_t height, unsigned element)
    DRIVER_NAME(cuMemAllocPitch_v2);
DRIVER_API(cuMemGetAddressRange_v2)
(uint64_t *first, size_t *bytes, const void *pointer) DRIVER_NAME(cuMemGetAddressRange_v2);
DRIVER_API(cuPointerGetAttribute)
(void *out, int attribute, const void *pointer) DRIVER_NAME(cuPointerGetAttribute);
DRIVER_API(cuPointerGetAttributes)
(unsigned count, const int *attributes, void **out, const void *pointer)
    DRIVER_NAME(cuPointerGetAttributes);
DRIVER_API(cuPointerSetAttribute)
(const void *value, int attribute, const void *pointer) DRIVER_NAME(cuPointerSetAttribute);

/* rt_driver_copy.c */
DRIVER_API(cuMemcpy2D_v2)(const struct driver_copy_2d *c) DRIVER_NAME(cuMemcpy2D_v2);
DRIVER_API(cuMemcpy2DUnaligned_v2)
(const struct driver_copy_2d *c) DRIVER_NAME(cuMemcpy2DUnaligned_v2);
DRIVER_API(cuMemcpy2DAsync_v2)
(const struct driver_copy_2d *c, struct cuda_stream *stream)
    DRIVER_NAME(cuMemcpy2DAsync_v2);
DRIVER_API(cuMemcpy3D_v2)(const struct driver_copy_3d *c) DRIVER_NAME(cuMemcpy3D_v2);
DRIVER_API(cuMemcpy3DAsync_v2)
(const struct driver_copy_3d *c, struct cuda_stream *stream)
    DRIVER_NAME(cuMemcpy3DAsync_v2);
DRIVER_API(cuGraphAddMemcpyNode)
(struct graph_op **out, struct cuda_graph *g, struct graph_op *const *after, size_t count,
 const struct driver_copy_3d *node, struct cuda_context *here)
    DRIVER_NAME(cuGraphAddMemcpyNode);
DRIVER_API(cuGraphMemcpyNodeSetParams)
(struct graph_op *op, const struct driver_copy_3d *node)
    DRIVER_NAME(cuGraphMemcpyNodeSetParams);
DRIVER_API(cuGraphExecMemcpyNodeSetParams)
(struct cuda_graph_exec *exec, struct graph_op *op, const struct driver_copy_3d *node,
 struct cuda_context *here) DRIVER_NAME(cuGraphExecMemcpyNodeSetParams);

/* rt_driver_fill.c */
DRIVER_API(cuMemsetD8_v2)
(void *to, unsigned char value, size_t count) DRIVER_NAME(cuMemsetD8_v2);
DRIVER_API(cuMemsetD16_v2)
(void *to, unsigned short value, size_t count) DRIVER_NAME(cuMemsetD16_v2);
DRIVER_API(cuMemsetD32_v2)
(void *to, unsigned value, size_t count) DRIVER_NAME(cuMemsetD32_v2);
DRIVER_API(cuMemsetD2D8_v2)
(void *to, size_t pitch, unsigned char value, size_t width, size_t height)
    DRIVER_NAME(cuMemsetD2D8_v2);
DRIVER_API(cuMemsetD2D16_v2)
(void *to, size_t pitch, unsigned short value, size_t width, size_t height)
    DRIVER_NAME(cuMemsetD2D16_v2);
DRIVER_API(cuMemsetD2D32_v2)
(void *to, size_t pitch, unsigned value, size_t width, size_t height)
    DRIVER_NAME(cuMemsetD2D32_v2);
DRIVER_API(cuMemsetD8Async)
(void *to, unsigned char value, size_t count, struct cuda_stream *stream)
    DRIVER_NAME(cuMemsetD8Async);
DRIVER_API(cuMemsetD16Async)
(void *to, unsigned short value, size_t count, struct cuda_stream *stream)
    DRIVER_NAME(cuMemsetD16Async);
DRIVER_API(cuMemsetD32Async)
(void *to, unsigned value, size_t count, struct cuda_stream *stream)
    DRIVER_NAME(cuMemsetD32Async);
DRIVER_API(cuMemsetD2D8Async)
(void *to, size_t pitch, unsigned char value, size_t width, size_t height,
 struct cuda_stream *stream) DRIVER_NAME(cuMemsetD2D8Async);
DRIVER_API(cuMemsetD2D16Async)
(void *to, size_t pitch, unsigned short value, size_t width, size_t height,
 struct cuda_stream *stream) DRIVER_NAME(cuMemsetD2D16Async);
DRIVER_API(cuMemsetD2D32Async)
(void *to, size_t pitch, unsigned value, size_t width, size_t height,
 struct cuda_stream *stream) DRIVER_NAME(cuMemsetD2D32Async);

/* rt_driver_array.c */
DRIVER_API(cuArrayCreate_v2)
(struct cuda_array **out, const struct driver_array *shape) DRIVER_NAME(cuArrayCreate_v2);
DRIVER_API(cuArray3DCreate_v2)
(struct cuda_array **out, const struct driver_array_3d *shape)
    DRIVER_NAME(cuArray3DCreate_v2);
DRIVER_API(cuArrayGetDescriptor_v2)
(struct driver_array *out, struct cuda_array *array) DRIVER_NAME(cuArrayGetDescriptor_v2);
DRIVER_API(cuArray3DGetDescriptor_v2)
(struct driver_array_3d *out, struct cuda_array *array)
    DRIVER_NAME(cuArray3DGetDescriptor_v2);
DRIVER_API(cuTexObjectCreate)
(cuda_object *out, const struct driver_resource *resource,
 const struct driver_texture *texture, const struct cuda_resource_view *view)
    DRIVER_NAME(cuTexObjectCreate);
DRIVER_API(cuSurfObjectCreate)
(cuda_object *out, const struct driver_resource *resource) DRIVER_NAME(cuSurfObjectCreate);

/* rt_driver_launch.c */
DRIVER_API(cuLaunchKernel)
(struct cuda_kernel *k, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
 unsigned block_y, unsigned block_z, unsigned shared_bytes, struct cuda_stream *stream,
 void **args, void **extra) DRIVER_NAME(cuLaunchKernel);
DRIVER_API(cuLaunchCooperativeKernel)
(struct cuda_kernel *k, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
 unsigned block_y, unsigned block_z, unsigned shared_bytes, struct cuda_stream *stream,
 void **args) DRIVER_NAME(cuLaunchCooperativeKernel);
DRIVER_API(cuLaunchKernelEx)
(const struct driver_launch *launch, struct cuda_kernel *k, void **args, void **extra)
    DRIVER_NAME(cuLaunchKernelEx);
DRIVER_API(cuGraphAddKernelNode_v2)
(struct graph_op **out, struct cuda_graph *g, struct graph_op *const *after, size_t count,
 const struct driver_kernel_node *node) DRIVER_NAME(cuGraphAddKernelNode_v2);
DRIVER_API(cuGraphKernelNodeGetParams_v2)
(struct graph_op *op, struct driver_kernel_node *out)
    DRIVER_NAME(cuGraphKernelNodeGetParams_v2);

/* rt_driver_function.c */
DRIVER_API(cuFuncGetAttribute)
(int *out, int attribute, struct cuda_kernel *k) DRIVER_NAME(cuFuncGetAttribute);
DRIVER_API(cuKernelGetAttribute)
(int *out, int attribute, struct cuda_kernel *k, int device)
    DRIVER_NAME(cuKernelGetAttribute);
DRIVER_API(cuFuncIsLoaded)(int *out, struct cuda_kernel *k) DRIVER_NAME(cuFuncIsLoaded);
DRIVER_API(cuOccupancyMaxPotentialBlockSize)
(int *grid, int *block, struct cuda_kernel *k, size_t (*shared_of)(int),
 size_t shared_bytes, int limit) DRIVER_NAME(cuOccupancyMaxPotentialBlockSize);
DRIVER_API(cuOccupancyMaxPotentialBlockSizeWithFlags)
(int *grid, int *block, struct cuda_kernel *k, size_t (*shared_of)(int),
 size_t shared_bytes, int limit, unsigned flags)
    DRIVER_NAME(cuOccupancyMaxPotentialBlockSizeWithFlags);
DRIVER_API(cuOccupancyMaxPotentialClusterSize)
(int *out, struct cuda_kernel *k, const struct driver_launch *launch)
    DRIVER_NAME(cuOccupancyMaxPotentialClusterSize);
DRIVER_API(cuOccupancyMaxActiveClusters)
(int *out, struct cuda_kernel *k, const struct driver_launch *launch)
    DRIVER_NAME(cuOccupancyMaxActiveClusters);

/* rt_driver_module.c */
DRIVER_API(cuModuleLoad)
(struct cuda_module **out, const char *path) DRIVER_NAME(cuModuleLoad);
DRIVER_API(cuModuleLoadData)
(struct cuda_module **out, const void *data) DRIVER_NAME(cuModuleLoadData);
DRIVER_API(cuModuleLoadDataEx)
(struct cuda_module **out, const void *data, unsigned count, const int *options,
 void **values) DRIVER_NAME(cuModuleLoadDataEx);
DRIVER_API(cuModuleLoadFatBinary)
(struct cuda_module **out, const void *data) DRIVER_NAME(cuModuleLoadFatBinary);
DRIVER_API(cuModuleUnload)(struct cuda_module *m) DRIVER_NAME(cuModuleUnload);
DRIVER_API(cuModuleGetFunction)
(struct cuda_kernel **out, struct cuda_module *m, const char *name)
    DRIVER_NAME(cuModuleGetFunction);
DRIVER_API(cuModuleGetGlobal_v2)
(void **out, size_t *bytes, struct cuda_module *m, const char *name)
    DRIVER_NAME(cuModuleGetGlobal_v2);
DRIVER_API(cuModuleGetFunctionCount)
(unsigned *out, struct cuda_module *m) DRIVER_NAME(cuModuleGetFunctionCount);
DRIVER_API(cuModuleEnumerateFunctions)
(struct cuda_kernel **out, unsigned count, struct cuda_module *m)
    DRIVER_NAME(cuModuleEnumerateFunctions);
DRIVER_API(cuModuleGetLoadingMode)(int *out) DRIVER_NAME(cuModuleGetLoadingMode);
DRIVER_API(cuFuncGetModule)
(struct cuda_module **out, struct cuda_kernel *k) DRIVER_NAME(cuFuncGetModule);

/* rt_driver_library.c; library options have no effect */
DRIVER_API(cuLibraryLoadData)
(struct cuda_module **out, const void *data, const int *jit_options, void **jit_values,
 unsigned jit_count, const int *options, void **values, unsigned count)
    DRIVER_NAME(cuLibraryLoadData);
DRIVER_API(cuLibraryLoadFromFile)
(struct cuda_module **out, const char *path, const int *jit_options, void **jit_values,
 unsigned jit_count, const int *options, void **values, unsigned count)
    DRIVER_NAME(cuLibraryLoadFromFile);
DRIVER_API(cuLibraryUnload)(struct cuda_module *m) DRIVER_NAME(cuLibraryUnload);
DRIVER_API(cuLibraryGetKernel)
(struct cuda_kernel **out, struct cuda_module *m, const char *name)
    DRIVER_NAME(cuLibraryGetKernel);
DRIVER_API(cuLibraryGetKernelCount)
(unsigned *out, struct cuda_module *m) DRIVER_NAME(cuLibraryGetKernelCount);
DRIVER_API(cuLibraryEnumerateKernels)
(struct cuda_kernel **out, unsigned count, struct cuda_module *m)
    DRIVER_NAME(cuLibraryEnumerateKernels);
DRIVER_API(cuLibraryGetModule)
(struct cuda_module **out, struct cuda_module *m) DRIVER_NAME(cuLibraryGetModule);
DRIVER_API(cuLibraryGetGlobal)
(void **out, size_t *bytes, struct cuda_module *m, const char *name)
    DRIVER_NAME(cuLibraryGetGlobal);
DRIVER_API(cuKernelGetFunction)
(struct cuda_kernel **out, struct cuda_kernel *k) DRIVER_NAME(cuKernelGetFunction);
DRIVER_API(cuKernelGetLibrary)
(struct cuda_module **out, struct cuda_kernel *k) DRIVER_NAME(cuKernelGetLibrary);

/* rt_driver_link.c */
DRIVER_API(cuLinkCreate_v2)
(unsigned count, const int *options, void **values, struct cuda_linking **out)
    DRIVER_NAME(cuLinkCreate_v2);
DRIVER_API(cuLinkAddData_v2)
(struct cuda_linking *l, int type, void *data, size_t bytes, const char *name,
 unsigned count, const int *options, void **values) DRIVER_NAME(cuLinkAddData_v2);
DRIVER_API(cuLinkAddFile_v2)
(struct cuda_linking *l, int type, const char *path, unsigned count, const int *options,
 void **values) DRIVER_NAME(cuLinkAddFile_v2);
DRIVER_API(cuLinkComplete)
(struct cuda_linking *l, void **out, size_t *bytes) DRIVER_NAME(cuLinkComplete);
DRIVER_API(cuLinkDestroy)(struct cuda_linking *l) DRIVER_NAME(cuLinkDestroy);

/* rt_driver_entry.c */
DRIVER_API(cuGetProcAddress)
(const char *name, void **out, int version, unsigned long long flags)
    DRIVER_NAME(cuGetProcAddress);
DRIVER_API(cuGetProcAddress_v2)
(const char *name, void **out, int version, unsigned long long flags, int *result)
    DRIVER_NAME(cuGetProcAddress_v2);
