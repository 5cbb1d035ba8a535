#!/bin/sh
# Usage: replays.sh PROACTCC SOURCE DRIVER. Graphs that are launched many times: on one
# emulated device, on four, on four with forced splits, and on the fake CUDA driver in the
# folder DRIVER. Each case prints only its name, and the number of replayed launches is as
# listed below. On the driver a replay is one graph launch per device.
set -u
proactcc=$1 here=$2/tests/proactcc driver=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
code=0

for program in replays replays_beside; do
    "$proactcc" -arch=sm_90 "$here/$program.cu" -o "$scratch/$program" || exit 1
done

report() { # SENTENCE
    echo "$program, $name: $1"
    cat "$scratch/stdout" "$scratch/stderr"
    code=1
}

run() { # NAME=VALUE...
    timeout 60 env "$@" "$scratch/$program" "$name" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    status=$?
    [ $status = 0 ] || report "exit status $status with $*"
    [ "$(tail -n 1 "$scratch/stdout")" = "$name" ] || report "it did not come to its end with $*"
    case $name in
    fault) [ "$(grep -c cudaErrorIllegalAddress "$scratch/stdout")" = 2 ] || report "no fault with $*" ;;
    *) [ "$(wc -l <"$scratch/stdout")" = 1 ] || report "wrong with $*" ;;
    esac
}

emulated() { # REPLAYED NAME=VALUE...
    replayed=$1
    shift
    run PROACT_MACHINE=h200x4 PROACT_REPORT=1 "$@"
    grep -q "launches of graphs, $replayed of them replayed" "$scratch/stderr" ||
        report "not $replayed replayed with $*"
}

on_driver() { # NAME=VALUE...
    run PROACT_MACHINE=local LD_LIBRARY_PATH="$driver" "$@"
}

while read -r program name one four split; do
    emulated "$one" PROACT_DEVICES=1
    emulated "$four" PROACT_DEVICES=4
    emulated "$split" PROACT_DEVICES=4 PROACT_SPLIT=always
    on_driver FAKE_CUDA_DEVICES=1
    on_driver FAKE_CUDA_DEVICES=2 PROACT_SPLIT=always
done <<END
replays steady 38 38 38
replays parameters 36 36 36
replays disabled 36 36 36
replays updated 54 54 54
replays updated_alike 38 38 38
replays stretches 28 28 28
replays child 18 18 18
replays nothing 8 8 8
replays fault 19 19 19
replays_beside outside 34 34 34
replays_beside variables 74 74 69
replays_beside variable_set 104 104 24
replays_beside registered_later 18 0 0
replays_beside reallocated 36 36 36
replays_beside managed 22 22 0
replays_beside pinned 22 22 0
replays_beside registered 0 0 0
END

# Forty launches of forty kernels: two are executed call by call, one is recorded, 38 are
# replayed.
program=replays name=steady
on_driver FAKE_CUDA_DEVICES=1 FAKE_CUDA_FAIL=cuGraphLaunch:39:719 FAKE_CUDA_DEVICES=1
on_driver FAKE_CUDA_DEVICES=1 FAKE_CUDA_FAIL=cuLaunchKernelEx:121:719
on_driver FAKE_CUDA_DEVICES=2 FAKE_CUDA_FAIL=cuGraphLaunch:77:719 PROACT_SPLIT=always
exit $code
