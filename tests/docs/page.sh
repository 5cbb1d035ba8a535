#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the examples of one page: page.sh PAGE SOURCE BINARY LIBRARY CC PTX-COMMAND...
# A fenced block after the line `<!-- test: NAME -->` becomes the file NAME:
#   NAME.cu      is compiled to NAME.ptx, unless it has a main(): NAME.sh compiles it then
#   NAME.sh      runs with `proact`, and `proactcc` if there is one, in the path
#   NAME.c       is compiled, linked with the library, and run
#   NAME.out     is the expected standard output of NAME.sh or NAME.c
#   NAME.err     is the expected standard error; figures with a decimal point are ignored
# PROACTCC names the compiler driver. Without it, examples that need it are skipped.
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
        else if ($0 ~ /^```(c|cu|sh)$/) {
            print page ":" NR ": no test runs this block"
            bad = 1
        }
        name = ""
        next
    }
    inside && file != "" { print >file }
    END { exit bad }' "$page"
cd "$scratch"
PATH=$binary/tools/proact:$PATH
CPATH=$source/include # as if proact were installed
[ -z "${PROACTCC-}" ] || PATH=$(dirname "$PROACTCC"):$PATH
export PATH CPATH
ran=0 skipped=0

figures() { # FILE: with each figure that has a decimal point as #, and single spaces
    sed -E 's/[0-9]+\.[0-9]+/#/g; s/ +/ /g' "$1"
}

compare() { # NAME
    if [ -e "$1.out" ]; then
        diff -u "$1.out" printed
    fi
    if [ -e "$1.err" ]; then
        figures "$1.err" >expected
        figures errors >seen
        diff -u expected seen
    fi
    ran=$((ran + 1))
}

for text in *.cu; do
    [ -e "$text" ] || continue
    grep -q '^int main(' "$text" || "$@" "$text" -o "${text%.cu}.ptx"
done
for example in *.sh *.c; do
    [ -e "$example" ] || continue
    name=${example%.*}
    case $example in
    *.c)
        # shellcheck disable=SC2086 # the compiler's flags are words of their own
        $cc -std=c11 -Wall -Wextra -Werror -I"$source/include" "$example" "$library" \
            -Wl,-rpath,"$(dirname "$library")" -o "$name"
        "./$name" >printed 2>errors || {
            cat errors
            exit 1
        }
        ;;
    *.sh)
        if [ -z "${PROACTCC-}" ] && grep -q proactcc "$example"; then
            skipped=$((skipped + 1))
            continue
        fi
        sh -eu "$example" >printed 2>errors || {
            cat errors
            exit 1
        }
        ;;
    esac
    compare "$name"
done
echo "$page: $ran examples ran, $skipped need proactcc and were skipped"
