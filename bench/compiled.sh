#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program for one GPU, built by nvcc and by proactcc: the first on one GPU, the second on 1,
# 2, 4, ...; beside it its kernels split by hand (by_hand.cu), launched one by one and as a
# graph. A table on stdout, times and hashes; the same as JSON in FILE.
# Usage: bench/compiled.sh PROACTCC FOLDER FILE [SHIFT [NAME...]]
#   FOLDER gets the programs; SHIFT divides the sizes by its power of two
# With PROACT_MACHINE an emulated machine is taken, and nvcc's programs are left out.
set -u
[ $# -ge 3 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
proactcc=$1 folder=$2 file=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
"$proactcc" -O3 -std=c++17 -arch=sm_90 "$here/compiled.cu" -o "$folder/compiled_proactcc" || exit 1
if [ -z "${PROACT_MACHINE-}" ]; then
    nvcc -O3 -std=c++17 -arch=sm_90 "$here/compiled.cu" -o "$folder/compiled_nvcc" || exit 1
    nvcc -O3 -std=c++17 -arch=sm_90 "$here/by_hand.cu" -o "$folder/by_hand" || exit 1
    gpus=$(nvidia-smi -L | wc -l)
else
    gpus=${PROACT_DEVICES:-4}
fi
commit=$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)
rows=$folder/compiled.rows
: >"$rows"

one() { # BUILD DEVICES COMMAND...
    build=$1 devices=$2
    shift 2
    "$@" >"$folder/compiled.out" || { echo "compiled.sh: $build on $devices failed" >&2; bad=1; }
    sed "s/^/$build $devices /" "$folder/compiled.out" >>"$rows"
}

bad=0
[ -n "${PROACT_MACHINE-}" ] || one nvcc 1 "$folder/compiled_nvcc" "$@"
for n in 1 2 4 8; do
    [ "$n" -le "$gpus" ] && one proactcc "$n" env PROACT_DEVICES="$n" "$folder/compiled_proactcc" "$@"
done
for n in 2 4 8; do
    [ -z "${PROACT_MACHINE-}" ] && [ "$n" -le "$gpus" ] || continue
    one by_hand "$n" "$folder/by_hand" "$n" streams "$@"
    one by_hand_graph "$n" "$folder/by_hand" "$n" graph "$@"
done
printf '%-13s %7s  %-15s %12s %12s %12s %4s  %s\n' build devices kernel 'us a launch' lowest highest runs result
while read -r build devices name us low high runs hash; do
    printf '%-13s %7s  %-15s %12s %12s %12s %4s  %s\n' \
        "$build" "$devices" "$name" "$us" "$low" "$high" "$runs" "$hash"
done <"$rows"
# The same results whoever built it, wherever it ran.
awk '{ if ($3 in h && h[$3] != $8) { print "compiled.sh: " $3 ": results differ"; bad = 1 } h[$3] = $8 }
     END { exit bad }' "$rows" || bad=1
awk -v commit="$commit" -v date="$(date +%F)" -v machine="${PROACT_MACHINE:-$gpus x $(
    nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)}" '
    BEGIN { printf "{\"machine\": \"%s\", \"date\": \"%s\", \"commit\": \"%s\",\n", machine, date, commit
            printf " \"command\": \"bench/compiled.sh\",\n \"unit\": \"us a launch\", \"rows\": [" }
    { printf "%s\n  {\"build\": \"%s\", \"devices\": %s, \"kernel\": \"%s\", \"median\": %s, \"lowest\": %s, \"highest\": %s, \"runs\": %s}", \
             (NR > 1 ? "," : ""), $1, $2, $3, $4, $5, $6, $7 }
    END { print "\n]}" }' "$rows" >"$file"
exit $bad
