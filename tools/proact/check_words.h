/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Checks that several commands make before minutes of work. */

#include "topology/topology.h"

/* The first `devices` devices (0: all) of a machine with a name as for proact_open(). A
   failure prints the reason and returns an exit status. */
int check_machine(const char *command, const char *machine, unsigned devices,
                  struct topology *out);
/* PROACT_EINVAL if no file of this name can be created or replaced. It leaves no file. NULL
   is allowed. */
enum proact_status check_folder(const char *path, struct proact_error *err);
/* The same, where the path may also name a folder that gets the files. */
enum proact_status check_file_or_folder(const char *path, struct proact_error *err);
/* Creates the missing folders of a path, whose last part is the file name. */
enum proact_status create_folders(const char *path, struct proact_error *err);
/* The destination of --json FILE. With "-" it is stdout, and all other output goes to
   stderr from then on. The name is valid until the process ends; only one output can use
   it. */
const char *take_output(const char *path);
