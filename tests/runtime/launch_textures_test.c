/* SPDX-License-Identifier: Apache-2.0 */
/* Split kernels with textures: what each device receives, and when. An argument names the
   machine; emulated devices check the order of all reads. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <proact/device.h>
#include <proact/texture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16384, THREADS = 64, CTAS = N / THREADS };

static const char *machine = "h200x4";

struct fixture {
    struct proact *p;
    struct proact_error err;
    struct proact_array *out;
    struct proact_kernel *fetch, *sample, *paint, *bump;
    uint32_t *in, *got;
};

static void must(struct fixture *f, enum proact_status status)
{
    if (status)
        fail_msg("%s", f->err.text);
}

static struct proact_kernel *kernel(struct fixture *f, const char *text, const char *name)
{
    struct proact_kernel *k = NULL;

    must(f, proact_kernel_load(f->p,
                               &(struct proact_image){.name = "textured.ptx", .text = text},
                               name, &k, &f->err));
    return k;
}

static struct proact_array *array(struct fixture *f, const char *name, size_t count)
{
    struct proact_array *a = NULL;

    must(f, proact_array_create(f->p, &(struct proact_shape){name, count, 4}, &a, &f->err));
    return a;
}

/* Chunks are copied after the kernel. */
static struct fixture *begin(void)
{
    FILE *file = fopen(PROACT_SOURCE "/tests/runtime/textured.ptx", "r");
    struct fixture *f = calloc(1, sizeof *f);
    char *text = calloc(1, 1 << 16);

    assert_true(f && text && file && fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    must(f, proact_open(&(struct proact_options){.machine = machine,
                                                 .check = strcmp(machine, "local") != 0,
                                                 .plan = {.method = "bulk"}},
                        &f->p, &f->err));
    f->in = calloc(2 * N, sizeof *f->in);
    assert_non_null(f->in);
    f->got = f->in + N;
    for (uint32_t n = 0; n < N; n++)
        f->in[n] = n * 2654435761u >> 7;
    f->out = array(f, "out", N);
    f->fetch = kernel(f, text, "fetch");
    f->sample = kernel(f, text, "sample");
    f->paint = kernel(f, text, "paint");
    f->bump = kernel(f, text, "bump");
    free(text);
    return f;
}

static void end(struct fixture *f)
{
    proact_close(f->p);
    free(f->in);
    free(f);
}

static void *skip_without_machine(void)
{
    struct proact *p = NULL;
    struct proact_error err;

    if (!proact_open(&(struct proact_options){.machine = machine}, &p, &err)) {
        const bool alone = proact_device_count(p) < 2;

        proact_close(p);
        return alone ? "one device alone" : NULL;
    }
    return "no such machine here";
}

static const struct proact_texel_format word = {PROACT_TEXEL_UNSIGNED, 32, 1};

static struct proact_texture_array *texels(struct fixture *f)
{
    struct proact_texture_array *t = NULL;

    must(f, proact_texture_array_create(
                f->p,
                &(struct proact_texture_array_shape){
                    .width = N, .allows_surfaces = true, .texel = word},
                &t, &f->err));
    return t;
}

/* Writes every texel: in[] plus `by`. */
static void put(struct fixture *f, struct proact_texture_array *t, uint32_t by)
{
    for (uint32_t n = 0; n < N; n++)
        f->got[n] = f->in[n] + by;
    must(f, proact_copy_3d(f->p,
                           &(struct proact_copy_3d){
                               .to = {.array = t},
                               .from = {.address = (uintptr_t)f->got, .is_host = true},
                               .bytes = N * 4,
                               .rows = 1,
                               .slices = 1},
                           &f->err));
}

static uint64_t texture(struct fixture *f, struct proact_texture_array *t)
{
    uint64_t handle = 0;

    must(f,
         proact_texture_create(
             f->p,
             &(struct proact_texture){
                 .array = t, .address_mode = {PROACT_ADDRESS_CLAMP, PROACT_ADDRESS_CLAMP}},
             &handle, &f->err));
    return handle;
}

static uint64_t line(struct fixture *f, struct proact_array *a, size_t count)
{
    uint64_t handle = 0;

    must(f, proact_texture_create(
                f->p,
                &(struct proact_texture){
                    .address = proact_array_address(a, 0), .width = count, .texel = word},
                &handle, &f->err));
    return handle;
}

static enum proact_status launch(struct fixture *f, struct proact_kernel *k,
                                 struct proact_array *a, uint64_t handle)
{
    const uint32_t n = N;

    return proact_launch(
        k, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
        (struct proact_arg[]){PROACT_ARRAY(a), PROACT_VALUE(handle), PROACT_VALUE(n)}, 3,
        &f->err);
}

/* Launches split, without a wait. */
static void run(struct fixture *f, struct proact_kernel *k, uint64_t handle)
{
    must(f, launch(f, k, f->out, handle));
    if (proact_kernel_refusal(k))
        fail_msg("%s", proact_kernel_refusal(k));
}

static void runs_whole(struct fixture *f, struct proact_kernel *k, struct proact_array *a,
                       uint64_t handle, const char *why)
{
    must(f, launch(f, k, a, handle));
    if (!proact_kernel_refusal(k) || !strstr(proact_kernel_refusal(k), why))
        fail_msg("'%s' has no '%s'", proact_kernel_refusal(k), why);
}

/* Expects in[], in order or reversed, plus `more`. */
static void holds(struct fixture *f, bool is_turned, uint32_t more)
{
    must(f, proact_device0_read(f->p, f->got, proact_array_address(f->out, 0), N * 4,
                                &f->err));
    for (uint32_t n = 0; n < N; n++)
        if (f->got[n] != f->in[is_turned ? N - 1 - n : n] + more)
            fail_msg("element %u is %u, not %u", n, f->got[n],
                     f->in[is_turned ? N - 1 - n : n] + more);
}

static uint64_t busy(struct fixture *f)
{
    struct proact_statistics s;

    must(f, proact_statistics_get(f->p, PROACT_ALL_DEVICES, NULL, &s, &f->err));
    return s.wire_bytes;
}

/* A device's copy is renewed after the array changed and after earlier reads of the copy,
   and at no other time. The loop is long because the first broadcasts also order the
   devices. */
static void changed_texture_copies_are_renewed(void **state)
{
    struct fixture *f = begin();
    struct proact_texture_array *t = texels(f), *other = texels(f);
    const uint64_t handle = texture(f, t);

    (void)state;
    put(f, t, 0);
    for (uint32_t round = 0; round < 12; round++) {
        const struct proact_copy_3d half = {.to = {.array = t, .x = 2 * N},
                                            .from = {.array = other, .x = 2 * N},
                                            .bytes = 2 * N,
                                            .rows = 1,
                                            .slices = 1};

        put(f, other, round);
        run(f, f->sample, handle);
        must(f, proact_copy_3d(f->p, &half, &f->err));
    }
    put(f, t, 100);
    run(f, f->sample, handle);
    holds(f, true, 100);
    proact_statistics_reset(f->p);
    run(f, f->sample, handle);
    holds(f, true, 100);
    const uint64_t still = busy(f);

    put(f, t, 101);
    proact_statistics_reset(f->p);
    run(f, f->sample, handle);
    holds(f, true, 101);
    if (strcmp(machine, "local") != 0) /* hardware does not count */
        assert_true(busy(f) >= still + (proact_device_count(f->p) - 1) * N * 4);
    end(f);
}

static void surfaces_change_arrays(void **state)
{
    struct fixture *f = begin();
    struct proact_texture_array *t = texels(f);
    const uint64_t handle = texture(f, t);
    uint64_t surface;

    (void)state;
    must(f, proact_surface_create(f->p, t, &surface, &f->err));
    put(f, t, 0);
    run(f, f->sample, handle);
    for (uint32_t by = 1; by < 4; by++) {
        const uint32_t n = N;

        must(f, proact_launch(f->paint,
                              &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
                              (struct proact_arg[]){PROACT_VALUE(surface), PROACT_VALUE(n),
                                                    PROACT_VALUE(by)},
                              3, &f->err));
        run(f, f->sample, handle);
        must(f, proact_device0_read(f->p, f->got, proact_array_address(f->out, 0), N * 4,
                                    &f->err));
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(f->got[i], by * (N - 1 - i));
    }
    assert_non_null(strstr(proact_kernel_refusal(f->paint), "it has surfaces"));
    proact_surface_destroy(f->p, surface);
    end(f);
}

static void grow(struct fixture *f, struct proact_array *a, uint32_t by)
{
    const uint32_t n = N;

    must(f, proact_launch(
                f->bump, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
                (struct proact_arg[]){PROACT_ARRAY(a), PROACT_VALUE(n), PROACT_VALUE(by)},
                3, &f->err));
}

/* Each device needs all of the memory and has one partition of it from a split kernel. */
static void memory_is_fetched(void **state)
{
    struct fixture *f = begin();
    struct proact_array *a = array(f, "a", N);
    const uint64_t handle = line(f, a, N);

    (void)state;
    must(f, proact_array_write(a, 0, f->in, N, &f->err));
    for (uint32_t round = 1; round < 10; round++) {
        grow(f, a, 3);
        run(f, f->fetch, handle);
        if (round % 4 == 1)
            holds(f, false, 3 * round);
    }
    holds(f, false, 27);
    end(f);
}

/* A texture refers to the array that currently occupies its address. Other devices have the
   array's replicas elsewhere, because copies of texels were allocated there. */
static void texture_memory_may_be_recreated(void **state)
{
    struct fixture *f = begin();
    struct proact_array *a = array(f, "a", N);
    const uint64_t at = proact_array_address(a, 0), handle = line(f, a, N);
    struct proact_texture_array *first = texels(f), *t = texels(f);
    const uint64_t plane = texture(f, t), early = texture(f, first);

    (void)state;
    must(f, proact_array_write(a, 0, f->in, N, &f->err));
    put(f, first, 4);
    for (int round = 0; round < 4; round++) {
        run(f, f->sample, early);
        holds(f, true, 4);
    }
    put(f, t, 5);
    run(f, f->fetch, handle);
    holds(f, false, 0);
    proact_array_destroy(a);
    run(f, f->sample, plane);
    holds(f, true, 5);
    a = array(f, "b", N);
    if (proact_array_address(a, 0) == at) { /* emulated devices reuse the address */
        must(f, proact_array_write(a, 0, f->in, N, &f->err));
        grow(f, a, 9);
        run(f, f->fetch, handle);
        holds(f, false, 9);
    } else
        assert_string_equal(machine, "local");
    proact_texture_destroy(f->p, handle);
    proact_texture_destroy(f->p, plane);
    proact_texture_array_destroy(t);
    t = texels(f);
    put(f, t, 77);
    run(f, f->sample, texture(f, t));
    holds(f, true, 77);
    end(f);
}

static const struct proact_map runs = {.kind = PROACT_MAP_CONTIGUOUS,
                                       .range_bytes = THREADS * 4};

/* Texture reads work with user-given maps, and with distributed arrays, which are not
   sent. */
static void maps_and_distributed_arrays(void **state)
{
    struct fixture *f = begin();
    struct proact_texture_array *t = texels(f);
    const uint64_t handle = texture(f, t);
    struct proact_array *replicated = f->out, *a = array(f, "a", N);
    const uint64_t of_a = line(f, a, N);

    (void)state;
    must(f, proact_array_write(a, 0, f->in, N, &f->err));
    put(f, t, 1);
    must(f, proact_array_create_distributed(f->p, &(struct proact_shape){"whole", N, 4},
                                            &f->out, &f->err));
    run(f, f->sample, handle);
    holds(f, true, 1);
    f->out = replicated;
    must(f, proact_kernel_map(f->sample, 0, &runs, &f->err));
    must(f, proact_kernel_map(f->fetch, 0, &runs, &f->err));
    for (uint32_t round = 2; round < 5; round++) {
        put(f, t, round);
        run(f, f->sample, handle);
        holds(f, true, round);
    }
    run(f, f->fetch, of_a);
    holds(f, false, 0);
    runs_whole(f, f->fetch, a, of_a, "it writes array 'a'");
    end(f);
}

/* `sample` as an annotated kernel: its grid is a line of its own CTAs. */
static struct proact_kernel *marked(struct fixture *f, const char *read)
{
    char text[2048];

    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_70\n.address_size 64\n"
             ".visible .entry marked(.param .u64 out, .param .u64 texture, .param .u32 n,\n"
             ".param .align %zu .b8 share[%zu])\n{\n.reg .b32 %%r<9>;\n.reg .f32 %%f<3>;\n"
             ".reg .b64 %%rd<6>;\nld.param.u64 %%rd1, [out];\nld.param.u64 %%rd2, "
             "[texture];\nld.param.u32 %%r1, [n];\nld.param.u32 %%r2, [share+%zu];\n"
             "mov.u32 %%r3, %%ctaid.x;\nadd.s32 %%r2, %%r2, %%r3;\nmov.u32 %%r3, "
             "%%ntid.x;\nmov.u32 %%r4, %%tid.x;\nmad.lo.s32 %%r5, %%r2, %%r3, %%r4;\n"
             "sub.s32 %%r6, %%r1, %%r5;\nsub.s32 %%r6, %%r6, 1;\ncvt.rn.f32.s32 %%f1, "
             "%%r6;\nadd.f32 %%f1, %%f1, 0f3F000000;\n%s\nmul.wide.s32 %%rd4, %%r5, 4;\n"
             "add.s64 %%rd5, %%rd1, %%rd4;\nst.global.u32 [%%rd5], %%r1;\nret;\n}\n",
             _Alignof(struct proact_partition), sizeof(struct proact_partition),
             offsetof(struct proact_partition, cta_first), read);
    struct proact_kernel *k = kernel(f, text, "marked");

    must(f, proact_kernel_map(k, 0, &runs, &f->err));
    return k;
}

static void annotated_kernels(void **state)
{
    struct fixture *f = begin();
    struct proact_texture_array *t = texels(f);
    const uint64_t handle = texture(f, t);
    struct proact_kernel *k =
        marked(f, "tex.1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd2, {%f1}];");

    (void)state;
    for (uint32_t round = 0; round < 3; round++) {
        put(f, t, round);
        must(f, launch(f, k, f->out, handle));
        holds(f, true, round);
    }
    k = marked(f, "shl.b32 %r6, %r6, 2;\nsuld.b.1d.b32.trap {%r1}, [%rd2, {%r6}];");
    assert_int_equal(launch(f, k, f->out, handle), PROACT_EREFUSED);
    assert_non_null(strstr(f->err.text, "it has surfaces"));
    end(f);
}

static void unsplit_launches_give_a_reason(void **state)
{
    struct fixture *f = begin();
    struct proact_array *a = array(f, "a", 2 * N);
    const uint64_t handle = line(f, a, N);
    struct proact_texture_array *t = texels(f);
    uint64_t plane = texture(f, t);

    (void)state;
    must(f, proact_array_write(a, 0, f->in, N, &f->err));
    runs_whole(f, f->fetch, a, handle,
               "it writes array 'a', which it reads through the texture in argument 1");
    must(f, proact_record_begin(f->p, &f->err));
    assert_int_equal(launch(f, f->fetch, f->out, handle), PROACT_EINVAL);
    assert_non_null(strstr(f->err.text, "cannot be recorded"));
    struct proact_recording *r = NULL;

    must(f, proact_record_end(f->p, &r, &f->err));
    proact_recording_destroy(r);
    run(f, f->fetch, handle);
    holds(f, false, 0);
    must(f, proact_wait(f->p, &f->err));
    proact_texture_array_destroy(t);
    runs_whole(f, f->sample, f->out, plane,
               "the array of the texture in argument 1 was freed");
    proact_wait(f->p, &f->err); /* the backend reports the failure */
    end(f);
}

static void invalid_textures_are_reported(void **state)
{
    struct fixture *f = begin();

    (void)state;
    runs_whole(f, f->sample, f->out, 4711, "argument 1 is not a valid texture handle");
    proact_wait(f->p, &f->err);
    end(f);
}

/* The fake driver counts objects: all are freed. */
static void all_driver_objects_are_freed(void **state)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    unsigned (*left)(void) =
        library ? (unsigned (*)(void))(uintptr_t)dlsym(library, "fake_cuda_left") : NULL;

    (void)state;
    if (!left)
        skip();
    const unsigned before = left();

    texture_memory_may_be_recreated(state);
    assert_int_equal(left(), before);
    dlclose(library);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_texture_copies_are_renewed),
        cmocka_unit_test(surfaces_change_arrays),
        cmocka_unit_test(memory_is_fetched),
        cmocka_unit_test(texture_memory_may_be_recreated),
        cmocka_unit_test(maps_and_distributed_arrays),
        cmocka_unit_test(annotated_kernels),
        cmocka_unit_test(all_driver_objects_are_freed),
    };
    const struct CMUnitTest emulated[] = {
        cmocka_unit_test(unsplit_launches_give_a_reason),
        cmocka_unit_test(invalid_textures_are_reported),
    };
    const char *why;

    machine = argc > 1 ? argv[1] : machine;
    if ((why = skip_without_machine())) {
        puts(why);
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    /* An invalid texture handle makes a GPU unusable, so only emulated devices test it. */
    return failed || argc > 1 ? failed : cmocka_run_group_tests(emulated, NULL, NULL);
}
