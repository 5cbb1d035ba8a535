#!/bin/sh
# Usage: places.sh PROACTCC SOURCE. A failure in a CTA is reported with the CTA's index in
# the launched grid and the kernel's name, on every device and in every kernel version.
set -u
proactcc=$1 here=$2/tests/proactcc
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
"$proactcc" -arch=sm_90 "$here/places.cu" -o "$scratch/places" || exit 1
export PROACT_MACHINE=h200x4 PROACT_SPLIT=always PROACT_REPORT=1
code=0
expects() { # DEVICES METHOD WHAT PATTERN
    PROACT_DEVICES=$1 PROACT_METHOD=$2 "$scratch/places" "$3" >"$scratch/output" 2>&1
    grep -qE "device $(($1 / 2))[:,].*$4" "$scratch/output" || { # rows of CTAs: 2, 1, 2, 1 on 4
        echo "$3 on $1 devices, $2: no '$4'"
        cat "$scratch/output"
        code=1
    }
    ! grep __proact_ "$scratch/output" || { echo "$3 on $1 devices, $2: names a clone"; code=1; }
    [ "$1" = 1 ] || grep -q "1 *1 .* $3(" "$scratch/output" || { echo "$3 is not split"; code=1; }
}
for devices in 1 2 4; do
    for method in bulk inline polling; do
        expects $devices $method asserts 'CTA \(3,1,1\), thread \(40,0,0\): .*assertion'
        expects $devices $method traps 'CTA \(3,1,1\), thread \(40,0,0\): trap'
        expects $devices $method leaves 'CTA \(3,1,1\), thread \(40,0,0\): .* out of bounds'
        PROACT_CHECK=1
        export PROACT_CHECK
        expects $devices $method races \
            'CTA \(3,1,1\), thread \(40,0,0\) reads .* by kernel .*, CTA \(3,1,1\), warp 0'
        unset PROACT_CHECK
    done
done
# With source lines, if the compiler records them.
"$proactcc" -lineinfo -arch=sm_90 "$here/places.cu" -o "$scratch/places" || exit 1
PROACT_CHECK=1
export PROACT_CHECK
for devices in 1 2; do
    expects $devices bulk races \
        'PTX line [0-9]+ \[places.cu:[0-9]+\], CTA \(3,1,1\), thread \(40,0,0\) reads .* by kernel'
done
unset PROACT_CHECK
expects 2 bulk spins 'CTA \(3,1,1\), PTX line [0-9]+: seems endless'
exit $code
