/* SPDX-License-Identifier: Apache-2.0 */
/* Untracked calls: objects that call NVIDIA's libraries or the driver without our
   trampolines, because another linker command produced them. Such a call may run at any
   time outside the runtime's calls, and may write anything. */
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

/* Parts of the toolkit and the driver. They call the driver but write no memory of the
   program. */
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

/* True if proactcc linked the object: its start-up code registered an address in it. */
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

/* Upper bound of the number of symbols, which the ELF dynamic section does not contain.
   Linkers place the string table after the symbols, with nothing or with other tables
   between. */
static size_t symbols_most(const struct dl_phdr_info *object)
{
    const uintptr_t symbols = (uintptr_t)entry_of(object, DT_SYMTAB);
    const uintptr_t names = (uintptr_t)entry_of(object, DT_STRTAB);
    const uint32_t *hash = entry_of(object, DT_GNU_HASH); /* covers the undefined symbols,
                                                             which come first */

    if (symbols && names > symbols)
        return (names - symbols) / sizeof(ElfW(Sym));
    return symbols && names && hash ? hash[1] : 0;
}

/* True if the object calls the driver. A program may name the driver's library and call
   none of its functions. */
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

/* A library of NVIDIA that the object needs, or NULL. */
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
