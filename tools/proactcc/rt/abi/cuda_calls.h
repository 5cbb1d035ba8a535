/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The implemented calls of the CUDA runtime; cuda_call.def lists all calls. */

#include "rt/abi/cuda_abi.h"

/* rt_copy_calls.c */
RT_API enum cuda_error cudaMemcpy(void *to, const void *from, size_t bytes,
                                  enum cuda_copy_kind kind);
RT_API enum cuda_error cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                       enum cuda_copy_kind kind,
                                       struct cuda_stream *stream);
RT_API enum cuda_error cudaMemcpyBatchAsync(void *const *to, const void *const *from,
                                            const size_t *bytes, size_t count,
                                            struct cuda_copy_attributes *attributes,
                                            size_t *firsts, size_t attribute_count,
                                            struct cuda_stream *stream);
RT_API enum cuda_error cudaMemcpyPeer(void *to, int to_device, const void *from,
                                      int from_device, size_t bytes);
RT_API enum cuda_error cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                           int from_device, size_t bytes,
                                           struct cuda_stream *stream);
RT_API enum cuda_error cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                                    size_t from_pitch, size_t width, size_t height,
                                    enum cuda_copy_kind kind);
RT_API enum cuda_error cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                         size_t from_pitch, size_t width, size_t height,
                                         enum cuda_copy_kind kind,
                                         struct cuda_stream *stream);
RT_API enum cuda_error cudaMemcpy3D(const struct cuda_copy_3d *c);
RT_API enum cuda_error cudaMemcpy3DAsync(const struct cuda_copy_3d *c,
                                         struct cuda_stream *stream);
RT_API enum cuda_error cudaMemset(void *to, int value, size_t bytes);
RT_API enum cuda_error cudaMemsetAsync(void *to, int value, size_t bytes,
                                       struct cuda_stream *stream);
RT_API enum cuda_error cudaMemset2D(void *to, size_t pitch, int value, size_t width,
                                    size_t height);
RT_API enum cuda_error cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                         size_t height, struct cuda_stream *stream);
RT_API enum cuda_error cudaMemset3D(struct cuda_pitched to, int value,
                                    struct cuda_extent extent);
RT_API enum cuda_error cudaMemset3DAsync(struct cuda_pitched to, int value,
                                         struct cuda_extent extent,
                                         struct cuda_stream *stream);

/* rt_device.c */
RT_API enum cuda_error cudaGetDeviceProperties(struct cuda_device_properties *out,
                                               int device);
RT_API enum cuda_error cudaDeviceGetAttribute(int *out, int number, int device);
RT_API enum cuda_error cudaGetDeviceCount(int *out);
RT_API enum cuda_error cudaSetDevice(int device);
RT_API enum cuda_error cudaInitDevice(int device, unsigned device_flags, unsigned flags);
RT_API enum cuda_error cudaGetDevice(int *out);
RT_API enum cuda_error cudaChooseDevice(int *out,
                                        const struct cuda_device_properties *wanted);
RT_API enum cuda_error cudaSetValidDevices(int *devices, int count);
RT_API enum cuda_error cudaSetDeviceFlags(unsigned flags);
RT_API enum cuda_error cudaGetDeviceFlags(unsigned *flags);
RT_API enum cuda_error cudaDeviceCanAccessPeer(int *out, int device, int peer);
RT_API enum cuda_error cudaDeviceGetPCIBusId(char *out, int bytes, int device);
RT_API enum cuda_error cudaDeviceGetByPCIBusId(int *out, const char *id);
RT_API enum cuda_error cudaDeviceSetLimit(int limit, size_t value);
RT_API enum cuda_error cudaDeviceGetLimit(size_t *out, int limit);
RT_API enum cuda_error cudaDeviceSetCacheConfig(int config);
RT_API enum cuda_error cudaDeviceGetCacheConfig(int *config);
RT_API enum cuda_error cudaDeviceSetSharedMemConfig(int config);
RT_API enum cuda_error cudaDeviceGetSharedMemConfig(int *config);
RT_API enum cuda_error cudaCtxResetPersistingL2Cache(void);
RT_API enum cuda_error cudaDeviceReset(void);
RT_API enum cuda_error cudaRuntimeGetVersion(int *out);
RT_API enum cuda_error cudaDriverGetVersion(int *out);
RT_API enum cuda_error cudaProfilerStart(void);
RT_API enum cuda_error cudaProfilerStop(void);
RT_API enum cuda_error cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                            struct cuda_memory_location location,
                                            unsigned flags, struct cuda_stream *stream);
RT_API enum cuda_error cudaMemPrefetchBatchAsync(void **pointers, size_t *bytes,
                                                 size_t count,
                                                 struct cuda_memory_location *locations,
                                                 size_t *firsts, size_t location_count,
                                                 unsigned long long flags,
                                                 struct cuda_stream *stream);
RT_API enum cuda_error cudaMemAdvise(const void *pointer, size_t bytes, int advice,
                                     struct cuda_memory_location location);
RT_API struct cuda_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind);

/* rt_error_calls.c */
RT_API enum cuda_error cudaGetLastError(void);
RT_API enum cuda_error cudaPeekAtLastError(void);
RT_API const char *cudaGetErrorName(enum cuda_error error);
RT_API const char *cudaGetErrorString(enum cuda_error error);

/* rt_function.c */
RT_API enum cuda_error cudaFuncGetAttributes(struct cuda_function_attributes *out,
                                             const void *stub);
RT_API enum cuda_error cudaFuncSetAttribute(const void *stub, int attribute, int value);
RT_API enum cuda_error cudaKernelSetAttributeForDevice(struct cuda_kernel *kernel,
                                                       int attribute, int value,
                                                       int device);
RT_API enum cuda_error cudaFuncSetCacheConfig(const void *stub, int config);
RT_API enum cuda_error cudaFuncSetSharedMemConfig(const void *stub, int config);
RT_API enum cuda_error cudaFuncGetName(const char **out, const void *stub);
RT_API enum cuda_error cudaFuncGetParamInfo(const void *stub, size_t i, size_t *offset,
                                            size_t *bytes);
RT_API enum cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out,
                                                                     const void *stub,
                                                                     int threads,
                                                                     size_t shared_bytes);
RT_API enum cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out, const void *stub, int threads, size_t shared_bytes, unsigned flags);
RT_API enum cuda_error cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out,
                                                                 const void *stub, int ctas,
                                                                 int threads);

/* rt_cluster.c */
RT_API enum cuda_error cudaOccupancyMaxPotentialClusterSize(
    int *out, const void *stub, const struct cuda_launch_config *config);
RT_API enum cuda_error cudaOccupancyMaxActiveClusters(
    int *out, const void *stub, const struct cuda_launch_config *config);

/* rt_launch.c */
RT_API unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block,
                                            size_t shared_bytes,
                                            struct cuda_stream *stream);
RT_API enum cuda_error __cudaPopCallConfiguration(struct cuda_dim3 *grid,
                                                  struct cuda_dim3 *block,
                                                  size_t *shared_bytes, void *stream);
RT_API enum cuda_error cudaLaunchKernel(const void *stub, struct cuda_dim3 grid,
                                        struct cuda_dim3 block, void **args,
                                        size_t shared_bytes, struct cuda_stream *stream);
RT_API enum cuda_error __cudaLaunchKernel(struct cuda_kernel *kernel, struct cuda_dim3 grid,
                                          struct cuda_dim3 block, void **args,
                                          size_t shared_bytes, struct cuda_stream *stream);
RT_API enum cuda_error cudaLaunchCooperativeKernel(const void *stub, struct cuda_dim3 grid,
                                                   struct cuda_dim3 block, void **args,
                                                   size_t shared_bytes,
                                                   struct cuda_stream *stream);
RT_API enum cuda_error cudaLaunchKernelExC(const struct cuda_launch_config *config,
                                           const void *stub, void **args);
RT_API enum cuda_error __cudaGetKernel(struct cuda_kernel **out, const void *stub);
RT_API enum cuda_error cudaGetKernel(struct cuda_kernel **out, const void *stub);
RT_API enum cuda_error cudaGetFuncBySymbol(struct cuda_kernel **out, const void *stub);

/* rt_memory.c */
RT_API enum cuda_error cudaMalloc(void **out, size_t bytes);
RT_API enum cuda_error cudaMallocAsync(void **out, size_t bytes,
                                       struct cuda_stream *stream);
RT_API enum cuda_error cudaMallocManaged(void **out, size_t bytes, unsigned flags);
RT_API enum cuda_error cudaHostAlloc(void **out, size_t bytes, unsigned flags);
RT_API enum cuda_error cudaMallocHost(void **out, size_t bytes);
RT_API enum cuda_error cudaMallocPitch(void **out, size_t *pitch, size_t width,
                                       size_t height);
RT_API enum cuda_error cudaMalloc3D(struct cuda_pitched *out, struct cuda_extent extent);
RT_API enum cuda_error cudaFree(void *pointer);
RT_API enum cuda_error cudaFreeAsync(void *pointer, struct cuda_stream *stream);
RT_API enum cuda_error cudaFreeHost(void *pointer);
RT_API enum cuda_error cudaMemGetInfo(size_t *free_bytes, size_t *bytes);
RT_API enum cuda_error cudaPointerGetAttributes(struct cuda_pointer_attributes *out,
                                                const void *pointer);

/* rt_register.c */
RT_API void **__cudaRegisterFatBinary(void *binary);
RT_API void __cudaRegisterFatBinaryEnd(void **image);
RT_API void __cudaUnregisterFatBinary(void **image);
RT_API void __cudaRegisterFunction(void **image, const char *stub, char *device_stub,
                                   const char *name, int thread_limit, void *tid, void *bid,
                                   void *block, void *grid, int *warp_size);
RT_API void __cudaRegisterVar(void **image, char *shadow, char *device_name,
                              const char *name, int is_extern, size_t bytes,
                              int is_constant, int is_global);
RT_API void __cudaRegisterManagedVar(void **image, void **shadow, char *device_name,
                                     const char *name, int is_extern, size_t bytes,
                                     int is_constant, int is_global);
RT_API void __cudaRegisterHostVar(void **image, const char *name, char *variable,
                                  size_t bytes);
RT_API char __cudaInitModule(void **image);

/* rt_shadow.c */
RT_API enum cuda_error cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
RT_API enum cuda_error cudaHostUnregister(void *pointer);
RT_API enum cuda_error cudaHostGetDevicePointer(void **out, void *pointer, unsigned flags);
RT_API enum cuda_error cudaHostGetFlags(unsigned *flags, void *pointer);

/* rt_stream.c */
RT_API enum cuda_error cudaStreamCreateWithPriority(struct cuda_stream **out,
                                                    unsigned flags, int priority);
RT_API enum cuda_error cudaStreamCreateWithFlags(struct cuda_stream **out, unsigned flags);
RT_API enum cuda_error cudaStreamCreate(struct cuda_stream **out);
RT_API enum cuda_error cudaStreamDestroy(struct cuda_stream *s);
RT_API enum cuda_error cudaStreamSynchronize(struct cuda_stream *s);
RT_API enum cuda_error cudaStreamQuery(struct cuda_stream *s);
RT_API enum cuda_error cudaDeviceSynchronize(void);
RT_API enum cuda_error cudaStreamWaitEvent(struct cuda_stream *s, struct cuda_event *event,
                                           unsigned flags);
RT_API enum cuda_error cudaStreamSetAttribute(struct cuda_stream *s, int number,
                                              const struct rt_stream_hint *value);
RT_API enum cuda_error cudaStreamGetAttribute(struct cuda_stream *s, int number,
                                              struct rt_stream_hint *out);
RT_API enum cuda_error cudaStreamCopyAttributes(struct cuda_stream *to,
                                                struct cuda_stream *from);
RT_API enum cuda_error cudaStreamGetFlags(struct cuda_stream *s, unsigned *flags);
RT_API enum cuda_error cudaStreamGetPriority(struct cuda_stream *s, int *priority);
RT_API enum cuda_error cudaStreamGetId(struct cuda_stream *s, unsigned long long *id);
RT_API enum cuda_error cudaStreamGetDevice(struct cuda_stream *s, int *device);
RT_API enum cuda_error cudaStreamAttachMemAsync(struct cuda_stream *s, void *pointer,
                                                size_t bytes, unsigned flags);
RT_API enum cuda_error cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
RT_API enum cuda_error cudaLaunchHostFunc(struct cuda_stream *s, void (*function)(void *),
                                          void *context);
RT_API enum cuda_error cudaStreamAddCallback(struct cuda_stream *s,
                                             void (*callback)(struct cuda_stream *,
                                                              enum cuda_error, void *),
                                             void *context, unsigned flags);
RT_API enum cuda_error cudaEventCreateWithFlags(struct cuda_event **out, unsigned flags);
RT_API enum cuda_error cudaEventCreate(struct cuda_event **out);
RT_API enum cuda_error cudaEventDestroy(struct cuda_event *event);
RT_API enum cuda_error cudaEventRecord(struct cuda_event *event, struct cuda_stream *s);
RT_API enum cuda_error cudaEventRecordWithFlags(struct cuda_event *event,
                                                struct cuda_stream *s, unsigned flags);
RT_API enum cuda_error cudaEventSynchronize(struct cuda_event *event);
RT_API enum cuda_error cudaEventQuery(struct cuda_event *event);
RT_API enum cuda_error cudaEventElapsedTime(float *ms, struct cuda_event *from,
                                            struct cuda_event *to);

/* rt_symbol.c */
RT_API enum cuda_error cudaMemcpyToSymbol(const void *symbol, const void *from,
                                          size_t bytes, size_t first,
                                          enum cuda_copy_kind kind);
RT_API enum cuda_error cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                               size_t bytes, size_t first,
                                               enum cuda_copy_kind kind,
                                               struct cuda_stream *stream);
RT_API enum cuda_error cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                            size_t first, enum cuda_copy_kind kind);
RT_API enum cuda_error cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes,
                                                 size_t first, enum cuda_copy_kind kind,
                                                 struct cuda_stream *stream);
RT_API enum cuda_error cudaGetSymbolAddress(void **out, const void *symbol);
RT_API enum cuda_error cudaGetSymbolSize(size_t *out, const void *symbol);

/* rt_driver_entry.c */
RT_API enum cuda_error cudaGetDriverEntryPoint(const char *name, void **out,
                                               unsigned long long flags, int *result);
RT_API enum cuda_error cudaGetDriverEntryPointByVersion(const char *name, void **out,
                                                        unsigned version,
                                                        unsigned long long flags,
                                                        int *result);

/* rt_module_calls.c; a struct cuda_module is a cudaLibrary_t */
struct cuda_module;
RT_API enum cuda_error cudaLibraryLoadData(struct cuda_module **out, const void *data,
                                           const int *jit_options, void **jit_values,
                                           unsigned jit_count, const int *options,
                                           void **values, unsigned count);
RT_API enum cuda_error cudaLibraryLoadFromFile(struct cuda_module **out, const char *path,
                                               const int *jit_options, void **jit_values,
                                               unsigned jit_count, const int *options,
                                               void **values, unsigned count);
RT_API enum cuda_error cudaLibraryUnload(struct cuda_module *m);
RT_API enum cuda_error cudaLibraryGetKernel(struct cuda_kernel **out, struct cuda_module *m,
                                            const char *name);
RT_API enum cuda_error cudaLibraryGetGlobal(void **out, size_t *bytes,
                                            struct cuda_module *m, const char *name);
RT_API enum cuda_error cudaLibraryGetKernelCount(unsigned *out, struct cuda_module *m);
RT_API enum cuda_error cudaLibraryEnumerateKernels(struct cuda_kernel **out, unsigned count,
                                                   struct cuda_module *m);
