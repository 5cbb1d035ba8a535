#!/bin/sh
# Usage: own_files.sh APPS_TESTS NAME... The tests leave no file in the current folder, and
# write none there: it is read-only while they run, which root does not notice.
set -eu
tests=$1
shift
folder=$(mktemp -d)
trap 'chmod 755 "$folder" && rm -rf "$folder"' EXIT
chmod 555 "$folder"
cd "$folder"
for name in "$@"; do
    "$tests" "$name" >/dev/null 2>&1 || { echo "$name fails in a folder that it cannot write"; exit 1; }
    files=$(ls -A)
    [ -z "$files" ] || { echo "$name leaves: $files"; exit 1; }
done
