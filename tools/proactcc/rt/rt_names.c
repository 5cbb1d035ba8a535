/* SPDX-License-Identifier: Apache-2.0 */
/* Source names of kernels and functions in messages and reports. */
#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rt/rt.h"

typedef char *demangle_call(const char *name, char *into, size_t *bytes, int *status);
/* from the C++ library of the program, if it has one */
extern demangle_call linked_demangle __asm__("__cxa_demangle") __attribute__((weak));

/* A static C++ library shows its functions to the program only, so that the computer's is
   used. NULL: there is none. */
static demangle_call *find_demangle(void)
{
    demangle_call *of = linked_demangle;
    void *library = of ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

    if (library) /* dlsym() returns an object pointer, which ISO C does not convert to a
                    function */
        *(void **)&of = dlsym(library, "__cxa_demangle");
    return of;
}

/* A static kernel of a linked file: __nv_static_N_, N bytes of the file's name, _, kernel
   name. */
static const char *own_name(const char *name)
{
    static const char prefix[] = "__nv_static_";
    char *end;

    if (strncmp(name, prefix, strlen(prefix)) != 0)
        return name;
    unsigned long skipped = strtoul(name + strlen(prefix), &end, 10);

    return skipped + 2 < strlen(end) ? end + skipped + 2 : name;
}

char *rt_plain_name(const char *name)
{
    const bool is_mangled = strncmp(own_name(name), "_Z", 2) == 0;
    demangle_call *demangle = is_mangled ? find_demangle() : NULL;
    int status = -1;
    char *plain = demangle ? demangle(own_name(name), NULL, NULL, &status) : NULL;

    return plain && !status ? plain : NULL;
}

/* Length of the name at `at`; 0 if the quoted text is not a name. */
static size_t name_length(const char *at)
{
    size_t length = 0;

    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '$')
        length++;
    return at[length] == '\'' ? length : 0;
}

/* Cuts the suffix of a kernel version, so that the kernel's name remains. */
static bool end_clone(char *name)
{
    char *suffix = strstr(name, "__proact_");

    if (!suffix || suffix == name)
        return false;
    *suffix = '\0';
    return true;
}

/* Source name of a kernel or kernel version; NULL if it equals the given name. */
static char *source_name(const char *at, size_t length)
{
    char *name = strndup(at, length), *plain;

    if (!name)
        return NULL;
    const bool is_clone = end_clone(name);

    plain = rt_plain_name(name);
    if (!plain && is_clone)
        return name;
    free(name);
    return plain;
}

char *rt_plain_names(const char *sentence)
{
    struct text t = {0};

    text_add(&t, "", 0);
    for (const char *at = sentence; *at;) {
        const size_t length = at > sentence && at[-1] == '\'' ? name_length(at) : 0;
        char *plain = length ? source_name(at, length) : NULL;

        if (plain)
            text_print(&t, "%s", plain);
        else
            text_add(&t, at, length ? length : 1);
        at += length ? length : 1;
        free(plain);
    }
    return t.data;
}
