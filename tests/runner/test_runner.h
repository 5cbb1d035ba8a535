/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

/* Test program of a component: it runs one test file by name, as if that were a program. */

/* One test file. Exactly one of the two main functions is not NULL. */
struct test_file {
    const char *name;
    int (*without_arguments)(void);
    int (*with_arguments)(int argc, char **argv);
};

/* Returns the exit status of the file argv[1], which gets the rest of argv; its own name is
   its argv[0]. Prints all names without one. An unknown name is status 2 with a message. */
int test_file_run(const struct test_file *files, size_t count, int argc, char **argv);
