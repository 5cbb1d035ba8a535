/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/machine_folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "topology/topology.h"

/* PROACT_MACHINES: folders separated by colons, that of the build before the installed
   one. */
static const char folders[] = PROACT_MACHINES;

/* The folder at *at. NULL after the last. Moves *at to the next one. Release with
   free(). */
static char *next_folder(const char **at)
{
    size_t length = strcspn(*at, ":");

    if (!length)
        return NULL;
    char *folder = must_strndup(*at, length);

    *at += length + ((*at)[length] == ':');
    return folder;
}

char *machine_folder_find(const char *name)
{
    const char *at = folders;
    char *folder;

    while ((folder = next_folder(&at))) {
        struct text path = {0};

        text_print(&path, "%s/%s.json", folder, name);
        free(folder);
        if (access(path.data, R_OK) == 0)
            return path.data;
        text_clear(&path);
    }
    return NULL;
}

/* Orders machine names with their numbers by value: v100x4 before v100x16. */
static int by_name(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;

    while (*a && *b) {
        size_t digits_a = strspn(a, "0123456789"), digits_b = strspn(b, "0123456789");

        if (digits_a && digits_b && digits_a != digits_b)
            return digits_a < digits_b ? -1 : 1;
        if (*a != *b)
            break;
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

struct names {
    char **name;
    size_t count, capacity;
};

static void add_folder(struct names *names, const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;

    while (entries && (entry = readdir(entries))) {
        size_t length = strlen(entry->d_name);
        bool known = false;

        if (length <= 5 || strcmp(entry->d_name + length - 5, ".json") != 0)
            continue;
        for (size_t i = 0; i < names->count; i++)
            known |= strlen(names->name[i]) == length - 5 &&
                     strncmp(names->name[i], entry->d_name, length - 5) == 0;
        if (known)
            continue;
        names->name =
            must_grow(names->name, names->count + 1, &names->capacity, sizeof(char *));
        names->name[names->count++] = must_strndup(entry->d_name, length - 5);
    }
    if (entries)
        closedir(entries);
}

char **topology_names(void)
{
    struct names names = {0};
    const char *at = folders;
    char *folder;

    while ((folder = next_folder(&at))) {
        add_folder(&names, folder);
        free(folder);
    }
    names.name = must_grow(names.name, names.count, &names.capacity, sizeof(char *));
    qsort(names.name, names.count, sizeof(char *), by_name);
    names.name[names.count] = NULL;
    return names.name;
}

char *machine_folder_list(void)
{
    char **names = topology_names();
    struct text list = {0};

    text_add(&list, "", 0);
    for (size_t i = 0; names[i]; i++) {
        text_print(&list, "%s%s", i ? ", " : "", names[i]);
        free(names[i]);
    }
    free(names);
    return list.data;
}
