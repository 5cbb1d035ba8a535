/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the only device, in the driver interface. */
#include <stdio.h>
#include <string.h>

#include "rt/driver/rt_driver.h"

enum { LINEAR_TEXELS_MAX = 1 << 28 };

enum cuda_error cuDeviceGet(int *out, int number)
{
    enum cuda_error error = driver_enter(DRIVER_ANY);

    if (!error && (!out || number))
        error = number ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    if (!error)
        *out = 0;
    return driver_leave(error);
}

static enum cuda_error device_properties(struct cuda_device_properties *out, int device)
{
    enum cuda_error error = driver_enter(DRIVER_ANY);

    *out = (struct cuda_device_properties){.major = 0};
    return driver_leave(error ? error : cudaGetDeviceProperties(out, device));
}

enum cuda_error cuDeviceGetName(char *out, int bytes, int device)
{
    struct cuda_device_properties p;
    enum cuda_error error = device_properties(&p, device);

    if (!error && (!out || bytes <= 0))
        error = cudaErrorInvalidValue;
    if (!error)
        snprintf(out, (size_t)bytes, "%s", p.name);
    return error;
}

enum cuda_error cuDeviceTotalMem_v2(size_t *out, int device)
{
    struct cuda_device_properties p;
    enum cuda_error error = device_properties(&p, device);

    if (!error)
        *out = p.total_global_bytes;
    return error;
}

enum cuda_error cuDeviceGetUuid_v2(char *out, int device)
{
    struct cuda_device_properties p;
    enum cuda_error error = device_properties(&p, device);

    if (!error)
        memcpy(out, p.uuid, sizeof p.uuid);
    return error;
}

enum cuda_error cuDeviceComputeCapability(int *major, int *minor, int device)
{
    struct cuda_device_properties p;
    enum cuda_error error = device_properties(&p, device);

    if (!error) {
        *major = p.major;
        *minor = p.minor;
    }
    return error;
}

enum cuda_error cuDeviceGetProperties(struct driver_properties *out, int device)
{
    enum { CLOCK_RATE = 13 };
    struct cuda_device_properties p;
    int clock_khz = 0;
    enum cuda_error error = device_properties(&p, device);

    if (!error && !(error = cuDeviceGetAttribute(&clock_khz, CLOCK_RATE, device)))
        *out = (struct driver_properties){
            .threads_per_block = p.threads_per_block_max,
            .block = {p.block_max[0], p.block_max[1], p.block_max[2]},
            .grid = {p.grid_max[0], p.grid_max[1], p.grid_max[2]},
            .shared_bytes = (int)p.shared_bytes_per_block,
            .const_bytes = (int)p.const_bytes,
            .warp_size = p.warp_size,
            .pitch = (int)p.pitch_max,
            .registers = p.registers_per_block,
            .clock_khz = clock_khz,
            .texture_alignment = (int)p.texture_alignment};
    return error;
}

enum cuda_error cuDeviceGetTexture1DLinearMaxWidth(size_t *out, int format,
                                                   unsigned channels, int device)
{
    struct cuda_channel channel;
    enum cuda_error error = driver_enter(DRIVER_ANY);

    if (!error)
        error =
            device ? cudaErrorInvalidDevice : driver_channel(format, channels, &channel);
    if (!error)
        *out = LINEAR_TEXELS_MAX;
    return driver_leave(error);
}

enum cuda_error cuDeviceGetExecAffinitySupport(int *out, int type, int device)
{
    enum cuda_error error = driver_enter(DRIVER_ANY);

    (void)type;
    if (!error && device)
        error = cudaErrorInvalidDevice;
    if (!error)
        *out = 0;
    return driver_leave(error);
}
