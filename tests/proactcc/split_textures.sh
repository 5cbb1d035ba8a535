#!/bin/sh
# Usage: split_textures.sh PROACTCC SOURCE DRIVER. Kernels that read textures give equal
# bits on one device and on several, with each method, in check mode, and on the fake CUDA
# driver in the folder DRIVER. The report shows that they were split, and the reasons for
# those of whole_textures.cu that were not.
set -u
proactcc=$1 here=$2/tests/proactcc driver=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
for name in split_textures whole_textures; do
    "$proactcc" -arch=sm_90 "$here/$name.cu" -o "$scratch/$name" || exit 1
done
code=0
cd "$scratch" || exit 1
export PROACT_MACHINE=h200x4 PROACT_SPLIT=always PROACT_REPORT=1
PROACT_DEVICES=1 ./split_textures >one 2>report || exit 1
[ "$(wc -l <one)" = 10 ] || { echo "it says other things"; cat one; code=1; }
alike() { # WHERE NAME=VALUE...
    where=$1
    shift
    env "$@" ./split_textures >several 2>report </dev/null || { echo "$where: exit status $?"; code=1; }
    diff one several || { echo "$where: other bits than one device"; code=1; }
}
split() { # KERNEL...: all launches of each
    for kernel; do
        awk -v name="$kernel" '$0 ~ " " name "\\(" && $2 > 0 && $2 == $3 { found = 1 } END { exit !found }' report ||
            { echo "$where: not all launches of $kernel are split"; cat report; code=1; }
    done
}
for devices in 2 4; do
    alike "$devices devices" PROACT_DEVICES=$devices
    split fetch_line turn cut leaf mix choose decide
done
for method in inline fused polling; do
    alike "four devices, $method" PROACT_METHOD=$method
done
alike "four devices that are checked" PROACT_CHECK=1
alike "four devices, as is faster" PROACT_SPLIT=auto
alike "two GPUs" PROACT_MACHINE=local LD_LIBRARY_PATH="$driver" FAKE_CUDA_DEVICES=2
split fetch_line turn cut leaf mix choose decide
alike "two GPUs that are no peers" PROACT_MACHINE=local LD_LIBRARY_PATH="$driver" FAKE_CUDA_DEVICES=2 \
    FAKE_CUDA_PEERS=none
alike "a GPU without room for a copy" PROACT_MACHINE=local LD_LIBRARY_PATH="$driver" FAKE_CUDA_DEVICES=2 \
    FAKE_CUDA_FAIL=cuArray3DCreate_v2:3:2
grep -q 'turn(.*not every device can create the texture in argument 1: .*cuArray3DCreate' report ||
    { echo "$where: no word of it"; cat report; code=1; }

./whole_textures >several 2>report || { cat several report; code=1; }
whole() { # KERNEL WHY
    grep -qE "^proact: +[12] +0 .* $1\(.*\(single device: .*$2" report ||
        { echo "$1: no word of '$2'"; cat report; code=1; }
}
elsewhere='\.ptx:[0-9]+: it reads through a texture that is not a parameter or a field of one: such textures exist on device 0 only'
whole from_memory "$elsewhere"
whole computed "$elsewhere"
whole one_of_four "$elsewhere"
whole in_place "it writes array '.*', which it reads through the texture in argument 1"
whole by_surface '\.ptx:[0-9]+: it has surfaces, which exist on device 0 only'
whole keeps 'it stores a value derived from a pointer'
whole keeps_too 'it stores a value derived from a pointer'
whole looks_there 'it stores a value derived from a pointer'
whole follows '\.ptx:[0-9]+: it loads values that may be pointers'
whole calls '\.ptx:[0-9]+: a called function has textures or surfaces'
exit $code
