/* SPDX-License-Identifier: Apache-2.0 */
/* Plain and gzip files: the content read, and the byte at which a damaged file is
   refused. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/gzip.h"
#include "base/text.h"

/* Appends one gzip member. */
static void add_member(struct text *t, const char *content, size_t bytes)
{
    z_stream z = {0};
    size_t bound = compressBound(bytes) + 64;
    unsigned char *packed = malloc(bound);

    assert_non_null(packed);
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)content;
    z.avail_in = (uInt)bytes;
    z.next_out = packed;
    z.avail_out = (uInt)bound;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    text_add(t, (char *)packed, z.total_out);
    deflateEnd(&z);
    free(packed);
}

static char *lines(size_t *bytes)
{
    struct text t = {0};

    for (unsigned i = 0; i < 60000; i++)
        text_print(&t, "%u %u\n", i, i * 2654435761u);
    *bytes = t.length;
    return t.data;
}

static void members_are_one_file(void **state)
{
    struct text packed = {0};
    char *content, *out = NULL;
    size_t bytes, got = 0;

    (void)state;
    content = lines(&bytes);
    add_member(&packed, content, bytes / 3);
    add_member(&packed, "", 0);
    add_member(&packed, content + bytes / 3, bytes - bytes / 3);
    assert_int_equal(gzip_inflate("a", packed.data, packed.length, &out, &got, NULL), 0);
    assert_int_equal(got, bytes);
    assert_memory_equal(out, content, bytes);
    assert_int_equal(out[got], 0);
    free(out);
    free(content);
    text_clear(&packed);
}

static void plain_files_are_read_too(void **state)
{
    char folder[] = "/tmp/proact-gzip-XXXXXX";
    struct text packed = {0};
    char *out = NULL;
    size_t got = 9;

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    add_member(&packed, "hello", 5);
    assert_int_equal(file_write("plain", "hello", 5, NULL), 0);
    assert_int_equal(file_write("packed", packed.data, packed.length, NULL), 0);
    assert_int_equal(file_write("empty", "", 0, NULL), 0);
    assert_int_equal(gzip_read("plain", &out, &got, NULL), 0);
    assert_string_equal(out, "hello");
    free(out);
    assert_int_equal(gzip_read("packed", &out, &got, NULL), 0);
    assert_string_equal(out, "hello");
    assert_int_equal(got, 5);
    free(out);
    assert_int_equal(gzip_read("empty", &out, &got, NULL), 0);
    assert_int_equal(got, 0);
    free(out);
    assert_int_equal(gzip_read("absent", &out, &got, NULL), PROACT_EINVAL);
    assert_int_equal(unlink("plain") | unlink("packed") | unlink("empty") | rmdir(folder),
                     0);
    text_clear(&packed);
}

/* A truncated file is refused with the byte where it ends. */
static void every_truncation_is_found(void **state)
{
    struct text packed = {0};
    char *content, end[64];
    size_t bytes;

    (void)state;
    content = lines(&bytes);
    add_member(&packed, content, 1000);
    size_t first = packed.length;

    add_member(&packed, content, 1000);
    for (size_t length = 3; length < packed.length; length++) {
        struct proact_error err = {""};
        char *out = NULL;
        size_t got = 0;

        if (length == first)
            continue; /* complete by chance */
        assert_int_equal(gzip_inflate("g", packed.data, length, &out, &got, &err),
                         PROACT_EINVAL);
        snprintf(end, sizeof end,
                 length == first + 1 ? "at byte %zu, but" : "at byte %zu, inside",
                 length == first + 1 ? first : length);
        if (!strstr(err.text, end))
            fail_msg("%zu of %zu: %s", length, packed.length, err.text);
        assert_null(out);
    }
    free(content);
    text_clear(&packed);
}

static void refused(const struct text *packed, const char *expected)
{
    struct proact_error err = {""};
    char *out = NULL;
    size_t got = 0;

    assert_int_equal(gzip_inflate("g", packed->data, packed->length, &out, &got, &err),
                     PROACT_EINVAL);
    assert_string_equal(err.text, expected);
    assert_null(out);
}

static void damage_names_its_byte(void **state)
{
    struct text packed = {0};
    char expected[200];

    (void)state;
    add_member(&packed, "hello", 5);
    size_t whole = packed.length;

    text_add(&packed, "junk", 4);
    snprintf(expected, sizeof expected,
             "g: the gzip data ends at byte %zu, but 4 more bytes follow", whole);
    refused(&packed, expected);

    packed.length = whole;
    packed.data[whole - 8] ^= 1; /* the last 8 bytes are checksum and length */
    snprintf(
        expected, sizeof expected,
        "g: wrong checksum (CRC) at byte %zu, of the gzip member that begins at byte 0",
        whole - 4);
    refused(&packed, expected);
    packed.data[whole - 8] ^= 1;

    packed.data[whole - 1] ^= 1;
    snprintf(expected, sizeof expected,
             "g: not valid gzip data at byte %zu: incorrect length check", whole);
    refused(&packed, expected);
    packed.data[whole - 1] ^= 1;

    packed.data[10] = (char)0xff; /* the first of the deflated bytes */
    refused(&packed, "g: not valid gzip data at byte 11: invalid block type");
    text_clear(&packed);
}

/* Output up to 64 MiB and 64 times the compressed bytes is accepted; this file has zeros in
   members of 1 MiB. */
static void a_bomb_is_refused(void **state)
{
    enum { MEMBER_BYTES = 1 << 20, BELIEVED = 64 };
    struct text packed = {0};
    char *zeros = calloc(MEMBER_BYTES, 1), *out = NULL, expected[200];
    size_t got = 0;

    (void)state;
    assert_non_null(zeros);
    for (int i = 0; i < BELIEVED; i++)
        add_member(&packed, zeros, MEMBER_BYTES);
    assert_int_equal(gzip_inflate("g", packed.data, packed.length, &out, &got, NULL), 0);
    assert_int_equal(got, (size_t)BELIEVED * MEMBER_BYTES);
    free(out);

    for (int i = 0; i < 8; i++)
        add_member(&packed, zeros, MEMBER_BYTES);
    snprintf(expected, sizeof expected,
             "g: %zu bytes of gzip data expand to more than %zu bytes, the limit for "
             "that size",
             packed.length, packed.length * 64 + (64 << 20));
    refused(&packed, expected);
    free(zeros);
    text_clear(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_one_file),
        cmocka_unit_test(plain_files_are_read_too),
        cmocka_unit_test(every_truncation_is_found),
        cmocka_unit_test(damage_names_its_byte),
        cmocka_unit_test(a_bomb_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
