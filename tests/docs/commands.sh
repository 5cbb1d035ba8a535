#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the command lines that one page shows:
# commands.sh PAGE SOURCE BINARY PROACT [PROACTCC]
# A command line is a line of an indented block (four spaces or a tab; two in --help) or of
# a block fenced with ```sh. Its first word, after settings (PROACT_...=...), is a program
# of the project, a program that builds it, or, if PROACTCC is given, a program that the
# page builds: app, from app.cu or by make. The lines run in a scratch folder that resembles
# the source tree, with `proact` in the path. A small graph replaces GRAPH and the shipped
# graph; my-box.json and stencil.ptx exist. Blocks after a line `<!-- not run: WHY -->` are
# counted and not run. PAGE may be `help`: the output of all --help options.
set -u
page=$1 source=$2 binary=$3 proact=$4 proactcc=${5-}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tree" "$scratch/bin" "$scratch/tree/build" "$scratch/tree/data"
cd "$scratch/tree" || exit 1
ln -s "$proact" "$scratch/bin/proact"
ln -s "$binary" build/default
ln -s "$source/machines" "$source/scripts" "$source/CMakeLists.txt" .
cp -R "$source/docs" "$source/bench" .
cp "$source/machines/h200x2.json" my-box.json
cp "$source/tests/ptx/corpus/stencil.sm_90.ptx" stencil.ptx
printf '%%%%MatrixMarket matrix coordinate pattern general\n5 5 6\n1 2\n1 3\n2 3\n4 3\n3 1\n5 4\n' |
    tee GRAPH | gzip -c >data/debian12_pkgdeps.mtx.gz
cp "$source/tests/programs/programs.h" .
cp "$source/tests/programs/vector_add.cu" app.cu
printf '.PHONY: app\napp:\n\t$(NVCC) -arch=sm_90 app.cu -o app\n' >Makefile
[ -n "$proactcc" ] && ln -s "$proactcc" "$scratch/bin/proactcc"
PATH=$scratch/bin:$PATH
XDG_DATA_HOME=$scratch/home # of profiles
export PATH XDG_DATA_HOME

if [ "$page" = help ]; then
    applications=$(proact run --help |
        sed -n '/^Applications:/,/^$/s/^  \([a-z][a-z0-9-]*\) .*/run \1/p')
    [ -n "$applications" ] || exit 1
    IFS='
'
    for command in '' run $applications make 'make wiki' 'make hv15r' 'make phantom' \
        'make ratings' analyze machines topo doctor methods tune bench 'bench figures' \
        model 'model predict' 'model advise' 'model paper' 'model fit'; do
        unset IFS
        # shellcheck disable=SC2086 # words or none
        proact $command --help | sed '/^Commands:$/,/^$/d' # its first words are no programs
    done >"$scratch/help" || exit 1
    set -- "$scratch/help" '  '
else
    set -- "$page" '    '
fi
awk -v indent="$2" -v compiles="$proactcc" '
    BEGIN {
        program = "^(PROACT_[A-Z_]*=[^ ]* )*(proact|proactcc|make|\\./app|cmake|ctest|clang[-0-9]*|(scripts|build|bench|tests)\\/[^ ]*)( |$)"
        built = "^(PROACT_[A-Z_]*=[^ ]* )*(proactcc|make|\\./app)( |$)"
    }
    /^<!-- not run: .* -->$/ { skip = 1; next }
    /^<!-- test: .* -->$/ { elsewhere = 1; next }
    /^```/ && !fenced { fenced = 1; shell = $0 == "```sh" && !elsewhere; elsewhere = 0; next }
    /^```/ { fenced = shell = skip = 0; next }
    fenced && !shell { next }
    fenced { line = $0 }
    !fenced && index($0, indent) == 1 { line = substr($0, length(indent) + 1) }
    !fenced && /^\t/ { line = substr($0, 2) }
    !fenced && /^[^ \t]/ { skip = 0 }
    line ~ program && line !~ /^make  / { print (skip ? "-" : line ~ built && !compiles ? "/" : "+") line }
    { line = "" }' "$1" >"$scratch/commands"

ran=0 left=0 missing=
while IFS= read -r line; do
    command=${line#?}
    if [ "$line" = "/$command" ]; then
        missing=", the rest needs nvcc"
        continue
    fi
    if [ "$line" != "+$command" ]; then
        left=$((left + 1))
        continue
    fi
    if ! sh -c "$command" </dev/null >"$scratch/output" 2>&1; then
        tail -5 "$scratch/output"
        echo "$page: failed: $command"
        exit 1
    fi
    ran=$((ran + 1))
done <"$scratch/commands"
echo "$page: $ran commands ran, $left are annotated as not run$missing"
