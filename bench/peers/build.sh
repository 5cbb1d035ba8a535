#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the programs of this folder into FOLDER, each one if its library is found. nvcc must
# be on the PATH; NCCL and NVSHMEM are in NCCL_HOME and NVSHMEM_HOME or in Python wheels.
# Usage: bench/peers/build.sh FOLDER
set -eu
into=${1:?usage: build.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$into"

wheel() { # NAME: the folder of the wheel nvidia.NAME
    python3 -c "import nvidia.$1 as m; print(list(m.__path__)[0])" 2>/dev/null || :
}
nccl=${NCCL_HOME:-$(wheel nccl)}
nvshmem=${NVSHMEM_HOME:-$(wheel nvshmem)}
compile="nvcc -O3 -std=c++17 -arch=native"

$compile "$here/copies.cu" -o "$into/peer_copies" && echo "built peer_copies"
if [ -n "$nccl" ]; then
    $compile -I"$nccl/include" "$here/nccl.cu" -o "$into/peer_nccl" \
        -Xlinker "$nccl/lib/libnccl.so.2" -Xlinker -rpath -Xlinker "$nccl/lib" &&
        echo "built peer_nccl"
else
    echo "no NCCL: set NCCL_HOME" >&2
fi
if [ -n "$nvshmem" ]; then
    $compile -rdc=true -I"$nvshmem/include" "$here/nvshmem.cu" -o "$into/peer_nvshmem" \
        -L"$nvshmem/lib" -lnvshmem_device -Xlinker "$nvshmem/lib/libnvshmem_host.so.3" \
        -Xlinker -rpath -Xlinker "$nvshmem/lib" -lcuda &&
        echo "built peer_nvshmem"
else
    echo "no NVSHMEM: set NVSHMEM_HOME" >&2
fi
