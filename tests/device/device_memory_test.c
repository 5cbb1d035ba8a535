/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of emulated devices. Only allocated memory is accessible and counts as host
   memory, freed memory returns to the host, and refusals report both numbers. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "device/emulator/memory/device_memory.h"
#include "device/emulator/memory/write_image.h"
#include "execute/execute.h"

#define MEGABYTE ((uint64_t)1 << 20)
#define EACH (256 * MEGABYTE)

/* Linux extensions of POSIX. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* The linker redirects every call of mmap() in the library to the wrapper (--wrap). */
void *__real_mmap(void *address, size_t bytes, int protection, int flags, int file,
                  off_t offset);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file,
                  off_t offset);

/* Where reservations begin, as under valgrind; 0: where the system has room. */
static uintptr_t *low_address(void)
{
    static uintptr_t address;

    return &address;
}

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file,
                  off_t offset)
{
    if (!address && *low_address()) {
        void *p = __real_mmap((void *)*low_address(), bytes, protection,
                              flags | MAP_FIXED_NOREPLACE, file, offset);

        if (p != MAP_FAILED)
            return p;
    }
    return __real_mmap(address, bytes, protection, flags, file, offset);
}

static void reserve(struct device_memory *m, unsigned devices)
{
    struct proact_error err;

    *m = (struct device_memory){0};
    if (memory_reserve(m, devices, EACH, &err))
        fail_msg("%s", err.text);
}

static uint64_t allocate(struct device_memory *m, unsigned device, uint64_t bytes)
{
    struct proact_error err;
    uint64_t address = 0;

    if (memory_allocate(m, device, bytes, &address, &err))
        fail_msg("%s", err.text);
    return address;
}

static void set_free(struct device_memory *m, unsigned device, uint64_t address)
{
    struct allocation was;

    assert_true(memory_free(m, device, address, &was));
    assert_true(was.first == address);
}

/* Accesses the address in a separate process, which may die from it. */
static bool may_touch(uint64_t address)
{
    int state = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (!child) {
        volatile unsigned char *byte = (volatile unsigned char *)(uintptr_t)address;

        signal(SIGSEGV, SIG_DFL);
        *byte = (unsigned char)(*byte + 1);
        _exit(0);
    }
    assert_true(waitpid(child, &state, 0) == child);
    return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

static uint64_t resident_bytes(void)
{
    unsigned long all, resident;
    FILE *f = fopen("/proc/self/statm", "r");

    if (!f)
        return 0;
    if (fscanf(f, "%lu %lu", &all, &resident) != 2)
        resident = 0;
    fclose(f);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void only_allocated_memory_is_accessible(void **state)
{
    struct device_memory m;

    (void)state;
    reserve(&m, 2);
    for (unsigned d = 0; d < 2; d++) {
        uint64_t a = allocate(&m, d, MEGABYTE);

        assert_int_equal(memory_device(&m, a), d);
        assert_true(may_touch(a) && may_touch(a + MEGABYTE - 1));
        assert_false(may_touch(a + 2 * MEGABYTE));
        set_free(&m, d, a);
        assert_false(may_touch(a + 8192));
        assert_false(may_touch(a));
        assert_true(allocate(&m, d, MEGABYTE) == a);
        assert_true(may_touch(a + 8192));
    }
    memory_release(&m);
}

/* Small allocations share a page, which exists as long as one of them does. */
static void neighbours_on_a_page_survive(void **state)
{
    struct device_memory m;
    uint64_t a[3];

    (void)state;
    reserve(&m, 1);
    for (int i = 0; i < 3; i++) {
        a[i] = allocate(&m, 0, 100);
        memset((void *)(uintptr_t)a[i], i + 1, 100);
    }
    assert_true(a[2] - a[0] < 4096);
    set_free(&m, 0, a[1]);
    set_free(&m, 0, a[0]);
    assert_int_equal(*(unsigned char *)(uintptr_t)(a[2] + 99), 3);
    set_free(&m, 0, a[2]);
    assert_false(may_touch(a[2]));
    /* A large allocation between two small ones uses whole pages. */
    a[0] = allocate(&m, 0, 100);
    a[1] = allocate(&m, 0, MEGABYTE);
    a[2] = allocate(&m, 0, 100);
    memset((void *)(uintptr_t)a[0], 1, 100);
    memset((void *)(uintptr_t)a[1], 2, MEGABYTE);
    memset((void *)(uintptr_t)a[2], 3, 100);
    set_free(&m, 0, a[1]);
    assert_false(may_touch(a[1] + MEGABYTE / 2));
    assert_int_equal(*(unsigned char *)(uintptr_t)(a[0] + 99), 1);
    assert_int_equal(*(unsigned char *)(uintptr_t)a[2], 3);
    memory_release(&m);
}

static void freed_pages_return_to_the_host(void **state)
{
    struct device_memory m;
    uint64_t before, full, a;

    (void)state;
    reserve(&m, 1);
    /* A first use makes the shadow pages of a sanitizer resident, which stay. */
    a = allocate(&m, 0, 64 * MEGABYTE);
    memset((void *)(uintptr_t)a, 1, 64 * MEGABYTE);
    set_free(&m, 0, a);
    before = resident_bytes();
    if (!before)
        skip(); /* the host does not report its usage */
    a = allocate(&m, 0, 64 * MEGABYTE);
    memset((void *)(uintptr_t)a, 1, 64 * MEGABYTE);
    full = resident_bytes();
    assert_true(full > before + 60 * MEGABYTE);
    set_free(&m, 0, a);
    assert_true(resident_bytes() < before + 4 * MEGABYTE);
    memory_release(&m);
}

/* RLIMIT_DATA stands in for a host without overcommitment. */
static void refused_by_the_host(void)
{
    struct rlimit limit = {64 * MEGABYTE, 64 * MEGABYTE};
    struct device_memory m = {0};
    struct proact_error err;
    uint64_t address = 0, part;

    if (setrlimit(RLIMIT_DATA, &limit))
        _exit(0);
    if (memory_reserve(&m, 4, EACH, &err))
        _exit(1);
    if (memory_allocate(&m, 1, 128 * MEGABYTE, &address, &err) != PROACT_ENOSPACE ||
        !strstr(err.text, "device 1: 134217728 bytes requested, which the host refuses"))
        _exit(2);
    for (int n = 0; n < 20; n++) { /* every iteration frees all its memory */
        struct allocation was;

        if (memory_allocate(&m, 1, 16 * MEGABYTE, &part, &err))
            _exit(3);
        if (!memory_free(&m, 1, part, &was))
            _exit(4);
    }
    _exit(0);
}

static void a_reservation_uses_no_memory(void **state)
{
    int status = 0;
    pid_t child;

    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* the shadow memory alone exceeds the limit */
#endif
    child = fork();
    assert_true(child >= 0);
    if (!child)
        refused_by_the_host();
    assert_true(waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void refuses(struct device_memory *m, uint64_t bytes, const char *message)
{
    struct proact_error err;
    uint64_t address = 77;

    assert_int_equal(memory_allocate(m, 0, bytes, &address, &err), PROACT_ENOSPACE);
    assert_string_equal(err.text, message);
    assert_true(address == 77);
}

static void refuses_parts(struct device_memory *m, uint64_t bytes, const char *message)
{
    struct proact_error err;
    uint64_t address = 77, part = 77;

    assert_int_equal(memory_allocate_parts(m, bytes, &address, &part, &err),
                     PROACT_ENOSPACE);
    assert_string_equal(err.text, message);
    assert_true(address == 77);
}

/* Owner of each byte, the device whose memory it uses, and the device that a failure
   names. */
static void each_partition_is_of_one_device(void **state)
{
    enum { COUNT = 3, BYTES = 3 * 4096 + 100, PART = 2 * 4096 };
    struct device_memory m;
    struct proact_error err;
    struct allocation was;
    uint64_t address, part, blocks;

    (void)state;
    reserve(&m, COUNT);
    assert_int_equal(memory_allocate_parts(&m, BYTES, &address, &part, &err), PROACT_OK);
    assert_true(part == PART);
    for (uint64_t i = 0; i < BYTES; i++) {
        const struct allocation *in = memory_find(&m, address + i, NULL);

        assert_non_null(in);
        assert_int_equal(memory_device(&m, address + i), i / PART);
        assert_true(memory_part(in, address + i).first == address + i / PART * PART);
    }
    assert_true(memory_part(memory_find(&m, address, NULL), address).end == address + PART);
    assert_int_equal(memory_device(&m, address + BYTES), COUNT);
    assert_true(m.used[0] == PART && m.used[1] == BYTES - PART && !m.used[2]);
    blocks = allocate(&m, 1, 250 * MEGABYTE);
    refuses_parts(&m, 60 * MEGABYTE,
                  "device 1: 20971520 bytes requested, 6287260 of 268435456 left");
    refuses_parts(&m, 900 * MEGABYTE,
                  "all devices: 943718400 bytes requested, 805306368 possible");
    assert_false(memory_free(&m, 1, address, &was)); /* only device 0 may free it */
    assert_true(memory_free(&m, 0, address, &was));
    assert_true(memory_free(&m, 1, blocks, &was));
    assert_true(!m.used[0] && !m.used[1]);
    memory_release(&m);
}

static void refusals_name_both_numbers(void **state)
{
    struct device_memory m;
    uint64_t a[4];

    (void)state;
    reserve(&m, 1);
    for (int i = 0; i < 4; i++)
        a[i] = allocate(&m, 0, 63 * MEGABYTE);
    refuses(&m, 5 * MEGABYTE,
            "device 0: 5242880 bytes requested, 4194304 of 268435456 left");
    set_free(&m, 0, a[0]);
    set_free(&m, 0, a[2]);
    refuses(&m, 80 * MEGABYTE,
            "device 0: 83886080 bytes requested, 136314880 of 268435456 left but at most "
            "66060288 contiguous");
    allocate(&m, 0, 63 * MEGABYTE);
    memory_release(&m);
}

/* Generic addresses below EXECUTE_WINDOWS_END are shared or local memory. */
static void no_memory_lies_in_the_windows(void **state)
{
    static const uintptr_t low[] = {0, EXECUTE_SHARED_WINDOW, EXECUTE_LOCAL_WINDOW,
                                    EXECUTE_WINDOWS_END - 65536, EXECUTE_WINDOWS_END};
    struct device_memory m;

    (void)state;
    for (size_t i = 0; i < sizeof low / sizeof *low; i++) {
        *low_address() = low[i];
        reserve(&m, 2);
        *low_address() = 0;
        for (unsigned d = 0; d < 2; d++) {
            const uint64_t address = allocate(&m, d, 65536);

            assert_true(memory_base(&m, d) >= EXECUTE_WINDOWS_END);
            assert_true(address >= EXECUTE_WINDOWS_END);
            assert_true(may_touch(address) && may_touch(address + 65535));
        }
        memory_release(&m);
    }
}

static void one_allocation_may_use_nearly_all_memory(void **state)
{
    struct device_memory m = {0};
    struct proact_error err;
    const uint64_t most = (uint64_t)141 << 30;

    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* the shadow memory is too large to map */
#endif
    if (memory_reserve(&m, 4, most, &err))
        fail_msg("%s", err.text);
    for (unsigned d = 0; d < 4; d++)
        allocate(&m, d, most / 10 * 9);
    memory_release(&m);
}

/* A write of equal bytes takes the image of the last one; its pages are placed without
   being copied. */
static void long_writes_share_their_bytes(void **state)
{
    enum { LONG = WRITE_IMAGE_BYTES_MIN + 777, WORD = 3 << 20 };
    unsigned char *from = must_calloc(LONG, 1);
    struct write_images kept = {.count = 2};
    struct device_memory m;

    (void)state;
    reserve(&m, 2);
    memset(from, 1, LONG);
    unsigned char *first = (unsigned char *)(uintptr_t)allocate(&m, 0, LONG),
                  *second = (unsigned char *)(uintptr_t)allocate(&m, 1, LONG);
    struct write_image *i = write_image_take(&kept, (uint64_t)(uintptr_t)first, from, LONG),
                       *again =
                           write_image_take(&kept, (uint64_t)(uintptr_t)second, from, LONG);

    assert_null(write_image_take(&kept, (uint64_t)(uintptr_t)first, from, LONG / 2));
    if (!i)
        skip(); /* the host has no anonymous files */
    assert_ptr_equal(again, i);
    from[WORD] = 2;
    struct write_image *other =
        write_image_take(&kept, (uint64_t)(uintptr_t)first, from, LONG);

    assert_ptr_not_equal(other, i);
    const uint64_t before = resident_bytes();

    write_image_put(i, (uint64_t)(uintptr_t)first);
    write_image_put(i, (uint64_t)(uintptr_t)second);
    assert_true(!before || resident_bytes() < before + MEGABYTE);
    first[WORD] = 3;
    assert_int_equal(second[WORD], 1);
    assert_int_equal(second[LONG - 1], 1);
    write_image_put(other, (uint64_t)(uintptr_t)second);
    write_image_release(i);
    write_image_release(again);
    write_image_release(other);
    write_images_clear(&kept);
    assert_int_equal(first[WORD], 3);
    assert_int_equal(second[WORD], 2);
    memory_release(&m);
    free(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_allocated_memory_is_accessible),
        cmocka_unit_test(neighbours_on_a_page_survive),
        cmocka_unit_test(freed_pages_return_to_the_host),
        cmocka_unit_test(a_reservation_uses_no_memory),
        cmocka_unit_test(long_writes_share_their_bytes),
        cmocka_unit_test(each_partition_is_of_one_device),
        cmocka_unit_test(refusals_name_both_numbers),
        cmocka_unit_test(no_memory_lies_in_the_windows),
        cmocka_unit_test(one_allocation_may_use_nearly_all_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
