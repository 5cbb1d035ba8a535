#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks a machine and runs all benchmarks of docs/performance.md on it.
# Usage: bench/measure.sh BUILD FOLDER [MACHINE]
#   BUILD    a build folder (build/default), or a folder with its programs at the same paths
#   FOLDER   receives a JSON file and a text file for each benchmark
#   MACHINE  a machine name, or local (the default): the GPUs of this computer
# Each step has a time limit. A step that fails or exceeds its limit is reported, and the
# next one starts. The last lines are a table of step, exit status and seconds.
set -u
[ $# -ge 2 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0"; exit 2; }
build=$(cd "$1" && pwd) || exit 2
machine=${3:-local}
mkdir -p "$2" && folder=$(cd "$2" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2
proact=$build/tools/proact/proact
: >"$folder/steps"

step() { # LIMIT NAME COMMAND...: the output goes to FOLDER/NAME.txt
    limit=$1 name=$2
    shift 2
    from=$(date +%s)
    timeout "$limit" "$@" >"$folder/$name.txt" 2>&1
    status=$?
    echo "$name $status $(($(date +%s) - from))" >>"$folder/steps"
    [ $status -eq 0 ] || { echo "measure.sh: $name ended with status $status:"; tail -3 "$folder/$name.txt"; }
}

bench() { # LIMIT NAME WORD...
    limit=$1 name=$2
    shift 2
    step "$limit" "$name" "$proact" bench "$@" --machine "$machine" --json "$folder/$name.json"
}

step 30 doctor "$proact" doctor
step 30 topo "$proact" topo "$machine"
for app in "jacobi --size 512 --iterations 40" "pagerank data/debian12_pkgdeps.mtx.gz"; do
    # shellcheck disable=SC2086 # an application and its options
    step 300 "run-${app%% *}" "$proact" run $app --machine "$machine" --method all
done
step 150 stress "$build/tests/stress" --machine "$machine" --seconds 120 --launches 100000 \
    --seed 1 "$build/tests/stress_kernels.ptx"
bench 60 tracking tracking
bench 60 step step
bench 60 latency latency
bench 200 link link
# A computing kernel that lasts as long as the copies of 256 MB takes an hour to emulate.
quick=
[ "$machine" = local ] || quick="--sleep --bytes 16M"
for pattern in one-to-all all-to-all; do
    for ratio in 0.5 1 1.25 2; do
        # shellcheck disable=SC2086 # words, or none
        bench 300 "micro-$pattern-$ratio" micro --peers $quick --pattern "$pattern" --ratio "$ratio"
    done
done
awk 'BEGIN { print "step status seconds" } { print } $2 { bad = 1 } END { exit bad }' "$folder/steps"
