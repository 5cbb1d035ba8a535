#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds, checks and measures the baselines of the applications on the GPUs of this computer:
# copies, unified memory, NCCL, NVSHMEM, and the twins of CUDA's libraries (docs/measuring.md).
# Usage: bench/baselines.sh BUILD FOLDER [SIZE [NAME...]]
#   BUILD    a build folder (build/default)
#   FOLDER   receives programs, inputs, and a JSON file for each application and program;
#            the inputs are those of bench/applications.sh, which may use the same folder
#   SIZE     small, medium or large (the default)
#   NAME     applications: pagerank, sssp, als, gradient, band, ct, jacobi; default all
# Each step has a time limit, LIMIT seconds (environment, default 600). A step that fails or
# exceeds its limit is reported, and the next one starts. Status 77 is a program without its
# library or GPU. The last lines are a table of all rows. PEERS_ARCH is the architecture to
# build for (default native). PROGRAMS (default all) are those of bench/peers.
set -u
[ $# -ge 2 ] || { sed -n '3,15s/^# \{0,1\}//p' "$0"; exit 2; }
build=$(cd "$1" && pwd) || exit 2
mkdir -p "$2/small" && folder=$(cd "$2" && pwd) || exit 2
size=${3:-large}
shift $(($# < 3 ? $# : 3))
names=${*:-pagerank sssp jacobi band als gradient ct}
cd "$(dirname "$0")/.." || exit 2
proact=$build/tools/proact/proact
programs=${PROGRAMS:-apps_copies apps_unified apps_nccl apps_nvshmem twins}
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

# shellcheck source=bench/inputs.sh
. bench/inputs.sh

inputs() { # FOLDER SIZE: generates them, unless an earlier call left them
    for file in wiki.sg hv15r.sg ratings.mtx; do
        # shellcheck disable=SC2046 # words
        [ -s "$1/$file" ] || step 1200 "make-$file" "$proact" make $(input_words "$file" "$2") \
            -o "$1/$file"
    done
}

# The words after the name of an application: the inputs of bench/applications.sh.
words() { # APPLICATION SIZE
    case $1-$2 in
    pagerank-small) echo "$folder/small/wiki.sg --type f64 --iterations 5" ;;
    pagerank-medium) echo "$folder/wiki.sg --type f64 --iterations 50" ;;
    pagerank-large) echo "$folder/wiki.sg --type f64 --iterations 20" ;;
    sssp-small) echo "$folder/small/hv15r.sg --weights hash" ;;
    sssp-*) echo "$folder/hv15r.sg --weights hash" ;;
    jacobi-small) echo "--size 512 --iterations 20" ;;
    jacobi-medium) echo "--size 8192 --iterations 200" ;;
    jacobi-large) echo "--size 16384 --iterations 200" ;;
    band-small) echo "--rows 20000 --half-width 13 --iterations 20 --type f32" ;;
    band-medium) echo "--rows 8388608 --half-width 13 --iterations 50 --type f32" ;;
    band-large) echo "--rows 33554432 --half-width 13 --iterations 50 --type f32" ;;
    als-small) echo "$folder/small/ratings.mtx --rank 16 --iterations 5 --type f32" ;;
    als-*) echo "$folder/ratings.mtx --rank 32 --iterations 5 --type f32" ;;
    gradient-small) echo "$folder/small/ratings.mtx --update gradient --rank 16 --iterations 10 --type f32" ;;
    gradient-*) echo "$folder/ratings.mtx --update gradient --rank 32 --iterations 10 --type f32" ;;
    ct-small) echo "--size 48 --views 60 --channels 64 --subsets 4 --iterations 2 --type f32" ;;
    ct-medium) echo "--size 256 --views 492 --channels 444 --subsets 12 --slices 4 --iterations 2 --type f32" ;;
    ct-large) echo "--size 512 --views 984 --channels 888 --subsets 24 --slices 16 --iterations 2 --type f32" ;;
    esac
}

each() { # SIZE PREFIX LIMIT: all applications by all programs that were built
    for application in $names; do
        [ "$application" = gradient ] && app=als || app=$application
        for program in $programs; do
            [ -x "$folder/peers/peer_$program" ] || continue
            # shellcheck disable=SC2046 # words
            step "$3" "$2$application-$program" "$folder/peers/peer_$program" "$app" \
                $(words "$application" "$1")
        done
    done
}

[ -x "$folder/peers/peer_apps_copies" ] || step 1800 build sh bench/peers/build.sh "$folder/peers"
cat "$folder/build.json" "$folder/build.txt" 2>/dev/null
inputs "$folder/small" small
[ "$size" = small ] || inputs "$folder" "$size"
each small small/ 60 # checks: a wrong answer is status 1
[ "$size" = small ] || each "$size" "" "${LIMIT:-600}"

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
