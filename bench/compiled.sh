#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program for one GPU, built by nvcc and by proactcc: the first on one GPU, the second on 1,
# 2, 4, ... A table on stdout, times and hashes; the same as JSON in FILE.
# Usage: bench/compiled.sh PROACTCC FOLDER FILE [SHIFT [NAME...]]
#   FOLDER gets the two programs; SHIFT divides the sizes by its power of two
# With PROACT_MACHINE an emulated machine is taken, and nvcc's program is left out.
set -u
[ $# -ge 3 ] || { sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2; }
proactcc=$1 folder=$2 file=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
"$proactcc" -O3 -std=c++17 -arch=sm_90 "$here/compiled.cu" -o "$folder/compiled_proactcc" || exit 1
if [ -z "${PROACT_MACHINE-}" ]; then
    nvcc -O3 -std=c++17 -arch=sm_90 "$here/compiled.cu" -o "$folder/compiled_nvcc" || exit 1
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
printf '%-9s %7s  %-15s %12s %12s %12s %4s  %s\n' build devices kernel 'us a launch' lowest highest runs result
while read -r build devices name us low high runs hash; do
    printf '%-9s %7s  %-15s %12s %12s %12s %4s  %s\n' \
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
