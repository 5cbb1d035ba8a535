#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fills the tables of the documentation from bench/results/*.json. A table stands between
# the marks `<!-- table NAME -->` and `<!-- end -->` of a page; tables.awk, summary.awk,
# figures.awk and regret.awk define the names.
# Usage: bench/tables.sh [--check]
#   --check  change nothing; exit status 1 if a page differs from its results
set -eu
cd "$(dirname "$0")/.."
made=$(mktemp)
trap 'rm -f "$made"' EXIT
stale=
programs=$(cat bench/value.awk bench/tables.awk bench/summary.awk bench/figures.awk bench/regret.awk)

for page in docs/performance.md docs/measuring.md docs/model.md docs/paper.md docs/results/*.md; do
    awk "$programs" "$page" >"$made" || { echo "$page: a table cannot be made" >&2; exit 1; }
    cmp -s "$made" "$page" && continue
    if [ "${1:-}" = --check ]; then
        echo "$page: its tables differ from bench/results: run bench/tables.sh" >&2
        stale=yes
    else
        cat "$made" >"$page"
    fi
done
[ -z "$stale" ]
