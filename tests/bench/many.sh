#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/many.sh with programs that only note their arguments: an emulated machine gets every
# benchmark, application and program, a failed step is reported and the next one starts, and
# a step without time left is named. Usage: many.sh SOURCE
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/build/tools/proact" "$scratch/build/tools/proactcc/bin"
cat >"$scratch/build/tools/proact/proact" <<'END'
#!/bin/sh
echo "$1 $2" >>"$CALLS"
[ "$2" != "${FAIL-}" ] || { echo "no $2" >&2; exit 1; }
while [ $# -gt 1 ]; do
    case $1 in -o | --json) echo '{}' >"$2" ;; esac
    shift
done
END
cat >"$scratch/build/tools/proactcc/bin/proactcc" <<'END'
#!/bin/sh
echo "proactcc $PROACT_MACHINE" >>"$CALLS"
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\necho "heat 1 1 1 3 abc"\n' >"$2"
chmod +x "$2"
END
chmod +x "$scratch/build/tools/proact/proact" "$scratch/build/tools/proactcc/bin/proactcc"
export CALLS="$scratch/calls"
cd "$1" || exit 1
code=0
many() { # STATUS [WORD...]
    want=$1
    shift
    : >"$CALLS"
    rm -rf "$scratch/out"
    bench/many.sh "$scratch/build" "$scratch/out" h200x4 "$@" >"$scratch/table"
    status=$?
    [ $status = "$want" ] || { echo "status $status, expected $want:"; cat "$scratch/table"; code=1; }
}
calls() { # each with its count
    printf '%s\n' "bench link" "bench latency" "bench step" "bench tracking" "bench micro 8" \
        "make wiki" "run pagerank" "make hv15r" "run sssp" "make ratings" "run als 2" \
        "run band" "run ct" "run jacobi 3" "proactcc h200x4" |
        awk '{ n = NF > 2 ? $3 : 1; for (i = 0; i < n; i++) print $1, $2 }' | sort
}
many 0
sort "$CALLS" >"$scratch/got"
calls | diff - "$scratch/got" || code=1

export FAIL=tracking
many 1
sort "$CALLS" >"$scratch/got"
calls | diff - "$scratch/got" || code=1
grep -q '^many.sh: tracking ended with status 1:$' "$scratch/table" || code=1
grep -q '^tracking 1 ' "$scratch/table" || code=1

many 1 0
grep -q '^link left-out 0$' "$scratch/table" || { cat "$scratch/table"; code=1; }
exit $code
