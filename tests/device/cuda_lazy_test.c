/* SPDX-License-Identifier: Apache-2.0 */
/* Lazy device opening on the fake driver: which device is opened when, and the message if
   one cannot be opened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <proact/program.h>

#include "device/cuda/cuda_set.h"
#include "device/fake_cuda_session.h"

static unsigned opened(void)
{
    return fake_cuda_calls_of("cuDevicePrimaryCtxRetain");
}

static struct device_set *come(const char *settings)
{
    struct device_set *set;
    struct proact_error err;

    fake_cuda_set_up(settings);
    if (device_cuda.open(&(struct device_options){.lazy_devices = true}, &set, &err))
        fail_msg("%s", err.text);
    return set;
}

static void go(struct device_set *set)
{
    device_cuda.close(set);
    assert_int_equal(fake_cuda_still_left(), 0);
}

static void lazy_devices_are_not_used_early(void **state)
{
    (void)state;
    struct device_set *set = come("FAKE_CUDA_DEVICES=4");
    struct device_stream *stream;
    device_addr address;

    assert_int_equal(device_cuda.stream_create(set, 0, &stream, NULL), PROACT_OK);
    assert_int_equal(device_cuda.alloc(set, 0, 4 << 20, &address, NULL), PROACT_OK);
    assert_int_equal(device_cuda.fill(stream, address, 0, 4 << 20, NULL), PROACT_OK);
    assert_int_equal(device_cuda.limit(set, DEVICE_HEAP_BYTES, 1 << 20, NULL), PROACT_OK);
    assert_int_equal(device_cuda.synchronize(set, NULL), PROACT_OK);
    go(set);
    assert_int_equal(opened(), 1);
    assert_int_equal(fake_cuda_calls_of("cuCtxEnablePeerAccess"), 0);
}

/* Closing waits for the device that is being opened and opens no further one. */
static void closing_waits_for_an_opening_device(void **state)
{
    (void)state;
    struct device_set *set = come("FAKE_CUDA_DEVICES=8 FAKE_CUDA_OPEN_MS=200");
    bool are_open;

    assert_int_equal(device_cuda.open_remaining(set, false, &are_open, NULL), PROACT_OK);
    assert_false(are_open);
    go(set);
    assert_true(opened() < 8);
}

static void lazy_devices_receive_earlier_settings(void **state)
{
    (void)state;
    struct device_set *set = come("FAKE_CUDA_DEVICES=3");
    bool are_open;

    assert_int_equal(device_cuda.limit(set, DEVICE_HEAP_BYTES, 1 << 20, NULL), PROACT_OK);
    assert_int_equal(fake_cuda_calls_of("cuCtxSetLimit"), 1);
    assert_int_equal(device_cuda.open_remaining(set, true, &are_open, NULL), PROACT_OK);
    assert_int_equal(fake_cuda_calls_of("cuCtxSetLimit"), 3);
    assert_int_equal(opened(), 3);
    assert_int_equal(fake_cuda_calls_of("cuCtxEnablePeerAccess"), 6);
    go(set);
}

/* Every use of the other devices reports the failure; device 0 continues. */
static void a_failed_open_is_reported(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *sentence;
    } failures[] = {
        {"FAKE_CUDA_DEVICES=3 FAKE_CUDA_FAIL=cuDevicePrimaryCtxRetain:3:2",
         "device 2: cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"},
        {"FAKE_CUDA_DEVICES=3 FAKE_CUDA_FAIL=cuStreamCreateWithPriority:2:1",
         "device 1: cuStreamCreate: CUDA_ERROR_INVALID_VALUE (invalid argument)"},
        {"FAKE_CUDA_DEVICES=3 FAKE_CUDA_FAIL=cuCtxEnablePeerAccess:1:217",
         "device 0: cuCtxEnablePeerAccess: CUDA_ERROR_PEER_ACCESS_UNSUPPORTED (peer access "
         "is not supported between these two devices)"},
    };

    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        struct device_set *set = come(failures[i].settings);
        struct device_stream *stream;
        device_addr address;
        struct proact_error err;
        uint32_t word = 1;
        bool are_open;

        for (int again = 0; again < 2; again++) {
            assert_int_equal(device_cuda.open_remaining(set, true, &are_open, &err),
                             PROACT_ENODEV);
            assert_string_equal(err.text, failures[i].sentence);
            assert_false(are_open);
        }
        assert_int_equal(device_cuda.stream_create(set, 0, &stream, NULL), PROACT_OK);
        assert_int_equal(device_cuda.alloc(set, 0, 4, &address, NULL), PROACT_OK);
        assert_int_equal(device_cuda.fill(stream, address, 9, 4, NULL), PROACT_OK);
        assert_int_equal(device_cuda.read(stream, &word, address, 4, NULL), PROACT_OK);
        assert_int_equal(word, 0x09090909);
        go(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lazy_devices_are_not_used_early),
        cmocka_unit_test(closing_waits_for_an_opening_device),
        cmocka_unit_test(lazy_devices_receive_earlier_settings),
        cmocka_unit_test(a_failed_open_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
