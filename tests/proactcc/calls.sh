#!/bin/sh
# Usage: calls.sh SOURCE LIBRARY CUDART. Every function of NVIDIA's static runtime is in
# proact's list, and the library defines every function of the list.
set -u
list=$1/tools/proactcc/rt/abi/cuda_call.def
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
calls() {
    nm -g --defined-only "$1" | awk '$2 == "T" && $3 ~ /^(__)?cuda[A-Z]/ { print $3 }' | sort -u
}
sed -n 's/^[A-Z]*(\([A-Za-z0-9_]*\).*/\1/p' "$list" | sort -u >"$scratch/list"
calls "$2" >"$scratch/ours"
calls "$3" >"$scratch/theirs"
comm -13 "$scratch/list" "$scratch/theirs" | sed 's/$/: not in our list/' >"$scratch/faults"
comm -3 "$scratch/list" "$scratch/ours" | sed 's/$/: in the list or in the library alone/' \
    >>"$scratch/faults"
cat "$scratch/faults"
echo "$(grep -c . "$scratch/list") calls listed, $(grep -c '^CALL' "$list") of them ours"
[ ! -s "$scratch/faults" ]
