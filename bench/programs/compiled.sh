#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program for one GPU, built by nvcc and by proactcc: the first on one GPU, the second on 1,
# 2, 4, ...; beside it its kernels split by hand (by_hand.cu), launched one by one and as a
# graph. A table on stdout, times and hashes; the same as JSON in FILE.
# Usage: bench/programs/compiled.sh PROACTCC FOLDER FILE [SHIFT [NAME...]]
#   FOLDER gets the programs; SHIFT divides the sizes by its power of two
# With PROACT_MACHINE an emulated machine is taken, and nvcc's programs are left out.
set -u
[ $# -ge 3 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
name=compiled
. "$here/compiled_rows.sh"
export PROACT_OPEN=all # a row is of what goes on: the first ones would be over before the others are opened
shift 3
[ -n "${PROACT_MACHINE-}" ] || built nvcc by_hand by_hand

[ -n "${PROACT_MACHINE-}" ] || one nvcc 1 "$folder/compiled_nvcc" "$@"
for n in 1 2 4 8; do
    [ "$n" -le "$gpus" ] && one proactcc "$n" env PROACT_DEVICES="$n" "$folder/compiled_proactcc" "$@"
done
for n in 2 4 8; do
    [ -z "${PROACT_MACHINE-}" ] && [ "$n" -le "$gpus" ] || continue
    one hand_written "$n" "$folder/by_hand" "$n" streams "$@"
    one hand_written_graph "$n" "$folder/by_hand" "$n" graph "$@"
done
finish
