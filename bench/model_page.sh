#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fills the blocks of docs/model.md between `<!-- output: COMMAND -->` and `<!-- end -->` with
# the first lines of the command's output.
# Usage: bench/model_page.sh PROACT [--check]
#   --check  change nothing; exit status 1 if the page differs
set -eu
proact=$1
cd "$(dirname "$0")/.."
page=docs/model.md
made=$(mktemp)
trap 'rm -f "$made"' EXIT

awk -v proact="$proact" '
    /^<!-- output: proact .* -->$/ {
        print
        command = $0
        sub(/^<!-- output: proact /, "", command)
        sub(/ -->$/, "", command)
        run = proact " " command
        lines = 0
        print "```text"
        while ((run | getline line) > 0)
            if (lines++ < 14)
                print line
        print "```"
        skip = 1
        next
    }
    /^<!-- end -->$/ { skip = 0 }
    !skip { print }' "$page" >"$made"
cmp -s "$made" "$page" && exit 0
if [ "${2:-}" = --check ]; then
    echo "$page: an output differs: run bench/model_page.sh PROACT" >&2
    exit 1
fi
cat "$made" >"$page"
