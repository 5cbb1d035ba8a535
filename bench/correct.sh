#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks results on the GPUs of this computer: all hardware tests, and launches of random
# kernels, sizes, methods and maps. Prints a line per check and writes FILE as JSON.
# Usage: bench/correct.sh BUILD FILE [LAUNCHES [SECONDS [NAME...]]]
#   BUILD     a build folder (build/default), or a folder with its programs at the same paths
#   LAUNCHES  number of random launches (100000), which must end within SECONDS (400)
#   NAME      checks to run, of contract, kernels, samples, distributed, staged, programs,
#             applications, emulated and random; default all
# Exit status 1: a result is wrong, or a check exceeds its time limit.
set -u
[ $# -ge 2 ] || { sed -n '3,11s/^# \{0,1\}//p' "$0"; exit 2; }
build=$(cd "$1" && pwd) || exit 2
case $2 in /*) file=$2 ;; *) file=$PWD/$2 ;; esac
launches=${3:-100000} seconds=${4:-400}
shift $(($# < 4 ? $# : 4))
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tests=$build/tests proact=$build/tools/proact/proact
gpus=${MANY_CUDA_DEVICES:-$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')}
[ "$gpus" -gt 0 ] || { echo "no GPU"; exit 77; }
bad=0 names=$*

row() { # NAME STATUS RESULT SECONDS COMMAND
    [ "$2" = 0 ] || bad=1
    echo "$1: $3 [status $2, $4 s]"
    printf '{"name": "%s", "status": %s, "result": "%s", "seconds": %s, "command": "%s"}\n' \
        "$1" "$2" "$3" "$4" "$5" >>"$work/rows"
}

# The result of a check is the last line of its output that matches PATTERN.
check() { # NAME LIMIT PATTERN COMMAND...
    name=$1 limit=$2 pattern=$3
    shift 3
    case " $names " in *" ${name%%[-_]*} "* | "  ") ;; *) return ;; esac
    from=$(date +%s)
    if [ "$1" = same_result ]; then
        "$@"
    else
        (cd "$tests" && timeout "$limit" "$@")
    fi >"$work/$name" 2>&1
    status=$?
    [ $status = 77 ] && { echo "$name: needs more GPUs"; return; }
    result=$(grep -E "$pattern" "$work/$name" | tail -1 | tr -d '"\\' |
        sed 's/^\[[ =]*\] *//; s/   */ /g')
    [ $status = 0 ] || tail -3 "$work/$name"
    row "$name" $status "$result" $(($(date +%s) - from)) \
        "$(echo "$*" | sed "s,$build/,,g; s,$here/,,g; s,$work,FOLDER,g")"
}

check contract 300 'broken' ./device_tests contract cuda
check kernels 120 'runs of|test\(s\) run' ./kernels_tests kernels_split local
check samples-annotated 120 'runs of|test\(s\) run' ./samples_tests samples_split local
check samples-plain 120 'runs of|test\(s\) run' ./samples_tests samples_split local plain
check distributed 100 'test\(s\) run' ./runtime_tests distributed local
check distributed-order 100 'test\(s\) run' ./runtime_tests distributed_order local
check staged 100 'test\(s\) run' ./runtime_tests launch_stage local
check programs 300 'runs of programs' \
    sh "$here/tests/programs/local.sh" "$build/tools/proactcc/bin/proactcc" "$work/built"
check applications-jacobi 60 'equal' "$proact" run jacobi --machine local --size 2048 \
    --iterations 100 --method all
check applications-pagerank 60 'equal' "$proact" run pagerank \
    "$here/data/debian12_pkgdeps.mtx.gz" --machine local --method all

# The result must equal that of emulated GPUs to the last digit.
same_result() { # APPLICATION...
    "$proact" run "$@" --machine local --method fused --json "$work/here.json" >/dev/null &&
        "$proact" run "$@" --machine h200x8 -n "$gpus" --method fused \
            --json "$work/emulated.json" >/dev/null || return 1
    for j in here emulated; do
        sed -n '/"answer": {/,/}/p' "$work/$j.json" >"$work/$j.answer"
    done
    cmp "$work/here.answer" "$work/emulated.answer" && [ -s "$work/here.answer" ] &&
        echo "as emulated: $(tr -d ' \n' <"$work/here.answer")"
}
check emulated-jacobi 120 'as emulated' same_result jacobi --size 256 --iterations 50
check emulated-pagerank 120 'as emulated' same_result pagerank \
    "$here/data/debian12_pkgdeps.mtx.gz"
half=$((launches / 2))
for form in "" _90; do
    check "random$form" "$seconds" 'launches in' ./stress --machine local --bytes 65536 \
        --acts 2000 --launches $half --seed 1 "stress_kernels$form.ptx"
done
{
    printf '{"machine": "%s x %s", "date": "%s", "commit": "%s",\n "rows": [\n' "$gpus" \
        "$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)" "$(date +%F)" \
        "$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)"
    sed '$!s/$/,/; s/^/  /' "$work/rows"
    printf ' ]}\n'
} >"$file"
exit $bad
