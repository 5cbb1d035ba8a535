/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/test_runner.h"

#include <stdio.h>
#include <string.h>

int test_file_run(const struct test_file *files, size_t count, int argc, char **argv)
{
    for (size_t i = 0; i < count; i++) {
        if (argc < 2)
            puts(files[i].name);
        else if (!strcmp(files[i].name, argv[1]))
            return files[i].without_arguments ? files[i].without_arguments()
                                              : files[i].with_arguments(argc - 1, argv + 1);
    }
    if (argc < 2)
        return 0;
    fprintf(stderr, "%s: no test file %s_test.c\n", argv[0], argv[1]);
    return 2;
}
