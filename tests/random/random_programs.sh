#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each seed from FIRST on is a program. Its output on one emulated device, where the host
# checks each launch that it can, must equal its output split on 2, 3, 4 and 8 devices by
# every method. A failing program stays in OUT as SEED.cu; a single seed (COUNT 1) also
# leaves all other files and the reports. `narrow`: devices with one SM, which fill early.
# `lazy`: the devices except the first open after the program has begun, at a time that
# depends on the seed. `varied`: each launch has another plan. Two seeds run at a time.
# Usage: random_programs.sh PROACTCC MAKE_PROGRAM OUT FIRST COUNT
set -u
here=$(cd "$(dirname "$0")" && pwd)
proactcc=$1 make=$2 out=$3 first=$4 count=${5-}
methods="fused bulk inline polling copy-engine relay hardware dynamic"

run() { # TO METHOD DEVICES HOW [check]
    machine=h200x8
    [ "$4" = narrow ] && machine=$out/narrow.json && set -- "$1" "$2" "$3" always "$5"
    open=all seeds=
    [ "$4" = varied ] && seeds=PROACT_TEST_PLANS=$((seed + 1)) && set -- "$1" "$2" "$3" always "$5"
    [ "$4" = lazy ] && open=lazy && machine=$out/$seed.lazy.json && set -- "$1" "$2" "$3" always "$5"
    timeout 120 env $seeds PROACT_MACHINE="$machine" PROACT_REPORT=1 PROACT_METHOD=$2 PROACT_DEVICES=$3 \
        PROACT_SPLIT=$4 PROACT_OPEN=$open "$out/$seed" $5 >"$1" 2>"$1.report" </dev/null
    status=$?
    [ $status = 0 ] && return
    echo "seed $seed, $2 on $3 devices, $4: exit status $status"
    tail -n 1 "$1"
    grep -v '^proact: ' "$1.report" | head -n 3
    return 1
}

one() {
    seed=$1 code=0
    "$make" "$seed" >"$out/$seed.cu" &&
        "$proactcc" -gencode arch=compute_90,code=compute_90 -w -I"$here" "$out/$seed.cu" \
            -o "$out/$seed" >"$out/$seed.log" 2>&1 ||
        { echo "seed $seed is not compiled: $(head -n 3 "$out/$seed.log")"; return 1; }
    run "$out/$seed.expected" fused 1 never check || return 1
    echo "{\"like\": \"h200x8\", \"device\": {\"open_ms\": 0.00$((seed % 3))$((seed % 97))}}" >"$out/$seed.lazy.json"
    other=$(echo "$methods $methods" | cut -d' ' -f$((seed % 8 + 1))-$((seed % 8 + 4)))
    set -- $other
    for setting in "$1:2:always" "$2:3:always" "$3:4:always" "$4:8:always" fused:4:auto \
        fused:8:always fused:4:narrow fused:4:lazy fused:4:varied; do
        IFS=: read -r method devices how <<END
$setting
END
        output=$out/$seed.$method.$devices.$how
        run "$output" "$method" "$devices" "$how" "" || { code=1; continue; }
        cmp -s "$out/$seed.expected" "$output" || {
            code=1
            echo "seed $seed, $method on $devices devices, $how: says otherwise"
            diff "$out/$seed.expected" "$output" | head -n 4
        }
    done
    return $code
}

mkdir -p "$out"
narrow='s/"threads_per_\(sm\|cta\)": 1024/"threads_per_\1": 256/'
[ -e "$out/narrow.json" ] || sed "$narrow" "$here/../stress/narrow.json" >"$out/narrow.json"
if [ -z "$count" ]; then
    one "$first" && [ -z "${KEEP-}" ] && rm -f "$out/$first" "$out/$first".*
    exit 0
fi
[ "$count" = 1 ] && export KEEP=1
output=$(seq "$first" $((first + count - 1)) |
    xargs -P "${JOBS-2}" -n 1 "$0" "$proactcc" "$make" "$out")
[ -z "$output" ] && echo "$count programs say the same" && exit
echo "$output"
exit 1
