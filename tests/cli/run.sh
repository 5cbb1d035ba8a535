#!/bin/sh
# Runs one test of the command: NAME.sh in an empty folder with `proact` on the path and the
# data in ./data. The output must equal NAME.stdout and NAME.stderr (empty if there is no
# such file), and the exit status must be 0. Status 77 skips the test: it prints the reason.
# Usage: run.sh PROACT SOURCE NAME [--write]   --write: replaces the expected output
set -u
proact=$1 here=$2/tests/cli name=$3 write=${4-}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/work" "$scratch/output"
ln -s "$proact" "$scratch/bin/proact"
ln -s "$2/data" "$scratch/work/data"
(cd "$scratch/work" && PATH=$scratch/bin:$PATH LC_ALL=C sh "$here/$name.sh" \
    >"$scratch/output/stdout" 2>"$scratch/output/stderr" </dev/null)
code=$?
[ $code = 77 ] && { cat "$scratch/output/stdout"; exit 77; } # it prints why it cannot run here
[ $code = 0 ] || echo "$name.sh: exit status $code, expected 0"
for stream in stdout stderr; do
    output=$scratch/output/$stream wanted=$here/$name.$stream
    if [ "$write" = --write ]; then
        rm -f "$wanted"
        [ -s "$output" ] && cp "$output" "$wanted"
        continue
    fi
    [ -e "$wanted" ] || wanted=/dev/null
    diff -u "$wanted" "$output" || code=1
done
exit $code
