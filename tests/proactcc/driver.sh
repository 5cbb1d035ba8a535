#!/bin/sh
# Usage: driver.sh PROACTCC SOURCE DRIVER. Programs that link the driver's library, in each
# way, call proact's implementation and need no driver. Missing functions are reported.
# Programs that do not link it contain none of its names. A library, and links by g++, use
# the same runtime. DRIVER is the folder of the fake driver.
set -u
proactcc=$1 here=$2/tests/proactcc/driver driver=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
code=0
export PROACT_MACHINE=h200x4 PROACT_SPLIT=always
fault() {
    echo "$1"
    code=1
}
cat >output <<'END'
proact: cuMemCreate() is not supported
proact: cuStreamWriteValue32() is not supported
END
works() { # WHAT PROGRAM
    [ "$("./$2" 2>stderr)" = 3 ] || fault "$1: it does not say 3"
    grep 'not supported' stderr | diff output - >faults || fault "$1: what is refused: $(cat faults)"
}
no_driver() { # WHAT PROGRAM
    ! readelf -d "$2" | grep -q 'NEEDED.*libcuda\.so' || fault "$1: it needs the driver"
}
own_names() { # PROGRAM: number of exported driver functions
    nm -D --defined-only "$1" | grep -c ' cu[A-Z]'
}

"$proactcc" -arch=sm_90 -c "$here/driver_main.cu" -o main.o || exit 1
for words in -lcuda '-l cuda' --library=cuda -lcuda,m -l:libcuda.so /nowhere/libcuda.so '-Xlinker -lcuda' \
    -Xlinker=-lm,-lcuda '-Xlinker --export-dynamic -lcuda'; do
    # shellcheck disable=SC2086 # words
    "$proactcc" -arch=sm_90 main.o $words -o program 2>told ||
        fault "$words: it does not link: $(cat told)"
    works "$words" program
    no_driver "$words" program
done
[ "$(own_names program)" = 0 ] || fault "NVIDIA's libraries would find our calls"

# A program in C, and the images that it loads: PTX, and fat binaries for several
# architectures.
loads() { # WHAT PROGRAM FILE REPORTS
    [ "$("./$2" "$3" 2>stderr)" = "$4" ] || fault "$1: not '$4', but: $("./$2" "$3" 2>&1)"
}
"$proactcc" "$here/driver_load.c" -lcuda -o load || exit 1
no_driver "a program in C" load
"$proactcc" -ptx "$here/driver_kernel.cu" -o kernel.ptx
"$proactcc" -fatbin "$here/driver_kernel.cu" -o kernel.fatbin
"$proactcc" -fatbin -gencode arch=compute_80,code=sm_80 "$here/driver_kernel.cu" -o kernel.sm_80.fatbin
"$proactcc" -cubin -arch=sm_90 "$here/driver_kernel.cu" -o kernel.cubin
for file in kernel.ptx kernel.fatbin kernel.sm_80.fatbin; do
    loads "$file" load $file 'CUDA_SUCCESS 2997'
done
loads "a cubin" load kernel.cubin 'CUDA_ERROR_NO_BINARY_FOR_GPU 0'
grep -q 'is a cubin, which has no PTX' stderr || fault "a cubin: $(cat stderr)"

"$proactcc" -arch=sm_90 "$here/driver_none.cu" -o none && ./none || fault "a program without"
! nm none | grep -v proactrt_ | grep -q ' cu[A-Z]' || fault "a program without has names of the driver's"

"$proactcc" -arch=sm_90 -shared -Xcompiler -fPIC "$here/driver_beside.cu" -lcuda -o libbeside.so || exit 1
"$proactcc" -arch=sm_90 -DIN_LIBRARY "$here/driver_main.cu" -L. -lbeside -lcuda -Xlinker -rpath=. -o program ||
    fault "a library does not link"
works "a library" program
no_driver "a library" libbeside.so
[ "$(own_names libbeside.so)" = 0 ] || fault "the library has names of the driver's for all"

include=$(echo '#include <cuda.h>' | "$proactcc" -M -x cu - | tr ' ' '\n' | grep '/cuda\.h$')

# A library from another compiler needs the driver, which may be absent at link time. The
# nvcc on PATH may be a script, with its toolkit elsewhere.
stub=$(echo "${include%/include/*}"/lib*/stubs/libcuda.so | tr ' ' '\n' | head -n 1)
if [ -f "$stub" ]; then
    printf 'int cuInit(unsigned);\nint start(void) { return cuInit(0); }\n' >start.c
    printf '#include <cuda.h>\nint start(void);\nint main(int n, char **v) { return cuInit(0) || (n > 1 && start()); }\n' >starts.c
    toolkit=$("$proactcc" --dryrun -c x.cu 2>&1 | sed -n 's/^#\$ _HERE_=//p')
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$toolkit/nvcc" >nvcc
    chmod +x nvcc
    gcc -shared -fPIC start.c "$stub" -o libstart.so && PROACT_NVCC=./nvcc "$proactcc" starts.c -L. -lstart -lcuda -o starts ||
        fault "a library that needs the driver: no link"
    no_driver "a library that needs the driver" starts
fi

# A link by another compiler without proactcc's objects names the library explicitly.
library=$(dirname "$proactcc")/../lib
[ -e "$library/libproactrt_driver.so" ] || library=${library}64
gcc -I"${include%/cuda.h}" "$here/driver_load.c" "$library/libproactrt_driver.so" -Wl,-rpath="$library" -o load || exit 1
loads "a program that names our library" load kernel.ptx 'CUDA_SUCCESS 2997'
no_driver "a program that names our library" load
export LD_LIBRARY_PATH="$driver" PROACT_MACHINE=local FAKE_CUDA_DEVICES=2
loads "our library ahead of a driver" load kernel.ptx 'CUDA_SUCCESS 2997'
unset LD_LIBRARY_PATH FAKE_CUDA_DEVICES
export PROACT_MACHINE=h200x4

# Kernels compiled at run time are split like others, if NVRTC is available.
if "$proactcc" -arch=sm_90 "$here/driver_jit.cu" -lnvrtc -lcuda -o jit 2>told; then
    rtc=${include%/include/*}/lib:${include%/include/*}/lib64
    for devices in 1 2 4; do
        PROACT_DEVICES=$devices PROACT_REPORT=1 LD_LIBRARY_PATH=$rtc:${LD_LIBRARY_PATH-} ./jit >jit.$devices 2>stderr ||
            fault "kernels of NVRTC on $devices devices: $(cat jit.$devices stderr)"
        [ $devices = 1 ] || cmp jit.1 jit.$devices || fault "kernels of NVRTC on $devices devices: other numbers"
        [ $devices = 1 ] || grep -q '^proact: *4 *4 .*smooth<float>' stderr || fault "kernels of NVRTC are not split"
    done
else
    echo "no NVRTC here: its kernels are not run"
fi

# A link by another compiler uses proact's functions in each object that calls the driver.
# The driver's library must then exist.
if [ -e "$library/proactrt_driver_stubs.o" ]; then
    g++ main.o "$driver/libcuda.so.1" -ldl -o program || fault "g++ does not link"
    LD_LIBRARY_PATH=$driver works "linked by g++" program
    g++ main.o -Wl,--as-needed "$driver/libcuda.so.1" -ldl -o program
    no_driver "linked by g++, as needed" program
    works "linked by g++, as needed" program
    "$proactcc" -arch=sm_90 main.o -o program || fault "a link that does not name it"
    works "a link that does not name it" program

    # Without such an object, the host compiler's calls bypass proact. The runtime detects
    # that.
    "$proactcc" -arch=sm_90 -c "$here/driver_past_kernels.cu" -o kernels.o || exit 1
    gcc -I"${include%/cuda.h}" -c "$here/driver_past.c" -o past.o || exit 1
    g++ past.o kernels.o "$driver/libcuda.so.1" -ldl -o past || fault "driver_past does not link"
    for split in always never; do
        PROACT_MACHINE=local PROACT_SPLIT=$split PROACT_REPORT=1 FAKE_CUDA_DEVICES=2 \
            LD_LIBRARY_PATH=$driver ./past 2>stderr || fault "past us, split $split: $?"
        grep -q 'libcuda.so.1 is called directly' stderr || fault "it is not said: $(cat stderr)"
    done
fi
exit $code
