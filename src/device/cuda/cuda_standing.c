/* SPDX-License-Identifier: Apache-2.0 */
/* In a graph a stream waits for a word by a kernel of one thread: the driver's own waits
   hold up each other there (seen on H200s: 0.2 ms a launch). It goes before what is still
   to begin on the device; like the driver's, it ends when the host satisfies it. */
#include "device/cuda/cuda_set.h"

static const char text[] = ".version 7.0\n"
                           ".target sm_70\n"
                           ".address_size 64\n"
                           ".visible .entry stand(.param .u64 word, .param .u32 value)\n"
                           "{\n"
                           " .reg .pred %p;\n"
                           " .reg .b32 %r<4>;\n"
                           " .reg .b64 %rd;\n"
                           " ld.param.u64 %rd, [word];\n"
                           " ld.param.u32 %r1, [value];\n"
                           "LOOK:\n"
                           " ld.acquire.sys.global.u32 %r2, [%rd];\n"
                           " sub.s32 %r3, %r2, %r1;\n"
                           " setp.lt.s32 %p, %r3, 0;\n"
                           " @%p bra LOOK;\n"
                           " ret;\n"
                           "}\n";

/* Loaded when a capture begins, while nothing waits. */
cu_result cuda_standing_load(struct device_set *set, unsigned device)
{
    const struct driver *v = &set->driver;
    struct cuda_device *d = &set->devices[device];
    cu_module module;
    cu_result result;

    if (d->stand)
        return 0;
    if ((result = v->module_load(&module, text, 0, NULL, NULL)))
        return result;
    result = v->module_function(&d->stand, module, "stand");
    if (!result && v->function_load)
        result = v->function_load(d->stand);
    if (result) {
        d->stand = NULL;
        v->module_unload(module);
        return result;
    }
    d->standing = module;
    return 0;
}

void cuda_standing_unload(struct device_set *set, unsigned device)
{
    struct cuda_device *d = &set->devices[device];

    if (d->stand)
        set->driver.module_unload(d->standing);
    d->stand = NULL;
}

cu_result cuda_stand(struct device_stream *s, cu_address word, uint32_t value)
{
    const struct driver *v = &s->set->driver;
    const struct cuda_device *d = &s->set->devices[s->device];
    struct {
        cu_address word;
        uint32_t value;
    } parameters = {word, value};
    size_t bytes = 12;
    void *extra[] = {CU_LAUNCH_BUFFER, &parameters, CU_LAUNCH_BUFFER_BYTES, &bytes,
                     CU_LAUNCH_END};
    struct cu_launch_attribute first = {.what = CU_LAUNCH_PRIORITY,
                                        .value = {.priority = d->highest}};
    const struct cu_launch_config config = {.grid = {1, 1, 1},
                                            .block = {1, 1, 1},
                                            .stream = s->stream,
                                            .attributes = &first,
                                            .attribute_count = 1};

    if (v->launch_with)
        return v->launch_with(&config, d->stand, NULL, extra);
    return v->launch(d->stand, 1, 1, 1, 1, 1, 1, 0, s->stream, NULL, extra);
}
