/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/fail.h"
#include "doctor/doctor.h"

enum { WAIT_LIMIT_MS = 2000, NUMBER = 4711 };

/* Stores a number. The PTX is written by hand, so that it does not depend on a compiler
   that is newer than the driver. */
static const char kernel[] = ".version 7.0\n"
                             ".target sm_75\n"
                             ".address_size 64\n"
                             ".visible .entry store(.param .u64 to, .param .u32 number)\n"
                             "{\n"
                             ".reg .b32 %r1;\n"
                             ".reg .b64 %rd1, %rd2;\n"
                             "ld.param.u64 %rd1, [to];\n"
                             "ld.param.u32 %r1, [number];\n"
                             "cvta.to.global.u64 %rd2, %rd1;\n"
                             "st.global.u32 [%rd2], %r1;\n"
                             "ret;\n"
                             "}\n";

/* State of the experiment. Its objects are freed with the device set. */
struct trial {
    const struct device_backend *b;
    struct device_set *set;
    struct proact_error *err;
    struct device_stream *stream[TOPOLOGY_DEVICES_MAX];
    device_addr words[TOPOLOGY_DEVICES_MAX]; /* one that is waited for, and one that the
                                                kernel stores */
    struct device_function *store[TOPOLOGY_DEVICES_MAX];
};

/* Creates everything before anything waits: a driver loads no module while a stream
   waits. */
static enum proact_status make(struct trial *t, unsigned device)
{
    struct device_module *module;
    enum proact_status status =
        t->b->stream_create(t->set, device, &t->stream[device], t->err);

    if (!status)
        status = t->b->alloc(t->set, device, 8, &t->words[device], t->err);
    if (!status)
        status = t->b->module_load(t->set, device, "doctor.ptx", kernel, strlen(kernel),
                                   &module, t->err);
    return status ? status : t->b->function(module, "store", &t->store[device], t->err);
}

static enum proact_status launch(struct trial *t, unsigned device)
{
    const struct {
        uint64_t to;
        uint32_t number;
    } parameters = {t->words[device] + 4, NUMBER + device};
    const struct device_launch l = {.grid = {1, 1, 1},
                                    .block = {1, 1, 1},
                                    .parameters = &parameters,
                                    .parameter_bytes = 12};

    return t->b->launch(t->stream[device], t->store[device], &l, t->err);
}

/* The kernel follows a wait that another stream ends. */
static enum proact_status run(struct trial *t, unsigned device)
{
    struct device_stream *other;
    enum proact_status status = t->b->stream_create(t->set, device, &other, t->err);
    device_addr word = t->words[device];

    if (status || (status = t->b->fill(t->stream[device], word, 0, 8, t->err)) ||
        (status = t->b->synchronize(t->set, t->err)) ||
        (status = t->b->wait_value(t->stream[device], word, 1, NULL, t->err)) ||
        (status = launch(t, device)) ||
        (status = t->b->write_value(other, word, 1, t->err)))
        return status;
    return t->b->synchronize(t->set, t->err);
}

/* The stored word of each device is copied to the next device. */
static enum proact_status pass_on(struct trial *t, unsigned device, unsigned count)
{
    unsigned next = (device + 1) % count;
    uint32_t number = 0;
    enum proact_status status =
        t->b->copy(t->stream[device], t->words[next], t->words[device] + 4, 4, t->err);

    if (status || (status = t->b->synchronize(t->set, t->err)) ||
        (status = t->b->read(t->stream[next], &number, t->words[next], 4, t->err)))
        return status;
    if (number == NUMBER + device)
        return PROACT_OK;
    return fail(t->err, PROACT_EFAULT,
                "a kernel of device %u stored %u, but device %u received %u", device,
                NUMBER + device, next, number);
}

enum proact_status doctor_try(const struct device_backend *backend,
                              const struct topology *topology, struct proact_error *err)
{
    struct trial t = {.b = backend, .err = err};
    enum proact_status status = backend->open(
        &(struct device_options){.topology = topology, .wait_limit_ms = WAIT_LIMIT_MS},
        &t.set, err);

    if (status)
        return status;
    unsigned count = backend->count(t.set);

    for (unsigned d = 0; d < count && !status; d++)
        if (!(status = make(&t, d)))
            status = run(&t, d);
    for (unsigned d = 0; d < count && !status; d++)
        status = pass_on(&t, d, count);
    backend->close(t.set);
    return status;
}
