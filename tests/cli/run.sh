#!/bin/sh
# Runs one test of the command: NAME.sh in an empty folder with `proact` on the path and the
# data in ./data. What it says must be NAME.stdout and NAME.stderr to the letter (nothing,
# where there is no such file), and its exit status 0.
# Usage: run.sh PROACT SOURCE NAME [--write]   --write: makes what it says the expectation
set -u
proact=$1 here=$2/tests/cli name=$3 write=${4-}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/work" "$scratch/said"
ln -s "$proact" "$scratch/bin/proact"
ln -s "$2/data" "$scratch/work/data"
(cd "$scratch/work" && PATH=$scratch/bin:$PATH LC_ALL=C sh "$here/$name.sh" \
    >"$scratch/said/stdout" 2>"$scratch/said/stderr" </dev/null)
code=$?
[ $code = 0 ] || echo "$name.sh: exit status $code, expected 0"
for stream in stdout stderr; do
    said=$scratch/said/$stream wanted=$here/$name.$stream
    if [ "$write" = --write ]; then
        rm -f "$wanted"
        [ -s "$said" ] && cp "$said" "$wanted"
        continue
    fi
    [ -e "$wanted" ] || wanted=/dev/null
    diff -u "$wanted" "$said" || code=1
done
exit $code
