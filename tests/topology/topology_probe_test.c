/* SPDX-License-Identifier: Apache-2.0 */
/* The probe on an emulated machine measures the values of its machine file. */
#include "topology/topology_probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/model.h"
#include "topology/topology.h"

/* Expected bandwidth of a long copy: the payload share of the link, minus the engine's
   start. */
static double expected_gbps(const struct topology *t, unsigned i, unsigned j,
                            uint64_t bytes)
{
    double raw = t->link_gbps[i][j] < t->fabric.egress_gbps ? t->link_gbps[i][j]
                                                            : t->fabric.egress_gbps;
    double wire = model_wire_bytes(&t->fabric, MODEL_COPY_ENGINE, bytes, bytes);

    if (t->link_gbps[i][j] <= 0)
        return t->host_gbps / 2; /* to the host and back */
    return (double)bytes /
           (wire / raw + t->fabric.copy_first_us * 1e3 + 2 * t->fabric.latency_ns);
}

static void look_at(const char *machine)
{
    struct topology *t = calloc(1, sizeof *t);
    struct topology_probe *p = calloc(1, sizeof *p);
    struct proact_error err = {""};

    assert_true(t && p);
    if (topology_load(machine, t, &err) || topology_probe(&device_emulator, t, p, &err))
        fail_msg("%s", err.text);
    assert_int_equal(p->count, t->device_count);
    for (unsigned i = 0; i < p->count; i++)
        for (unsigned j = 0; j < p->count; j++) {
            double gbps = i == j ? 0 : expected_gbps(t, i, j, p->bytes);
            double least_us = t->fabric.copy_first_us + t->fabric.latency_ns / 1e3;
            bool is_staged = i != j && t->link_gbps[i][j] <= 0;

            if (p->gbps[i][j] < 0.98 * gbps || p->gbps[i][j] > 1.02 * gbps)
                fail_msg("%s: %u to %u: %g GB/s, not %g", machine, i, j, p->gbps[i][j],
                         gbps);
            assert_int_equal(p->is_staged[i][j], is_staged);
            if (i != j && (p->copy_us[i][j] < least_us ||
                           p->copy_us[i][j] > least_us + 4 * t->fabric.latency_ns / 1e3))
                fail_msg("%s: %u to %u: %g us", machine, i, j, p->copy_us[i][j]);
        }
    free(t);
    free(p);
}

static void links_equal_the_file(void **state)
{
    (void)state;
    look_at("v100x4");
    look_at("p100x4"); /* pairs with one link and with two */
    look_at("h200x2");
}

static void pairs_without_a_link_go_through_the_host(void **state)
{
    (void)state;
    look_at(PROACT_SOURCE "/tests/topology/bridged.json");
}

static void one_device_has_no_pairs(void **state)
{
    struct topology *t = calloc(1, sizeof *t);
    struct topology_probe *p = calloc(1, sizeof *p);

    (void)state;
    assert_true(t && p);
    assert_int_equal(topology_load("v100x4", t, NULL), PROACT_OK);
    assert_int_equal(topology_restrict(t, 1, NULL), PROACT_OK);
    assert_int_equal(topology_probe(&device_emulator, t, p, NULL), PROACT_OK);
    assert_int_equal(p->count, 1);
    free(t);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_equal_the_file),
        cmocka_unit_test(pairs_without_a_link_go_through_the_host),
        cmocka_unit_test(one_device_has_no_pairs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
