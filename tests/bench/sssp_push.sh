#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/programs/sssp_push.cu by proactcc, on one device and split over four: its answer and
# rounds are those of `proact run sssp`. Usage: sssp_push.sh PROACTCC PROACT SOURCE
set -eu
proactcc=$1 proact=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$proactcc" -O2 "$source/bench/programs/sssp_push.cu" -o push
"$proact" make hv15r --grid 4x4x4 -o graph.sg >/dev/null
export PROACT_MACHINE=h200x4 PROACT_SPLIT=always PROACT_REPORT=1
code=0
for first in 1 100; do
    "$proact" run sssp graph.sg --weights hash --source $first --method bulk -n 1 >pulled
    want="$(sed -n 's/ vertices are reached.*\(; the distances sum up to [0-9]*\)$/ vertices are reached\1/p' pulled)"
    want="$want; $(sed -n 's/^\([0-9]* rounds\), .*/\1/p' pulled)"
    for devices in 1 4; do
        PROACT_DEVICES=$devices ./push graph.sg $first 2>report >got
        echo "$want" | cmp -s - got || {
            echo "source $first, $devices devices: $(cat got), expected $want"
            code=1
        }
    done
    # Both kernels were split in every round.
    awk '/push\(|advance\(/ && $2 ~ /^[0-9]+$/ { kernels++; if ($2 != $3) bad = 1 }
        END { exit kernels != 2 || bad }' report || { cat report; code=1; }
done
./push graph.sg 449 2>message && code=1
grep -q 'source 449: the graph has 448 vertices' message || { cat message; code=1; }
exit $code
