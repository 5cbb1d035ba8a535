#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the examples of one page: page.sh PAGE SOURCE BINARY LIBRARY CC PTX-COMMAND...
# A fenced block after a line `<!-- test: NAME -->` is the file NAME. The steps are:
#   1. Each NAME.cu that no script of the page names is compiled to NAME.ptx.
#   2. Each NAME.sh runs, with `proact`, `proactcc` and `cc` (which is CC) in its path, and with
#      the library and the headers found as if proact were installed. A script that calls
#      proactcc is skipped where the environment variable PROACTCC is empty.
#   3. Each NAME.c is built and run.
# What a script or a program prints must equal NAME.out where the page has one.
set -eu
page=$1 source=$2 binary=$3 library=$4 cc=$5
shift 5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/page" "$scratch/bin"
awk -v folder="$scratch/page" -v page="$page" '
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
cd "$scratch/page"
for text in *.cu; do
    [ -e "$text" ] || continue
    grep -qsF "$text" ./*.sh || "$@" "$text" -o "${text%.cu}.ptx"
done
printf '#!/bin/sh\nPATH="%s"\nexec %s "$@"\n' "$PATH" "$cc" >"$scratch/bin/cc"
chmod +x "$scratch/bin/cc"
[ -z "${PROACTCC-}" ] || ln -s "$PROACTCC" "$scratch/bin/proactcc"
PATH=$scratch/bin:$binary/tools/proact:$PATH
CPATH=$source/include
LIBRARY_PATH=$(dirname "$library")
LD_LIBRARY_PATH=$LIBRARY_PATH${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PATH CPATH LIBRARY_PATH LD_LIBRARY_PATH
ran=0 note=
for example in *.sh *.c; do
    [ -e "$example" ] || continue
    name=${example%.*}
    case $example in
    *.c)
        # shellcheck disable=SC2086 # the compiler's flags are separate words
        $cc -std=c11 -Wall -Wextra -Werror -I"$source/include" "$example" "$library" \
            -Wl,-rpath,"$(dirname "$library")" -o "$name"
        "./$name" >printed
        ;;
    *.sh)
        if [ -z "${PROACTCC-}" ] && grep -q 'proactcc' "$example"; then
            note=", the rest needs nvcc"
            continue
        fi
        sh -eu "$example" >printed
        ;;
    esac
    if [ -e "$name.out" ]; then
        diff -u "$name.out" printed
    fi
    ran=$((ran + 1))
done
echo "$page: $ran examples ran$note"
