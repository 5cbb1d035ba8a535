/* SPDX-License-Identifier: Apache-2.0 */
/* The fuzz target on the stored inputs, each also truncated at every byte. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(void)
{
    static const char folder[] = PROACT_SOURCE "/tests/fuzz/matrix_market";
    DIR *dir = opendir(folder);
    unsigned inputs = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[4096];
        uint8_t bytes[4096];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;

        if (file)
            fclose(file);
        for (size_t cut = 0; cut <= size; cut++)
            LLVMFuzzerTestOneInput(bytes, cut);
        inputs++;
    }
    if (dir)
        closedir(dir);
    printf("%u inputs\n", inputs);
    return inputs >= 12 ? EXIT_SUCCESS : EXIT_FAILURE;
}
