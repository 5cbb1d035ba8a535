#!/bin/sh
# Usage: heat.sh PROACTCC SOURCE. Builds examples/heat.cu, a program for one GPU, and runs
# it on one and four emulated devices. The results are equal, and four devices are faster.
set -u
proactcc=$1 source=$2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
"$proactcc" -O3 -arch=sm_75 "$source/examples/heat.cu" -o "$scratch/heat" || exit 1
heat() { # DEVICES SIZE STEPS: microseconds of a step and the checksum
    PROACT_MACHINE=v100x4 PROACT_DEVICES=$1 "$scratch/heat" "$2" "$3" |
        sed 's/.*: \(.*\) us a step, checksum \(.*\)/\1 \2/'
}
code=0
# Checksum of a host program after 10 warm-up steps and 20 more.
expected=81593fa52b609681
for devices in 1 4; do
    found=$(heat $devices 100 20)
    [ "${found#* }" = $expected ] || { echo "$devices devices: $found, expected $expected"; code=1; }
done
one=$(heat 1 2048 10) four=$(heat 4 2048 10)
[ "${one#* }" = "${four#* }" ] || { echo "one device: $one; four: $four"; code=1; }
echo "$one $four" | awk '{ exit $1 < 1.5 * $3 }' || { echo "no speedup: $one us, $four us"; code=1; }
exit $code
