#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that the files of bench/measured agree with the result files that they name: each
# row has the median of its source, to four digits, and the source line its date and commit.
# Checks also that the machine files name the measurements, with the day, to which they are
# fitted.
# Usage: bench/sources.sh [--write]
#   --write  copy rows and source lines from the result files; a new row needs no value, and
#            the reason of an excluded row stays
cd "$(dirname "$0")/.." || exit 2
code=0 made=$(mktemp)
trap 'rm -f "$made"' EXIT

# Writes the file as its results define it; status 1 if the results lack one of its rows.
make_rows() { # FILE RESULTS
    awk -v results="$2" "$(cat bench/value.awk)"'
# Identity of a row; figures follow a colon in its name and do not belong to it.
function identity(line,    what) {
    what = value(line, "what")
    sub(/:.*/, "", what)
    return what "|" value(line, "pattern") "|" value(line, "ratio") + 0 "|" value(line, "method") \
           "|" value(line, "note") "|" value(line, "chunk_bytes") + 0 "|" value(line, "threads") + 0
}
BEGIN {
    while ((getline line < results) > 0) {
        if (line ~ /"(what|pattern)": /) measured[identity(line)] = sprintf("%.4g", value(line, "measured"))
        if (line ~ /^  "date": /) date = value(line, "date")
        if (line ~ /^  "commit": /) commit = value(line, "commit")
    }
}
/"source": / { sub(/20[0-9][0-9]-[0-9][0-9]-[0-9][0-9], at [0-9a-f+]*/, date ", at " commit) }
/"(what|pattern)": / {
    key = identity($0)
    if (!(key in measured)) {
        print FILENAME ": " results " has no row " key | "cat >&2"
        missing = 1
    }
    sub(/,? *"measured": [0-9.]*/, "")
    sub(/}/, ", \"measured\": " measured[key] "}")
}
{ print }
END { exit missing }
' "$1" >"$made"
}

for file in bench/measured/*-*.json; do
    results=$(sed -n 's|.*"source": "\(bench/results/[^:]*\):.*|\1|p' "$file")
    [ -n "$results" ] || { echo "$file: its source names no file of bench/results" && code=1 && continue; }
    make_rows "$file" "$results" || code=1
    if cmp -s "$made" "$file"; then
        :
    elif [ "${1:-}" = --write ] && [ $code = 0 ]; then
        cat "$made" >"$file"
    else
        echo "$file differs from $results (bench/sources.sh --write):" && code=1
        diff "$file" "$made"
    fi
done
for file in bench/measured/*-*.json; do
    name=$(basename "$file" .json) machine=machines/$(sed -n 's/.*"machine": "\([^"]*\)".*/\1/p' "$file").json
    source=$(sed -n 's/.*"source": "\([^"]*\)".*/\1/p' "$machine")
    day=$(sed -n 's/.*"source": .*2026-\([0-9]*-[0-9]*\).*/\1/p' "$file")
    case $source in
    *"bench/measured/$name.json"* | *"bench/measured/${name%%-*}-*.json"*) ;;
    *) echo "$machine: its source does not name $file" && code=1 ;;
    esac
    case $source in
    *"${day#*-}"*) ;;
    *) echo "$machine: its source lacks the day 2026-$day of $file" && code=1 ;;
    esac
done
exit $code
