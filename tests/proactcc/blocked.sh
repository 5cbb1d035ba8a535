#!/bin/sh
# Usage: blocked.sh PROACTCC SOURCE DRIVER. A program that queues launches after a kernel
# that waits for a host write continues, also on the fake CUDA driver in the folder DRIVER.
set -u
proactcc=$1 program=$2/tests/programs/blocked_launches.cu driver=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
code=0
"$proactcc" -arch=sm_90 "$program" -o blocked || exit 1
for setting in A=1 PROACT_REPORT=1 PROACT_SPLIT=always "PROACT_SPLIT=always PROACT_REPORT=1"; do
    for gpus in 1 2; do
        # shellcheck disable=SC2086 # words
        timeout 60 env $setting PROACT_MACHINE=local FAKE_CUDA_DEVICES=$gpus LD_LIBRARY_PATH="$driver" ./blocked >stdout 2>stderr
        status=$?
        [ $status = 0 ] && tail -1 stdout | grep -q PASSED && continue
        echo "$setting, $gpus GPUs: exit status $status"
        cat stdout stderr
        code=1
    done
done
exit $code
