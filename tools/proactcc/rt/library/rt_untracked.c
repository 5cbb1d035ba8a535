/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls NVIDIA's libraries, or the driver, without our trampolines: a program that
   another than proactcc linked, or a library of its. Such calls may happen whenever the
   program is not in a call of ours, and may write anything. */
#include <link.h>
#include <string.h>

#include "base/memory.h"
#include "rt/library/rt_library.h"

static bool has_one(const char *path, const char *const *names, size_t count)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    for (size_t i = 0; i < count; i++)
        if (strncmp(name, "lib", 3) == 0 &&
            strncmp(name + 3, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool is_theirs(const char *path)
{
    static const char *const names[] = {"cublas",   "cufft", "curand",   "cusolver",
                                        "cusparse", "cudnn", "cutensor", "cudss",
                                        "nccl",     "npp",   "nvjpeg"};

    return has_one(path, names, sizeof names / sizeof *names);
}

/* Parts of the toolkit and of the driver, which call the latter and touch no memory of the
   program's. */
static bool is_tool(const char *path)
{
    static const char *const names[] = {
        "cuda.so", "cudart.so", "cudadebugger.so", "cupti.so",  "cufile",
        "nvidia-", "nvcuvid",   "nvrtc",           "nvJitLink", "nvToolsExt"};

    return has_one(path, names, sizeof names / sizeof *names);
}

void proact_library_linked(const void *address)
{
    struct rt *rt = rt_enter_interop();
    struct rt_interop *g = &rt->interop;

    g->linked = must_grow(g->linked, g->linked_count + 1, &g->linked_capacity,
                          sizeof(const void *));
    g->linked[g->linked_count++] = address;
    rt_leave(rt, cudaSuccess);
}

/* Whether proactcc linked the object: its start-up code told an address in it. */
static bool is_ours(const struct rt_interop *g, const struct dl_phdr_info *object)
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

static const void *entry_of(const struct dl_phdr_info *object, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *d = dynamic_of(object); d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return (const void *)d->d_un.d_ptr;
    return NULL;
}

/* Nobody says how many symbols an object has. Linkers put their names behind them, with
   nothing or with other tables between. */
static size_t symbols_most(const struct dl_phdr_info *object)
{
    const uintptr_t symbols = (uintptr_t)entry_of(object, DT_SYMTAB);
    const uintptr_t names = (uintptr_t)entry_of(object, DT_STRTAB);
    const uint32_t *hash = entry_of(object, DT_GNU_HASH); /* ahead of what it defines */

    if (symbols && names > symbols)
        return (names - symbols) / sizeof(ElfW(Sym));
    return symbols && names && hash ? hash[1] : 0;
}

/* A call of the driver's that goes past us: a program may name its library and call none.
 */
static bool calls_driver(const struct dl_phdr_info *object)
{
    const ElfW(Sym) *symbols = entry_of(object, DT_SYMTAB);
    const char *names = entry_of(object, DT_STRTAB);
    const size_t bytes = (uintptr_t)entry_of(object, DT_STRSZ);

    for (size_t i = 1; i < symbols_most(object); i++) {
        const char *name = names + symbols[i].st_name;

        if (symbols[i].st_shndx == SHN_UNDEF && symbols[i].st_name < bytes &&
            name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z')
            return true;
    }
    return false;
}

/* One of theirs that the object names as needed, or NULL. */
static const char *needed_by(const struct dl_phdr_info *object)
{
    static const char driver[] = "libcuda.so";
    const char *strings = entry_of(object, DT_STRTAB);

    for (const ElfW(Dyn) *d = dynamic_of(object); strings && d && d->d_tag != DT_NULL;
         d++) {
        const char *name = d->d_tag == DT_NEEDED ? strings + d->d_un.d_val : "";

        if (is_theirs(name) ||
            (strncmp(name, driver, strlen(driver)) == 0 && calls_driver(object)))
            return name;
    }
    return NULL;
}

static int look(struct dl_phdr_info *object, size_t bytes, void *context)
{
    struct rt_interop *g = context;

    (void)bytes;
    if (is_theirs(object->dlpi_name) || is_tool(object->dlpi_name) || is_ours(g, object))
        return 0;
    g->untracked = needed_by(object);
    return g->untracked != NULL;
}

void rt_interop_scan(struct rt *rt)
{
    dl_iterate_phdr(look, &rt->interop);
}
