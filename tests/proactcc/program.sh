#!/bin/sh
# Usage: program.sh PROACTCC SOURCE NAME [--write]. Compiles NAME.cu by proactcc and runs it on
# four emulated devices, on one, and on another machine: each time it must say NAME.stdout,
# nothing on stderr, and end well. --write: what it says becomes the expectation.
set -u
proactcc=$1 here=$2/tests/proactcc name=$3 write=${4-}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

"$proactcc" -arch=sm_90 --extended-lambda "$here/$name.cu" -o "$scratch/program" || exit 1
code=0
for setting in h200x4:4 h200x4:1 h200x8:3; do
    PROACT_MACHINE=${setting%:*} PROACT_DEVICES=${setting#*:} "$scratch/program" \
        >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    status=$?
    [ "$write" = --write ] && cp "$scratch/stdout" "$here/$name.stdout"
    [ $status = 0 ] || { echo "$name on $setting: exit status $status"; code=1; }
    diff -u "$here/$name.stdout" "$scratch/stdout" || code=1
    diff -u /dev/null "$scratch/stderr" || code=1
done
exit $code
