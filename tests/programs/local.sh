#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every program of this folder gives the same output and succeeds, built by nvcc on one GPU
# and by proactcc on 1, 2, 4, ... GPUs of this machine. It runs with default settings, with
# all possible splits by every method in turn (or those in METHODS), and with distributed
# arrays. JOBS (4) programs run at a time. With NAME, only this program runs; it must be
# built. Exit status 77: no GPU. One GPU that appears as several (tests/device/many_cuda.c)
# runs all of this too.
# Usage: local.sh PROACTCC OUT [NAME]
set -u
here=$(cd "$(dirname "$0")" && pwd)
proactcc=$1 out=$2 names=${3-}
gpus=${MANY_CUDA_DEVICES:-$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')}
[ "$gpus" -gt 0 ] || { echo "no GPU"; exit 77; }
if [ -z "$names" ]; then
    mkdir -p "$out"
    names=$(cd "$here" && ls ./*.cu | sed 's,^./,,; s,.cu$,,')
    echo "$names" | xargs -P "$(nproc)" -I% nvcc -arch=native "$here/%.cu" -o "$out/%.nvcc" || exit 1
    echo "$names" | xargs -P "$(nproc)" -I% "$proactcc" -arch=sm_90 "$here/%.cu" -o "$out/%" || exit 1
    echo "$names" | xargs -P "${JOBS:-4}" -I% sh "$0" "$proactcc" "$out" % >"$out/output"
    status=$?
    grep -v ' runs, ' "$out/output"
    awk '/ runs, / { ran += $2; bad += $4 } END { print ran " runs of programs, " bad " bad" }' "$out/output"
    exit $((status != 0))
fi

bad=0 ran=0
same() { # NAME TITLE: the output equals that of nvcc's program
    status=$?
    ran=$((ran + 1))
    if [ $status = 0 ] && cmp -s "$out/$1.expected" "$out/$1.stdout"; then
        return
    fi
    echo "$1, $2: exit status $status"
    tail -3 "$out/$1.stderr"
    diff "$out/$1.expected" "$out/$1.stdout" | head -5
    bad=$((bad + 1))
}
for name in $names; do
    env -u LD_LIBRARY_PATH "$out/$name.nvcc" >"$out/$name.expected" 2>"$out/$name.stderr" </dev/null ||
        { echo "$name by nvcc: exit status $?"; bad=$((bad + 1)); continue; }
    n=1
    while [ $n -le "$gpus" ]; do
        PROACT_DEVICES=$n PROACT_REPORT=1 timeout 60 "$out/$name" \
            >"$out/$name.stdout" 2>"$out/$name.stderr" </dev/null
        same "$name" "$n devices"
        for method in ${METHODS:-bulk fused inline polling dynamic copy-engine relay}; do
            [ $n = 1 ] && break
            PROACT_DEVICES=$n PROACT_SPLIT=always PROACT_REASSOCIATE=1 PROACT_METHOD=$method timeout 60 \
                "$out/$name" >"$out/$name.stdout" 2>"$out/$name.stderr" </dev/null
            same "$name" "$method on $n devices"
        done
        if [ $n -gt 1 ]; then
            PROACT_DEVICES=$n PROACT_SPLIT=always PROACT_DISTRIBUTE=1 timeout 60 \
                "$out/$name" >"$out/$name.stdout" 2>"$out/$name.stderr" </dev/null
            same "$name" "distributed arrays on $n devices"
        fi
        n=$((n * 2))
    done
done
echo "$names: $ran runs, $bad bad"
[ $bad = 0 ]
