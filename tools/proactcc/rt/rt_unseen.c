/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls NVIDIA's libraries without our trampolines: a program that another than
   proactcc linked, or a library of its. Such calls may happen whenever the program is not
   in a call of ours, and may write anything. */
#include <link.h>
#include <string.h>

#include "base/memory.h"
#include "rt_library.h"

static bool is_theirs(const char *path)
{
    static const char *const names[] = {"cublas",   "cufft", "curand",   "cusolver",
                                        "cusparse", "cudnn", "cutensor", "cudss",
                                        "nccl",     "npp",   "nvjpeg"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, "lib", 3) == 0 &&
            strncmp(name + 3, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

void proact_library_linked(const void *address)
{
    struct rt *rt = rt_enter_as_guest();
    struct rt_guests *g = &rt->guests;

    g->linked = must_grow(g->linked, g->linked_count + 1, &g->linked_capacity,
                          sizeof(const void *));
    g->linked[g->linked_count++] = address;
    rt_leave(rt, cudaSuccess);
}

/* Whether proactcc linked the object: its start-up code told an address in it. */
static bool is_ours(const struct rt_guests *g, const struct dl_phdr_info *object)
{
    for (size_t i = 0; i < g->linked_count; i++)
        for (unsigned h = 0; h < object->dlpi_phnum; h++) {
            const ElfW(Phdr) *segment = &object->dlpi_phdr[h];
            uintptr_t at = (uintptr_t)g->linked[i] - object->dlpi_addr - segment->p_vaddr;

            if (segment->p_type == PT_LOAD && at < segment->p_memsz)
                return true;
        }
    return false;
}

static const ElfW(Dyn) * dynamic_of(const struct dl_phdr_info *object)
{
    for (unsigned h = 0; h < object->dlpi_phnum; h++)
        if (object->dlpi_phdr[h].p_type == PT_DYNAMIC)
            return (const void *)(object->dlpi_addr + object->dlpi_phdr[h].p_vaddr);
    return NULL;
}

/* One of theirs that the object names as needed, or NULL. */
static const char *needed_by(const struct dl_phdr_info *object)
{
    const ElfW(Dyn) *first = dynamic_of(object);
    const char *strings = NULL;

    for (const ElfW(Dyn) *d = first; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = first; strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && is_theirs(strings + d->d_un.d_val))
            return strings + d->d_un.d_val;
    return NULL;
}

static int look(struct dl_phdr_info *object, size_t bytes, void *context)
{
    struct rt_guests *g = context;

    (void)bytes;
    if (is_theirs(object->dlpi_name) || is_ours(g, object))
        return 0;
    g->unseen = needed_by(object);
    return g->unseen != NULL;
}

void rt_guests_look(struct rt *rt)
{
    dl_iterate_phdr(look, &rt->guests);
}
