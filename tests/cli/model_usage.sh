# Wrong command lines of `proact model`: one message on stderr, exit status 2.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
vecadd="$(dirname "$0")/../ptx/corpus/vecadd.sm_90.ptx"
cd "$(dirname "$0")" || exit
fails 2 proact model
fails 2 proact model guess
fails 2 proact model paper now
fails 2 proact model advise --ratio 1
fails 2 proact model advise file.ptx
fails 2 proact model predict
fails 2 proact model predict --bytes 0
fails 2 proact model predict --bytes 64Q
fails 2 proact model predict --bytes -1
fails 2 proact model predict --bytes 99999999999999999999
fails 2 proact model predict --bytes 3
fails 2 proact model predict --bytes 4M --ratio 0
fails 2 proact model predict --bytes 4M --ratio nan
fails 2 proact model predict --bytes 4M --ratio 1 --kernel-us 5
fails 2 proact model predict --bytes 4M --pattern ring
fails 2 proact model predict --bytes 4M --devices 1
fails 2 proact model predict --bytes 4M --devices 5
fails 2 proact model predict --bytes 4M --grid 4
fails 2 proact model predict --bytes 4M --machine cray1 2>&1 |
    sed 's/there are .*, or/there are ..., or/'
fails 2 proact model predict analyze.ptx
fails 2 proact model predict analyze.ptx --bytes 4M
fails 2 proact model predict analyze.ptx other.ptx
fails 1 proact model predict missing.ptx --grid 1 --block 1
fails 2 proact model predict analyze.ptx --kernel nothing --grid 1 --block 1
fails 2 proact model predict analyze.ptx --kernel pairs --grid 0 --block 1
cd .. || exit
fails 2 proact model predict ptx/corpus/vecadd.sm_90.ptx --kernel vecadd --grid 64 --block 256 \
    --arg 3=1024
fails 2 proact model predict ptx/corpus/vecadd.sm_90.ptx --kernel vecadd --grid 64 --block 256 \
    --array 0=64K --array 1=64K --array 2=64K
