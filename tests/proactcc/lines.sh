#!/bin/sh
# Usage: lines.sh PROACTCC. Command lines from builds give the same result with nvcc and
# proactcc: exit status, output, and files.
set -u
proactcc=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
unset NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS
code=0

mkdir -p sources/own 'sources/far away' || exit 1
cat >sources/main.cu <<'END'
#include "part.h"
#ifndef NAME
#define NAME ""
#endif
__global__ void fill(int *x) { x[threadIdx.x] = step(threadIdx.x); }
const char *name() { return NAME; }
int main() { return 0; }
END
cat >sources/own/part.h <<'END'
static __device__ int step(int x) { return 2 * x; }
END
cp sources/own/part.h 'sources/far away/part.h'
cat >sources/text.inc <<'END'
int main() { return 0; }
END
echo '__global__ void wrong() { missing = 1; }' >sources/wrong.cu

# alike LINE: LINE calls $NVCC. Compares the output and the names of all files, except for
# names that differ from run to run.
alike() {
    for by in nvcc "$proactcc"; do
        rm -rf there
        cp -r sources there || exit 1
        (
            cd there || exit 1
            NVCC=$by sh -c "$1" >../printed 2>&1
            echo "exit status $?" >>../printed
            find . | sort
        ) >found
        sed 's/tmpxft_[-0-9a-f_]*/tmpxft/g' printed >>found
        [ "$by" != nvcc ] || mv found wanted
    done
    diff -u wanted found || {
        echo "not as nvcc: $1"
        code=1
    }
}

# Commands that only inspect the source, or create no object.
alike '$NVCC -Iown -M main.cu | grep -v /usr'
alike '$NVCC -Iown -MM main.cu -MP -MT other.o -MF main.d && cat main.d'
alike '$NVCC -Iown -E main.cu -o main.ii'
alike '$NVCC -Iown -ptx main.cu && $NVCC -Iown -cubin -arch=sm_90 main.cu && $NVCC -Iown -fatbin main.cu'
alike '$NVCC -Iown --list-gpu-arch; $NVCC --help | grep -c sm_90; $NVCC -V | grep release'
# Compilation with dependency output.
alike '$NVCC -Iown -MMD -MF deps -c main.cu -o main.cu.o && cat deps'
alike '$NVCC -Iown -c -odir own main.cu && $NVCC own/main.o -o main'
alike '$NVCC -x cu -c text.inc && $NVCC -x cu text.inc -o text'
alike '$NVCC -Iown -lib main.cu -o libmain.a && $NVCC -Iown -dc main.cu && $NVCC -dlink main.o'
# A dry run creates nothing and keeps existing files.
alike '$NVCC -Iown -c main.cu && cp main.o kept && $NVCC -Iown --dryrun -c main.cu 2>kept.said; cmp main.o kept'
# Host compiler options may prevent an object.
alike '$NVCC -Iown -Xcompiler -E -c main.cu'
# nvcc reports missing or invalid input.
alike '$NVCC wrong.cu -o wrong'
alike '$NVCC -c none.cu'
alike '$NVCC -Iown -c main.cu -o none/main.o'
alike '$NVCC -Iown main.cu -lnone -o main'
for option in -o -arch -gencode -Xcompiler --linker-options -L; do
    alike "\$NVCC -Iown main.cu $option"
done
# Only double quotes quote. Quoted text is kept in variables, but not in options files.
cat >sources/quoted.options <<'END'
-I"far away" "-DNAME=\\\"a name\\\"" -DOTHER=it's
END
echo '-I far\ away' >sources/escaped.options
cat >sources/variable <<'END'
-DNAME="a name" -DOTHER=it's -I"far away" -DLAST=a\b
END
alike '$NVCC -optf quoted.options -c main.cu && strings main.o | grep "a name"'
alike '$NVCC -DNAME=\"b\" --options-file=escaped.options -E main.cu | tail -2'
alike 'NVCC_APPEND_FLAGS=$(cat variable) $NVCC -E main.cu -o main.ii; tail -2 main.ii'
alike 'NVCC_PREPEND_FLAGS=$(cat variable) $NVCC -c main.cu && strings main.o | grep "a name"'
exit $code
