# Wrong command lines, wrong files and nvcc: one message each.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
cp "$(dirname "$0")/../ptx/corpus/vecadd.sm_90.ptx" v.ptx
fails 2 proact analyze
fails 2 proact analyze a.ptx b.ptx
fails 2 proact analyze v.ptx --frobnicate
fails 2 proact analyze v.ptx --kernel frobnicate
fails 2 proact analyze v.ptx --kernel vec
fails 2 proact analyze v.ptx --grid 4 --block 4
fails 2 proact analyze v.ptx --kernel vecadd --grid 4
fails 2 proact analyze v.ptx --kernel vecadd --block 4
fails 2 proact analyze v.ptx --kernel vecadd --grid 4x4 --block 4
fails 2 proact analyze v.ptx --kernel vecadd --grid 0 --block 4
fails 2 proact analyze v.ptx --kernel vecadd --grid 1,2,3,4 --block 4
fails 2 proact analyze v.ptx --kernel vecadd --grid 1, --block 4
fails 2 proact analyze v.ptx --kernel vecadd --grid 1,70000 --block 4
fails 2 proact analyze v.ptx --kernel vecadd --grid 1,1,65536 --block 4
fails 2 proact analyze v.ptx --kernel vecadd --grid 1 --block 1,1,65
fails 2 proact analyze v.ptx --arg 3=4
fails 2 proact analyze v.ptx --devices 4
fails 2 proact analyze v.ptx --constant width=4
fails 2 proact analyze v.ptx --shape 2=4x4
fails 2 proact analyze v.ptx --kernel vecadd --grid 4 --block 4 --arg 3
fails 2 proact analyze v.ptx --kernel vecadd --grid 4 --block 4 --arg n=3
fails 2 proact analyze v.ptx --kernel vecadd --grid 4 --block 4 --arg 3=four
fails 2 proact analyze v.ptx --kernel vecadd --grid 4 --block 4 --array 2=4Q
fails 2 proact analyze v.ptx --kernel vecadd --grid 4 --block 4 --devices 17
fails 2 proact analyze v.ptx --stop-after frobnicate
fails 2 proact analyze v.ptx --stop-after slice
fails 2 proact analyze v.ptx --stop-after slice --json j
fails 1 proact analyze none.ptx
fails 1 proact analyze none.cu
printf 'not PTX\n' >text.ptx
fails 1 proact analyze text.ptx
printf '.version 9.0\n.target sm_90\n.address_size 64\n' >empty.ptx
fails 1 proact analyze empty.ptx
fails 1 proact analyze v.ptx --json no/where.json | tail -1

# A script replaces nvcc and copies PTX to the requested file. The file is removed
# afterwards.
printf '#!/bin/sh\necho "nvcc $1 $2 $3"\ncp v.ptx "$5"\n' >nvcc
chmod +x nvcc
mkdir scratch
printf '\n' >k.cu
TMPDIR=$PWD/scratch
export TMPDIR
PROACT_NVCC=$PWD/nvcc fails 0 proact analyze k.cu --kernel coarsen
PATH=$PWD:$PATH fails 0 proact analyze k.cu --kernel vecadd64
PROACT_NVCC=/no/nvcc fails 1 proact analyze k.cu
PROACT_NVCC=false fails 1 proact analyze k.cu
# Calls are inlined in the kernels of a program, but not in those of a session.
cp "$(dirname "$0")/calls.ptx" v.ptx
PROACT_NVCC=$PWD/nvcc fails 0 proact analyze k.cu
fails 0 proact analyze v.ptx
ls scratch
