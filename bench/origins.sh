#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that each file of bench/results states machine, date, commit and command, for the
# file or for each row, and that each figure has a run count and a spread; the errors of a
# model have points. Rows with a list of launches need neither. A file of single runs has no
# spread and says so in its note.
# Usage: bench/origins.sh [FOLDER]
folder=${1:-"$(dirname "$0")/results"}
code=0
for file in "$folder"/*.json; do
    [ -e "$file" ] || { echo "$folder has no results" >&2; exit 1; }
    awk '
function report(what) { print FILENAME ": " what > "/dev/stderr"; bad = 1 }
function has(key) { return index($0, "\"" key "\": ") > 0 }
function is_stated(key) { return (key in top) || (rows && count[key] == rows) }
{
    is_row = /^ *\{"(what|pattern|kernel|build|method|name)": / ||
             /^  \{"(initiator|machine)": /
    if (is_row) rows++
    split("machine host date commit command runs note clock", keys, " ")
    for (k in keys) if (has(keys[k])) {
        if (is_row) count[keys[k]]++
        else top[keys[k]]
    }
    if (/"note": "[^"]*run/ && !is_row) single = 1
    if (/\/tmp\/|\/home\/|\/root\//) report("the command contains a private folder")
}
is_row && !has("points") && (has("median") || has("measured")) {
    if (!has("runs")) no_runs++
    if (!has("lowest") || !has("highest")) no_spread++
}
END {
    if (!rows) report("no figures")
    if (!is_stated("machine") && !is_stated("host")) report("no machine")
    if (!is_stated("date")) report("no date")
    if (!is_stated("commit")) report("no commit")
    if (!is_stated("command")) report("no command")
    if (no_runs && !("runs" in top)) report(no_runs " rows without a run count")
    if (no_spread && !single) report(no_spread " rows without a spread")
    exit bad
}' "$file" || code=1
done
exit $code
