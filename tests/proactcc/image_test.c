/* SPDX-License-Identifier: Apache-2.0 */
/* PTX in a program's fat binary: the selected image, and the message for a broken one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/rt.h"

enum { PTX = 1, CODE = 2, COMPRESSED = 0x8011 };

/* A container as nvcc writes it. */
struct pack {
    unsigned char bytes[4096];
    size_t used;
    struct cuda_fat_binary wrapper;
};

static void put(unsigned char *at, uint64_t value, size_t bytes)
{
    memcpy(at, &value, bytes);
}

static void begin(struct pack *p)
{
    memset(p, 0, sizeof *p);
    put(p->bytes, 0xba55ed50, 4);
    put(p->bytes + 4, 0x00100001, 4);
    p->used = 16;
    p->wrapper = (struct cuda_fat_binary){0x466243b1, 1, p->bytes, NULL};
}

static void add(struct pack *p, unsigned kind, unsigned capability, unsigned flags,
                const char *text)
{
    unsigned char *at = p->bytes + p->used;
    size_t bytes = (strlen(text) + 8) & ~(size_t)7; /* padded with zeros */

    put(at, kind, 2);
    put(at + 4, 64, 4);
    put(at + 8, bytes, 8);
    put(at + 28, capability, 4);
    put(at + 40, flags, 8);
    memcpy(at + 64, text, strlen(text));
    p->used += 64 + bytes;
    put(p->bytes + 8, p->used - 16, 8);
}

static struct rt open_on(const char *machine)
{
    struct rt rt = {0};
    struct proact_error err = {""};

    if (proact_open(&(struct proact_options){.machine = machine}, &rt.session, &err))
        fail_msg("%s", err.text);
    return rt;
}

static void expect(const char *machine, const struct pack *p, const char *text)
{
    struct rt rt = open_on(machine);
    struct rt_image image = {.binary = &p->wrapper};

    assert_int_equal(rt_image_search(&rt, &image), cudaSuccess);
    assert_int_equal(image.ptx.bytes, strlen(text));
    assert_memory_equal(image.ptx.text, text, strlen(text));
    assert_string_equal(image.ptx.name, "program1.ptx");
    free(image.name);
    proact_close(rt.session);
}

static void refuse(const struct pack *p, const char *why)
{
    struct rt rt = open_on("v100x4");
    struct rt_image image = {.binary = &p->wrapper};

    assert_int_equal(rt_image_search(&rt, &image), cudaErrorNoKernelImageForDevice);
    assert_int_equal(rt.broken, cudaErrorNoKernelImageForDevice);
    if (!strstr(image.why.text, why))
        fail_msg("'%s' has no '%s'", image.why.text, why);
    free(image.name);
    proact_close(rt.session);
}

static void the_newest_compatible_image_is_selected(void **state)
{
    (void)state;
    struct pack p;

    begin(&p);
    add(&p, CODE, 70, 0x11, "code");
    add(&p, PTX, 90, 0x11, "ninety");
    add(&p, PTX, 70, 0x11, "seventy");
    add(&p, PTX, 50, 0x11, "fifty");
    expect("h200x4", &p, "ninety");
    expect("v100x4", &p, "seventy");
    expect("k40x4", &p, "fifty"); /* none fits: the one with the lowest requirement */
}

/* Expects the binary of that architecture, next to PTX for 70 and 90; NULL: none. */
static void expect_binary(const char *machine, const struct pack *p, const char *code)
{
    struct rt rt = open_on(machine);
    struct rt_image image = {.binary = &p->wrapper};

    assert_int_equal(rt_image_search(&rt, &image), cudaSuccess);
    if (code)
        assert_memory_equal(image.ptx.binary, code, strlen(code));
    else
        assert_null(image.ptx.binary);
    free(image.name);
    proact_close(rt.session);
}

static void a_binary_needs_its_ptx(void **state)
{
    (void)state;
    struct pack p;

    begin(&p);
    add(&p, CODE, 80, 0x11, "eighty");
    add(&p, CODE, 90, 0x11, "ninety");
    add(&p, PTX, 70, 0x11, "text");
    expect_binary("h200x4", &p, NULL); /* the PTX of that binary is missing */
    add(&p, PTX, 90, 0x11, "text");
    expect_binary("h200x4", &p, "ninety");
    expect_binary("v100x4", &p, NULL);
    add(&p, CODE, 70, COMPRESSED, "packed");
    expect_binary("v100x4", &p, NULL);
    add(&p, CODE, 70, 0x11, "seventy");
    expect_binary("v100x4", &p, "seventy");
}

static void packed_and_missing_images_are_reported(void **state)
{
    (void)state;
    struct pack p;

    begin(&p);
    refuse(&p, "PTX is missing");
    add(&p, CODE, 90, 0x11, "code");
    refuse(&p, "PTX is missing");
    add(&p, PTX, 90, COMPRESSED, "packed");
    refuse(&p, "PTX is compressed; compile it by proactcc");
    add(&p, PTX, 80, 0x11, "plain");
    expect("h200x4", &p, "plain");
}

static void a_broken_image_is_reported(void **state)
{
    (void)state;
    struct pack p;

    begin(&p);
    add(&p, PTX, 70, 0x11, "text");
    put(p.bytes + 16 + 8, 1 << 20, 8);
    refuse(&p, "an entry of 64 and 1048576 bytes where 72 are left");
    put(p.bytes + 16 + 8, 8, 8);
    put(p.bytes + 16 + 4, 12, 4);
    refuse(&p, "an entry of 12");
    put(p.bytes, 0xba55, 4);
    refuse(&p, "0x0000ba55");
    begin(&p);
    p.wrapper.magic = 7;
    refuse(&p, "begins with 0x00000007");
    p.wrapper = (struct cuda_fat_binary){0x466243b1, 1, NULL, NULL};
    refuse(&p, "and 0x00000000");
}

/* Output of nvcc -dlink: a container without PTX, and those of the objects. */
static void objects_are_linked(void **state)
{
    (void)state;
    static const char head[] = ".version 7.0\n.target sm_50\n.address_size 64\n";
    struct pack linked, one, two;
    struct rt rt = open_on("k40x4");
    char text[512];

    begin(&linked);
    add(&linked, CODE, 50, 0x11, "code");
    begin(&one);
    add(&one, PTX, 90, 0x11, "not for this device");
    snprintf(text, sizeof text, "%s.extern .func f();\n.entry k() { call f; ret; }\n",
             head);
    add(&one, PTX, 50, 0x11, text);
    begin(&two);
    snprintf(text, sizeof text, "%s.visible .func f() { trap; ret; }\n", head);
    add(&two, PTX, 50, 0x11, text);
    const void *const both[] = {one.bytes, two.bytes, NULL}, *const first[] = {one.bytes,
                                                                               NULL};
    struct rt_image image = {.binary = &linked.wrapper};

    linked.wrapper.version = 2;
    linked.wrapper.objects = both;
    assert_int_equal(rt_image_search(&rt, &image), cudaSuccess);
    assert_int_equal(image.capability, 50);
    assert_non_null(strstr(image.ptx.text, "trap;"));
    assert_null(strstr(image.ptx.text, "call"));
    assert_int_equal(strlen(image.ptx.text), image.ptx.bytes);
    free((void *)(uintptr_t)image.ptx.text);
    free(image.name);
    proact_close(rt.session);
    linked.wrapper.objects = first;
    refuse(&linked, "'f', which 'k' of object 1 uses, is not defined");
    add(&two, PTX, 50, COMPRESSED, "packed");
    put(two.bytes + 16, CODE, 2);
    linked.wrapper.objects = both;
    refuse(&linked, "PTX is compressed");
    two.bytes[0] = 0;
    refuse(&linked, "a fat binary begins with");
}

static void ranges_are_found_by_address(void **state)
{
    (void)state;
    struct rt_ranges r = {0};

    range_add(&r, &(struct rt_range){.first = 3000, .bytes = 10});
    range_add(&r, &(struct rt_range){.first = 1000, .bytes = 100});
    range_add(&r, &(struct rt_range){.first = 2000, .bytes = 1});
    assert_null(range_find(&r, 999));
    assert_int_equal(range_find(&r, 1099)->first, 1000);
    assert_null(range_find(&r, 1100));
    assert_int_equal(range_find(&r, 2000)->first, 2000);
    assert_int_equal(range_find(&r, 3009)->first, 3000);
    range_remove(&r, range_find(&r, 2000));
    assert_null(range_find(&r, 2000));
    assert_int_equal(range_find(&r, 3000)->bytes, 10);
    free(r.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_compatible_image_is_selected),
        cmocka_unit_test(a_binary_needs_its_ptx),
        cmocka_unit_test(packed_and_missing_images_are_reported),
        cmocka_unit_test(a_broken_image_is_reported),
        cmocka_unit_test(objects_are_linked),
        cmocka_unit_test(ranges_are_found_by_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
