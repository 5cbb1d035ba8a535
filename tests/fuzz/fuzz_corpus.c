/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target on the files of a folder, in builds without a fuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int main(int argc, char **argv)
{
    DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
    const struct dirent *entry;
    unsigned count = 0;

    if (!dir) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    while ((entry = readdir(dir))) {
        struct proact_error err = {""};
        struct text path = {0};
        size_t bytes;
        char *data;

        if (entry->d_name[0] == '.')
            continue;
        text_print(&path, "%s/%s", argv[1], entry->d_name);
        if (file_read(path.data, &data, &bytes, &err)) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        text_clear(&path);
        LLVMFuzzerTestOneInput((const uint8_t *)data, bytes);
        free(data);
        count++;
    }
    closedir(dir);
    printf("%u inputs\n", count);
    return count == 0;
}
