/* SPDX-License-Identifier: Apache-2.0 */
/* Check of the output of `proact analyze --json`. Usage: json_check FILE... It prints one
   line for each file. */
#include <jansson.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        json_error_t err;
        json_t *root = json_load_file(argv[i], JSON_REJECT_DUPLICATES, &err);

        if (!root) {
            printf("%s:%d: %s\n", argv[i], err.line, err.text);
            return 1;
        }
        const json_t *kernels = json_object_get(root, "kernels");

        printf("%s: %zu kernels:", argv[i], json_array_size(kernels));
        for (size_t k = 0; k < json_array_size(kernels); k++) {
            const json_t *kernel = json_array_get(kernels, k);

            printf(" %s", json_string_value(json_object_get(kernel, "kernel")));
        }
        printf("\n");
        json_decref(root);
    }
    return 0;
}
