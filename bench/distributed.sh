#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels whose stores and atomics memory decides (distributed.cu), by nvcc on one GPU, by
# proactcc on 1, 2, 4, ... with replicas, and with distributed arrays. A table on stdout, times
# and hashes; the same as JSON in FILE.
# Usage: bench/distributed.sh PROACTCC FOLDER FILE [SHIFT [NAME...]]
#   FOLDER gets the programs; SHIFT divides the sizes by its power of two
# With PROACT_MACHINE an emulated machine is taken, and nvcc's program is left out.
set -u
[ $# -ge 3 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
proactcc=$1 folder=$2 file=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
"$proactcc" -O3 -std=c++17 -arch=sm_90 "$here/distributed.cu" -o "$folder/distributed_proactcc" || exit 1
if [ -z "${PROACT_MACHINE-}" ]; then
    nvcc -O3 -std=c++17 -arch=sm_90 "$here/distributed.cu" -o "$folder/distributed_nvcc" || exit 1
    gpus=$(nvidia-smi -L | wc -l)
else
    gpus=${PROACT_DEVICES:-4}
fi
name=distributed
. "$here/compiled_rows.sh"

[ -n "${PROACT_MACHINE-}" ] || one nvcc 1 "$folder/distributed_nvcc" "$@"
for n in 1 2 4 8; do
    [ "$n" -le "$gpus" ] || continue
    one proactcc "$n" env PROACT_DEVICES="$n" "$folder/distributed_proactcc" "$@"
    [ "$n" -gt 1 ] || continue
    one distributed "$n" env PROACT_DEVICES="$n" PROACT_DISTRIBUTE=1M "$folder/distributed_proactcc" "$@"
    one always "$n" env PROACT_DEVICES="$n" PROACT_DISTRIBUTE=1M PROACT_SPLIT=always \
        "$folder/distributed_proactcc" "$@"
done
finish
