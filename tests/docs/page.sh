#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the examples of one page: page.sh PAGE SOURCE BINARY LIBRARY CC PTX-COMMAND...
# A fenced block behind a line `<!-- test: NAME -->` is the file NAME. Then NAME.cu is
# compiled to NAME.ptx, NAME.sh is run with the built `proact` in its path, then NAME.c is
# built and run, and what is printed must be NAME.out where the page has one.
set -eu
page=$1 source=$2 binary=$3 library=$4 cc=$5
shift 5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk -v folder="$scratch" -v page="$page" '
    /^<!-- test: .* -->$/ { name = $3; next }
    /^```/ && inside { inside = 0; close(file); file = ""; next }
    /^```/ {
        inside = 1
        if (name != "") { file = folder "/" name; printf "" >file }
        else if ($0 ~ /^```(c|cu|sh)$/) { print page ":" NR ": no test runs it"; bad = 1 }
        name = ""
        next
    }
    inside && file != "" { print >file }
    END { exit bad }' "$page"
cd "$scratch"
for text in *.cu; do
    [ -e "$text" ] || continue
    "$@" "$text" -o "${text%.cu}.ptx"
done
PATH=$binary/tools/proact:$PATH
CPATH=$source/include # as if proact were installed
export PATH CPATH
ran=0
for example in *.sh *.c; do
    [ -e "$example" ] || continue
    name=${example%.*}
    case $example in
    *.c)
        # shellcheck disable=SC2086 # the compiler's flags are words of their own
        $cc -std=c11 -Wall -Wextra -Werror -I"$source/include" "$example" "$library" \
            -Wl,-rpath,"$(dirname "$library")" -o "$name"
        "./$name" >printed
        ;;
    *.sh) sh -eu "$example" >printed ;;
    esac
    if [ -e "$name.out" ]; then
        diff -u "$name.out" printed
    fi
    ran=$((ran + 1))
done
echo "$page: $ran examples ran"
