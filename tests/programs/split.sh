#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every program of this folder, compiled by proactcc into OUT, gives the same output and
# succeeds on 1, 2, 4 and 8 emulated devices with all possible splits. On 4 devices it also
# runs with default settings (`default`), with the methods of the planner and all splits
# (`planned`), with another plan for each launch (`varied`), and with devices that open after
# the start (`lazy`). split.txt lists which kernels are split on 4 devices, or the reason why not.
#
# --write: writes split.txt; --some: only a few programs. Two programs run at a time; each
# runs as `split.sh PROACTCC OUT NAME`.
# Usage: split.sh PROACTCC OUT [--write|--some]
set -u
here=$(cd "$(dirname "$0")" && pwd)
proactcc=$1 out=$2 what=${3-}
methods="bulk inline polling copy-engine relay hardware"

distribute() { # NAME: prints the limit above which arrays are distributed
    case $1 in
    scattered_totals) echo PROACT_DISTRIBUTE=1 ;;
    scattered_stores) echo PROACT_DISTRIBUTE=130K ;; # smaller arrays are replicated
    esac
}

run() { # METHOD DEVICES NAME: writes OUT/NAME.stdout
    all="$(distribute "$3") PROACT_SPLIT=always PROACT_REASSOCIATE=1" machine=h200x8
    settings="$all PROACT_METHOD=$1"
    [ "$1" = default ] && settings=
    [ "$1" = planned ] && settings=$all
    [ "$1" = varied ] && settings="$all PROACT_TEST_PLANS=$(echo "$3" | cksum | cut -d' ' -f1)"
    [ "$1" = lazy ] && settings="PROACT_SPLIT=always PROACT_REASSOCIATE=1 PROACT_OPEN=lazy" machine=$out/lazy.json
    # shellcheck disable=SC2086 # words
    env $settings PROACT_MACHINE="$machine" PROACT_DEVICES=$2 "$out/$3" \
        >"$out/$3.stdout" 2>"$out/$3.stderr" </dev/null
    status=$?
    [ $status = 0 ] && return
    echo "$3, $1 on $2 devices: exit status $status"
    cat "$out/$3.stdout" "$out/$3.stderr"
    return 1
}

# Prints the report's lines on kernels as program, kernel, verdict. PTX lines and other
# numbers of a reason are removed, because they change with the compiler.
verdicts() {
    sed -n 's/^proact: *\([0-9][0-9]*\)  *\([0-9][0-9]*\) *[0-9.]*  /\1 \2 /p' "$out/$1.stderr" |
        while read -r launches split kernel; do
            reason=$(echo "$kernel" | sed -n 's/.* (single device: \(.*\))$/\1/p' | sed \
                "s/^program[0-9]*\.ptx:[0-9]*: //; s/[0-9][0-9]*/N/g")
            name=${kernel%% (single device: *}
            name=${name%%(*}
            [ ${#name} -gt 80 ] && name="$(echo "$name" | cut -c1-40)..."
            how="split"
            [ "$split" -lt "$launches" ] && how="partly split, else $reason"
            [ "$split" = 0 ] && how="whole: $reason"
            echo "$1, $name: $how"
        done | sort
}

one() {
    name=$1 turn=$(($(echo "$1" | wc -c) % 6 + 1))
    other=$(echo "$methods" | cut -d' ' -f$turn)
    "$proactcc" -arch=sm_90 "$here/$name.cu" -o "$out/$name" || return 1
    run fused 1 "$name" || return 1
    mv "$out/$name.stdout" "$out/$name.expected"
    code=0
    for setting in default:4 planned:4 varied:4 lazy:4 fused:2 fused:8 "$other:2" "$other:4" "$other:8" fused:4; do
        PROACT_REPORT=1 run "${setting%:*}" "${setting#*:}" "$name" || code=1
        diff -u "$out/$name.expected" "$out/$name.stdout" || code=1
    done
    verdicts "$name" >"$out/$name.split"
    return $code
}

some="breadth_first called_stores constant_address constant_shapes heat_2d kmeans matrix_multiply pointer_tables separable_filter shared_clusters tensor_lists vector_add wide_indices written_variables"
case $what in
'' | --write) names=$(cd "$here" && ls ./*.cu | sed 's,^./,,; s,.cu$,,') ;;
--some) names=$some ;;
*) one "$what"; exit ;;
esac
mkdir -p "$out"
echo '{"like": "h200x8", "device": {"open_ms": 0.002}}' >"$out/lazy.json"
rm -f "$out"/*.split
code=0
echo "$names" | tr ' ' '\n' | xargs -P 2 -n 1 "$0" "$proactcc" "$out" || code=1
[ "$what" = --write ] && cat "$out"/*.split >"$here/split.txt"
for name in $names; do
    grep "^$name, " "$here/split.txt"
done >"$out/expected"
cat "$out"/*.split | diff -u "$out/expected" - || code=1
exit $code
