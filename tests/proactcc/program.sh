#!/bin/sh
# Usage: program.sh PROACTCC SOURCE NAME DRIVER [--write]. Compiles NAME.cu with proactcc.
# Runs it on four emulated devices, also with lazy opening and with distributed arrays, on
# one device, on other machines, and on the fake CUDA driver in the folder DRIVER. Each run
# must print NAME.stdout, nothing on stderr, and succeed. --write stores the output as the
# expectation.
set -u
proactcc=$1 here=$2/tests/proactcc name=$3 driver=$4 write=${5-}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

case $name in driver* | variable_pointers) more='-lcuda -Wno-deprecated-declarations' ;; *) more= ;; esac
# shellcheck disable=SC2086 # words
"$proactcc" -arch=sm_90 --extended-lambda "$here/$name.cu" $more -o "$scratch/program" || exit 1
code=0
run() { # WHERE NAME=VALUE...
    where=$1
    shift
    env "$@" "$scratch/program" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    status=$?
    [ "$write" = --write ] && cp "$scratch/stdout" "$here/$name.stdout"
    [ $status = 0 ] || { echo "$name on $where: exit status $status"; code=1; }
    diff -u "$here/$name.stdout" "$scratch/stdout" || code=1
    diff -u /dev/null "$scratch/stderr" || code=1
}
run "four devices" PROACT_MACHINE=h200x4
for open_ms in 0.0005 0.02; do
    echo "{\"like\": \"h200x4\", \"device\": {\"open_ms\": $open_ms}}" >"$scratch/lazy.json"
    run "devices that come later" PROACT_MACHINE="$scratch/lazy.json" PROACT_OPEN=lazy PROACT_SPLIT=always
done
case $name in
float_mode | textures | texture_kinds | driver_modules) # distributed arrays have no textures
    run "four devices, split" PROACT_MACHINE=h200x4 PROACT_SPLIT=always ;;
*) run "four devices, one of each array" PROACT_MACHINE=h200x4 PROACT_DISTRIBUTE=1 PROACT_SPLIT=always ;;
esac
run "one device" PROACT_MACHINE=h200x4 PROACT_DEVICES=1
run "another machine" PROACT_MACHINE=h200x8 PROACT_DEVICES=3
# Device 1 has peer access to device 0 only.
cat >"$scratch/links.json" <<'EOF'
{"like": "h200x4", "links": {"matrix_gbps":
    [[0, 90, 90, 90], [90, 0, 0, 0], [90, 0, 0, 90], [90, 0, 90, 0]]}}
EOF
for method in inline fused; do
    run "four devices with missing links, $method" PROACT_MACHINE="$scratch/links.json" \
        PROACT_SPLIT=always PROACT_METHOD=$method
    [ "$name" != vectors ] || PROACT_MACHINE="$scratch/links.json" PROACT_METHOD=$method \
        PROACT_REPORT=1 "$scratch/program" 2>&1 >"$scratch/stdout" | grep -qx \
        "proact: $method; copies between devices 1 and 2, 1 and 3, which have no peer access" ||
        { echo "$name: the report names no copies under $method"; code=1; }
done
# Race checks for programs with correctly ordered streams.
case $name in
cooperative | driver | driver_modules | events | graphs | pools | streams | surfaces | textures | texture_kinds | variable_pointers)
    run "four devices that are checked" PROACT_MACHINE=h200x4 PROACT_CHECK=1
    run "one that is checked" PROACT_MACHINE=h200x4 PROACT_CHECK=1 PROACT_DEVICES=1 ;;
esac
# The fake driver's device properties differ from those in queries.cu.
[ "$name" = queries ] ||
    run "a driver" PROACT_MACHINE=local LD_LIBRARY_PATH="$driver" FAKE_CUDA_DEVICES=2
# Without peer access nothing is distributed, and exhausted memory is reported as usual.
[ "$name" != errors ] ||
    run "a driver without peers" PROACT_MACHINE=local \
        LD_LIBRARY_PATH="$driver" FAKE_CUDA_DEVICES=2 FAKE_CUDA_PEERS=none
exit $code
