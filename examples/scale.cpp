// SPDX-License-Identifier: Apache-2.0
// A C++ program for the library: doubles the elements of an array on the devices of a
// machine. The kernel is PTX text, as `nvcc -ptx` prints it.
//
//     c++ -std=c++11 scale.cpp -lproact -o scale
//     ./scale h200x4
#include <proact/proact.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

static const char ptx[] = R"(.version 7.0
.target sm_70
.address_size 64

.visible .entry scale(.param .u64 array, .param .u32 count)
{
    .reg .pred %p;
    .reg .b32 %r<5>;
    .reg .f32 %f;
    .reg .b64 %rd<4>;

    ld.param.u64 %rd0, [array];
    ld.param.u32 %r0, [count];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    setp.ge.u32 %p, %r4, %r0;
    @%p bra DONE;
    cvta.to.global.u64 %rd1, %rd0;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f, [%rd3];
    add.f32 %f, %f, %f;
    st.global.f32 [%rd3], %f;
DONE:
    ret;
}
)";

// A call that failed becomes an exception with its sentence.
static void check(proact_status status, const proact_error &err)
{
    if (status != PROACT_OK)
        throw std::runtime_error(err.text);
}

// A session that closes itself, with its arrays and kernels.
using session = std::unique_ptr<proact, decltype(&proact_close)>;

static session open_machine(const char *machine)
{
    proact_options options{};
    proact_error err{};
    proact *p = nullptr;

    options.machine = machine;
    check(proact_open(&options, &p, &err), err);
    return session(p, &proact_close);
}

static void run(const char *machine)
{
    const unsigned count = 1 << 16, threads = 256;
    const session p = open_machine(machine);
    std::vector<float> numbers(count, 1.0f);
    proact_error err{};
    proact_shape shape{};
    proact_image image{};
    proact_grid grid{};
    proact_array *array = nullptr;
    proact_kernel *scale = nullptr;

    shape.name = "numbers";
    shape.count = count;
    shape.element_bytes = sizeof(float);
    image.text = ptx;
    grid.ctas[0] = count / threads;
    grid.threads[0] = threads;
    check(proact_array_create(p.get(), &shape, &array, &err), err);
    check(proact_kernel_load(p.get(), &image, "scale", &scale, &err), err);
    check(proact_array_write(array, 0, numbers.data(), count, &err), err);
    for (int i = 0; i < 3; i++) {
        const proact_arg args[] = {PROACT_ARRAY(array), PROACT_VALUE(count)};

        check(proact_launch(scale, &grid, args, 2, &err), err);
    }
    check(proact_array_read(array, 0, numbers.data(), count, &err), err);
    if (const char *why = proact_kernel_refusal(scale))
        std::printf("not split: %s\n", why);
    std::printf("%u devices: first %g, last %g\n", proact_device_count(p.get()),
                static_cast<double>(numbers.front()), static_cast<double>(numbers.back()));
}

int main(int argc, char **argv)
{
    try {
        run(argc > 1 ? argv[1] : nullptr);
        return 0;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
