#!/bin/sh
# Files of bench/measured that name a file of bench/results say what that says: each row's
# median, to four digits, with its date and commit; and the machine files that are held against
# them say so, with the dates. With --write, the rows and their sources are made anew: a row
# that is new needs no value. What a row leaves out, and why, is its own.
# Usage: bench/sources.sh [--write]
cd "$(dirname "$0")/.." || exit 2
code=0 made=$(mktemp)
trap 'rm -f "$made"' EXIT

# The file as its results make it; 1 where one of its rows is not among them.
make_rows() {
    awk -v results="$2" "$(cat bench/value.awk)"'
# What tells a row from the others; behind a colon stand figures.
function name(line,    what) {
    what = value(line, "what")
    sub(/:.*/, "", what)
    return what "|" value(line, "pattern") "|" value(line, "ratio") + 0 "|" value(line, "method") \
           "|" value(line, "note") "|" value(line, "chunk_bytes") + 0 "|" value(line, "threads") + 0
}
BEGIN {
    while ((getline line < results) > 0) {
        if (line ~ /"(what|pattern)": /) measured[name(line)] = sprintf("%.4g", value(line, "measured"))
        if (line ~ /^  "date": /) date = value(line, "date")
        if (line ~ /^  "commit": /) commit = value(line, "commit")
    }
}
/"source": / { sub(/20[0-9][0-9]-[0-9][0-9]-[0-9][0-9], at [0-9a-f+]*/, date ", at " commit) }
/"(what|pattern)": / {
    key = name($0)
    if (!(key in measured)) {
        print FILENAME ": no row of " results ": " key | "cat >&2"
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
        echo "$file is not what $results makes it (bench/sources.sh --write):" && code=1
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
    *) echo "$machine: $file is of 2026-$day, its source is not" && code=1 ;;
    esac
done
exit $code
