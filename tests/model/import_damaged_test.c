/* SPDX-License-Identifier: Apache-2.0 */
/* Incomplete and damaged output of other tools gives a machine or a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/import/import.h"

static char *damaged_sample(const char *name, size_t *bytes)
{
    char path[512], *text = NULL;
    struct proact_error err = {""};

    snprintf(path, sizeof path, PROACT_SOURCE "/tests/model/import/%s", name);
    if (file_read(path, &text, bytes, &err))
        fail_msg("%s", err.text);
    return text;
}

static const char *const samples[] = {
    "nvbandwidth_0.5.json", "osu_5.txt",     "osu_7.txt",           "smi_pcie.txt",
    "smi_switch.txt",       "smi_wired.txt", "nvbandwidth_0.8.json"};

/* A text of any length gives a machine or a sentence. Memory behind the text is not read:
   the copy has its exact size. */
static void truncated_files_give_a_sentence(void **state)
{
    static struct machine_import i;

    (void)state;
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
        size_t bytes, valid = 0;
        char *text = damaged_sample(samples[s], &bytes);

        for (size_t length = 0; length <= bytes; length++) {
            struct proact_error err = {""};
            char *part = malloc(length + 1);

            assert_non_null(part);
            memcpy(part, text, length);
            part[length] = '\0';
            if (!machine_import_text("x", part, length, "v100x4", &i, &err))
                valid++;
            else
                assert_true(strlen(err.text) > 10);
            free(part);
        }
        assert_true(valid > 0);
        free(text);
    }
}

/* The same with one byte changed, every third in turn. */
static void changed_bytes_give_a_sentence(void **state)
{
    static const char bytes_tried[] = {'\0', '\n', '9', '-', '"', '}', 'G', (char)0xff};
    static struct machine_import i;

    (void)state;
    for (size_t s = 0; s + 1 < sizeof samples / sizeof *samples; s++) {
        size_t bytes;
        char *text = damaged_sample(samples[s], &bytes);

        for (size_t at = s % 3; at < bytes; at += 3) {
            const char was = text[at];
            struct proact_error err = {""};

            text[at] = bytes_tried[at % sizeof bytes_tried];
            if (machine_import_text("x", text, bytes, "v100x4", &i, &err))
                assert_true(strlen(err.text) > 10);
            text[at] = was;
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncated_files_give_a_sentence),
        cmocka_unit_test(changed_bytes_give_a_sentence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
