#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/tables.sh --check reports a page whose table differs from its results,
# bench/tables.sh restores it, and an unknown table is an error.
# Usage: tables.sh SOURCE
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cp -R "$1/bench" "$1/docs" "$scratch"
cd "$scratch" || exit 1
page=docs/results/latency.md
code=0

expect() { # STATUS ARGUMENT...
    status=$1
    shift
    bench/tables.sh "$@" >output 2>&1
    [ $? = "$status" ] || { echo "tables.sh $*: expected status $status"; cat output; code=1; }
}

cp "$page" before
expect 0 --check
sed -i 's/^| flag round trip to a peer |.*/| flag round trip to a peer | 1 us | | |/' "$page"
expect 1 --check
grep -q "$page: its tables differ" output || { echo "the page is not named"; code=1; }
expect 0
cmp before "$page" || code=1
echo '<!-- table summary-nothing -->' >>"$page"
expect 1
grep -q "no table is named summary-nothing" output || { echo "the table is not named"; code=1; }
exit $code
