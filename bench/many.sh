#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One run over all GPUs of a machine: results first, then all benchmarks and applications.
# Usage: bench/many.sh BUILD FOLDER [MACHINE [SECONDS]]
#   BUILD    a build folder (build/default), or a folder with its programs at the same paths
#   FOLDER   receives JSON and text files
#   MACHINE  a machine name, or local (the default): the GPUs of this computer
#   SECONDS  time for all steps (default 570 on GPUs, 3600 on an emulated machine); a step
#            that does not fit is left out and named
# SAMPLES (environment): a folder with builds of NVIDIA's multi-GPU Jacobi samples
# (multi_threaded_copy, nccl, nvshmem, ...), which are timed with ours. The baselines and the
# unmodified programs need nvcc on GPUs; PROGRAMS are those of bench/baselines.sh. The last
# lines are a table of the applications and one of step, exit status and seconds. Exit status
# 1: a step failed.
set -u
[ $# -ge 2 ] || { sed -n '3,14s/^# \{0,1\}//p' "$0"; exit 2; }
build=$(cd "$1" && pwd) || exit 2
mkdir -p "$2" && folder=$(cd "$2" && pwd) || exit 2
machine=${3:-local}
cd "$(dirname "$0")/.." || exit 2
proact=$build/tools/proact/proact
started=$(date +%s)
# Emulation takes longer, so that limits are longer and sizes smaller.
if [ "$machine" = local ]; then
    seconds=${4:-570} longer=1 size=medium
else
    seconds=${4:-3600} longer=8 size=small
fi
: >"$folder/many.steps"

step() { # LIMIT NAME COMMAND...: the output goes to FOLDER/NAME.txt
    limit=$(($1 * longer)) name=$2
    shift 2
    from=$(date +%s)
    left=$((seconds - from + started))
    if [ $left -lt 20 ]; then
        echo "$name left-out 0" >>"$folder/many.steps"
        return 0
    fi
    [ "$limit" -le $left ] || limit=$left
    timeout "$limit" "$@" >"$folder/$name.txt" 2>&1
    status=$?
    echo "$name $status $(($(date +%s) - from))" >>"$folder/many.steps"
    [ $status -eq 0 ] || { echo "many.sh: $name ended with status $status:"; tail -3 "$folder/$name.txt"; }
}

bench() { # LIMIT NAME WORD...
    limit=$1 name=$2
    shift 2
    step "$limit" "$name" "$proact" bench "$@" --machine "$machine" --json "$folder/$name.json"
}

# Groups of checks run at once, since each leaves a GPU idle most of the time.
if [ "$machine" = local ]; then
    step 240 correct sh -c 'bench/correct.sh "$0" "$1/correct-1.json" 20000 60 contract &
        first=$!
        bench/correct.sh "$0" "$1/correct-2.json" 20000 60 kernels samples emulated &
        second=$!
        bench/correct.sh "$0" "$1/correct-3.json" 20000 60 distributed staged applications random
        status=$?
        wait $first || status=1
        wait $second || status=1
        exit $status' "$build" "$folder"
fi
bench 40 link link
bench 20 latency latency
bench 20 step step
bench 30 tracking tracking
quick=
[ "$machine" = local ] || quick="--sleep --bytes 1M"
for pattern in one-to-all all-to-all; do
    for ratio in 0.5 1 1.25 2; do
        # shellcheck disable=SC2086 # words, or none
        bench 30 "micro-$pattern-$ratio" micro --peers $quick --pattern "$pattern" --ratio "$ratio"
    done
done
if [ "$machine" = local ]; then
    command -v nvcc >/dev/null && step 120 compiled bench/programs/compiled.sh \
        "$build/tools/proactcc/bin/proactcc" "$folder/programs" "$folder/compiled.json" 2
    sizes="20480 8192 4096 2048" iterations=1000
else
    step 60 compiled env PROACT_MACHINE="$machine" bench/programs/compiled.sh \
        "$build/tools/proactcc/bin/proactcc" "$folder/programs" "$folder/compiled.json" 10
    sizes="512 256" iterations=20
fi
for n in $sizes; do
    for sample in ${SAMPLES:+"$SAMPLES"/*}; do
        [ -x "$sample" ] && [ -f "$sample" ] || continue
        step 20 "sample-$(basename "$sample")-$n" "$sample" -nx "$n" -ny "$n" -niter 1000 -csv
    done
    methods=auto,inline,polling
    [ "$n" -lt 16384 ] || methods=inline # the host prepares and compares gigabytes a run
    step 80 "jacobi-$n" "$proact" run jacobi --machine "$machine" --size "$n" \
        --iterations $iterations --tolerance 0 --compare --method $methods \
        --json "$folder/jacobi-$n.json"
done
# The longest steps are the last ones.
LIMIT=$((40 * longer)) METHODS=auto,inline,fused,polling step 240 applications \
    bench/applications.sh "$build" "$folder" "$machine" $size
if [ "$machine" = local ]; then
    command -v nvcc >/dev/null && step 240 baselines env LIMIT=40 \
        PROGRAMS="${PROGRAMS:-apps_copies apps_nccl}" \
        bench/baselines.sh "$build" "$folder" $size
fi
# The first program of NVSHMEM on a machine can take minutes to start.
if [ "$machine" = local ] && [ -x "$folder/peers/peer_apps_nvshmem" ]; then
    step 240 nvshmem env LIMIT=100 PROGRAMS=apps_nvshmem bench/baselines.sh "$build" "$folder" $size
fi
sed -n '/captured/p' "$folder/applications.txt" 2>/dev/null
awk 'BEGIN { print "step status seconds" } { print } $2 { bad = 1 } END { exit bad }' "$folder/many.steps"
