#!/bin/sh
# Every program of this folder compiles and links with plain nvcc.
# Usage: programs.sh NVCC OUT
set -e
here=$(cd "$(dirname "$0")" && pwd)
command -v "$1" >/dev/null || { echo "no nvcc"; exit 77; }
mkdir -p "$2"
for source in "$here"/*.cu; do
    name=$(basename "$source" .cu)
    "$1" -arch=sm_90 -Xcompiler -Wall "$source" -o "$2/$name"
done
echo "$(ls "$here"/*.cu | wc -l) programs compiled"
