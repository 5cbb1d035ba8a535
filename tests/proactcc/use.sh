#!/bin/sh
# Usage: use.sh PROACTCC SOURCE NAME. proactcc as builds use it. NAME is `make`, `cmake`,
# `library`, `refusals`, `settings`, or `install` (PROACTCC is then the build folder).
set -u
proactcc=$1 here=$2/tests/proactcc name=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export PROACT_MACHINE=h200x4
code=0

fault() {
    echo "$name: $*"
    [ -e output ] && cat output
    code=1
}
# expects WORDS COMMAND...: succeeds and prints exactly WORDS. fails PART COMMAND...: fails
# with a message that contains PART.
expects() {
    wanted=$1
    shift
    "$@" >output 2>&1 || fault "exit status $?: $*"
    [ "$(cat output)" = "$wanted" ] || fault "not '$wanted': $*"
}
fails() {
    wanted=$1
    shift
    "$@" >output 2>&1 && fault "no failure: $*"
    grep -qF -- "$wanted" output || fault "no '$wanted': $*"
}
has() {
    grep -qE -- "$1" output || fault "no '$1'"
}

# Two files whose names also occur in the library.
cat >part.cu <<'END'
static __constant__ float factor = 3;
__global__ void scale(float *x) { x[threadIdx.x] *= factor; }
void part(float *x) { scale<<<1, 32>>>(x); }
END
cat >main.cu <<'END'
#include <cstdio>
void part(float *x);
extern "C" int fail(float x) { return printf("%g\n", x); }
extern "C" void *must_calloc(int) { return nullptr; }
__global__ void add(float *x) { x[threadIdx.x] += 1; }
int main()
{
    float *d, h[32];
    for (int i = 0; i < 32; i++)
        h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    part(d);
    add<<<1, 32>>>(d);
    if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost))
        return 1;
    fail(h[31]);
    return must_calloc(1) != nullptr;
}
END

case $name in
make)
    cat >Makefile <<'END'
NVCC = nvcc
app: main.o part.o
	$(NVCC) $(FLAGS) -o $@ $^
%.o: %.cu
	$(NVCC) $(FLAGS) -O2 -MD -gencode arch=compute_80,code=sm_80 -c -o $@ $<
END
    make -s NVCC="$proactcc" >output 2>&1 || fault "make"
    expects 94 ./app
    make -sB NVCC="$proactcc" FLAGS='-rdc=true -cudart shared' >output 2>&1 || fault "make -rdc"
    expects 94 ./app
    # A build that calls nvcc by name finds proactcc, and proactcc finds the toolkit's nvcc.
    mkdir -p bin
    ln -s "$proactcc" bin/nvcc
    printf 'app:\n\tnvcc --options-file options -o app\n' >Makefile
    printf -- '-O3 -arch=all-major\n"main.cu" part.cu\n' >options
    PATH="$scratch/bin:$PATH" make -sB >output 2>&1 || fault "make by the name of nvcc"
    expects 94 ./app
    PROACT_REPORT=1 ./app >output 2>&1 || fault "exit status $?"
    has '^proact: .* machine h200x4$' # not the toolkit's runtime
    # Several options files, and nvcc's environment variables.
    echo main.cu >first
    echo part.cu >second
    NVCC_PREPEND_FLAGS='--options-file first,second -O1' \
        NVCC_APPEND_FLAGS='-gencode arch=compute_80,code=sm_80 -cudart shared' \
        "$proactcc" -o app 2>output || fault "options of variables"
    expects 94 ./app
    fails 'there is no file third' "$proactcc" -optf first,third
    # Host code with embedded device code, which the host compiler compiles.
    { "$proactcc" --cuda part.cu -o part.cpp.ii && g++ -c part.cpp.ii -o part.o; } >output 2>&1 || fault "--cuda"
    "$proactcc" -c main.cu -o main.o && "$proactcc" main.o part.o -o app || fault "of --cuda"
    expects 94 ./app
    # Objects that the host compiler links with the toolkit's runtime still use proact. Only
    # nvcc knows the toolkit's folder: the nvcc on PATH may be a script.
    eval "set -- $(nvcc --dryrun main.cu 2>&1 | sed -n 's/^#\$ LIBRARIES=//p')"
    "$proactcc" -c main.cu -o main.o && "$proactcc" -c part.cu || fault "-c"
    for runtime in cudart 'cudart_static -lrt -lpthread -ldl'; do
        # shellcheck disable=SC2086 # several words
        g++ main.o part.o -o app "$@" -l$runtime || fault "g++"
        PROACT_REPORT=1 ./app >output 2>&1 || fault "exit status $?"
        has '^proact: +1 +0 .*  add\(float\*\)'
        has '^proact: +1 +0 .*  scale\(float\*\)'
    done
    expects 94 env PROACT_DEVICES=1 ./app
    # The toolkit's runtime named as a file is omitted, like -lcudart_static.
    for runtime in libcudart_static.a libcudart.so libcudadevrt.a; do
        theirs=
        for folder; do
            [ -e "${folder#-L}/$runtime" ] && theirs=${folder#-L}/$runtime
        done
        [ -n "$theirs" ] || fault "there is no $runtime"
        "$proactcc" main.cu "$theirs" part.cu -O2 "$theirs" -o app >output 2>&1 || fault "with $theirs"
        [ ! -s output ] || fault "with $theirs"
        expects 94 ./app
    done
    # It is also omitted from linker options and from lists, whose other entries are kept.
    "$proactcc" -c main.cu part.cu || fault "-c of both"
    theirs=${theirs%/*}/libcudart
    for words in "-Xlinker ${theirs}_static.a" "-Xlinker=$theirs.so" "-Xlinker -O1,$theirs.so" \
        "--linker-options=${theirs}_static.a,-O1" '-l cudart' '-lcudart_static,m' '-Xlinker -lcudart'; do
        # shellcheck disable=SC2086 # several words
        "$proactcc" main.o $words part.o -o app >output 2>&1 || fault "with $words"
        expects 94 ./app
        PROACT_REPORT=1 ./app >output 2>&1
        has '^proact: +1 +0 .*  add\(float\*\)'
        ! ldd app | grep -q libcudart || fault "theirs is linked: $words"
        # shellcheck disable=SC2086 # several words
        "$proactcc" -dryrun main.o $words part.o -o app >output 2>&1
        ! grep -E " -lcudart |$theirs" output || fault "theirs is named: $words"
        case $words in *O1*) has ' -Xlinker .*-O1|-Wl,.*-O1' ;; *,m) has ' -lm ' ;; esac
    done
    # If it precedes proact's library and defines a called function, a message reports it.
    printf 'int cudaGetDevice(int *), n;\nint asks(void) { return cudaGetDevice(&n); }\n' >asks.c
    gcc -c asks.c && "$proactcc" -c main.cu -Dmain=inner -o inner.o || fault "asks.c"
    printf 'int asks(void);\nint main(void) { return asks() * 0; }\n' >outer.c
    gcc outer.c asks.o "$@" -lcudart_static inner.o part.o -lcudart_static -lrt -lpthread -ldl -lstdc++ \
        -o app || fault "gcc"
    ./app >output 2>&1
    [ "$(grep -c '^proact: another CUDA runtime is linked before' output)" = 1 ] || fault "not said once"
    (unset PROACT_MACHINE && ./app >output 2>&1)
    [ ! -s output ] || fault "said unasked"
    gcc outer.c asks.o "$@" -lcudart inner.o part.o -lstdc++ -o app || fault "gcc, shared"
    expects '' ./app # the shared runtime is allowed there
    # Other ways to name input and output.
    mkdir there
    cp main.cu main.text
    "$proactcc" -odir there -c part.cu || fault "-odir"
    "$proactcc" -x cu main.text -Xlinker there/part.o -o app || fault "-x cu"
    expects 94 ./app
    g++ main.o there/part.o -o app "$@" -lcudart || fault "g++"
    expects 94 ./app
    ;;
cmake)
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(app main.cu part.cu)
target_link_options(app PRIVATE -static-libstdc++)
add_library(part STATIC part.cu)
add_executable(more main.cu)
set_target_properties(part more PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(more PRIVATE part CUDA::cudart)
# A target without proactcc, and one that links the toolkit's runtime first.
add_executable(host host.cpp)
target_link_libraries(host PRIVATE CUDA::cudart)
add_library(plain STATIC part.cu)
add_executable(ahead host.cpp)
target_compile_definitions(ahead PRIVATE AHEAD)
target_link_libraries(ahead PRIVATE CUDA::cudart_static plain)
END
    cat >host.cpp <<'END'
#include <cstdio>
#include <cuda_runtime.h>
void part(float *);
int main()
{
    float *d, h[32] = {2};
    if (cudaMalloc(&d, sizeof h) || cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice))
        return 1;
#ifdef AHEAD
    part(d);
#endif
    return cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost) || printf("%g\n", h[0]) < 0;
}
END
    ours=${proactcc%/*}/../lib/libproactrt_shared.so
    cmake -S . -B build -DCMAKE_CUDA_COMPILER="$proactcc" -DCMAKE_CUDA_ARCHITECTURES=80 \
        -DCUDA_cudart_LIBRARY="$ours" -DCUDA_cudart_static_LIBRARY="$ours" >output || fault "cmake"
    cmake --build build >output || fault "cmake --build"
    expects 94 build/app
    # Names are as in the source, also with a static C++ library.
    for program in app ahead; do
        PROACT_REPORT=1 build/$program >output 2>&1 || fault "exit status $?"
        has '^proact: +1 +0 .*  scale\(float\*\)'
    done
    PROACT_REPORT=1 build/more >output 2>&1 || fault "exit status $?"
    has '^94$'
    has '^proact: +1 +0 .*  scale\(float\*\)'
    expects 2 build/host
    expects 6 build/ahead
    ;;
library)
    "$proactcc" -Xcompiler -fPIC -shared part.cu -o libpart.so || fault "-shared"
    "$proactcc" main.cu libpart.so -Xlinker -rpath=. -o app || fault "with a library"
    PROACT_REPORT=1 ./app >output 2>&1 || fault "exit status $?"
    has '^94$' # one runtime: both kernels are in its report
    has '^proact: +1 +0 .*  add\(float\*\)'
    has '^proact: +1 +0 .*  scale\(float\*\)'
    cat >host.c <<'END'
#include <stdio.h>
int cudaMalloc(void **, size_t), cudaMemcpy(void *, const void *, size_t, int);
void _Z4partPf(float *);
int main(void)
{
    float h[32] = {[31] = 5}, *d;
    if (cudaMalloc((void **)&d, sizeof h) || cudaMemcpy(d, h, sizeof h, 1))
        return 1;
    _Z4partPf(d);
    return cudaMemcpy(h, d, sizeof h, 2) || printf("%g\n", h[31]) != 3;
}
END
    eval "set -- $(nvcc --dryrun main.cu 2>&1 | sed -n 's/^#\$ LIBRARIES=//p')"
    gcc host.c -o host -L. -lpart -Wl,-rpath,. "$@" -lcudart || fault "gcc"
    expects 15 ./host # the library's runtime precedes the toolkit's
    ;;
refusals)
    printf '__device__ int f(int);\n__global__ void g(int *x) { *x = f(1); }\n' >needs.cu
    fails "Unresolved extern function '_Z1fi'" "$proactcc" -c needs.cu
    fails "Undefined reference to '_Z1fi'" "$proactcc" -rdc=true main.cu part.cu needs.cu -o app
    nvcc -c main.cu part.cu 2>output || fault "nvcc -c"
    "$proactcc" main.o part.o -o app || fault "link alone"
    fails "PTX is compressed; compile it by proactcc" ./app
    "$proactcc" "$here/errors.cu" -o errors || fault "errors.cu"
    where="^proact: device 0: kernel 'fill\(int\*, int\)', PTX line [0-9]+, CTA \(3,0,0\), thread \(4,0,0\): .*out of bounds"
    PROACT_CHECK=1 ./errors fault >output 2>&1 || fault "exit status $?"
    has "$where"
    has '^an illegal memory access was encountered$'
    [ "$(grep -c '^proact:' output)" = 1 ] || fault "said more than once"
    ./errors fault >output 2>&1 || fault "exit status $?"
    has "$where.*; hardware ignores this, and the program continues \(with PROACT_CHECK=1 it is an error\)$"
    has '^no error$'
    [ "$(grep -c '^proact:' output)" = 1 ] || fault "warned more than once"
    ./errors assertion >output 2>&1 || fault "exit status $?"
    has "errors.cu:[0-9]+: assertion .x < 3. failed"
    has '^device-side assert triggered$'
    ./errors long_name >output 2>&1 || fault "exit status $?"
    has "kernel '_Z11small_named.*[.][.][.].*', PTX line .*thread .*: assertion .x < 3. failed"
    has '^device-side assert triggered$'
    ./errors misaligned >output 2>&1 || fault "exit status $?"
    has '^misaligned address$'
    ./errors trap >output 2>&1 || fault "exit status $?"
    has '^unspecified launch failure$'
    ./errors unsupported >output 2>&1 || fault "exit status $?"
    has '^proact: cudaMallocMipmappedArray\(\) is not supported$'
    ;;
settings)
    "$proactcc" main.cu part.cu -o app || fault "two files at once"
    expects 94 ./app
    # An option for another program takes the next word only if its value is not joined.
    "$proactcc" -Xcompiler=-O1 main.cu -Xptxas -v -Xcudafe=--no_warnings part.cu 2>output || fault "joined"
    expects 94 ./a.out
    "$proactcc" -Xcompiler=-fPIC -c main.cu && "$proactcc" --compiler-options=-fPIC -c part.cu ||
        fault "joined, -c"
    g++ main.o part.o -L"${CUDA_HOME:-/usr/local/cuda}/lib64" -lcudart -o joined || fault "linked by g++"
    expects 94 ./joined
    expects 94 env PROACT_DEVICES=1 ./app
    expects 94 env PROACT_MACHINE=k40x4 PROACT_METHOD=bulk ./app
    fails "no machine 'nowhere': there are" env PROACT_MACHINE=nowhere ./app
    fails "PROACT_DEVICES is 'many': expected 1 to 16" env PROACT_DEVICES=many ./app
    for devices in 17 0 -1 -18446744073709551612 18446744073709551620; do
        fails "PROACT_DEVICES is '$devices'" env PROACT_DEVICES=$devices ./app
    done
    fails "PROACT_WAIT_TIMEOUT_MS is '10s': expected milliseconds" env PROACT_WAIT_TIMEOUT_MS=10s ./app
    fails "a wait timeout of 1e+10 ms" env PROACT_WAIT_TIMEOUT_MS=1e10 ./app
    expects 94 env PROACT_WAIT_TIMEOUT_MS=60000 ./app
    expects 94 env PROACT_REASSOCIATE=1 ./app
    expects 94 env PROACT_CHECK=1 ./app
    cat >races.cu <<'END'
#include <cstdio>
__global__ void count(int *x, int by) { x[threadIdx.x] += by; }
int main()
{
    int *x, sum = 0, h[32];
    cudaStream_t s[2];
    cudaMalloc(&x, sizeof h);
    cudaMemset(x, 0, sizeof h);
    for (int i = 0; i < 2; i++) {
        cudaStreamCreate(&s[i]);
        count<<<1, 32, 0, s[i]>>>(x, i ? -1 : 1); /* nothing says which comes first */
    }
    if (cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost))
        return 1;
    for (int i : h)
        sum += i;
    return printf("%s\n", sum > 32 || sum < -32 ? "?" : "ran") < 0;
}
END
    "$proactcc" races.cu -o races || fault "races.cu"
    expects ran ./races
    fails "without an order between them" env PROACT_CHECK=1 ./races
    # No thread leaves its array, but the analysis does not see that its values are
    # correlated.
    cat >may.cu <<'END'
#include <cstdio>
__global__ void columns_to_image(int n, const float *col, int h, int w, int k, int pad,
                                 int stride, int hc, int wc, float *image)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float sum = 0;
        int x = i % w + pad, y = i / w % h + pad, c = i / (w * h);
        int x0 = x < k ? 0 : (x - k) / stride + 1, x1 = min(x / stride + 1, wc);
        int y0 = y < k ? 0 : (y - k) / stride + 1, y1 = min(y / stride + 1, hc);
        for (int yc = y0; yc < y1; yc++)
            for (int xc = x0; xc < x1; xc++)
                sum += col[((c * k + y - yc * stride) * k + x - xc * stride) * hc * wc +
                           yc * wc + xc];
        image[i] = sum;
    }
}
int main()
{
    enum { C = 4, H = 20, W = 24, N = C * H * W };
    float *first, *col, *image;
    cudaMalloc(&first, 20000);
    cudaMalloc(&col, 9 * N * 4);
    cudaMalloc(&image, N * 4);
    cudaMemset(col, 0, 9 * N * 4);
    columns_to_image<<<6, 128>>>(N, col, H, W, 3, 1, 1, H, W, image);
    return cudaDeviceSynchronize() || printf("ran\n") < 0;
}
END
    "$proactcc" may.cu -o may || fault "may.cu"
    PROACT_SPLIT=always PROACT_REPORT=1 ./may >output 2>&1 || fault "exit status $?: may"
    has "it may leave array 'cudaMalloc #2', to which argument 1 points, possibly for another array"
    # All CTAs read row and column k. The map contains these elements, but no CTA stores them.
    cat >paths.cu <<'END'
#include <cstdio>
enum { N = 64 };
__global__ void through(int *d, int k)
{
    int i = blockIdx.x, j = threadIdx.x, by = d[i * N + k] + d[k * N + j];
    if (by < d[i * N + j])
        d[i * N + j] = by;
}
int main()
{
    static int h[N * N];
    int *d, sum = 0;
    for (int i = 0; i < N * N; i++)
        h[i] = i / N == i % N ? 0 : 1 + i * 7919 % 1009;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    for (int k = 0; k < N; k++)
        through<<<N, N>>>(d, k);
    if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost))
        return 1;
    for (int x : h)
        sum += x;
    return printf("%d\n", sum) < 0;
}
END
    "$proactcc" paths.cu -o paths || fault "paths.cu"
    paths=$(PROACT_DEVICES=1 ./paths)
    for method in fused polling copy-engine inline; do
        expects "$paths" env PROACT_CHECK=1 PROACT_SPLIT=always PROACT_METHOD=$method ./paths
    done
    fails "PROACT_REASSOCIATE is 'yes': expected 1 or 0" env PROACT_REASSOCIATE=yes ./app
    expects 94 env PROACT_DISTRIBUTE=4K ./app
    for bytes in much 0 -1 4T 4KB 99999999999999G; do
        fails "PROACT_DISTRIBUTE is '$bytes': expected a number of bytes" env PROACT_DISTRIBUTE=$bytes ./app
    done
    fails "has 4 devices, 9" env PROACT_DEVICES=9 ./app
    fails "teleport" env PROACT_METHOD=teleport ./app
    PROACT_REPORT=1 ./app >output 2>&1 || fault "exit status $?"
    has '^proact: 4 x NVIDIA H200 \(emulated\), machine h200x4$'
    has '^proact: 128 bytes to the device, 128 to the host, 0 on the device, '
    # Pinned memory remains on the host, also for device copies. A refused launch is not
    # counted.
    cat >report.cu <<'END'
#include <cstdio>
__global__ void add(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void one(float *x) { *x += 1; }
__global__ void put(const int *at, float *sum, int *seen)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sum[at[i]], 0.5f);
    seen[at[i]] = 1;
}
int main()
{
    const size_t bytes = 1 << 18;
    int *at;
    float *d, *e, *pinned;
    cudaMalloc(&d, bytes);
    cudaMalloc(&e, bytes);
    cudaMallocHost(&pinned, 2 * bytes);
    cudaMemcpy(d, pinned, bytes, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(d, pinned, bytes / 2, cudaMemcpyHostToDevice);
    cudaMemcpy(pinned, d, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(e, d, bytes / 4, cudaMemcpyDeviceToDevice);
    cudaMemcpy(pinned, pinned + bytes / 4, bytes, cudaMemcpyHostToHost);
    for (int i = 0; i < 6; i++)
        add<<<bytes / 4 / 256, 256>>>(d);
    cudaMalloc(&at, bytes);
    cudaMemset(at, 0, bytes);
    put<<<bytes / 4 / 256, 256>>>(at, d, (int *)e);
    add<<<1, 2048>>>(d);
    one<<<1, 1>>>(d);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return cudaDeviceSynchronize();
}
END
    "$proactcc" report.cu -o report || fault "report.cu"
    PROACT_SPLIT=always PROACT_REPORT=1 ./report >output 2>&1 || fault "exit status $?"
    has '^invalid argument$'
    has '^proact:  *6  *6  *[0-9.]*  add\(float\*\)$'
    has '^proact:  *1  *0  *[0-9.]*  one\(float\*\) \(single device: a grid of one CTA\)$'
    has 'put\(.*what line [0-9]+ reads; with PROACT_REASSOCIATE=1 .* it could be split\)$'
    PROACT_SPLIT=always PROACT_REASSOCIATE=1 PROACT_REPORT=1 ./report >output 2>&1 || fault "exit status $?"
    has '^proact:  *1  *1  *[0-9.]*  put\(int const\*, float\*, int\*\)$'
    has '^proact: 393216 bytes to the device, 262144 to the host, 65536 on the device, '
    fails "PROACT_NVCC names '/no/nvcc', which is not a program" \
        env PROACT_NVCC=/no/nvcc "$proactcc" main.cu
    fails "PROACT_NVCC names 'no_nvcc', which is not a program" \
        env PROACT_NVCC=no_nvcc "$proactcc" main.cu
    # A name is looked up on PATH, but never resolves to proactcc itself.
    mkdir -p bin
    ln -s "$proactcc" bin/nvcc
    PATH="$scratch/bin:$PATH" PROACT_NVCC=nvcc "$proactcc" --version >output || fault "PROACT_NVCC=nvcc"
    has 'release 1'
    # An unclosed quote hides the rest of the variable.
    fails 'proactcc: a quote is not closed in NVCC_APPEND_FLAGS: -O2 "-DX=1' \
        env NVCC_APPEND_FLAGS='-O2 "-DX=1' "$proactcc" -c main.cu
    [ "$(wc -l <output)" = 1 ] || fault "more than one sentence"
    fails "a quote is not closed in NVCC_PREPEND_FLAGS" env NVCC_PREPEND_FLAGS='"' "$proactcc" -c main.cu
    echo '-O2 "' >words
    "$proactcc" -optf words -c main.cu >output 2>&1
    status=$?
    [ $status = 2 ] || fault "exit status $status"
    has '^proactcc: a quote is not closed in the options file words$'
    "$proactcc" --version >output || fault "--version"
    has '^proactcc [0-9.]+, on top of:$'
    has 'release 1'
    "$proactcc" -ptx part.cu -o part.ptx || fault "-ptx"
    grep -q scale part.ptx || fault "-ptx made none"
    "$proactcc" -Xcompiler -E,-P --dryrun main.cu -o app >output 2>&1 || fault "--dryrun"
    has 'lproactrt' # the host compiler's -E is not proactcc's
    "$proactcc" -Xcompiler -E --dryrun main.cu -o app >output 2>&1 || fault "--dryrun"
    has 'lproactrt'
    ;;
install)
    cmake --install "$proactcc" --prefix "$scratch/there" >output || fault "install"
    unset PROACT_MACHINE
    "$scratch/there/bin/proactcc" main.cu part.cu -o app || fault "the installed one"
    expects 94 ./app
    ;;
esac
exit $code
