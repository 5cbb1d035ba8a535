#!/bin/sh
# Usage: targets.sh BUILD. Everything that `cmake --install` copies and ninja builds belongs to
# the target proact_installed, which scripts/demo builds. Needs ninja.
set -eu
build=$1
[ -e "$build/build.ninja" ] || { echo "this build has no ninja files"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Only ninja's graph lists order-only dependencies.
ninja -C "$build" -t graph proact_installed | sed -n 's/.*label="\([^"]*\)".*/\1/p' >"$scratch/inputs"
find "$build" -name cmake_install.cmake -exec cat {} + | grep -o "\"$build/[^\"]*\"" | tr -d '"' |
    sed "s|^$build/||" | sort -u >"$scratch/installed"
count=0
while read -r file; do
    # Files that CMake writes during configuration are not outputs of ninja.
    ninja -C "$build" -t query "$file" >"$scratch/query" 2>/dev/null || continue
    grep -q '^  input:' "$scratch/query" || continue
    [ ! -L "$build/$file" ] || continue # created together with its library
    count=$((count + 1))
    grep -qxF "$file" "$scratch/inputs" || {
        echo "$file is installed, but proact_installed does not build it"
        touch "$scratch/missing"
    }
done <"$scratch/installed"
echo "$count installed files are built"
[ "$count" -ge 5 ] && [ ! -e "$scratch/missing" ]
