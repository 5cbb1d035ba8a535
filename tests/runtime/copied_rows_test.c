/* SPDX-License-Identifier: Apache-2.0 */
/* A column that a launch writes leaves in few copies, with every method that copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/fake_device.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/program/session_open.h"

enum { CHUNK = 65536, BYTES = 2 * CHUNK, DEVICES = 4 };
enum { WIDE = 8, STRIDE = 256, LEFT = 24, ROWS = BYTES / STRIDE };

static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry marked(.param .u64 a, .param .align 8 .b8 s[4224])\n{\n ret;\n}\n";

/* One CTA on device 0 writes the column, as its map declares. */
static void launch(struct proact *p, struct proact_array *a)
{
    const struct proact_image image = {.name = "marked.ptx", .text = ptx};
    const struct proact_map map = {.kind = PROACT_MAP_STRIDED,
                                   .offset_bytes = LEFT,
                                   .range_bytes = WIDE,
                                   .range_count = ROWS,
                                   .stride_bytes = STRIDE};
    const struct proact_grid grid = {.ctas = {1}, .threads = {64}, .device_count = 1};
    const struct proact_arg arg = PROACT_ARRAY(a);
    struct proact_kernel *k;

    assert_int_equal(proact_kernel_load(p, &image, "marked", &k, NULL), 0);
    assert_int_equal(proact_kernel_map(k, 0, &map, NULL), 0);
    memset((void *)(uintptr_t)a->base[0], 7, BYTES);
    fake_forget(p->set);
    assert_int_equal(proact_launch(k, &grid, &arg, 1, NULL), 0);
}

static unsigned count(const char *log, const char *word)
{
    unsigned count = 0;

    for (; (log = strstr(log, word)); log += strlen(word))
        count++;
    return count;
}

static void column_is_there(const struct proact_array *a, unsigned device)
{
    const unsigned char *is = (const unsigned char *)(uintptr_t)a->base[device];

    for (unsigned i = 0; i < BYTES; i++) {
        bool is_in = i % STRIDE >= LEFT && i % STRIDE < LEFT + WIDE;

        if (is[i] != (is_in ? 7 : 0))
            fail_msg("device %u: byte %u is %u", device, i, is[i]);
    }
}

static void leaves_in(const char *method, unsigned copies)
{
    const struct proact_options o = {.machine = "h200x4",
                                     .plan = {.method = method, .chunk_bytes = CHUNK}};
    const struct proact_shape shape = {"a", BYTES, 1};
    struct proact *p;
    struct proact_array *a;

    assert_int_equal(session_open(&fake_device, &o, &p, NULL), 0);
    assert_int_equal(proact_array_create(p, &shape, &a, NULL), 0);
    launch(p, a);
    const char *log = fake_state(p->set)->log.data;

    if (count(log, "copy ") != copies)
        fail_msg("%s: %u copies, not %u", method, count(log, "copy "), copies);
    for (unsigned d = 1; d < DEVICES; d++)
        column_is_there(a, d);
    proact_close(p);
}

static void a_column_leaves_as_few_copies(void **state)
{
    (void)state;
    leaves_in("bulk", DEVICES - 1);
    leaves_in("copy-engine", 2 * (DEVICES - 1));
    leaves_in("relay", 2 * (DEVICES - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_column_leaves_as_few_copies)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
