#!/bin/sh
# Generates the committed corpus: the plain samples by nvcc for three architectures and by
# clang, and the hard kernels by nvcc for four. The samples' text for sm_80 is that for
# sm_75.
# Usage: corpus.sh [NVCC [CLANG]]
set -e
nvcc=${1:-nvcc} clang=${2:-clang-14}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
out=$here/corpus

rm -rf "$out"
mkdir "$out"
cd "$here/../samples"
for source in *.cu; do
    name=$out/${source%.cu}
    for sm in 75 90 100; do
        "$nvcc" -ptx -arch=compute_$sm -O3 -I"$root/include" "$source" -o "$name.sm_$sm.ptx"
    done
    "$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 --cuda-path=/nonexistent \
        -nocudainc -nocudalib -Wno-unknown-cuda-version -Xclang -target-feature \
        -Xclang +ptx75 -O3 -S -I"$root/include" "$source" -o "$name.clang.ptx"
done
cd ../ptx/hard
for source in hard_language.cu hard_machine.cu; do
    for sm in 75 80 90 100; do
        "$nvcc" -ptx -arch=compute_$sm -O3 "$source" -o "$out/${source%.cu}.sm_$sm.ptx"
    done
done
