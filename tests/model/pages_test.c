/* SPDX-License-Identifier: Apache-2.0 */
/* Unified memory: faults, pages and bytes of short sequences of launches, from tables, and
   the time that follows from them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/pages.h"
#include "model/pages_time.h"

enum {
    SMALL = PAGES_SMALL_BYTES,
    LARGE = PAGES_LARGE_BYTES,
    ACCESSES_MAX = 6,
    DEVICES = 3,
    BATCH = 4,
    FAULT_NS = 20000,
    START_NS = 3000,
    BYTES_PER_NS = 10, /* of each link, and of a device */
    HOST_BYTES_PER_NS = 5
};

enum what { END, READ, WRITE, HOST, LAUNCH };

/* Bytes first to end - 1 of the only array; LAUNCH ends a launch. */
struct access {
    enum what what;
    unsigned device;
    uint64_t first, end;
};

struct sequence {
    const char *name;
    enum pages_hint hint;
    uint64_t array_bytes;
    struct access access[ACCESSES_MAX + 1];
    struct pages_counts want;
};

static struct topology machine(unsigned capability)
{
    struct topology t = {
        .device_count = DEVICES,
        .device = {.capability = capability, .fault_us = 20, .fault_batch = BATCH},
        .fabric = {.egress_gbps = BYTES_PER_NS,
                   .ingress_gbps = BYTES_PER_NS,
                   .payload_bytes = 128,
                   .header_bytes = 128,
                   .copy_payload_bytes = 256,
                   .copy_start_us = 3},
        .host_gbps = HOST_BYTES_PER_NS,
    };

    for (unsigned a = 0; a < DEVICES; a++)
        for (unsigned b = 0; b < DEVICES; b++)
            t.link_gbps[a][b] = a == b ? 0 : BYTES_PER_NS;
    return t;
}

static const struct sequence sequences[] = {
    {"a page comes once",
     PAGES_NO_HINT,
     4 * SMALL,
     {{READ, 0, 0, SMALL}, {LAUNCH, 0, 0, 0}, {READ, 0, 0, SMALL}, {LAUNCH, 0, 0, 0}},
     {1, 1, 1, SMALL, 0}},
    {"a range of one byte more needs one page more, and the last page is short",
     PAGES_NO_HINT,
     2 * SMALL + 100,
     {{READ, 0, SMALL - 1, 2 * SMALL + 1}, {LAUNCH, 0, 0, 0}},
     {3, 1, 3, 2 * SMALL + 100, 0}},
    {"without a hint a reader takes the page from the other",
     PAGES_NO_HINT,
     SMALL,
     {{READ, 0, 0, 8},
      {READ, 1, 0, 8},
      {LAUNCH, 0, 0, 0},
      {READ, 0, 0, 8},
      {LAUNCH, 0, 0, 0}},
     {3, 3, 3, 3 * SMALL, 0}},
    {"faults are served in groups of four by device",
     PAGES_NO_HINT,
     9 * SMALL,
     {{READ, 0, 0, 5 * SMALL}, {READ, 1, 5 * SMALL, 9 * SMALL}, {LAUNCH, 0, 0, 0}},
     {9, 3, 9, 9 * SMALL, 0}},
    {"read-mostly: each reader has a copy",
     PAGES_READ_MOSTLY,
     SMALL,
     {{READ, 0, 0, 8},
      {READ, 1, 0, 8},
      {LAUNCH, 0, 0, 0},
      {READ, 0, 0, 8},
      {LAUNCH, 0, 0, 0}},
     {2, 2, 2, 2 * SMALL, 0}},
    {"read-mostly: a write ends the copies by one fault, and readers fault again",
     PAGES_READ_MOSTLY,
     SMALL,
     {{READ, 0, 0, 8},
      {READ, 1, 0, 8},
      {WRITE, 0, 0, 8},
      {LAUNCH, 0, 0, 0},
      {READ, 1, 0, 8},
      {LAUNCH, 0, 0, 0}},
     {4, 3, 3, 3 * SMALL, 0}},
    {"read-mostly: a page of one writer has no copies to end",
     PAGES_READ_MOSTLY,
     SMALL,
     {{WRITE, 0, 0, 8}, {LAUNCH, 0, 0, 0}, {WRITE, 0, 0, 8}, {LAUNCH, 0, 0, 0}},
     {1, 1, 1, SMALL, 0}},
    {"preferred location: others access the bytes at the writer",
     PAGES_PREFERRED,
     SMALL,
     {{WRITE, 0, 0, 8},
      {LAUNCH, 0, 0, 0},
      {READ, 1, 0, 8},
      {WRITE, 2, 4, 8},
      {LAUNCH, 0, 0, 0}},
     {1, 1, 1, SMALL, 12}},
    {"preferred location: the first reader of a part, if nobody writes",
     PAGES_PREFERRED,
     2 * SMALL,
     {{READ, 2, 0, SMALL},
      {LAUNCH, 0, 0, 0},
      {READ, 0, 0, 2 * SMALL},
      {LAUNCH, 0, 0, 0},
      {READ, 2, 0, SMALL},
      {LAUNCH, 0, 0, 0}},
     {1, 1, 1, SMALL, 2 * SMALL}},
    {"preferred location: equal parts of an array that nobody writes",
     PAGES_PREFERRED,
     3 * SMALL,
     {{READ, 0, 0, 3 * SMALL}, {READ, 2, 0, 3 * SMALL}, {LAUNCH, 0, 0, 0}},
     {2, 2, 2, 2 * SMALL, 4 * SMALL}},
    {"prefetch: large pages without faults",
     PAGES_PREFETCH,
     LARGE + SMALL,
     {{READ, 0, 0, LARGE + 1}, {READ, 1, 0, 8}, {LAUNCH, 0, 0, 0}},
     {0, 0, 3, 2 * LARGE + SMALL, 0}},
    {"prefetch: a write ends the copies by a fault",
     PAGES_PREFETCH,
     LARGE,
     {{READ, 0, 0, 8}, {READ, 1, 0, 8}, {WRITE, 0, 0, 8}, {LAUNCH, 0, 0, 0}},
     {1, 1, 2, 2 * LARGE, 0}},
    {"prefetch: the writer gets the page, and ends the host's copy and the reader's",
     PAGES_PREFETCH,
     LARGE,
     {{READ, 0, 0, 8}, {LAUNCH, 0, 0, 0}, {WRITE, 1, 0, 8}, {LAUNCH, 0, 0, 0}},
     {1, 1, 2, 2 * LARGE, 0}},
    {"the host takes pages away",
     PAGES_READ_MOSTLY,
     2 * SMALL,
     {{READ, 0, 0, 2 * SMALL},
      {LAUNCH, 0, 0, 0},
      {HOST, 0, 0, 8},
      {READ, 0, 0, 2 * SMALL},
      {LAUNCH, 0, 0, 0}},
     {3, 2, 3, 3 * SMALL, 0}},
};

/* Returns the wait of device 0 in the last launch. */
static double play(struct pages *p, const struct sequence *s, uint32_t array)
{
    double wait_ns[TOPOLOGY_DEVICES_MAX] = {0};

    for (const struct access *a = s->access; a->what != END; a++)
        switch (a->what) {
        case READ:
            pages_read(p, a->device, array, a->first, a->end);
            break;
        case WRITE:
            pages_write(p, a->device, array, a->first, a->end);
            break;
        case HOST:
            pages_host_access(p, array, a->first, a->end);
            break;
        case LAUNCH:
            pages_launch_end(p, wait_ns);
            break;
        case END:
            break;
        }
    return wait_ns[0];
}

static void sequences_have_their_counts(void **state)
{
    const struct topology t = machine(70);

    (void)state;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        const struct sequence *s = &sequences[i];
        struct pages *p = pages_create(&t, s->hint);

        play(p, s, pages_array_add(p, s->array_bytes));
        const struct pages_counts got = pages_counts(p), want = s->want;

        if (got.faults != want.faults || got.fault_groups != want.fault_groups ||
            got.migrated_pages != want.migrated_pages ||
            got.migrated_bytes != want.migrated_bytes ||
            got.remote_bytes != want.remote_bytes)
            fail_msg(
                "%s: %llu faults in %llu groups, %llu pages of %llu bytes, %llu remote",
                s->name, (unsigned long long)got.faults,
                (unsigned long long)got.fault_groups,
                (unsigned long long)got.migrated_pages,
                (unsigned long long)got.migrated_bytes,
                (unsigned long long)got.remote_bytes);
        pages_destroy(p);
    }
}

static double wait_of(const struct topology *t, const struct sequence *s)
{
    struct pages *p = pages_create(t, s->hint);
    const double ns = play(p, s, pages_array_add(p, s->array_bytes));

    pages_destroy(p);
    return ns;
}

static void near(double got, double want)
{
    if (got < want * (1 - 1e-9) || got > want * (1 + 1e-9))
        fail_msg("%.17g instead of %.17g", got, want);
}

static void a_wait_is_fault_groups_and_transfers(void **state)
{
    const struct topology t = machine(70);
    const struct sequence five = {
        "", PAGES_NO_HINT, 5 * SMALL, {{READ, 0, 0, 5 * SMALL}, {LAUNCH, 0, 0, 0}}, {0}};
    /* From device 1, which had the page. */
    const struct sequence peer = {
        "",
        PAGES_NO_HINT,
        SMALL,
        {{READ, 1, 0, 8}, {LAUNCH, 0, 0, 0}, {READ, 0, 0, 8}, {LAUNCH, 0, 0, 0}},
        {0}};
    /* Two ranges of pages are two prefetches; they need no fault. */
    const struct sequence ahead = {"",
                                   PAGES_PREFETCH,
                                   4 * (uint64_t)LARGE,
                                   {{READ, 0, 0, 2 * LARGE},
                                    {READ, 0, 3 * (uint64_t)LARGE, 4 * (uint64_t)LARGE},
                                    {LAUNCH, 0, 0, 0}},
                                   {0}};
    /* Single accesses have headers as long as their payload. */
    const struct sequence remote = {
        "",
        PAGES_PREFERRED,
        SMALL,
        {{WRITE, 1, 0, 8}, {LAUNCH, 0, 0, 0}, {READ, 0, 0, 1280}, {LAUNCH, 0, 0, 0}},
        {0}};

    (void)state;
    near(wait_of(&t, &five), 2 * FAULT_NS + 5.0 * SMALL / HOST_BYTES_PER_NS);
    near(wait_of(&t, &peer), FAULT_NS + 1.0 * SMALL / BYTES_PER_NS);
    near(wait_of(&t, &ahead), 2 * START_NS + 3.0 * LARGE / HOST_BYTES_PER_NS);
    near(wait_of(&t, &remote), 2.0 * 1280 / BYTES_PER_NS);
}

static void a_remote_write_waits_for_the_link(void **state)
{
    const struct topology t = machine(70);
    const struct sequence remote = {
        "",
        PAGES_PREFERRED,
        SMALL,
        {{WRITE, 1, 0, 8}, {LAUNCH, 0, 0, 0}, {WRITE, 0, 0, 1280}, {LAUNCH, 0, 0, 0}},
        {0}};

    (void)state;
    near(wait_of(&t, &remote), 2.0 * 1280 / BYTES_PER_NS);
}

/* Of devices 1 and 2, which have a copy, 2 has the faster link. Without links the page
   comes by way of the host. */
static void a_page_comes_over_the_fastest_link(void **state)
{
    struct topology t = machine(70);
    const struct sequence copies = {"",
                                    PAGES_READ_MOSTLY,
                                    SMALL,
                                    {{WRITE, 1, 0, 8},
                                     {READ, 2, 0, 8},
                                     {LAUNCH, 0, 0, 0},
                                     {READ, 0, 0, 8},
                                     {LAUNCH, 0, 0, 0}},
                                    {0}};

    (void)state;
    t.link_gbps[1][0] = 2;
    t.link_gbps[2][0] = 8;
    near(wait_of(&t, &copies), FAULT_NS + 1.0 * SMALL / 8);
    t.link_gbps[2][0] = t.link_gbps[1][0] = 0;
    near(wait_of(&t, &copies), FAULT_NS + 1.0 * SMALL / HOST_BYTES_PER_NS);
}

/* The sender's link to the host carries the pages of both readers. */
static void without_links_pages_pass_the_host(void **state)
{
    struct topology t = machine(70);
    const struct sequence two = {"",
                                 PAGES_NO_HINT,
                                 2 * SMALL,
                                 {{WRITE, 1, 0, 2 * SMALL},
                                  {LAUNCH, 0, 0, 0},
                                  {READ, 0, 0, 8},
                                  {READ, 2, SMALL, SMALL + 8},
                                  {LAUNCH, 0, 0, 0}},
                                 {0}};

    (void)state;
    t.link_gbps[1][0] = t.link_gbps[1][2] = 0;
    near(wait_of(&t, &two), FAULT_NS + 2.0 * SMALL / HOST_BYTES_PER_NS);
}

/* Both readers wait for the egress of the device that has the page. */
static void readers_share_the_links_of_the_sender(void **state)
{
    const struct topology t = machine(70);
    struct pages_moves moves = {0};
    double wait_ns[TOPOLOGY_DEVICES_MAX];

    (void)state;
    moves.migrated[2][0] = moves.migrated[2][1] = 1 << 20;
    pages_moves_time(&t, &moves, wait_ns);
    near(wait_ns[0], 2.0 * (1 << 20) / BYTES_PER_NS);
    near(wait_ns[1], 2.0 * (1 << 20) / BYTES_PER_NS);
    near(wait_ns[2] + 1, 1);
}

/* Groups of devices share a bridge and the link to the host. */
static void groups_share_the_bridge_and_the_host(void **state)
{
    struct topology t = machine(70);
    struct pages_moves moves = {0}, from_host = {0};
    double wait_ns[TOPOLOGY_DEVICES_MAX];

    (void)state;
    t.groups.of[2] = 1;
    t.groups.bridge_gbps = 4;
    moves.migrated[0][2] = moves.migrated[1][2] = 1000 << 10;
    pages_moves_time(&t, &moves, wait_ns);
    near(wait_ns[2], 2.0 * (1000 << 10) / 4);
    from_host.migrated[PAGES_HOST][0] = from_host.migrated[PAGES_HOST][1] = 1000;
    from_host.migrated[PAGES_HOST][2] = 1000;
    pages_moves_time(&t, &from_host, wait_ns);
    near(wait_ns[0], 2.0 * 1000 / HOST_BYTES_PER_NS);
    near(wait_ns[2], 1.0 * 1000 / HOST_BYTES_PER_NS);
}

/* Before sm_60: every launch moves all of its arrays to every device that works. */
static void devices_without_faults_move_everything(void **state)
{
    const struct topology t = machine(35);
    struct pages *p = pages_create(&t, PAGES_PREFETCH);
    const uint32_t used = pages_array_add(p, 10 * SMALL), other = pages_array_add(p, SMALL);
    double wait_ns[TOPOLOGY_DEVICES_MAX];

    (void)state;
    for (unsigned launch = 0; launch < 2; launch++) {
        pages_use(p, used);
        pages_read(p, 0, used, 0, 8);
        pages_write(p, 1, used, 8, 16);
        pages_launch_end(p, wait_ns);
        near(wait_ns[0], 10.0 * SMALL / HOST_BYTES_PER_NS);
        near(wait_ns[1], 10.0 * SMALL / HOST_BYTES_PER_NS);
        near(wait_ns[2] + 1, 1);
    }
    assert_int_equal(pages_counts(p).faults, 0);
    assert_int_equal(pages_counts(p).migrated_bytes, 2 * 2 * 10 * SMALL);
    pages_use(p, other);
    pages_read(p, 0, other, 0, 8);
    pages_launch_end(p, wait_ns);
    near(wait_ns[0], 1.0 * SMALL / HOST_BYTES_PER_NS);
    pages_counts_reset(p);
    assert_int_equal(pages_counts(p).migrated_bytes, 0);
    pages_destroy(p);
}

static void machines_without_fault_times_are_not_covered(void **state)
{
    struct topology t = machine(70);

    (void)state;
    assert_true(pages_has_machine(&t) && pages_has_hints(&t));
    t.device.fault_us = 0;
    assert_false(pages_has_machine(&t));
    t = machine(35);
    t.device.fault_us = 0;
    assert_true(pages_has_machine(&t) && !pages_has_hints(&t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_have_their_counts),
        cmocka_unit_test(a_wait_is_fault_groups_and_transfers),
        cmocka_unit_test(a_remote_write_waits_for_the_link),
        cmocka_unit_test(a_page_comes_over_the_fastest_link),
        cmocka_unit_test(without_links_pages_pass_the_host),
        cmocka_unit_test(readers_share_the_links_of_the_sender),
        cmocka_unit_test(groups_share_the_bridge_and_the_host),
        cmocka_unit_test(devices_without_faults_move_everything),
        cmocka_unit_test(machines_without_fault_times_are_not_covered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
