#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: tidy.sh SOURCE BUILD [CHECKS]. clang-tidy 14 on all C of the library, the tools, the
# applications and the benches. A file's findings are shown, what it counts is not. CHECKS are
# added to those of .clang-tidy: '-clang-analyzer-*' takes seconds, all take five minutes.
set -eu
cd "$1"
git ls-files 'src/*.c' 'apps/*.c' 'tools/*.c' 'bench/*.c' | xargs -n 4 -P "$(nproc)" sh -c '
    build=$0 checks=$1
    shift
    output=$(clang-tidy-14 -p "$build" --quiet --checks="$checks" "$@" 2>&1) ||
        { printf "%s\n" "$output"; exit 1; }' "$2" "${3-}"
