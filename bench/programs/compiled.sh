#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures compiled.cu, a program for one GPU: built by nvcc on one GPU, by proactcc on 1, 2,
# 4, ... GPUs, and its kernels split by hand (by_hand.cu), as launches and as a graph. Prints
# a table of times and hashes and writes FILE as JSON.
# Usage: bench/programs/compiled.sh PROACTCC FOLDER FILE [SHIFT [NAME...]]
#   FOLDER receives the programs; SHIFT divides the sizes by 2^SHIFT; NAMEs select kernels
# With PROACT_MACHINE, an emulated machine runs the proactcc build only.
set -u
[ $# -ge 3 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
name=compiled
. "$here/compiled_rows.sh"
export PROACT_OPEN=all # lazy opening would finish after the first rows
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
