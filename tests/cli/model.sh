# Predictions of the model, from machine files only: the order, the terms, the marks of
# estimated keys, and the figures of the paper.
. "$(dirname "$0")/cli_lib.sh"
corpus=$(dirname "$0")/../ptx/corpus
fails 0 proact model --help
fails 0 proact model predict --help
fails 0 proact model predict --machine h200x4 --bytes 16M --ratio 1 --json h200.json
"$JSON_CHECK" h200.json 2>/dev/null | head -1
grep -c '"method"' h200.json
fails 0 proact model predict --machine k40x4 --bytes 4M --ratio 0.5 --pattern one-to-all >k40
head -8 k40
tail -2 k40
fails 0 proact model predict --machine v100x4 -n 2 --bytes 64K --kernel-us 20 --run 4 | head -6
# Sizes with too many chunks are left out.
fails 0 proact model predict --bytes 1024G --json - 2>/dev/null | grep -c '"chunk_bytes"'
jacobi="$corpus/stencil.sm_90.ptx --kernel jacobi --grid 32,32 --block 16,16 --arg 2=512 --arg 3=512"
proact model predict --machine v100x4 $jacobi --kernel-us 100 | head -8
# The kernel's time is that of an execution with zeros, and the same each time.
proact model predict --machine v100x4 $jacobi --array 0=1M --array 1=1M | sed -n 2p >one
proact model predict --machine v100x4 $jacobi --array 0=1M --array 1=1M | sed -n 2p | cmp - one
sed 's/[0-9.]* us/T us/g' one
proact model predict "$corpus/histogram.sm_90.ptx" --kernel hist --grid 2 --block 64 \
    --arg 2=512 --kernel-us 50
fails 0 proact model advise --machine h200x4
fails 0 proact model advise --machine k40x4 -n 2 --bytes 256K | sed -n '1,8p'
fails 0 proact model paper
