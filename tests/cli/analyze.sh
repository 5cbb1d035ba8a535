# Analysis of single kernels. tests/ptx/corpus contains the PTX that nvcc makes of
# tests/samples.
. "$(dirname "$0")/cli_lib.sh"
corpus=$(dirname "$0")/../ptx/corpus
refused=$(dirname "$0")/../instrument/refused.ptx

proact analyze "$corpus/stencil.sm_90.ptx"
proact analyze "$corpus/matmul.sm_90.ptx" --kernel sgemm_naive
proact analyze "$corpus/histogram.sm_90.ptx"
proact analyze "$corpus/relax.sm_90.ptx"
proact analyze "$corpus/ndarray.sm_100.ptx" --kernel nd_stencil3d
# Each refusal has an advice.
proact analyze "$refused" | grep -A 1 -e 'cannot be split' -e 'no kernel version' | grep -v '^--'
# The advice depends on the kernel's code, not on the names of the kernel, file and
# functions.
advice() {
    proact analyze "$1" | grep '^ *advice: '
}
advice "$refused" >plain
output='calls_bulk_atomic_group_sums_cluster_variable'
sed -E "s/\.entry ([a-z_]+)\(/.entry \1_$output(/; s/\b(writer|asks|ends|through|again)\b/\1_$output/" \
    "$refused" >"it's a bulk atomic, calls variable.ptx"
advice ./it*.ptx | diff plain -
for kernel in mathematics grid_barrier calls_by_pointer; do
    proact analyze "$corpus/hard_language.sm_100.ptx" --kernel $kernel | tail -2
done
proact analyze "$(dirname "$0")/analyze.ptx"
# Variables that kernels write are listed as arrays.
proact analyze "$(dirname "$0")/variables.ptx"
proact analyze "$(dirname "$0")/variables.ptx" --grid 6 --block 1 -n 3 --json j.json | sed 1,/launch:/d
grep -A 3 '"written"' j.json
