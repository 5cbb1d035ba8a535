#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each seed from FIRST on is a program. Its output built by nvcc on one GPU must equal its
# output built by proactcc on 1, 2, 4, ... GPUs of this machine, on a single device and
# split by every method. A failing program stays in OUT as SEED.cu. JOBS (4) run at a time.
# Exit status 77: no GPU. One GPU may appear as several (tests/device/many_cuda.c).
# Usage: local.sh PROACTCC MAKE_PROGRAM OUT FIRST COUNT
set -u
here=$(cd "$(dirname "$0")" && pwd)
proactcc=$1 make=$2 out=$3 first=$4 count=${5-}
gpus=${MANY_CUDA_DEVICES:-$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')}
[ "$gpus" -gt 0 ] || { echo "no GPU"; exit 77; }

build() { # SEED
    "$make" "$1" >"$out/$1.cu" &&
        env -u LD_LIBRARY_PATH nvcc -arch=native -w -I"$here" "$out/$1.cu" -o "$out/$1.nvcc" &&
        env -u LD_LIBRARY_PATH "$proactcc" -arch=native -w -I"$here" "$out/$1.cu" -o "$out/$1"
}

same() { # SEED DEVICES HOW METHOD
    timeout 60 env PROACT_DEVICES=$2 PROACT_SPLIT=$3 PROACT_METHOD=$4 "$out/$1" \
        >"$out/$1.said" 2>"$out/$1.stderr" </dev/null
    status=$?
    [ $status = 0 ] && cmp -s "$out/$1.expected" "$out/$1.said" && return
    echo "seed $1, $4 on $2 devices, $3: exit status $status"
    tail -n 2 "$out/$1.stderr"
    diff "$out/$1.expected" "$out/$1.said" | head -n 3
    return 1
}

one() { # SEED
    code=0 n=2
    build "$1" >"$out/$1.log" 2>&1 || { head -n 3 "$out/$1.log"; return 1; }
    env -u LD_LIBRARY_PATH "$out/$1.nvcc" >"$out/$1.expected" || return 1
    same "$1" 1 never fused || code=1
    while [ $n -le "$gpus" ]; do
        same "$1" $n auto fused || code=1
        for method in bulk fused inline polling copy-engine relay dynamic; do
            same "$1" $n always $method || code=1
        done
        n=$((n * 2))
    done
    return $code
}

if [ -z "$count" ]; then
    one "$first" && rm -f "$out/$first" "$out/$first".*
    exit 0
fi
mkdir -p "$out"
output=$(seq "$first" $((first + count - 1)) |
    xargs -P "${JOBS-4}" -n 1 "$0" "$proactcc" "$make" "$out")
[ -z "$output" ] && echo "$count programs say the same" && exit
echo "$output"
exit 1
