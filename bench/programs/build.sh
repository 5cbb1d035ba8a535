#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts of this folder, whose arguments are PROACTCC FOLDER FILE. A script
# sets `here` (this folder). This file sets `machine`, `gpus` and `commit`; COMMIT
# (environment) replaces the commit of a tree without git.
proactcc=$1 folder=$2 file=$3
mkdir -p "$folder"
built() { # COMPILER OUT NAME: NAME.cu
    "$1" -O3 -std=c++17 -arch=sm_90 "$here/$3.cu" -o "$folder/$2" || exit 1
}
built_both() { # NAME: by proactcc, and by nvcc unless the machine is emulated
    built "$proactcc" "$1_proactcc" "$1"
    [ -n "${PROACT_MACHINE-}" ] || built nvcc "$1_nvcc" "$1"
}
if [ -n "${PROACT_MACHINE-}" ]; then
    gpus=${PROACT_DEVICES:-4} machine=$PROACT_MACHINE
else
    gpus=$(nvidia-smi -L | wc -l)
    machine="$gpus x $(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)"
fi
commit=${COMMIT:-$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)}
