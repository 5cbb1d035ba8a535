#!/bin/sh
# ptxas accepts kernels that launch kernels, and they link with CUDA's device runtime.
# Usage: children_link.sh TEST PTXAS FOLDER
test=$1 ptxas=$2 folder=$3
runtime=$(dirname "$ptxas")/../lib64/libcudadevrt.a
[ -e "$runtime" ] || runtime=$(find -L "$(dirname "$ptxas")/.." -name libcudadevrt.a | head -1)
[ -e "$runtime" ] || { echo "no libcudadevrt.a beside $ptxas"; exit 77; }
mkdir -p "$folder"
# shellcheck disable=SC2086 # a program and the name of its test file
$test "$folder" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
for sm in 75 80 90; do
    "$ptxas" -c -arch=sm_$sm "$folder/children.ptx" -o "$folder/out.o" || exit 1
    "$(dirname "$ptxas")/nvlink" -arch=sm_$sm "$folder/out.o" "$runtime" -o "$folder/out.cubin" ||
        exit 1
    # Without the runtime the link must fail, so the test is effective.
    "$(dirname "$ptxas")/nvlink" -arch=sm_$sm "$folder/out.o" -o "$folder/out.cubin" \
        >"$folder/output" 2>&1 && { echo "sm_$sm: it links without the runtime"; exit 1; }
    grep -q __cudaCDP2LaunchDeviceV2 "$folder/output" || { cat "$folder/output"; exit 1; }
    echo "sm_$sm: linked"
done
