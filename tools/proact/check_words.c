/* SPDX-License-Identifier: Apache-2.0 */
#include "check_words.h"

#include <errno.h>
#include <proact/proact.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"
#include "command.h"
#include "runtime/session/runtime_machine.h"

/* A name for the original stdout. It names a descriptor, so that output to a regular file
   continues after the output so far. */
const char *take_output(const char *path)
{
    static char name[32];

    if (!path || strcmp(path, "-") != 0)
        return path;
    const int output = dup(STDOUT_FILENO);

    fflush(stdout);
    if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return "/dev/stdout";
    snprintf(name, sizeof name, FILE_DESCRIPTORS "%d", output);
    return name;
}

enum proact_status check_folder(const char *path, struct proact_error *err)
{
    struct file_output file;
    struct stat is;

    if (!path || file_is_descriptor(path))
        return PROACT_OK;
    if (stat(path, &is) == 0 && !S_ISREG(is.st_mode)) {
        if (S_ISDIR(is.st_mode))
            return fail(err, PROACT_EINVAL, "%s: cannot be written: it is a folder", path);
        return PROACT_OK; /* opening a pipe would wait for its reader */
    }
    enum proact_status status = file_open(path, &file, err);

    if (!status)
        file_discard(&file);
    return status;
}

enum proact_status check_file_or_folder(const char *path, struct proact_error *err)
{
    struct stat is;

    if (!path || stat(path, &is) != 0 || !S_ISDIR(is.st_mode))
        return check_folder(path, err);
    if (access(path, W_OK | X_OK) != 0)
        return fail(err, PROACT_EINVAL, "%s: cannot be written: %s", path, strerror(errno));
    return PROACT_OK;
}

enum proact_status create_folders(const char *path, struct proact_error *err)
{
    struct text part = {0};
    enum proact_status status = PROACT_OK;

    for (const char *at = path + 1; (at = strchr(at, '/')) && !status; at++) {
        text_clear(&part);
        text_add(&part, path, (size_t)(at - path));
        if (mkdir(part.data, 0777) && errno != EEXIST)
            status = fail(err, PROACT_EINVAL, "%s: cannot be created: %s", part.data,
                          strerror(errno));
    }
    text_clear(&part);
    return status;
}

/* True for an unknown machine name, as opposed to a machine that fails. */
static bool is_mistaken(const char *machine)
{
    return machine && strcmp(machine, PROACT_MACHINE_LOCAL) != 0 &&
           !topology_is_known(machine);
}

int check_machine(const char *command, const char *machine, unsigned devices,
                  struct topology *out)
{
    const struct device_backend *backend;
    struct proact_error err = {""};

    if (runtime_machine(machine, out, &backend, &err))
        return is_mistaken(machine) ? usage_error(command, "%s", err.text)
                                    : failure_exit(&err);
    if (topology_restrict(out, devices, &err))
        return usage_error(command, "--devices: %s", err.text);
    return EXIT_FINE;
}
