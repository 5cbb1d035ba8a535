#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels whose stores and atomics memory decides (distributed.cu), by nvcc on one GPU, by
# proactcc on 1, 2, 4, ... with replicas, with sums that may be grouped, and with distributed arrays. A table on stdout, times
# and hashes; the same as JSON in FILE.
# Usage: bench/programs/distributed.sh PROACTCC FOLDER FILE [SHIFT [NAME...]]
#   FOLDER gets the programs; SHIFT divides the sizes by its power of two
# With PROACT_MACHINE an emulated machine is taken, and nvcc's program is left out.
set -u
[ $# -ge 3 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
name=distributed
. "$here/compiled_rows.sh"
export PROACT_OPEN=all # a row is of what goes on: the first ones would be over before the others are opened
shift 3

[ -n "${PROACT_MACHINE-}" ] || one nvcc 1 "$folder/distributed_nvcc" "$@"
for n in 1 2 4 8; do
    [ "$n" -le "$gpus" ] || continue
    one proactcc "$n" env PROACT_DEVICES="$n" "$folder/distributed_proactcc" "$@"
    [ "$n" -gt 1 ] || continue
    one distributed "$n" env PROACT_DEVICES="$n" PROACT_DISTRIBUTE=1M "$folder/distributed_proactcc" "$@"
    one reassociated "$n" env PROACT_DEVICES="$n" PROACT_GROUP_SUMS=1 "$folder/distributed_proactcc" "$@"
    one distributed_forced "$n" env PROACT_DEVICES="$n" PROACT_DISTRIBUTE=1M PROACT_SPLIT=always \
        "$folder/distributed_proactcc" "$@"
done
finish
