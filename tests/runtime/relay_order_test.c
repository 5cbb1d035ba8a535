/* SPDX-License-Identifier: Apache-2.0 */
/* Order of copies under `relay`: while the owner sends the next chunk, peers forward
   earlier ones. Each copy is one step. No two devices may send to one receiver in the same
   step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/fake_device.h"
#include "runtime/objects/session.h"
#include "runtime/program/session_open.h"

enum { CHUNK = 4096, CHUNKS = 40, BYTES = CHUNK * CHUNKS, DEVICES = 16, STEPS = 64 };

static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry marked(.param .u64 a, .param .align 8 .b8 s[4224])\n{\n ret;\n}\n";

/* Device 0 writes the whole array. */
static struct proact *launched(const char *method, unsigned devices)
{
    const struct proact_options o = {.machine = "v100x16",
                                     .device_count = devices,
                                     .plan = {.method = method, .chunk_bytes = CHUNK}};
    const struct proact_shape shape = {"a", BYTES, 1};
    const struct proact_image image = {.name = "marked.ptx", .text = ptx};
    const struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = CHUNK};
    const struct proact_grid grid = {.ctas = {CHUNKS}, .threads = {64}, .device_count = 1};
    struct proact *p;
    struct proact_array *a;
    struct proact_kernel *k;

    assert_int_equal(session_open(&fake_device, &o, &p, NULL), 0);
    assert_int_equal(proact_array_create(p, &shape, &a, NULL), 0);
    assert_int_equal(proact_kernel_load(p, &image, "marked", &k, NULL), 0);
    assert_int_equal(proact_kernel_map(k, 0, &map, NULL), 0);
    const struct proact_arg arg = PROACT_ARRAY(a);

    fake_forget(p->set);
    assert_int_equal(proact_launch(k, &grid, &arg, 1, NULL), 0);
    return p;
}

/* The owner's copy of chunk i is step i, and the n-th forwarding of that chunk is step i +
   n. Counts the senders of each receiver in each step. */
static void count_senders(const char *log, unsigned senders[STEPS][DEVICES])
{
    unsigned chunk = 0, passed[CHUNKS] = {0};

    for (const char *at = log; at; at = strchr(at, '\n')) {
        unsigned from, to, bytes;
        unsigned long long offset;

        at += *at == '\n';
        if (sscanf(at, "copy %*u.%*u %*u@%u+%llu > %*u@%u+%*u for %u", &from, &offset, &to,
                   &bytes) != 4)
            continue;
        unsigned i = (unsigned)(offset / CHUNK);

        assert_int_equal(bytes, CHUNK);
        if (from == 0)
            assert_int_equal(i, chunk++);
        senders[i + (from ? ++passed[i] : 0)][to]++;
    }
    assert_int_equal(chunk, CHUNKS);
}

static void each_receiver_has_one_sender_per_step(void **state)
{
    (void)state;
    for (unsigned devices = 4; devices <= DEVICES; devices *= 2) {
        unsigned senders[STEPS][DEVICES] = {{0}}, all = 0;
        struct proact *p = launched("relay", devices);

        count_senders(fake_state(p->set)->log.data, senders);
        for (unsigned s = 0; s < STEPS; s++)
            for (unsigned d = 0; d < DEVICES; d++) {
                all += senders[s][d];
                if (senders[s][d] > 1)
                    fail_msg("%u devices: in step %u, %u of them send to device %u",
                             devices, s, senders[s][d], d);
            }
        assert_int_equal(all, CHUNKS * (devices - 1));
        proact_close(p);
    }
}

/* Ready words order streams in a way that CUDA does not see, so events and the order of
   calls must provide the order too. Waits for words follow the counting kernel on streams
   that follow the launch's stream by an event. The launch's stream follows them by
   events. */
static void waits_for_words_follow_events(void **state)
{
    static const char *const methods[] = {"copy-engine", "relay"};

    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct proact *p = launched(methods[m], 4);
        bool is_launched = false, follows[STEPS] = {false}, is_followed[STEPS] = {false};
        bool waits[STEPS] = {false};
        unsigned words = 0, stream, device, other;
        int length;

        for (const char *at = fake_state(p->set)->log.data; at; at = strchr(at, '\n')) {
            at += *at == '\n';
            is_launched |= !strncmp(at, "launch 0.0 ", strlen("launch 0.0 "));
            if (sscanf(at, "wait 0.%u for %u.%u", &stream, &device, &other) == 3) {
                follows[stream] |= device == 0 && other == TRANSFER_SIDE;
                is_followed[other % STEPS] |= device == 0 && stream == TRANSFER_SIDE;
            }
            length = 0;
            if (sscanf(at, "wait 0.%u for a word%n", &stream, &length) < 1 || !length)
                continue;
            if (!is_launched || !follows[stream])
                fail_msg("%s: %.40s", methods[m], at);
            waits[stream] = true;
            is_followed[stream] = false;
            words++;
        }
        assert_int_equal(words, CHUNKS);
        for (unsigned s = 0; s < STEPS; s++)
            assert_true(!waits[s] || is_followed[s]);
        proact_close(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_receiver_has_one_sender_per_step),
        cmocka_unit_test(waits_for_words_follow_events)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
