#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Errors of the model on emulated machines, as bench/results/model-messages.json and
# model-micro.json; bench/tables.sh makes the tables of docs/model.md from them.
# Usage: bench/model_errors.sh BUILD FOLDER [TEXT...]
#   BUILD   a build folder (build/default)
#   FOLDER  receives the files
#   TEXT    outputs of earlier runs: the output of model_bench, then of each model_micro in
#           files with the names MACHINE.PATTERN; default: run them, which takes long
# The files state the errors in percent: median and 95th percentile, with their number.
set -eu
[ $# -ge 2 ] || { sed -n '3,10s/^# \{0,1\}//p' "$0"; exit 2; }
build=$(cd "$1" && pwd)
folder=$(cd "$2" && pwd)
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -eq 0 ]; then
    "$build/bench/model_bench" >"$work/messages"
    for pattern in one-to-all all-to-all; do
        "$build/bench/model_micro" h200x4 2097152 sleep $pattern >"$work/h200x4.$pattern"
        "$build/bench/model_micro" v100x4 2097152 sleep $pattern >"$work/v100x4.$pattern"
        "$build/bench/model_micro" p100x4 2097152 awake $pattern >"$work/p100x4.$pattern"
        "$build/bench/model_micro" k40x4 1048576 awake $pattern >"$work/k40x4.$pattern"
    done
    set -- "$work/messages" "$work"/*.*-to-all
fi
head() {
    printf '{"date": "%s", "commit": "%s", "machine": "emulated: %s",\n' "$(date +%F)" \
        "$(git -C "$build" describe --always --dirty=+ --exclude='*' 2>/dev/null || echo unknown)" "$1"
    printf ' "command": "%s",\n "rows": [\n' "bench/model_errors.sh BUILD bench/results"
}
{
    head "h200x2, v100x4, p100x4, k40x4"
    awk '$2 == "from" && $4 == "KB" {
        printf "%s  {\"initiator\": \"%s\", \"from_kb\": %s, \"points\": %s, \"median\": %s, \"p95\": %s}",
            comma, $1, $3, $5, $6, $8
        comma = ",\n"
    }
    END { printf "\n ]}\n" }' "$1"
} >"$folder/model-messages.json"
shift
{
    head "$(for text; do text=${text##*/}; echo "${text%%.*}"; done | sort -u | paste -sd, | sed 's/,/, /g')"
    awk '
    FNR == 1 { machine = FILENAME; sub(/.*\//, "", machine); sub(/\..*/, "", machine) }
    $1 ~ /-to-/ && /%/ && !/fastest/ {
        method = $2
        if ($3 == "bulk") method = method " bulk stores"
        n = NF
        printf "%s  {\"machine\": \"%s\", \"pattern\": \"%s\", \"method\": \"%s\", \"points\": %s, \"median\": %s, \"p95\": %s}",
            comma, machine, $1, method, $(n - 4), $(n - 3), $(n - 1)
        comma = ",\n"
    }
    /fastest/ {
        first = $0; sub(/.*first loses /, "", first); sub(/ .*/, "", first)
        three = $0; sub(/.*best of [0-9]+ /, "", three); sub(/ .*/, "", three)
        printf "%s  {\"machine\": \"%s\", \"pattern\": \"%s\", \"ratio\": %s, \"fastest\": \"%s\", \"first_loses\": %s, \"three_lose\": %s}",
            comma, machine, $1, $2, $4, first, three
    }
    END { printf "\n ]}\n" }' "$@"
} >"$folder/model-micro.json"
