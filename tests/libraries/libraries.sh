#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that call NVIDIA's libraries between kernels: plain CUDA for one GPU.
#   libraries.sh build NVCC PROACTCC OUT   builds each with nvcc and with proactcc into OUT;
#                                          exit status 77 if nvcc has no such libraries
#   libraries.sh emulated OUT              emulated devices refuse calls of libraries; Thrust
#                                          gives one result on 1, 2 and 4
#   libraries.sh gpus OUT                  results on 1, 2 and 4 GPUs equal those of plain
#                                          CUDA on one; LD_LIBRARY_PATH leads to the libraries
set -u
here=$(cd "$(dirname "$0")" && pwd)
libraries="gemm_between fft_between solve_between sparse_between"
others="thrust_between grid_sync" # compiled into the program; needs a grid barrier
code=0
fault() {
    echo "$*"
    code=1
}

build() { # NVCC PROACTCC OUT
    mkdir -p "$3"
    echo '#include <cublas_v2.h>' >"$3/has.cu"
    "$1" -E "$3/has.cu" >/dev/null 2>&1 || { echo "no cuBLAS beside $1"; exit 77; }
    for name in $libraries $others; do
        flags="-arch=sm_80 -Xlinker -s -lcublas -lcufft -lcurand -lcusolver -lcusparse"
        case " $others " in *" $name "*) flags="-arch=sm_80 -Xlinker -s" ;; esac
        # shellcheck disable=SC2086 # a list
        "$1" "$here/$name.cu" $flags -o "$3/$name.plain" &&
            "$2" "$here/$name.cu" $flags -o "$3/$name.proact" || exit 1
    done
    # Linked by another driver than proactcc.
    out=$3 folder=$(dirname "$(dirname "$2")")/lib
    "$2" -arch=sm_80 -c "$here/gemm_between.cu" -o "$out/gemm.o" || exit 1
    eval "set -- $("$1" --dryrun "$here/gemm_between.cu" 2>&1 | sed -n 's/^#\$ LIBRARIES=//p')"
    g++ "$out/gemm.o" -s "$@" -lcublas -L"$folder" -lproactrt -ljansson -lz -lm \
        -o "$out/gemm_between.unseen" || exit 1
    rm "$out/gemm.o" "$out/has.cu"
}

same() { # PROGRAM NAME=VALUE...: runs in OUT
    program=$1
    shift
    env "$@" "$out/$program" >"$out/stdout" 2>"$out/stderr" </dev/null ||
        fault "$program, $*: exit status $?"
    diff -u "$out/${program%.*}.expected" "$out/stdout" || fault "$program, $*"
    diff -u /dev/null "$out/stderr" || fault "$program, $*"
}

emulated() {
    for name in $libraries; do
        PROACT_MACHINE=h200x4 "$out/$name.proact" >"$out/stdout" 2>"$out/stderr" &&
            fault "$name runs on an emulated machine"
        head -1 "$out/stderr" | grep -q '^proact: cu.*() runs on a GPU only' ||
            fault "$name: $(cat "$out/stderr")"
    done
    PROACT_MACHINE=h200x4 PROACT_DEVICES=1 "$out/grid_sync.proact" \
        >"$out/grid_sync.expected" || fault "a barrier of the grid on one device"
    same grid_sync.proact PROACT_MACHINE=h200x4 PROACT_SPLIT=always
    PROACT_MACHINE=h200x4 PROACT_DEVICES=1 "$out/thrust_between.proact" \
        >"$out/thrust_between.expected" || fault "thrust on one device"
    for count in 2 4; do
        same thrust_between.proact PROACT_MACHINE=h200x4 PROACT_DEVICES=$count \
            PROACT_SPLIT=always
    done
}

gpus() {
    count=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
    [ "$count" -gt 0 ] || { echo "no GPU here: skipped"; exit 77; }
    for name in $libraries $others; do
        "$out/$name.plain" >"$out/$name.expected" 2>&1 || fault "$name, plain"
        for devices in 1 2 4; do
            [ $devices -le "$count" ] || continue
            for split in always auto never; do
                same "$name.proact" PROACT_DEVICES=$devices PROACT_SPLIT=$split
            done
            same "$name.proact" PROACT_DEVICES=$devices PROACT_SPLIT=always \
                PROACT_METHOD=bulk
        done
        tail -1 "$out/$name.expected"
    done
    same gemm_between.unseen PROACT_SPLIT=always
    echo "$count GPUs"
}

what=$1
shift
[ "$what" = build ] || out=$1
"$what" "$@"
exit $code
