#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures calls.cu, the host time of CUDA calls, or start.cu, a short program from start to
# end: built by nvcc on one GPU, and by proactcc on 1, 2, 4, ... GPUs. The builds alternate,
# because times drift. Prints a table of times and hashes and writes FILE as JSON.
# Usage: bench/programs/turns.sh calls|start PROACTCC FOLDER FILE [TURNS [NAME...]]
#   FOLDER receives the programs; TURNS repeats all builds (5); NAMEs select rows of calls
# With PROACT_MACHINE, an emulated machine runs the proactcc build only.
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
