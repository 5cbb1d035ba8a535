/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: checkpoint_seal FILE. Replaces the last 8 bytes of a changed checkpoint by its
   hash: that of the lines, continued over each part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"

int main(int argc, char **argv)
{
    char *file;
    size_t bytes;

    if (argc != 2 || file_read(argv[1], &file, &bytes, NULL))
        return 1;
    const char *line = file, *at = strstr(file, "\n\n") + 2;
    uint64_t hash = hash_bytes(file, (size_t)(at - file), 0);

    for (; *line != '\n'; line = strchr(line, '\n') + 1) {
        size_t part;

        if (sscanf(line, "part %*s %zu", &part) != 1)
            continue;
        hash = hash_bytes(at, part, hash);
        at += part;
    }
    memcpy(file + bytes - sizeof hash, &hash, sizeof hash);
    const int code = file_write(argv[1], file, bytes, NULL) != PROACT_OK;

    free(file);
    return code;
}
