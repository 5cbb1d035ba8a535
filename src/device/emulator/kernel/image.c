/* SPDX-License-Identifier: Apache-2.0 */
/* Modules. Parsing and decoding of PTX is done once and shared by all devices of a set. */
#include "device/emulator/kernel/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "device/emulator/check/checked.h"
#include "device/emulator/kernel/children.h"
#include "device/emulator/kernel/sm_places.h"
#include "device/emulator/memory/heap.h"
#include "device/emulator/opening.h"
#include "device/emulator/stream/stream.h"

struct image {
    uint64_t hash;
    size_t bytes;
    unsigned users;
    struct ptx_module *ptx;
    struct execute_program *program;
    struct image *next;
};

struct device_module {
    struct device_set *set;
    unsigned device;
    struct image *image;
    uint64_t variables;
    struct device_function *functions;
    struct device_module *next, *previous; /* of the set */
};

uint64_t module_variables(const struct device_module *m)
{
    return m->variables;
}

static void image_release(struct device_set *set, struct image *i)
{
    struct image **link = &set->images;

    if (--i->users)
        return;
    while (*link != i)
        link = &(*link)->next;
    *link = i->next;
    execute_program_destroy(i->program);
    ptx_destroy(i->ptx);
    free(i);
}

static enum proact_status image_find(struct device_set *set, const char *name,
                                     const char *text, size_t bytes, struct image **out,
                                     struct proact_error *err)
{
    uint64_t hash = hash_bytes(text, bytes, 0);
    struct image *i = set->images;
    enum proact_status status;

    while (i &&
           (i->hash != hash || i->bytes != bytes || memcmp(i->ptx->text, text, bytes) != 0))
        i = i->next;
    if (i) {
        i->users++;
        *out = i;
        return PROACT_OK;
    }
    i = must_calloc(1, sizeof *i);
    *i = (struct image){.hash = hash, .bytes = bytes, .users = 1, .next = set->images};
    set->images = i;
    if ((status = ptx_parse(name, text, bytes, &i->ptx, err)) ||
        (status = execute_program_create_for(i->ptx, set->topology->device.capability,
                                             &i->program, err))) {
        image_release(set, i);
        return status;
    }
    *out = i;
    return PROACT_OK;
}

/* Allocates the module's variables on the device. */
static enum proact_status place_variables(struct device_module *m, struct proact_error *err)
{
    struct device_set *set = m->set;
    size_t bytes = execute_program_bytes(m->image->program);
    struct proact_error why = {""};
    enum proact_status status;
    const char *name;
    uint64_t largest;

    if (!bytes)
        return PROACT_OK;
    if ((status = memory_allocate(&set->memory, m->device, bytes, &m->variables, &why))) {
        name = execute_largest_variable(m->image->program, &largest);
        return fail(err, status, "variable '%.100s' of %llu bytes does not fit: %s", name,
                    (unsigned long long)largest, why.text);
    }
    memory_clear(&set->memory, m->device, m->variables);
    execute_program_initialize(m->image->program, m->variables,
                               (void *)(uintptr_t)m->variables);
    checked_ready(set, m->variables, bytes);
    return PROACT_OK;
}

enum proact_status module_load(struct device_set *set, unsigned device, const char *name,
                               const char *ptx, size_t bytes, struct device_module **out,
                               struct proact_error *err)
{
    struct device_module *m = must_calloc(1, sizeof *m);
    enum proact_status status;

    m->set = set;
    m->device = device;
    if ((status = opening_check(set, device, err)) ||
        (status = image_find(set, name ? name : "module", ptx, bytes, &m->image, err)) ||
        (status = place_variables(m, err)) ||
        (execute_launches(m->image->program) &&
         (status = children_open(set, device, err))) ||
        (execute_allocates(m->image->program) && (status = heap_open(set, device, err)))) {
        module_unload(m);
        return status;
    }
    m->next = set->modules;
    if (m->next)
        m->next->previous = m;
    set->modules = m;
    *out = m;
    return PROACT_OK;
}

void module_unload(struct device_module *m)
{
    struct allocation was;

    if (!m)
        return;
    if (m->variables) {
        memory_free(&m->set->memory, m->device, m->variables, &was);
        if (m->set->check)
            check_freed(m->set->check, was.first, was.end - was.first);
    }
    while (m->functions) {
        struct device_function *next = m->functions->next;

        free(m->functions);
        m->functions = next;
    }
    if (m->image)
        image_release(m->set, m->image);
    if (m->next)
        m->next->previous = m->previous;
    if (m->previous)
        m->previous->next = m->next;
    else if (m->set->modules == m)
        m->set->modules = m->next;
    free(m);
}

/* First line that sends: the epilogue of a kernel version; 0 for the library's sending
   kernels. UINT32_MAX: none. */
static uint32_t sends_from(const struct ptx_module *m, const char *name)
{
    const struct ptx_function *f = ptx_function_find(m, name);

    if (strcmp(name, "proact_agent") == 0 || strcmp(name, "proact_child") == 0)
        return 0;
    for (uint32_t n = 0; f && n < f->label_count; n++)
        if (strcmp(f->labels[n].name, PTX_EPILOGUE) == 0 &&
            f->labels[n].instruction < f->instruction_count)
            return f->instructions[f->labels[n].instruction].line;
    return UINT32_MAX;
}

enum proact_status module_function(struct device_module *m, const char *name,
                                   struct device_function **out, struct proact_error *err)
{
    const struct execute_program *p = m->image->program;
    const struct execute_kernel *kernel = execute_kernel_find(p, name);
    const char *refusal = execute_kernel_refusal(p, name);

    if (refusal)
        return fail(err, PROACT_EREFUSED, "%s: %s", m->image->ptx->name, refusal);
    if (!kernel)
        return fail(err, PROACT_EINVAL, "%s: no kernel is named '%s'", m->image->ptx->name,
                    name);
    struct device_function *f = m->functions;

    while (f && f->kernel != kernel)
        f = f->next;
    if (f) {
        *out = f;
        return PROACT_OK;
    }
    f = must_calloc(1, sizeof *f);
    f->module = m;
    f->kernel = kernel;
    f->info = execute_kernel_info(kernel);
    f->sends_from = sends_from(m->image->ptx, name);
    f->next = m->functions;
    m->functions = f;
    *out = f;
    return PROACT_OK;
}

static const struct topology_device *device_of(const struct device_function *f)
{
    return &f->module->set->topology->device;
}

static uint32_t threads_most(const struct device_function *f)
{
    const uint32_t most = device_of(f)->threads_per_cta;

    return f->info.max_threads < most ? f->info.max_threads : most;
}

enum proact_status function_info(struct device_function *f,
                                 struct device_function_info *out, struct proact_error *err)
{
    (void)err;
    *out = (struct device_function_info){.threads = threads_most(f),
                                         .local_bytes = f->info.local_bytes_per_thread};
    return PROACT_OK;
}

enum proact_status function_residency(struct device_function *f, uint32_t threads,
                                      uint64_t shared_bytes, uint32_t *out,
                                      struct proact_error *err)
{
    enum {
        KEPT_BYTES = 1024,
        KEPT_FROM = 80
    }; /* shared memory that GPUs reserve per
          CTA */
    const struct topology_device *t = device_of(f);
    uint64_t all = shared_bytes + f->info.shared_bytes;

    (void)err;
    *out = 0;
    if (!threads || threads > t->threads_per_cta ||
        shared_bytes > t->shared_bytes_per_cta || all > t->shared_bytes_per_cta)
        return PROACT_OK;
    if (all && t->capability >= KEPT_FROM)
        all += KEPT_BYTES;
    *out = (uint32_t)(sm_places(t, threads, all) / t->sm_count);
    return PROACT_OK;
}

enum proact_status module_variable(struct device_module *m, const char *name,
                                   device_addr *out, size_t *bytes,
                                   struct proact_error *err)
{
    size_t offset;

    if (!execute_variable(m->image->program, name, &offset, bytes))
        return fail(err, PROACT_EINVAL, "%s: no variable is named '%s'",
                    m->image->ptx->name, name);
    *out = m->variables + offset;
    return PROACT_OK;
}
