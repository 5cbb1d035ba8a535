#!/bin/sh
# Usage: killed.sh PROACT COUNT. A run with checkpoints is killed at COUNT random moments, and
# interrupted once; the resumed answer equals that of a run without interruption, and no
# other file is left.
set -eu
proact=$1 count=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$proact" make wiki --vertices 3000 --seed 3 -o g.mtx 2>/dev/null
# As many users as items: one file of text has the factors of both.
"$proact" make ratings --users 80 --items 80 --draws 900 -o r.mtx 2>/dev/null

# APPLICATION-AND-OPTIONS...: the answers of both runs.
compare_resumed() {
    rm -f state whole resumed
    "$proact" run "$@" --output whole >/dev/null
    whole_ms=$( { time -p "$proact" run "$@" >/dev/null; } 2>&1 | awk '/real/ { print int(1000 * $2) }')
    tries=0
    while [ "$tries" -lt "$count" ]; do
        tries=$((tries + 1))
        rm -f state
        "$proact" run "$@" --checkpoint state --every 8 >/dev/null 2>&1 &
        sleep "$(awk -v ms="$whole_ms" -v seed="$tries" 'BEGIN { srand(seed); print rand() * ms * 1.2 / 1000 }')"
        kill -9 $! 2>/dev/null || true
        wait $! 2>/dev/null || true
        resume=
        [ ! -e state ] || resume='--resume state'
        # shellcheck disable=SC2086 # two words or none
        "$proact" run "$@" $resume --output resumed >/dev/null
        cmp whole resumed || { echo "$*: killed at try $tries: another answer"; exit 1; }
        rm -f resumed
        left=$(find . -type f ! -name g.mtx ! -name r.mtx ! -name whole ! -name state)
        [ -z "$left" ] || { echo "$*: left over: $left"; exit 1; }
    done
    rm -f state
    "$proact" run "$@" --checkpoint state --every 8 >/dev/null 2>err &
    while [ ! -e state ] && kill -0 $! 2>/dev/null; do sleep 0.01; done
    kill -INT $! 2>/dev/null && {
        wait $! && status=0 || status=$?
        [ "$status" = 0 ] || { [ "$status" = 130 ] && grep -q 'go on with --resume state' err; } ||
            { echo "$*: interrupted: status $status: $(cat err)"; exit 1; }
    }
    rm -f err
}
compare_resumed pagerank g.mtx --tolerance 0 --iterations 200
compare_resumed jacobi --size 128 --iterations 200
compare_resumed sssp g.mtx --source 2 --weights hash --form frontier
compare_resumed band --rows 4000 --half-width 3 --iterations 120 --tolerance 0
compare_resumed als r.mtx --rank 4 --tolerance 0 --iterations 100
compare_resumed ct --size 24 --views 30 --subsets 3 --iterations 40 --precision f32
