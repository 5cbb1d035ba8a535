#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures distributed.cu, kernels with indirect stores and atomics: built by nvcc on one
# GPU, and by proactcc on 1, 2, 4, ... GPUs with replicated arrays, with reassociated sums,
# and with distributed arrays. Prints a table of times and hashes and writes FILE as JSON.
# Usage: bench/programs/distributed.sh PROACTCC FOLDER FILE [SHIFT [NAME...]]
#   FOLDER receives the programs; SHIFT divides the sizes by 2^SHIFT; NAMEs select kernels
# With PROACT_MACHINE, an emulated machine runs the proactcc build only.
set -u
[ $# -ge 3 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
name=distributed
. "$here/compiled_rows.sh"
export PROACT_OPEN=all # lazy opening would finish after the first rows
shift 3

[ -n "${PROACT_MACHINE-}" ] || one nvcc 1 "$folder/distributed_nvcc" "$@"
for n in 1 2 4 8; do
    [ "$n" -le "$gpus" ] || continue
    one proactcc "$n" env PROACT_DEVICES="$n" "$folder/distributed_proactcc" "$@"
    [ "$n" -gt 1 ] || continue
    one distributed "$n" env PROACT_DEVICES="$n" PROACT_DISTRIBUTE=1M "$folder/distributed_proactcc" "$@"
    one reassociated "$n" env PROACT_DEVICES="$n" PROACT_REASSOCIATE=1 "$folder/distributed_proactcc" "$@"
    one distributed_forced "$n" env PROACT_DEVICES="$n" PROACT_DISTRIBUTE=1M PROACT_SPLIT=always \
        "$folder/distributed_proactcc" "$@"
done
finish
