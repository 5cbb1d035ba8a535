#!/bin/sh
# Usage: cpp.sh SOURCE LIBRARY FLAG. Each C++ compiler here accepts the host headers without
# a warning and builds examples/scale.cpp, which runs. Without a compiler it is skipped.
set -eu
source=$1 library=$2 flag=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
strict="-std=c++11 -Wall -Wextra -Wpedantic -Wconversion -Werror"
count=0
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    count=$((count + 1))
    for header in proact program texture interop status; do
        echo "#include <proact/$header.h>" >"$scratch/header.cpp"
        # shellcheck disable=SC2086 # flags are words
        $compiler $strict -I "$source/include" -fsyntax-only "$scratch/header.cpp"
    done
    # shellcheck disable=SC2086
    $compiler $strict $flag -I "$source/include" "$source/examples/scale.cpp" "$library" \
        -Wl,-rpath,"$(dirname "$library")" -o "$scratch/scale"
    [ "$("$scratch/scale" h200x4)" = "4 devices: first 8, last 8" ]
done
[ $count -gt 0 ] || { echo "there is no C++ compiler"; exit 77; }
