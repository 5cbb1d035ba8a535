/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a profile: refused with the number of a line, or read, and then equal to
   what is written. Each line also receives a right checksum, so that the fields are
   reached. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "plan/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
    if (!holds)
        abort();
}

/* The lines after the header, with the checksums of the format. */
static struct text with_sums(const char *data, size_t size)
{
    struct text t = {0};
    uint64_t sum = 0;

    text_print(&t, "%s\n", PROFILE_HEADER);
    for (size_t at = 0; at < size;) {
        const char *end = memchr(data + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - data) - at : size - at;
        const int continues = length > 10 && memcmp(data + at, "candidate ", 10) == 0;

        sum = hash_bytes(data + at, length, continues ? sum : 0);
        text_add(&t, data + at, length);
        text_print(&t, " sum=%08x\n", (unsigned)(sum >> 32));
        at += length + 1;
    }
    return t;
}

static void check_profile(const char *data, size_t size)
{
    struct profile *p = profile_create(), *again = profile_create();
    struct proact_error err = {""};
    struct text first = {0}, second = {0};

    if (profile_parse("fuzz", data, size, p, &err)) {
        check(strncmp(err.text, "fuzz:", 5) == 0 && err.text[5] >= '1' &&
              err.text[5] <= '9');
        check(!strpbrk(err.text, "\n\r\t") && profile_count(p) == 0);
    } else {
        profile_print(p, &first);
        check(!profile_parse("fuzz", first.data, first.length, again, &err));
        profile_print(again, &second);
        check(strcmp(first.data, second.data) == 0);
    }
    text_clear(&first);
    text_clear(&second);
    profile_free(p);
    profile_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text t = with_sums((const char *)data, size);

    check_profile((const char *)data, size);
    check_profile(t.data, t.length);
    text_clear(&t);
    return 0;
}
