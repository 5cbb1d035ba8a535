/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of other libraries: which ones run, which of their rows are accepted, and the
   report of missing ones. The programs are shell scripts here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "peers.h"

struct rows {
    char all[256];
};

static void take(void *context, const char *method, uint64_t chunk_bytes,
                 struct bench_sample ns)
{
    struct rows *r = context;
    size_t length = strlen(r->all);

    snprintf(r->all + length, sizeof r->all - length, "%s %d %g; ", method,
             (int)chunk_bytes, ns.median);
}

static void write_program(const char *folder, const char *name, const char *message)
{
    char path[300];

    snprintf(path, sizeof path, "%s/peer_%s", folder, name);
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", message);
    fclose(f);
    assert_int_equal(chmod(path, 0700), 0);
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = {"copies", "nccl", "nvshmem"};
    char path[300];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/peer_%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void look(const char *method, bool is_virtual, char *output, size_t size)
{
    FILE *to = tmpfile();
    int kept = dup(STDERR_FILENO);

    assert_non_null(to);
    fflush(stderr);
    assert_true(dup2(fileno(to), STDERR_FILENO) >= 0);
    peers_look(method, is_virtual);
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    rewind(to);
    output[fread(output, 1, size - 1, to)] = '\0';
    fclose(to);
}

static void built_peers_run_and_missing_ones_are_reported(void **state)
{
    char folder[] = "peersXXXXXX", output[1024];
    struct peers_request q = {.devices = 2, .bytes = 1 << 20, .launches = 1};
    struct rows r = {""};

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("PROACT_BENCH_PEERS", folder, 1), 0);
    write_program(folder, "copies", "echo row cudaMemcpyPeerAsync 4096 10 9 11 3");
    write_program(folder, "nvshmem",
                  "echo NVSHMEM says hello; echo row NVSHMEM 16384 20 19 21 3\n"
                  "echo row NVSHMEM-signal 16384 30 29 31 3");
    peers_run(&q, take, &r);
    assert_string_equal(r.all, "cudaMemcpyPeerAsync 4096 10; NVSHMEM 16384 20; "
                               "NVSHMEM-signal 16384 30; ");
    look(NULL, false, output, sizeof output);
    assert_non_null(strstr(output, "/peer_nccl was not built, NCCL has no rows: "
                                   "bench/peers/build.sh peers"));
    assert_null(strstr(output, "peer_copies"));

    r.all[0] = '\0'; /* a program that is not selected does not run */
    write_program(folder, "copies", "rm \"$0\"");
    q.method = "NVSHMEM-signal,fused";
    peers_run(&q, take, &r);
    assert_string_equal(r.all, "NVSHMEM-signal 16384 30; ");
    look("cudaMemcpyPeerAsync", false, output, sizeof output);
    assert_string_equal(output, ""); /* the program still exists */
    look(q.method, false, output, sizeof output);
    assert_string_equal(output, "");
    look("NCCL", true, output, sizeof output);
    assert_non_null(strstr(output, "need GPUs"));
    remove_folder(folder);
}

static void every_row_of_a_peer_can_be_selected(void **state)
{
    static const char *const wanted[] = {"cudaMemcpyPeerAsync", "NCCL", "NVSHMEM",
                                         "NVSHMEM-signal"};
    size_t count = 0;

    (void)state;
    for (const char *const *name = bench_peers(); *name; name++, count++)
        assert_string_equal(*name, wanted[count]);
    assert_int_equal(count, sizeof wanted / sizeof *wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_peers_run_and_missing_ones_are_reported),
        cmocka_unit_test(every_row_of_a_peer_can_be_selected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
