#!/bin/sh
# Machine files that were measured say so, with the dates and files they are held against.
# Usage: bench/sources.sh
cd "$(dirname "$0")/.." || exit 2
code=0
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
