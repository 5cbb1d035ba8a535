#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures the five applications of the PROACT paper and the grid Jacobi by all methods.
# Usage: bench/applications.sh BUILD FOLDER [MACHINE [SIZE [NAME...]]]
#   BUILD    a build folder (build/default), or a folder with its programs at the same paths
#   FOLDER   receives run-NAME.json and run-NAME.txt, and the inputs
#   MACHINE  a machine name, or local (the default): the GPUs of this computer
#   SIZE     small (a minute on an emulated machine), medium (the default; a few minutes on
#            GPUs), or large (beyond the L2 cache of an H200; memory for 1.5 GB inputs)
#   NAME     applications: pagerank, sssp, als, gradient, band, ct, jacobi; default all
# Each application is compared with one device, bit for bit. Each has a time limit of
# LIMIT seconds (environment, default 300). RUNS is that of --runs. METHODS are those of
# --method; the default is all, or for large inputs on GPUs bulk, bulk-serial, inline, fused
# and polling.
# The last lines are a table. Exit status 1: an application failed or an answer differs.
set -u
[ $# -ge 2 ] || { sed -n '3,16s/^# \{0,1\}//p' "$0"; exit 2; }
build=$(cd "$1" && pwd) || exit 2
mkdir -p "$2" && folder=$(cd "$2" && pwd) || exit 2
machine=${3:-local} size=${4:-medium}
shift $(($# < 4 ? $# : 4))
names=${*:-pagerank sssp als gradient band ct jacobi}
proact=$build/tools/proact/proact
limit=${LIMIT:-300} methods=all bad=0
# Relay and dynamic take minutes there.
[ "$machine $size" != "local large" ] || methods=bulk,bulk-serial,inline,fused,polling
methods=${METHODS:-$methods}

# shellcheck source=bench/inputs.sh
. "$(dirname "$0")/inputs.sh"

make_input() { # FILE: unless an earlier run has made it
    # shellcheck disable=SC2046 # words
    [ -s "$folder/$1" ] || timeout "$limit" "$proact" make $(input_words "$1" "$size") \
        -o "$folder/$1" >/dev/null
}

app() { # NAME APPLICATION OPTION...
    name=$1
    shift
    timeout "$limit" "$proact" run "$@" --machine "$machine" --compare --method "$methods" \
        ${RUNS:+--runs "$RUNS"} \
        --json "$folder/run-$name.json" >"$folder/run-$name.txt" 2>"$folder/run-$name.err"
    status=$?
    [ $status -eq 0 ] && return
    bad=1
    echo "applications.sh: $name ended with status $status: $(tail -1 "$folder/run-$name.err")"
}

pagerank() {
    case $size in
    small) n=5 ;;
    medium) n=50 ;;
    large) n=20 ;;
    esac
    make_input wiki.sg
    app pagerank pagerank "$folder/wiki.sg" --tolerance 0 --iterations $n
}
sssp() {
    make_input hv15r.sg
    app sssp sssp "$folder/hv15r.sg" --weights hash
}
als() {
    make_input ratings.mtx
    [ "$size" = small ] && k=16 || k=32
    app als als "$folder/ratings.mtx" --rank $k --iterations 5 --tolerance 0 --precision f32 --report 5
}
gradient() {
    make_input ratings.mtx
    [ "$size" = small ] && k=16 || k=32
    app gradient als "$folder/ratings.mtx" --update gradient --rank $k --iterations 10 \
        --tolerance 0 --precision f32 --report 10
}
band() {
    case $size in
    small) n=20000 i=20 ;;
    medium) n=8388608 i=50 ;;
    large) n=33554432 i=50 ;;
    esac
    app band band --rows $n --half-width 13 --tolerance 0 --iterations $i --type f32
}
ct() {
    case $size in
    small) set -- --size 48 --views 60 --channels 64 --subsets 4 --slices 1 ;;
    medium) set -- --size 256 --views 492 --channels 444 --subsets 12 --slices 4 ;;
    large) set -- --size 512 --views 984 --channels 888 --subsets 24 --slices 16 ;;
    esac
    app ct ct "$@" --iterations 2 --precision f32
}
jacobi() {
    case $size in
    small) sizes=512 i=20 ;;
    medium) sizes="2048 4096 8192" i=200 ;;
    large) sizes="2048 4096 8192 16384" i=200 ;;
    esac
    for n in $sizes; do
        app "jacobi-$n" jacobi --size "$n" --iterations $i --tolerance 0
    done
}

for name in $names; do
    case $name in
    pagerank | sssp | als | gradient | band | ct | jacobi) "$name" ;;
    *) echo "applications.sh: no application '$name'" >&2; exit 2 ;;
    esac
done
for file in "$folder"/run-*.json; do
    name=$(basename "$file" .json)
    awk -v name="${name#run-}" '
        function field(key) { # of a line with several keys
            if (!match($0, "\"" key "\": [^,}]*")) return ""
            return substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4)
        }
        /"one_device"/ { in_one = 1 }
        in_one && /"time_ns"/ { one = field("time_ns") + 0; in_one = 0 }
        /"ideal"/ { in_ideal = 1 }
        in_ideal && /"time_ns"/ { ideal = field("time_ns") + 0; in_ideal = 0 }
        /"method"/ {
            time = field("time_ns") + 0
            if (field("equal_to_one_device") != "true") bad = 1
            if (field("method") ~ /bulk"/) bulk = time
            if (!best || time < best) {
                best = time
                by = field("method")
                spread = field("spread_ns") + 0
                sent = field("sent_bytes") + 0
            }
        }
        END {
            if (!best) exit
            gsub("\"", "", by)
            printf "%-12s one %.3f ms, bulk %.2fx, best %.2fx by %s (%.3f ms, spread %.0f %%), ideal %.2fx, captured %.0f %%, sent %.1f MB, %s\n",
                name, one / 1e6, one / bulk, one / best, by, best / 1e6, 100 * spread / best,
                one / ideal, 100 * ideal / best, sent / 1e6, bad ? "DIFFERS" : "equal"
        }' "$file"
done
exit $bad
