#!/bin/sh
# Usage: lazy_devices.sh PROACTCC SOURCE DRIVER. Lazy device opening of a program, on
# emulated devices and on the fake CUDA driver in the folder DRIVER: the time of opening,
# and the report.
set -u
proactcc=$1 here=$2/tests/proactcc driver=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
code=0
"$proactcc" -arch=sm_90 "$here/lazy_devices.cu" -o lazy_devices || exit 1

machine() { # NAME OPEN_MS: NAME.json
    echo "{\"like\": \"h200x4\", \"device\": {\"open_ms\": $2}}" >"$1.json"
}

# run WHAT STEPS OUTPUT SPLIT NAME=VALUE...: exit status 0, OUTPUT on stderr, and SPLIT
# (some or none) of the launches split, if there is a report.
run() {
    what=$1 steps=$2 output=$3 split=$4
    shift 4
    timeout 60 env "$@" ./lazy_devices "$steps" >stdout 2>stderr </dev/null
    status=$?
    [ $status = 0 ] && [ "$(cat stdout)" = "$steps steps" ] && grep -q "$output" stderr &&
        case $(sed -n "s/^proact:  *$steps  *\([0-9]*\) .*step(.*/\1/p" stderr):$split in
        0:none | [1-9]*:some | :silent) ;;
        *) false ;;
        esac && return
    echo "$what: status $status, '$output' and launches split: $split"
    cat stdout stderr
    code=1
}

emulated() {
    what=$1 steps=$2 output=$3 split=$4 machine=$5
    shift 5
    run "$what" "$steps" "$output" "$split" PROACT_MACHINE="$machine" PROACT_REPORT=1 "$@"
}

machine long 100
machine short 0.01
emulated "a short program" 30 "the other devices were not opened$" none long.json
emulated "one that never splits" 99 "the other devices were not opened$" none short.json PROACT_SPLIT=never
emulated "a long one" 99 "the other devices were open after [0-9.]* ms" some short.json \
    PROACT_OPEN=lazy PROACT_SPLIT=always PROACT_CHECK=1
emulated "which says of launches" 99 "single device: it was launched before the other devices were opened" some \
    short.json PROACT_OPEN=lazy PROACT_SPLIT=always
emulated "all at the beginning" 30 machine some long.json PROACT_OPEN=all PROACT_SPLIT=always
emulated "as always has it" 30 machine some long.json PROACT_SPLIT=always
! grep "other devices" stderr || code=1

on_driver() {
    what=$1 steps=$2 output=$3 split=$4
    shift 4
    run "$what on a driver" "$steps" "$output" "$split" PROACT_MACHINE=local LD_LIBRARY_PATH="$driver" \
        FAKE_CUDA_DEVICES=3 PROACT_OPEN=lazy PROACT_SPLIT=always "$@"
}
on_driver "a short program" 2 "the other devices were not opened$" none FAKE_CUDA_OPEN_MS=600 PROACT_REPORT=1
on_driver "a long program" 99 "the other devices were open after" some PROACT_REPORT=1
why="could not be opened, so everything ran on device 0: device 2: cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY"
on_driver "one whose device fails" 99 "$why" none FAKE_CUDA_FAIL=cuDevicePrimaryCtxRetain:3:2 PROACT_REPORT=1
on_driver "which is said without a report" 99 "$why" silent FAKE_CUDA_FAIL=cuDevicePrimaryCtxRetain:3:2
[ "$(wc -l <stderr)" = 1 ] || code=1

env PROACT_MACHINE=short.json PROACT_OPEN=now ./lazy_devices >stdout 2>stderr && code=1
grep -q "PROACT_OPEN is 'now': expected all or lazy" stderr || { cat stderr; code=1; }
exit $code
