#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# calls.cu, what CUDA's calls take of the host, or start.cu, what a short program takes from its
# start to its end: by nvcc on one GPU, by proactcc on 1, 2, 4, ..., in turns, since turns differ.
# A table on stdout, times and hashes; the same as JSON in FILE.
# Usage: bench/programs/turns.sh calls|start PROACTCC FOLDER FILE [TURNS [NAME...]]
#   FOLDER gets the programs; TURNS of them all (5); NAMEs of rows, of calls
# With PROACT_MACHINE an emulated machine is taken, and nvcc's program is left out.
set -u
[ $# -ge 4 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
name=$1
shift
. "$here/compiled_rows.sh"
shift 3
script="turns.sh $name"
turns=${1:-5}
[ $# -gt 0 ] && shift

for turn in $(seq "$turns"); do
    [ -n "${PROACT_MACHINE-}" ] || one nvcc 1 "$folder/${name}_nvcc" "$@"
    for n in 1 2 4 8; do
        [ "$n" -le "$gpus" ] && one proactcc "$n" env PROACT_DEVICES="$n" "$folder/${name}_proactcc" "$@"
    done
done
finish
