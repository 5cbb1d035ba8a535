/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and functions by the names that the source has for them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rt/rt.h"

/* Of the host's C++ library, where the program has one. */
extern char *demangle(const char *name, char *into, size_t *bytes,
                      int *status) __asm__("__cxa_demangle") __attribute__((weak));

/* A static kernel of a file that is linked: __nv_static_N_, N bytes of the file's, _, name.
 */
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
    int status = -1;
    char *plain =
        is_mangled && demangle ? demangle(own_name(name), NULL, NULL, &status) : NULL;

    return plain && !status ? plain : NULL;
}

/* Bytes of the name that begins there; 0 if what is in quotes is none. */
static size_t name_length(const char *at)
{
    size_t length = 0;

    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '$')
        length++;
    return at[length] == '\'' ? length : 0;
}

/* Of a clone, the kernel's. Ends the name there. */
static bool end_clone(char *name)
{
    char *suffix = strstr(name, "__proact_");

    if (!suffix || suffix == name)
        return false;
    *suffix = '\0';
    return true;
}

/* As the source has it, whatever clone it is; NULL where that is the name itself. */
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
