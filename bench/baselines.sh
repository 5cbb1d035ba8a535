#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds, checks and measures the baselines of the applications on the GPUs of this computer:
# copies, unified memory, NCCL, NVSHMEM, and the twins of CUDA's libraries (docs/measuring.md).
# Usage: bench/baselines.sh BUILD FOLDER [quick]
#   BUILD    a build folder (build/default)
#   FOLDER   receives programs, inputs, and a JSON file for each application and program
#   quick    small inputs
# Each step has a time limit. A step that fails or exceeds its limit is reported, and the
# next one starts. Status 77 is a program without its library or GPU. The last lines are a
# table of all rows. PEERS_ARCH is the architecture to build for (default native).
set -u
[ $# -ge 2 ] || { sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 2; }
build=$(cd "$1" && pwd) || exit 2
mkdir -p "$2/inputs" "$2/small" && folder=$(cd "$2" && pwd) || exit 2
size=${3:-paper}
cd "$(dirname "$0")/.." || exit 2
proact=$build/tools/proact/proact
transports="apps_copies apps_unified apps_nccl apps_nvshmem"
: >"$folder/steps"

step() { # LIMIT NAME COMMAND...: output to FOLDER/NAME.json, messages to FOLDER/NAME.txt
    limit=$1 name=$2
    shift 2
    from=$(date +%s)
    timeout "$limit" "$@" >"$folder/$name.json" 2>"$folder/$name.txt"
    status=$?
    echo "$name $status $(($(date +%s) - from))" >>"$folder/steps"
    [ -s "$folder/$name.json" ] || rm -f "$folder/$name.json"
    case $status in
    0 | 77) ;;
    *) echo "baselines.sh: $name ended with status $status:" && tail -3 "$folder/$name.txt" ;;
    esac
    return $status
}

input() { # FILE WORD...: generates it, unless an earlier call left it
    file=$folder/inputs/$1
    shift
    [ -s "$file" ] || step 1200 "make-$1" "$proact" make "$@" -o "$file"
}

# The words after the name of an application.
words() { # APPLICATION SIZE
    case $1-$2 in
    pagerank-small) echo "$folder/inputs/small.mtx --iterations 8" ;;
    pagerank-quick) echo "$folder/inputs/quick.mtx.gz --iterations 16" ;;
    pagerank-*) echo "$folder/inputs/wiki.mtx.gz --iterations 64" ;;
    sssp-small) echo "$folder/inputs/small.mtx --weights hash" ;;
    sssp-quick) echo "$folder/inputs/quick.mtx.gz --weights hash" ;;
    sssp-*) echo "$folder/inputs/hv15r.sg --weights hash" ;;
    jacobi-small) echo "--size 200 --iterations 16" ;;
    jacobi-quick) echo "--size 2048 --iterations 32" ;;
    jacobi-*) echo "--size 8192 --iterations 64" ;;
    band-small) echo "--rows 20000 --half-width 30 --iterations 8" ;;
    band-quick) echo "--rows 262144 --half-width 64 --iterations 16" ;;
    band-*) echo "--rows 4194304 --half-width 128 --iterations 32" ;;
    als-small) echo "$folder/inputs/small-ratings.mtx --rank 16 --iterations 2 --type f32" ;;
    als-quick) echo "$folder/inputs/quick-ratings.mtx.gz --rank 16 --iterations 4 --type f32" ;;
    als-*) echo "$folder/inputs/ratings.mtx.gz --rank 16 --iterations 4 --type f32" ;;
    ct-small) echo "--size 64 --views 60 --subsets 4 --iterations 1" ;;
    ct-quick) echo "--size 128 --views 180 --subsets 6 --iterations 2 --type f32" ;;
    ct-*) echo "--size 512 --views 984 --subsets 24 --iterations 3 --type f32" ;;
    esac
}

each() { # SIZE PREFIX LIMIT: all applications by all programs that were built
    for app in pagerank sssp jacobi band als ct; do
        for program in $transports twins; do
            [ -x "$folder/peers/peer_$program" ] || continue
            # shellcheck disable=SC2046 # words
            step "$3" "$2$app-$program" "$folder/peers/peer_$program" "$app" $(words "$app" "$1")
        done
    done
    for program in $transports twins; do
        [ -x "$folder/peers/peer_$program" ] || continue
        # shellcheck disable=SC2046 # words
        step "$3" "$2als-gradient-$program" "$folder/peers/peer_$program" als \
            $(words als "$1") --update gradient
    done
}

step 1800 build sh bench/peers/build.sh "$folder/peers"
cat "$folder/build.json" "$folder/build.txt" 2>/dev/null
input small.mtx wiki --vertices 2000
input small-ratings.mtx ratings --users 300 --items 90 --draws 4000
if [ "$size" = quick ]; then
    input quick.mtx.gz wiki --vertices 80000
    input quick-ratings.mtx.gz ratings --users 8000 --items 2000 --draws 80000
else
    input wiki.mtx.gz wiki --vertices 3566907
    input hv15r.sg hv15r
    input ratings.mtx.gz ratings --users 480189 --items 17770 --draws 100000000
fi
each small small/ 60 # checks: a wrong answer is status 1
each "$size" "" 600

awk '
/"application":/ { app = value($0) }
/"method":/ {
    printf "%-9s %-20s %-19s %12.3f ms %8s  %s\n", app, field("method"), field("variant"),
           field("time_ns") / 1e6, field("speedup"), field("equal_to_one_device") == "true" ? "equal" : "DIFFERS"
}
/"twin":/ { twin = value($0) }
/"twin_ns":/ { ns = value($0) }
/"ratio":/ { printf "%-9s %-40s %12.3f ms %8s  of the twin\n", app, twin, ns / 1e6, value($0) }
function value(line) { sub(/^[^:]*: */, "", line); gsub(/[",]/, "", line); return line }
function field(key,    at) {
    if (!match($0, "\"" key "\": [^,}]*")) return ""
    at = substr($0, RSTART, RLENGTH); sub(/^[^:]*: /, "", at); gsub(/"/, "", at); return at
}' "$folder"/*-*.json 2>/dev/null
awk '{ if ($2 == 77) skipped++; else if ($2) bad++; else good++ }
END { printf "%d steps succeeded, %d were skipped, %d failed: %s\n", good, skipped, bad, FILENAME; exit bad > 0 }' \
    "$folder/steps"
