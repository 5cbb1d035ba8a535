#!/bin/sh
# Usage: checked.sh PROACTCC SOURCE NAME KERNEL.... With PROACT_CHECK=1, on one device and
# on four, kernels of NAME.cu run to their end. Those after a `not` are stopped for a race.
set -u
proactcc=$1 here=$2/tests/proactcc name=$3
shift 3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
"$proactcc" -arch=sm_90 "$here/$name.cu" -o "$scratch/program" || exit 1
export PROACT_MACHINE=h200x4 PROACT_SPLIT=always PROACT_CHECK=1
wanted='^no error$' code=0
for kernel; do
    [ "$kernel" != not ] || { wanted='^proact: .* race: .*without an order between them'; continue; }
    for devices in 1 4; do
        PROACT_DEVICES=$devices "$scratch/program" "$kernel" >"$scratch/output" 2>&1
        grep -q "$wanted" "$scratch/output" || {
            echo "$kernel on $devices devices: no '$wanted'"
            cat "$scratch/output"
            code=1
        }
    done
done
exit $code
