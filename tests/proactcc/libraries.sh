#!/bin/sh
# Usage: libraries.sh PROACTCC SOURCE DRIVER. library_calls.cu with fake libraries, on the
# fake CUDA driver in the folder DRIVER. The output is right on 1, 2 and 4 devices, with
# every split setting, and with every way to link. On an emulated machine a library call is
# refused.
set -u
proactcc=$1 here=$2/tests/proactcc driver=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
code=0
fault() {
    echo "$*"
    [ -e output ] && cat output
    code=1
}
has() {
    grep -qE -- "$1" output || fault "no '$1'"
}

for name in cublas cusparse; do
    gcc -shared -fPIC -O2 -Wall -Werror "$here/fake_$name.c" -o lib$name.so -ldl || exit 1
done
ln -s libcublas.so libcublas.so.13
"$proactcc" -arch=sm_90 -c "$here/library_calls.cu" -o calls.o || exit 1

run() { # PROGRAM NAME=VALUE...
    program=$1
    shift
    env "$@" LD_LIBRARY_PATH="$scratch:$driver" PROACT_MACHINE=local "./$program" >stdout 2>stderr
    status=$?
    [ $status = 0 ] || fault "$program, $*: exit status $status"
    diff -u "$here/library_calls.stdout" stdout || fault "$program, $*"
}
"$proactcc" calls.o -L. -lcublas -lcusparse -o program || exit 1
for setting in 1:auto 2:auto 2:never 2:always 4:always; do
    run program FAKE_CUDA_DEVICES=${setting%:*} PROACT_SPLIT=${setting#*:}
    diff -u /dev/null stderr || code=1
done
for method in bulk inline; do
    run program FAKE_CUDA_DEVICES=2 PROACT_SPLIT=always PROACT_METHOD=$method
done
run program FAKE_CUDA_DEVICES=2 PROACT_SPLIT=always PROACT_REPORT=1
cp stderr output
has '^proact: +28 calls of libraries, on device 0$'
has '^proact: +11 +11 .*  ramp\(float\*, float\)' # kernels are split next to library calls

# Other ways to name a library, and to link.
link() {
    "$proactcc" calls.o "$@" -o other || fault "link: $*"
    run other FAKE_CUDA_DEVICES=2 PROACT_SPLIT=always
}
link -L . -l cublas --library=cusparse
link --library-path=. -lcublas,cusparse -Xcompiler -no-pie
link ./libcublas.so "$scratch/libcusparse.so" -Xcompiler -pie
link -L. -lcublas -lcusparse -Xlinker --as-needed
link -L. -l:libcublas.so.13 -lcusparse
"$proactcc" -Xcompiler -fPIC -shared calls.o -L. -lcublas -lcusparse -o libcalls.so ||
    fault "-shared"
touch empty.cu
"$proactcc" empty.cu libcalls.so -Xlinker -rpath-link=. -o other || fault "with a library"
run other FAKE_CUDA_DEVICES=2 PROACT_SPLIT=always

env FAKE_CUDA_DEVICES=2 LD_LIBRARY_PATH="$scratch:$driver" PROACT_MACHINE=local ./program captured \
    >output 2>&1 || fault "captured"
has '^proact: cublasScopy_v2\(\) cannot be captured: '
has '^captured: 15$'

# Linked by another tool, as CMake does: the calls are not intercepted, so they are assumed
# at any time.
folder=$(dirname "$(dirname "$proactcc")")/lib
g++ calls.o -L. -lcublas -lcusparse -L"$folder" -lproactrt -ljansson -lz -lm -o other ||
    fault "g++"
for split in always auto; do
    run other FAKE_CUDA_DEVICES=2 PROACT_SPLIT=$split PROACT_REPORT=1
    cp stderr output
    has '^proact: libcu[a-z]*.so is called directly, because proactcc did not link the program: '
done
run program FAKE_CUDA_DEVICES=2 PROACT_REPORT=1
grep -q 'called directly' stderr && fault "seen, and called directly"

# Without a GPU handles can be made. A call that computes prints one message per function, and
# returns the library's own error. Text functions still work.
PROACT_MACHINE=h200x4 LD_LIBRARY_PATH=$scratch ./program handles only >stdout 2>output || fault "emulated"
diff -u - stdout <<'END' || code=1
status 0: well
set: 0
computes 15: not supported
another: 0, new
destroyed: 0
END
has '^proact: cublasScopy_v2\(\) runs on a GPU only, and this machine is emulated: '
[ "$(grep -c . output)" = 1 ] || fault "said more"
"$proactcc" calls.o -L. -lcublas_static -lcusparse -o other 2>output && fault "linked"
has '^proactcc: cublas_static: a static library uses the CUDA runtime of the program'
exit $code
