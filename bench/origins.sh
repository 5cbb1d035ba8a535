#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each file of bench/results says of which machine, date, commit and command it is, which may
# stand in its rows; and each figure its spread and its count of runs, if it is no launch of each
# in turn. A file of single runs, which have no spread, has a note that says so.
# Usage: bench/origins.sh [FOLDER]
folder=${1:-"$(dirname "$0")/results"}
code=0
for file in "$folder"/*.json; do
    [ -e "$file" ] || { echo "$folder has no results" >&2; exit 1; }
    awk '
function lacks(what) { print FILENAME ": " what " is missing" > "/dev/stderr"; bad = 1 }
function has(key) { return index($0, "\"" key "\": ") > 0 }
function is_there(key) { return (key in top) || (rows && count[key] == rows) }
{
    is_row = /^ *\{"(what|pattern|kernel|build|method|name)": /
    if (is_row) rows++
    split("machine host date commit command runs note clock", keys, " ")
    for (k in keys) if (has(keys[k])) {
        if (is_row) count[keys[k]]++
        else top[keys[k]]
    }
    if (/"note": "[^"]*run/ && !is_row) single = 1
    if (/\/tmp\/|\/home\/|\/root\//) lacks("a command without somebody'"'"'s folders")
}
is_row && (has("median") || has("measured")) {
    if (!has("runs")) unsaid++
    if (!has("lowest") || !has("highest")) bare++
}
END {
    if (!rows) lacks("every figure")
    if (!is_there("machine") && !is_there("host")) lacks("the machine")
    if (!is_there("date")) lacks("the date")
    if (!is_there("commit")) lacks("the commit")
    if (!is_there("command")) lacks("the command")
    if (unsaid && !("runs" in top)) lacks("of " unsaid " rows the count of runs")
    if (bare && !single) lacks("of " bare " rows the spread")
    exit bad
}' "$file" || code=1
done
exit $code
