#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The table of bench/applications.sh, of a command that answers with a fixture: the best
# method is the one with the least number, though another one comes first as text.
# Usage: applications.sh SOURCE
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/build/tools/proact"
cat >"$scratch/build/tools/proact/proact" <<'END'
#!/bin/sh
echo "$*" >>"${0%/build/*}/commands"
while [ $# -gt 1 ]; do
    [ "$1" != --json ] || file=$2
    shift
done
cat >"$file" <<JSON
{
  "one_device": {"time_ns": 30000000, "spread_ns": 0, "runs": 1},
  "ideal": {"time_ns": 7500000, "bulk_uncopied_ns": 1, "bulk_skipped_ns": 1, "speedup": 4},
  "methods": [
    {"method": "bulk", "time_ns": 10000000, "spread_ns": 0, "sent_bytes": 8000000, "equal_to_one_device": true},
    {"method": "fused", "time_ns": 9000000, "spread_ns": 450000, "sent_bytes": 4000000, "equal_to_one_device": true},
    {"method": "dynamic", "time_ns": 12000000, "spread_ns": 0, "sent_bytes": 4000000, "equal_to_one_device": true}
  ]
}
JSON
END
chmod +x "$scratch/build/tools/proact/proact"
code=0

expect() { # WHAT LINE FILE
    grep -qxF -e "$2" "$3" || { echo "$1 lack: $2"; cat "$3"; code=1; }
}

cd "$1" || exit 1
bench/applications.sh "$scratch/build" "$scratch/small" v100x4 small jacobi >"$scratch/table" || code=1
expect "the rows" "jacobi-512   one 30.000 ms, bulk 3.00x, best 3.33x by fused (9.000 ms, \
spread 5 %), ideal 4.00x, captured 83 %, sent 4.0 MB, equal" "$scratch/table"
bench/applications.sh "$scratch/build" "$scratch/large" local large band >"$scratch/table" || code=1
METHODS=relay RUNS=5 bench/applications.sh "$scratch/build" "$scratch/own" local large band >/dev/null || code=1
sed 's/.*--method \([^ ]*\) .*/\1/' "$scratch/commands" >"$scratch/methods"
printf '%s\n' all bulk,bulk-serial,inline,fused,polling relay | diff - "$scratch/methods" || code=1
[ "$(grep -c -e '--runs 5 ' "$scratch/commands")" = 1 ] || { echo "RUNS is not passed"; code=1; }
exit $code
