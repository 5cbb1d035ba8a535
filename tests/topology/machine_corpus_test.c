/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the fuzzer's corpus, truncated at every byte and with small random damage. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/text.h"
#include "fuzz/machine_fuzz.c"

#define CORPUS PROACT_SOURCE "/tests/fuzz/machine_corpus"

static void run_one(const char *name, uint64_t *chance)
{
    struct text path = {0};
    char *data = NULL;
    size_t bytes = 0;

    text_print(&path, "%s/%s", CORPUS, name);
    assert_int_equal(file_read(path.data, &data, &bytes, NULL), 0);
    LLVMFuzzerTestOneInput((const uint8_t *)data, bytes);
    for (size_t length = 0; length < bytes; length += 1 + bytes / 300)
        LLVMFuzzerTestOneInput((const uint8_t *)data, length);
    for (unsigned i = 0; i < 300 && bytes; i++) {
        char *at = &data[random_below(chance, bytes)], was = *at;

        *at = (char)random_next(chance);
        LLVMFuzzerTestOneInput((const uint8_t *)data, bytes);
        *at = was;
    }
    free(data);
    text_clear(&path);
}

static void damaged_machine_files_do_no_harm(void **state)
{
    DIR *folder = opendir(CORPUS);
    struct dirent *entry;
    uint64_t chance = 1;
    unsigned files = 0;

    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        run_one(entry->d_name, &chance);
        files++;
    }
    closedir(folder);
    assert_true(files >= 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_machine_files_do_no_harm)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
