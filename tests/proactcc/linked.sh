#!/bin/sh
# Usage: linked.sh PROACTCC SOURCE NAME. Programs with device code in several files,
# compiled and linked as builds do. NAME is `commands`, `archive`, `cmake`, `library` or
# `refusals`.
set -u
proactcc=$1 here=$2/tests/proactcc/linked name=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
cp "$here"/*.cu "$here"/*.cuh . || exit 1
export PROACT_MACHINE=h200x4
code=0

fault() {
    echo "$name: $*"
    [ -e output ] && cat output
    code=1
}
# runs PROGRAM: prints linked.stdout and nothing on stderr.
runs() {
    "./$1" >output 2>&1 || fault "exit status $?: $1"
    diff -u "$here/linked.stdout" output || fault "$1"
}
fails() { # PART COMMAND...
    wanted=$1
    shift
    "$@" >output 2>&1 && fault "no failure: $*"
    grep -qF -- "$wanted" output || fault "no '$wanted': $*"
}
parts='linked_steps linked_shapes'
# A program without device code, built without nvcc.
plain() {
    cat >plain.cpp <<'END'
#include <cstdio>
#include <cuda_runtime.h>
void scale(int *x, int n);
int main()
{
    int h[4] = {}, *x;
    cudaMalloc(&x, sizeof h);
    scale(x, 4);
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    return printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]) < 0;
}
END
}

case $name in
commands)
    "$proactcc" -rdc=true linked_main.cu linked_steps.cu linked_shapes.cu -o at_once ||
        fault "one command"
    runs at_once
    # Kernels whose stores another file computes can be split.
    PROACT_SPLIT=always PROACT_REPORT=1 ./at_once >stdout 2>output || fault "exit status $?"
    grep -q ' run(int\*, char const\*) (single device: ' output || fault "a static kernel has no plain name"
    for kernel in 'fill(int\*, int)' 'sums(int const\*, int\*)'; do
        grep -q "^proact: *1 *1 .* $kernel\$" output || fault "not split: $kernel"
    done
    diff -u "$here/linked.stdout" stdout || fault "split"
    for part in linked_main $parts; do
        "$proactcc" -arch=sm_80 -dc $part.cu -o $part.o || fault "-dc"
    done
    "$proactcc" -arch=sm_80 linked_shapes.o linked_main.o linked_steps.o -o apart ||
        fault "the link of objects"
    runs apart
    # Line information and the order of objects have no effect.
    "$proactcc" -G -lineinfo -rdc true -c linked_steps.cu 2>output || fault "-rdc true -c"
    "$proactcc" linked_steps.o -rdc=true linked_main.cu linked_shapes.cu -o mixed ||
        fault "an object and sources"
    runs mixed
    # A separate device link; the host compiler does the rest.
    "$proactcc" -arch=sm_80 -dc linked_steps.cu || fault "-dc"
    "$proactcc" -arch=sm_80 -dlink linked_main.o linked_steps.o linked_shapes.o -o all.o \
        -lcudadevrt -lcudart || fault "-dlink"
    eval "set -- $(nvcc --dryrun linked_main.cu 2>&1 | sed -n 's/^#\$ LIBRARIES=//p')"
    g++ linked_main.o linked_steps.o linked_shapes.o all.o -o linked "$@" -lcudadevrt -lcudart ||
        fault "g++"
    runs linked
    # PTX only; and link-time optimization.
    "$proactcc" -gencode arch=compute_75,code=compute_75 -rdc=true linked_main.cu \
        linked_steps.cu linked_shapes.cu -o text || fault "PTX alone"
    runs text
    "$proactcc" -dlto -dc -gencode 'arch=compute_80,code=[lto_80,sm_80]' linked_main.cu \
        linked_steps.cu linked_shapes.cu || fault "-dlto -dc"
    "$proactcc" -dlto -arch=sm_80 linked_main.o linked_steps.o linked_shapes.o -o late ||
        fault "-dlto"
    runs late
    ;;
archive)
    for part in $parts; do
        "$proactcc" -dc $part.cu -o $part.o || fault "-dc"
    done
    mkdir there
    "$proactcc" -lib linked_steps.o linked_shapes.o -o there/libparts.a || fault "-lib"
    "$proactcc" -rdc=true linked_main.cu -Lthere -lparts -o by_name || fault "-lparts"
    runs by_name
    "$proactcc" -dc linked_main.cu || fault "-dc"
    "$proactcc" linked_main.o -L there -l parts -o no_option || fault "-l parts"
    runs no_option
    "$proactcc" -lib -rdc=true linked_steps.cu linked_shapes.cu -o libmade.a ||
        fault "-lib of sources"
    "$proactcc" linked_main.o libmade.a -o by_path || fault "libmade.a"
    runs by_path
    # The object of the device link is in the archive; a C++ compiler does the rest.
    "$proactcc" -dlink linked_steps.o linked_shapes.o -o link.o || fault "-dlink"
    "$proactcc" -lib linked_steps.o linked_shapes.o link.o -o libready.a || fault "-lib"
    plain
    eval "set -- $(nvcc --dryrun linked_main.cu 2>&1 |
        sed -n 's/^#\$ INCLUDES=//p; s/^#\$ LIBRARIES=//p' | tr '\n' ' ')"
    g++ plain.cpp libready.a -o plain "$@" -lcudart || fault "g++"
    ./plain >output 2>&1 || fault "exit status $?"
    [ "$(cat output)" = '0 10 20 30' ] || fault "plain"
    ;;
cmake)
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(linked LANGUAGES CXX CUDA)
set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)
add_library(parts STATIC linked_steps.cu linked_shapes.cu)
add_executable(linked linked_main.cu)
target_link_libraries(linked PRIVATE parts)
# A C++ program linked by the host compiler, after a separate device link.
find_package(CUDAToolkit REQUIRED)
add_library(ready STATIC linked_steps.cu linked_shapes.cu)
set_target_properties(ready PROPERTIES CUDA_RESOLVE_DEVICE_SYMBOLS ON
    POSITION_INDEPENDENT_CODE ON)
add_library(shared SHARED linked_steps.cu linked_shapes.cu)
foreach(library ready shared)
    add_executable(with_${library} plain.cpp)
    target_link_libraries(with_${library} PRIVATE ${library} CUDA::cudart)
endforeach()
END
    plain
    cmake -S . -B build -DCMAKE_CUDA_COMPILER="$proactcc" -DCMAKE_CUDA_ARCHITECTURES=80 >output ||
        fault "cmake"
    cmake --build build >output 2>&1 || fault "cmake --build"
    runs build/linked
    for library in ready shared; do
        build/with_$library >output 2>&1 || fault "exit status $?"
        [ "$(cat output)" = '0 10 20 30' ] || fault "with_$library"
    done
    ;;
library)
    # A library with device code of its own, in a program with equal names.
    cat >inner.cu <<'END'
extern __device__ int step(int);
__global__ void inner(int *x) { *x += step(1); }
void call_inner(int *x) { inner<<<1, 1>>>(x); }
END
    cat >outer.cu <<'END'
#include <cstdio>
extern __device__ int step(int);
void call_inner(int *x);
__global__ void outer(int *x) { *x = step(1); }
int main()
{
    int *d, h = 0;
    cudaMalloc(&d, sizeof h);
    outer<<<1, 1>>>(d);
    call_inner(d);
    if (cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost))
        return 1;
    return printf("%d\n", h) < 0;
}
END
    echo '__device__ int step(int x) { return x + 1000; }' >thousand.cu
    echo '__device__ int step(int x) { return x + 10; }' >ten.cu
    "$proactcc" -rdc=true -Xcompiler -fPIC -shared inner.cu thousand.cu -o libinner.so ||
        fault "-shared"
    "$proactcc" -rdc=true outer.cu ten.cu libinner.so -Xlinker -rpath=. -o outer || fault "outer"
    ./outer >output 2>&1 || fault "exit status $?"
    [ "$(cat output)" = 1012 ] || fault "not 1012"
    ;;
refusals)
    text='-gencode arch=compute_80,code=compute_80'
    printf '__device__ int f(int);\n__global__ void k(int *x) { *x = f(1); }\n' >one.cu
    printf '__device__ int f(int x) { return x; }\n' >two.cu
    cat >main.cu <<'END'
__global__ void k(int *x);
int main() { k<<<1, 1>>>(nullptr); return cudaDeviceSynchronize() != 0; }
END
    fails "Undefined reference to '_Z1fi'" "$proactcc" -rdc=true main.cu one.cu -o app
    cp two.cu three.cu
    fails "Multiple definition of '_Z1fi'" \
        "$proactcc" -rdc=true main.cu one.cu two.cu three.cu -o app
    # With PTX only, errors appear at the start of the program.
    # shellcheck disable=SC2086 # two words
    # shellcheck disable=SC2086 # two words
    "$proactcc" $text -rdc=true main.cu one.cu -o app || fault "PTX alone"
    fails "proact: 'f(int)', which 'k(int*)' of object 2 uses, is not defined" ./app
    cat >parent.cu <<'END'
__global__ void child(int *x) { *x = 1; }
__global__ void k(int *x) { child<<<1, 1>>>(x); }
END
    fails "proactcc: kernels that launch kernels are not supported" \
        "$proactcc" -rdc=true main.cu parent.cu -o app
    "$proactcc" -dc parent.cu || fault "-dc"
    fails "proactcc: kernels that launch kernels are not supported" \
        "$proactcc" -dlink parent.o -o linked.o
    # shellcheck disable=SC2086
    "$proactcc" $text -rdc=true main.cu parent.cu -o app || fault "PTX alone"
    fails "proact: a kernel launches kernels, which is not supported" ./app
    # An object that plain nvcc compiled.
    nvcc -dc two.cu || fault "nvcc -dc"
    "$proactcc" -rdc=true main.cu one.cu two.o -o app || fault "an object of nvcc's"
    fails "PTX is compressed; compile it by proactcc" ./app
    ;;
esac
exit $code
