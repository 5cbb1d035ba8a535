/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that need no GPU: compilers, machine files, emulated devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "doctor/doctor.h"
#include "runtime/session/runtime_machine.h"

/* The path of a program, searched in the order of `folders` as a shell does. The caller
   frees it. */
static char *find_program(const char *folders, const char *name)
{
    struct text path = {0};

    while (folders && *folders) {
        size_t length = strcspn(folders, ":");

        text_print(&path, "%.*s/%s", (int)length, folders, name);
        if (access(path.data, X_OK) == 0)
            return path.data;
        text_clear(&path);
        folders += length + (folders[length] == ':');
    }
    return NULL;
}

void doctor_compilers(struct doctor *d)
{
    static const char *const names[] = {"nvcc",     "clang",    "clang-19", "clang-18",
                                        "clang-17", "clang-16", "clang-15", "clang-14"};
    struct text found = {0};
    bool has_clang = false;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && !has_clang; i++) {
        char *path = find_program(getenv("PATH"), names[i]);

        if (!path && i == 0)
            path = find_program("/usr/local/cuda/bin", names[i]);
        if (path)
            text_print(&found, "%s%s", found.length ? " and " : "", path);
        has_clang = path && i > 0;
        free(path);
    }
    if (found.length)
        doctor_report(d, DOCTOR_OK, "compilers", NULL, "kernels are built by %s",
                      found.data);
    else
        doctor_report(
            d, DOCTOR_NOTE, "compilers",
            "to build kernels of your own, install the CUDA toolkit, or clang 14 or "
            "later",
            "there is no nvcc and no clang");
    text_clear(&found);
}

void doctor_machines(struct doctor *d)
{
    struct topology *t = must_calloc(1, sizeof *t);
    char **names = topology_names();
    struct proact_error err = {""};
    unsigned good = 0;

    for (size_t i = 0; names[i]; i++) {
        if (topology_load(names[i], t, &err))
            doctor_report(d, DOCTOR_PROBLEM, "machines",
                          "correct the file (docs/machines.md), or reinstall proact", "%s",
                          err.text);
        else
            good++;
        free(names[i]);
    }
    if (good)
        doctor_report(d, DOCTOR_OK, "machines", NULL, "%u machine files (proact machines)",
                      good);
    else if (!err.text[0])
        doctor_report(d, DOCTOR_PROBLEM, "machines", "reinstall proact",
                      "no machine file is found");
    free(names);
    free(t);
}

void doctor_emulator(struct doctor *d)
{
    struct topology *t = must_calloc(1, sizeof *t);
    struct proact_error err = {""};

    if (topology_load(RUNTIME_MACHINE_DEFAULT, t, &err) ||
        doctor_try(&device_emulator, t, &err))
        doctor_report(d, DOCTOR_PROBLEM, "emulator",
                      "reinstall proact; if that does not help, report this line", "%s",
                      err.text);
    else
        doctor_report(d, DOCTOR_OK, "emulator", NULL,
                      "a wait, a kernel and a copy succeeded on each device of %s",
                      t->name);
    free(t);
}
