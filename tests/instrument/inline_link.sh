#!/bin/sh
# ptxas accepts the files of tests/proactcc/linked after linking and after inlining, and it
# accepts inlined calls of all kinds.
# Usage: inline_link.sh NVCC PTXAS LINKER INLINER SOURCE FOLDER
# shellcheck disable=SC2086 # a program and the name of its test file
set -u
nvcc=$1 ptxas=$2 linker=$3 inliner=$4 source=$5 folder=$6
code=0
[ -x "$ptxas" ] || { echo "no $ptxas"; exit 77; }
mkdir -p "$folder" && cd "$folder" || exit 1
for sm in 75 100; do
    for part in main steps shapes; do
        "$nvcc" -arch=compute_$sm -rdc=true -lineinfo -ptx \
            "$source/proactcc/linked/linked_$part.cu" -o $part.ptx || exit 1
    done
    $linker main.ptx steps.ptx shapes.ptx >linked.ptx || code=1
    $inliner linked.ptx >inlined.ptx || code=1
    for text in linked inlined; do
        "$ptxas" -arch=sm_$sm $text.ptx -o $text.cubin || { echo "$text.ptx, sm_$sm"; code=1; }
    done
done
$inliner "$source/instrument/inline.ptx" >shapes.ptx || code=1
"$ptxas" -arch=sm_75 shapes.ptx -o shapes.cubin || code=1
exit $code
