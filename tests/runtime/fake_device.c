/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/fake_device.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

enum { DEVICES = 16, MEMORY_MAX = 256 };

struct memory {
    unsigned char *data;
    size_t bytes;
    unsigned device;
};

struct device_set {
    struct fake_state state;
    unsigned count, streams[DEVICES], events;
    struct memory memory[MEMORY_MAX];
};

struct device_stream {
    struct device_set *set;
    unsigned device, number;
};

struct device_event {
    struct device_set *set;
    unsigned device, lane; /* of the most recent event record */
};

struct device_function {
    char name[64];
};

struct device_module {
    struct device_set *set;
    unsigned device;
    struct device_function function[32];
    unsigned count;
};

struct fake_state *fake_state(struct device_set *set)
{
    return &set->state;
}

void fake_forget(struct device_set *set)
{
    text_clear(&set->state.log);
    text_add(&set->state.log, "", 0);
}

/* Appends "BYTES@DEVICE+OFFSET". */
static void fake_print_address(struct device_set *set, device_addr address)
{
    for (unsigned i = 0; i < MEMORY_MAX; i++) {
        const struct memory *m = &set->memory[i];
        uint64_t offset = address - (device_addr)(uintptr_t)m->data;

        if (m->data && offset < m->bytes) {
            text_print(&set->state.log, " %zu@%u+%llu", m->bytes, m->device,
                       (unsigned long long)offset);
            return;
        }
    }
    abort(); /* not memory of this device */
}

static enum proact_status fake_open(const struct device_options *options,
                                    struct device_set **out, struct proact_error *err)
{
    struct device_set *set = must_calloc(1, sizeof *set);

    (void)err;
    set->count = options->topology->device_count;
    text_add(&set->state.log, "", 0);
    *out = set;
    return PROACT_OK;
}

static void fake_close(struct device_set *set)
{
    if (set && (set->state.memory || set->state.things))
        abort(); /* the caller leaked an object */
    if (set)
        text_clear(&set->state.log);
    free(set);
}

static unsigned count(const struct device_set *set)
{
    return set->count;
}

static bool peer_access(const struct device_set *set, unsigned from, unsigned to)
{
    if (set->count == 6) /* device 1 of six does not reach device 4 */
        return from != 1 || to != 4;
    if (set->count == 7) /* none of seven reaches another */
        return from == to;
    return set->count != 5 || from + to != 7; /* 3 and 4 of five have no path */
}

static bool peer_atomics(const struct device_set *set, unsigned from, unsigned to)
{
    return peer_access(set, from, to);
}

static enum proact_status fake_alloc(struct device_set *set, unsigned device, size_t bytes,
                                     device_addr *out, struct proact_error *err)
{
    unsigned i = 0;

    if (set->state.allocations_left && --set->state.allocations_left == 0)
        return fail(err, PROACT_ENOSPACE, "device %u: %zu bytes, 0 free", device, bytes);
    while (set->memory[i].data)
        i++;
    set->memory[i] = (struct memory){must_calloc(1, bytes), bytes, device};
    set->state.memory++;
    *out = (device_addr)(uintptr_t)set->memory[i].data;
    return PROACT_OK;
}

static void fake_free(struct device_set *set, unsigned device, device_addr address)
{
    unsigned i = 0;

    while ((device_addr)(uintptr_t)set->memory[i].data != address ||
           set->memory[i].device != device)
        i++;
    free(set->memory[i].data);
    set->memory[i] = (struct memory){0};
    set->state.memory--;
}

static enum proact_status stream_create(struct device_set *set, unsigned device,
                                        struct device_stream **out,
                                        struct proact_error *err)
{
    (void)err;
    *out = must_calloc(1, sizeof **out);
    **out = (struct device_stream){set, device, set->streams[device]++};
    set->state.things++;
    return PROACT_OK;
}

static void stream_destroy(struct device_stream *s)
{
    s->set->state.things--;
    free(s);
}

static enum proact_status event_create(struct device_set *set, unsigned device,
                                       bool has_time, struct device_event **out,
                                       struct proact_error *err)
{
    (void)has_time;
    (void)err;
    *out = must_calloc(1, sizeof **out);
    **out = (struct device_event){set, device, 0};
    set->state.things++;
    return PROACT_OK;
}

static void event_destroy(struct device_event *e)
{
    e->set->state.things--;
    free(e);
}

static void *host(device_addr address)
{
    return (void *)(uintptr_t)address;
}

static struct text *line(struct device_stream *s, const char *word)
{
    text_print(&s->set->state.log, "%s %u.%u", word, s->device, s->number);
    return &s->set->state.log;
}

static enum proact_status fake_copy_rows(struct device_stream *s,
                                         const struct device_rows *r,
                                         struct proact_error *err)
{
    (void)err;
    line(s, "copy");
    fake_print_address(s->set, r->from);
    text_print(&s->set->state.log, " >");
    fake_print_address(s->set, r->to);
    text_print(&s->set->state.log, " for %zu", r->bytes);
    if (r->count > 1)
        text_print(&s->set->state.log, " in each of %zu rows", r->count);
    text_print(&s->set->state.log, "\n");
    for (size_t i = 0; i < r->count; i++)
        memmove(host(r->to + i * r->to_pitch), host(r->from + i * r->from_pitch), r->bytes);
    return PROACT_OK;
}

static enum proact_status fake_copy(struct device_stream *s, device_addr to,
                                    device_addr from, size_t bytes,
                                    struct proact_error *err)
{
    return fake_copy_rows(s, &(struct device_rows){to, from, bytes, 1, bytes, bytes}, err);
}

static enum proact_status fake_write(struct device_stream *s, device_addr to,
                                     const void *from, size_t bytes,
                                     struct proact_error *err)
{
    (void)err;
    line(s, "write");
    fake_print_address(s->set, to);
    text_print(&s->set->state.log, " for %zu\n", bytes);
    memcpy(host(to), from, bytes);
    return PROACT_OK;
}

static enum proact_status fake_read(struct device_stream *s, void *into, device_addr from,
                                    size_t bytes, struct proact_error *err)
{
    (void)err;
    s->set->state.waits++;
    memcpy(into, host(from), bytes);
    return PROACT_OK;
}

static enum proact_status fake_fill(struct device_stream *s, device_addr to,
                                    unsigned char value, size_t bytes,
                                    struct proact_error *err)
{
    (void)err;
    line(s, "fill");
    fake_print_address(s->set, to);
    text_print(&s->set->state.log, " for %zu\n", bytes);
    memset(host(to), value, bytes);
    return PROACT_OK;
}

static enum proact_status fake_record(struct device_stream *s, struct device_event *event,
                                      struct proact_error *err)
{
    (void)err;
    if (event->device != s->device)
        abort();
    event->lane = s->number;
    text_print(line(s, "record"), "\n");
    return PROACT_OK;
}

static enum proact_status wait_event(struct device_stream *s, struct device_event *event,
                                     struct proact_error *err)
{
    (void)err;
    text_print(line(s, "wait"), " for %u.%u\n", event->device, event->lane);
    return PROACT_OK;
}

static enum proact_status await_event(struct device_event *event, struct proact_error *err)
{
    (void)err;
    text_print(&event->set->state.log, "await %u.%u\n", event->device, event->lane);
    return PROACT_OK;
}

static enum proact_status wait_value(struct device_stream *s, device_addr word,
                                     uint32_t value, const struct device_reason *reason,
                                     struct proact_error *err)
{
    (void)word;
    (void)reason;
    (void)err;
    text_print(line(s, "wait"), " for a word to reach %u\n", value);
    return PROACT_OK;
}

static enum proact_status module_load(struct device_set *set, unsigned device,
                                      const char *name, const char *ptx, size_t bytes,
                                      struct device_module **out, struct proact_error *err)
{
    (void)name;
    (void)ptx;
    (void)bytes;
    (void)err;
    *out = must_calloc(1, sizeof **out);
    (*out)->set = set;
    (*out)->device = device;
    set->state.things++;
    return PROACT_OK;
}

static void module_unload(struct device_module *m)
{
    m->set->state.things--;
    free(m);
}

static enum proact_status function(struct device_module *m, const char *name,
                                   struct device_function **out, struct proact_error *err)
{
    (void)err;
    *out = &m->function[m->count++];
    strncpy((*out)->name, name, sizeof(*out)->name - 1);
    return PROACT_OK;
}

static enum proact_status fake_launch(struct device_stream *s, struct device_function *f,
                                      const struct device_launch *launch,
                                      struct proact_error *err)
{
    (void)err;
    text_print(line(s, "launch"), " %s %ux%ux%u of %ux%ux%u%s%s\n", f->name,
               launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
               launch->block[1], launch->block[2], launch->unit ? " with its unit" : "",
               launch->is_urgent ? ", urgent" : "");
    return PROACT_OK;
}

static enum proact_status fake_synchronize(struct device_set *set, struct proact_error *err)
{
    enum proact_status status = set->state.breaks;

    set->state.waits++;
    set->state.breaks = PROACT_OK;
    return status ? fail(err, status, "broken as told") : PROACT_OK;
}

static uint64_t now_ns(struct device_set *set)
{
    return set->state.waits;
}

static struct device_traffic traffic(const struct device_set *set, unsigned from,
                                     unsigned to)
{
    (void)set;
    return (struct device_traffic){from, to, from};
}

static void observe(struct device_set *set, device_observer *observer, void *context)
{
    (void)set;
    (void)observer;
    (void)context;
}

static enum proact_status interop_begin(struct device_stream *s, struct proact_error *err)
{
    (void)err;
    text_print(line(s, "interop begin"), "\n");
    return PROACT_OK;
}

static enum proact_status interop_end(struct device_stream *s, struct proact_error *err)
{
    (void)err;
    text_print(line(s, "interop end"), "\n");
    return PROACT_OK;
}

static void replicas(struct device_set *set, const struct device_replicas *r)
{
    (void)set;
    (void)r;
}

const struct device_backend fake_device = {
    .name = "pretend",
    .open = fake_open,
    .close = fake_close,
    .count = count,
    .peer_access = peer_access,
    .peer_atomics = peer_atomics,
    .alloc = fake_alloc,
    .free = fake_free,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .copy = fake_copy,
    .copy_rows = fake_copy_rows,
    .write = fake_write,
    .read = fake_read,
    .fill = fake_fill,
    .record = fake_record,
    .await_event = await_event,
    .wait_event = wait_event,
    .wait_value = wait_value,
    .module_load = module_load,
    .module_unload = module_unload,
    .function = function,
    .launch = fake_launch,
    .synchronize = fake_synchronize,
    .now_ns = now_ns,
    .traffic = traffic,
    .observe = observe,
    .replicas = replicas,
    .interop_begin = interop_begin,
    .interop_end = interop_end,
};
