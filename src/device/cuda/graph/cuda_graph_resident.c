/* SPDX-License-Identifier: Apache-2.0 */
/* Waits within graphs by kernels of one warp. The driver's own waits delay each other there
   (observed on two H200s: 0.3 ms per launch), and so do edges between devices (on four: 18
   us to 1.6 ms). `wait_word` waits for a word; like the driver's wait it ends when the host
   satisfies it on a timeout. `meet` writes a word on each notified device and then waits
   for the words of other devices; it clears each word that it has observed. */
#include <stdlib.h>

#include "base/fail.h"
#include "device/cuda/cuda_set.h"

static const char text[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry wait_word(.param .u64 word, .param .u32 value)\n"
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
    "}\n"
    /* struct cuda_meeting: 0 limit_ns, 8 late, 16 tells, 20 waits, 24 tell, 152 wait, 280
       whom */
    ".visible .entry meet(.param .align 8 .b8 m[296])\n"
    "{\n"
    " .reg .pred %p<6>;\n"
    " .reg .b32 %r<6>;\n"
    " .reg .b64 %rd<12>;\n"
    " mov.u32 %r1, %tid.x;\n"
    " mov.b64 %rd1, m;\n"
    " mul.wide.u32 %rd2, %r1, 8;\n"
    " add.s64 %rd3, %rd1, %rd2;\n"
    " mov.u32 %r2, 1;\n"
    " ld.param.u32 %r3, [m+16];\n"
    " setp.ge.u32 %p1, %r1, %r3;\n"
    " @%p1 bra NOTIFIED;\n"
    " ld.param.u64 %rd4, [%rd3+24];\n"
    " st.release.sys.global.u32 [%rd4], %r2;\n"
    "NOTIFIED:\n"
    " bar.warp.sync 0xffffffff;\n"
    " ld.param.u32 %r4, [m+20];\n"
    " setp.ge.u32 %p2, %r1, %r4;\n"
    " @%p2 bra END;\n"
    " ld.param.u64 %rd5, [%rd3+152];\n"
    " ld.param.u64 %rd6, [m];\n"
    " mov.u64 %rd7, %globaltimer;\n"
    "LOOK:\n"
    " ld.acquire.sys.global.u32 %r5, [%rd5];\n"
    " setp.ne.u32 %p3, %r5, 0;\n"
    " @%p3 bra SEEN;\n"
    " mov.u64 %rd8, %globaltimer;\n"
    " sub.u64 %rd9, %rd8, %rd7;\n"
    " setp.le.u64 %p4, %rd9, %rd6;\n"
    " @%p4 bra LOOK;\n"
    " cvt.u64.u32 %rd11, %r1;\n"
    " add.s64 %rd11, %rd1, %rd11;\n"
    " ld.param.u8 %r2, [%rd11+280];\n"
    " ld.param.u64 %rd10, [m+8];\n"
    " st.relaxed.sys.global.u32 [%rd10], %r2;\n"
    " bra END;\n"
    "SEEN:\n"
    " mov.u32 %r2, 0;\n"
    " st.relaxed.sys.global.u32 [%rd5], %r2;\n"
    "END:\n"
    " ret;\n"
    "}\n";
_Static_assert(sizeof(struct cuda_meeting) == 296 && CUDA_MEETING_MAX == 16,
               "the parameter above");

static cu_result find(const struct driver *v, cu_module module, const char *name,
                      cu_function *out)
{
    cu_result result = v->module_function(out, module, name);

    return result || !v->function_load ? result : v->function_load(*out);
}

/* Loads the kernels, if possible with a wait for the previous kernel in each. */
static cu_result load(const struct driver *v, struct cuda_device *d, const char *ptx,
                      bool lets, cu_module *out)
{
    char *waiting = cuda_overlap_text(v, d->capability, ptx, lets);
    cu_result result = v->module_load(out, waiting ? waiting : ptx, 0, NULL, NULL);

    d->resident_waits = waiting != NULL;
    free(waiting);
    return result;
}

static cu_result load_all(const struct driver *v, struct cuda_device *d)
{
    cu_result result = load(v, d, cuda_carry_ptx, false, &d->carrying);

    for (int i = 0; i < CUDA_UNITS && !result; i++)
        result = find(v, d->carrying, cuda_carry_names[i], &d->carry[i]);
    if (!result)
        result = load(v, d, cuda_fill_ptx, false, &d->filling);
    for (int i = 0; i < CUDA_FILLS && !result; i++)
        result = find(v, d->filling, cuda_fill_names[i], &d->fill[i]);
    if (!result)
        result = load(v, d, text, false, &d->resident);
    if (!result)
        result = find(v, d->resident, "wait_word", &d->wait);
    if (!result)
        result = find(v, d->resident, "meet", &d->meet);
    if (!result && d->resident_waits)
        result = load(v, d, text, true, &d->letting);
    if (!result && d->letting)
        result = find(v, d->letting, "meet", &d->meet_letting);
    return result;
}

/* Loads the kernels at the start of a capture, while none of its operations waits. */
cu_result cuda_resident_load(struct device_set *set, unsigned device)
{
    const struct driver *v = &set->driver;
    struct cuda_device *d = &set->devices[device];

    if (d->meet)
        return 0;
    cu_result result = load_all(v, d);

    if (!result)
        result = v->memory_alloc(&d->late, sizeof(uint32_t));
    if (!result)
        result = v->fill(d->late, 0, sizeof(uint32_t), d->rescue);
    if (!result)
        result = v->stream_synchronize(d->rescue);
    if (!result)
        return 0;
    cuda_resident_unload(set, device);
    return result;
}

void cuda_resident_unload(struct device_set *set, unsigned device)
{
    struct cuda_device *d = &set->devices[device];
    cu_module *const modules[] = {&d->resident, &d->letting, &d->carrying, &d->filling};

    if (d->late)
        set->driver.memory_free(d->late);
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (*modules[i])
            set->driver.module_unload(*modules[i]);
    d->resident = d->letting = d->carrying = d->filling = NULL;
    d->wait = d->meet = d->meet_letting = NULL;
    d->late = 0;
}

static cu_result launch(struct device_stream *s, cu_function f, unsigned threads,
                        void *parameters, size_t bytes)
{
    struct cu_launch_config config = {.grid = {1, 1, 1}, .block = {threads, 1, 1}};

    return cuda_launch_own(s, &config, f, parameters, bytes);
}

cu_result cuda_resident_wait(struct device_stream *s, cu_address word, uint32_t value)
{
    struct {
        cu_address word;
        uint32_t value;
    } parameters = {word, value};

    return launch(s, s->set->devices[s->device].wait, 1, &parameters, 12);
}

cu_result cuda_meet(struct device_stream *s, struct cuda_meeting *m)
{
    enum { WARP = 32 };
    const struct device_set *set = s->set;

    const struct cuda_device *d = &set->devices[s->device];
    const bool lets = d->lone == s && d->meet_letting;

    /* The other device may itself be blocked in a wait, whose message is more specific. */
    m->limit_ns = 2 * (uint64_t)set->wait_limit_ns;
    m->late = d->late;
    cu_result result = launch(s, lets ? d->meet_letting : d->meet, WARP, m, sizeof *m);

    m->tells = m->waits = 0;
    return result;
}

/* Devices whose waits in graphs timed out. */
enum proact_status cuda_resident_timeout(struct device_set *set, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < set->here && set->has_replayed && !status; d++) {
        const struct cuda_device *here = &set->devices[d];
        uint32_t late = 0;

        if ((status = cuda_enter(set, d, err)))
            return status;
        cu_result result =
            set->driver.copy_out(&late, here->late, sizeof late, here->rescue);

        if (!result)
            result = set->driver.stream_synchronize(here->rescue);
        status = cuda_leave(set, d, result, "cuMemcpyDtoHAsync", err);
        if (late && !status) {
            struct proact_error failure;

            fail(&failure, PROACT_ETIMEOUT,
                 "device %u waited %.0f ms in a recording for device %u, which did not "
                 "arrive",
                 d, 2 * set->wait_limit_ns / 1e6, late - 1);
            if (err)
                *err = failure;
            status = cuda_break(set, PROACT_ETIMEOUT, &failure);
        }
    }
    set->has_replayed = false;
    return status;
}
