#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What CUDA's calls take of the host (calls.cu): by nvcc on one GPU, by proactcc on 1, 2, 4, ...,
# in turns, since turns differ. A table on stdout, times and hashes; the same as JSON in FILE.
# Usage: bench/calls.sh PROACTCC FOLDER FILE [TURNS [NAME...]]
#   FOLDER gets the programs; TURNS of them all (5)
# With PROACT_MACHINE an emulated machine is taken, and nvcc's program is left out.
set -u
[ $# -ge 3 ] || { sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
name=calls
. "$here/compiled_rows.sh"
shift 3
turns=${1:-5}
[ $# -gt 0 ] && shift

for turn in $(seq "$turns"); do
    [ -n "${PROACT_MACHINE-}" ] || one nvcc 1 "$folder/calls_nvcc" "$@"
    for n in 1 2 4 8; do
        [ "$n" -le "$gpus" ] && one proactcc "$n" env PROACT_DEVICES="$n" "$folder/calls_proactcc" "$@"
    done
done
finish
