#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The programs of bench/peers that run the applications on another transport, on an emulated
# GPU that three parts of each grid share: every answer equals that of one part. Their tables
# of written bytes and halos are thereby right. NCCL has a stand-in.
# Usage: peer_apps.sh PROACTCC PROACT SOURCE
set -eu
proactcc=$1 proact=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
peers=$source/bench/peers
options="-include $peers/app_names.h -I$source/include -I$source/apps"
options="$options -I$source/tests/bench/stand_in"
cd "$work"

for file in "$peers"/kernels_*.cu "$peers/app_session.cu" "$peers/apps_copies.cu" \
    "$peers/apps_nccl.cu" "$peers/apps_unified.cu"; do
    echo "$file $(basename "$file" .cu).o"
done | xargs -r -P 2 -L 1 sh -c "$proactcc -O1 -std=c++17 $options -c \"\$0\" -o \"\$1\""
for file in "$source"/apps/*/*.c "$peers/app_job.c"; do
    # shellcheck disable=SC2086 # words
    "${CC:-cc}" -std=gnu11 -O1 $options -c "$file" -o "$(basename "$file" .c)_c.o"
done
for transport in copies nccl unified; do
    "$proactcc" kernels_*.o app_session.o "apps_$transport.o" ./*_c.o -o "$transport" -lz
done

"$proact" make wiki --vertices 1500 -o graph.mtx >/dev/null
"$proact" make ratings --users 200 --items 60 --draws 2500 -o ratings.mtx >/dev/null
export PROACT_MACHINE=v100x4 PROACT_DEVICES=1
code=0
run() { # APPLICATION OPTION...: all programs, all rows
    for transport in copies nccl unified; do
        want=2
        [ $transport != unified ] || want=4
        timeout 60 "./$transport" "$@" --devices 3 --share --no-graph --runs 1 >rows 2>log || code=1
        rows=$(grep -c '"equal_to_one_device": true' rows || :)
        [ "$rows" = $want ] || { echo "$transport $*: $rows of $want rows are equal"; cat log; code=1; }
    done
}
run jacobi --size 96 --iterations 8
run band --rows 3000 --half-width 20 --iterations 8
run pagerank graph.mtx --iterations 6
run pagerank graph.mtx --iterations 6 --kernel paper --type f32
run sssp graph.mtx --weights hash
run sssp graph.mtx --weights hash --kernel paper --type f32
run als ratings.mtx --rank 16 --iterations 2
run als ratings.mtx --rank 8 --iterations 2 --update gradient --type f32
run als ratings.mtx --rank 8 --iterations 2 --update gradient --kernel paper
run ct --size 32 --views 40 --subsets 4 --iterations 1
run ct --size 32 --views 40 --subsets 4 --iterations 1 --type f32 --slices 2
exit $code
