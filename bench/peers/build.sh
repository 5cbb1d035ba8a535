#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the programs of this folder into FOLDER, each one if its libraries are found. nvcc
# must be on the PATH. NCCL is in NCCL_HOME, in a Python wheel or with CUDA, NVSHMEM in
# NVSHMEM_HOME or in a Python wheel. PEERS_ARCH is the GPU's architecture (default native).
# Usage: bench/peers/build.sh FOLDER [PROGRAM...]
set -eu
into=${1:?usage: build.sh FOLDER [PROGRAM...]}
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
all="copies nccl nvshmem apps_copies apps_unified apps_nccl apps_nvshmem twins"
wanted=${*:-$all}
mkdir -p "$into/objects"
for program in $wanted; do
    case " $all " in
    *" $program "*) ;;
    *) echo "build.sh: no program $program: there are $all" >&2 && exit 2 ;;
    esac
done

wheel() { # NAME: the folder of the wheel nvidia.NAME
    python3 -c "import nvidia.$1 as m; print(list(m.__path__)[0])" 2>/dev/null || :
}
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
nccl=${NCCL_HOME:-$(wheel nccl)}
[ -n "$nccl" ] || [ ! -f "$cuda/include/nccl.h" ] || nccl=$cuda
nvshmem=${NVSHMEM_HOME:-$(wheel nvshmem)}
compile="nvcc -O3 -std=c++17 -arch=${PEERS_ARCH:-native}"
includes="-I$root/include -I$root/apps"

library() { # FOLDER NAME: its path, in lib or lib64
    for file in "$1/lib/$2" "$1/lib64/$2"; do
        [ ! -e "$file" ] || { echo "$file" && return; }
    done
}

# The applications and their kernels; with `rdc` the kernels put to peers (NVSHMEM).
built=
objects() { # KIND: plain or rdc
    case $built in *" $1 "*) return ;; esac
    built="$built $1 "
    folder=$into/objects/$1
    mkdir -p "$folder"
    options="-include $here/app_names.h $includes"
    [ "$1" = plain ] || options="$options -rdc=true -DPEER_NVSHMEM -I$nvshmem/include"
    for source in "$here"/kernels_*.cu "$here/app_session.cu"; do
        echo "$source $folder/$(basename "$source" .cu).o"
    done | xargs -P "$(nproc)" -L 1 sh -c "$compile $options -c \"\$0\" -o \"\$1\""
    for source in "$root"/apps/*/*.c "$here/app_job.c"; do
        # shellcheck disable=SC2086 # words
        "${CC:-cc}" -std=gnu11 -O2 -include "$here/app_names.h" $includes -c "$source" \
            -o "$folder/$(basename "$source" .c)_c.o"
    done
}

program() { # NAME KIND OPTIONS: links an application's program
    name=$1 kind=$2
    shift 2
    objects "$kind"
    # shellcheck disable=SC2086 # words
    $compile -include "$here/app_names.h" $includes "$here/$name.cu" \
        "$into/objects/$kind"/*.o -o "$into/peer_$name" -lz "$@" && echo "built peer_$name"
}

build() { # PROGRAM
    case $1 in
    # shellcheck disable=SC2086 # words
    copies) $compile "$here/copies.cu" -o "$into/peer_copies" && echo "built peer_copies" ;;
    apps_copies | apps_unified) program "$1" plain ;;
    twins) program twins plain -lcusparse -lcublas -lcusolver ;;
    nccl | apps_nccl)
        [ -n "$nccl" ] || { echo "no NCCL: set NCCL_HOME" >&2 && return; }
        file=$(library "$nccl" libnccl.so.2)
        set -- "$1" -I"$nccl/include" -Xlinker "$file" -Xlinker -rpath -Xlinker \
            "$(dirname "$file")"
        if [ "$1" = nccl ]; then
            shift
            $compile "$here/nccl.cu" -o "$into/peer_nccl" "$@" && echo "built peer_nccl"
        else
            shift
            program apps_nccl plain "$@"
        fi
        ;;
    nvshmem | apps_nvshmem)
        [ -n "$nvshmem" ] || { echo "no NVSHMEM: set NVSHMEM_HOME" >&2 && return; }
        file=$(library "$nvshmem" libnvshmem_host.so.3)
        set -- "$1" -rdc=true -I"$nvshmem/include" -L"$nvshmem/lib" -lnvshmem_device \
            -Xlinker "$file" -Xlinker -rpath -Xlinker "$nvshmem/lib" -lcuda
        if [ "$1" = nvshmem ]; then
            shift
            $compile "$here/nvshmem.cu" -o "$into/peer_nvshmem" "$@" &&
                echo "built peer_nvshmem"
        else
            shift
            program apps_nvshmem rdc "$@"
        fi
        ;;
    esac
}

for program in $wanted; do
    build "$program"
done
