# Analysis of launches: pictures of the bytes that their CTAs write, missing values, JSON.
. "$(dirname "$0")/cli_lib.sh"
corpus=$(dirname "$0")/../ptx/corpus
of() {
    name=$1
    shift
    echo "\$ $*"
    proact analyze "$corpus/$name.ptx" --kernel "$@" | sed -n '/^  launch/,$p'
}
of stencil.sm_90 jacobi_clamp --grid 4,4 --block 16,16 --arg 2=64 --arg 3=64
of stencil.sm_90 jacobi --grid 8,8 --block 16,16 --arg 2=128 --arg 3=128 --array 1=64K -n 16
of stencil.sm_90 flat2d --grid 8 --block 32 --arg 2=16 --arg 3=16 -n 2
of vecadd.sm_90 saxpy_gs --grid 2 --block 32 --arg 3=100 --arg 0=1.5
of vecadd.sm_90 vecadd --grid 2 --block 32 --arg 3=-5
of ndarray.sm_100 nd2_cyclic_row --grid 4 --block 32 --arg 0.12=32 --arg 1.8=8 --arg 1.12=32
of relax.sm_90 relax_csr --grid 8 --block 64 --arg 6=512 --devices 8
of histogram.sm_90 hist --grid 2 --block 64 --arg 2=512
of relax.sm_90 relax_edges --grid 8 --block 64 --arg 5=512
of stencil.sm_90 jacobi_plain --grid 80,80 --block 32,32 --arg 2=1000000 --arg 3=16 -n 2 |
    sed '/CTA /q'
proact analyze "$corpus/hard_language.sm_75.ptx" --kernel _Z7productIf | sed 1q >name
# The C++ runtime demangles names; without it the names stay mangled.
if ls /usr/lib/*/libstdc++.so.6 /usr/lib64/libstdc++.so.6 >/dev/null 2>&1; then
    cat name
else
    echo "_Z7productIfEv4viewIT_ES0_IKS1_ES4_m (hard_language.sm_75.ptx:295):" \
        "void product<float>(view<float>, view<float const>, view<float const>, unsigned long)"
fi
proact analyze "$(dirname "$0")/analyze.ptx" --kernel pairs --grid 12 --block 1
# Constants whose content the file does not contain.
shaped() {
    proact analyze "$(dirname "$0")/analyze.ptx" --kernel shaped --grid 8 --block 32 "$@"
}
shaped --constant shape=20 --constant shape.4=6 --constant shape.8=24 --json shaped.json
sed -n 's/^ *\("constants".*\)/\1/p' shaped.json
proact analyze "$(dirname "$0")/analyze.ptx" --kernel chooses --grid 4,3 --block 1 -n 3 |
    sed -n "/reads/p"
# An analysis that would take too long is skipped with a message.
of vecadd.sm_90 vecadd --grid 2000000000 --block 32 --arg 3=100 --json large.json
sed -n 's/.*\("map_reason": [^}]*\).*/\1/p' large.json
proact analyze "$(dirname "$0")/analyze.ptx" --kernel products --grid 4194304 --block 256
# A declared shape has priority; the table and the JSON report it.
shape() {
    echo "\$ $*"
    proact analyze "$corpus/stencil.sm_90.ptx" --kernel jacobi_plain --grid 20,50 --block 32,8 \
        --arg 2=600 --arg 3=400 "$@" | sed '/can be split/,$d'
}
shape --shape 1=600x400 --shape 0=600x40x10 --json shape.json
sed -n 's/.*\("shape": [^]]*]\).*/\1/p' shape.json
shape --shape 1=240000
for kernel in sets_a_flag sees_its_flag sets_two_values overwrites_its_flag joins_a_flag \
    sees_what_it_joins joins_and_adds adds_to_what_it_reads \
    sets_an_address; do
    proact analyze "$(dirname "$0")/analyze.ptx" --kernel $kernel --grid 4 --block 1 |
        sed -n "/flag/p; /idempotent\|same value/p; /update/p; /reduction/p; /can be split over/p; /cannot be/p"
done
for kernel in scatters scatters_and_reads; do
    proact analyze "$(dirname "$0")/analyze.ptx" --kernel $kernel --grid 4 --block 1 \
        --json scatters.json | sed -n "/indirect store/p; /can be split over/p; /cannot be/p"
    sed -n '/"indirect_stores"/p' scatters.json
done

for option in '' --reassociate; do
    proact analyze "$(dirname "$0")/analyze.ptx" --kernel adds_floats --grid 4 --block 1 $option |
        sed -n "/reduction/p; /can be split over/p; /cannot be/,\$p"
done

exec 2>&1
analyze() {
    expected=$1 name=$2
    shift 2
    echo "\$ $*"
    proact analyze "$corpus/$name.ptx" --kernel "$@"
    status=$?
    [ $status = "$expected" ] || echo "exit status $status, expected $expected"
}
analyze 2 stencil.sm_90 jacobi --grid 8,8 --block 16,16 --arg 3=5
analyze 2 ndarray.sm_100 nd2_cyclic_row --grid 2 --block 32
analyze 2 stencil.sm_90 jacobi --grid 1 --block 64,32 --arg 2=1 --arg 3=1
analyze 1 vecadd.sm_90 vecadd --grid 2 --block 32 --arg 3=64 --array 2=128
analyze 2 vecadd.sm_90 vecadd --grid 2 --block 32 --arg 2=64
analyze 2 vecadd.sm_90 vecadd --grid 2 --block 32 --arg 4=64
analyze 2 vecadd.sm_90 vecadd --grid 2 --block 32 --arg 3.4=64
analyze 2 vecadd.sm_90 vecadd --grid 2 --block 32 --arg 3=4294967296
analyze 2 vecadd.sm_90 vecadd --grid 2 --block 32 --array 3=64
analyze 2 ndarray.sm_100 nd2_cyclic_row --grid 2 --block 32 --arg 0.8=1
for constant in nothing=1 shape.12=1 shape.4=x shape.4=4294967296; do
    shaped --constant shape=20 --constant shape.4=6 --constant $constant && echo "not refused"
done
shaped --constant shape
shaped --constant shape.4=6

proact analyze "$corpus/stencil.sm_90.ptx" --kernel flat2d --grid 2 --block 32 --arg 2=8 --arg 3=8 \
    --json flat2d.json >/dev/null
sed '/"command"/d; /"file"/d; /"proact"/d' flat2d.json
proact analyze "$corpus/relax.sm_90.ptx" --json relax.json >/dev/null
"$JSON_CHECK" flat2d.json relax.json
# Read sets in JSON: bytes of each device, all bytes with the reason, or the missing number.
reads() {
    name=$1
    shift
    proact analyze "$corpus/$name.ptx" --json read.json --kernel "$@" >/dev/null
    sed -n 's/^        \("read.*\)/\1/p' read.json
}
reads relax.sm_90 relax_csr --grid 8 --block 64 --arg 6=512
reads stencil.sm_90 jacobi --grid 8,8 --block 16,16 --arg 2=128 --arg 3=128 -n 5
reads matmul.sm_90 sgemm_naive --grid 2,2 --block 16,16 --arg 3=32 --arg 4=32

# The output equals the one that the page shows.
cp "$corpus/stencil.sm_90.ptx" stencil.ptx
page=$(dirname "$0")/../../docs/proactcc.md
sh -c "$(sed -n 's/^    \(proact analyze stencil.*\)/\1/p' "$page")" >output
sed -n '/^jacobi (stencil/,/^```/p' "$page" | sed '$d' | diff - output
jacobi() {
    analyze 2 stencil.sm_90 jacobi_plain --grid 20,50 --block 32,8 "$@"
}
for shape in 0=600x400x1x1 0=600x 0=0x400 x=600x400 0=4294967296 2=600x400 9=600x400; do
    jacobi --arg 2=600 --arg 3=400 --shape $shape
done
jacobi --arg 2=600 --arg 3=400 --array 1=1M --shape 1=600x4000
jacobi --arg 2=600 --arg 3=400 --shape 1=600x400 --shape 1=400x600
analyze 2 reduce.sm_90 reduce --grid 2 --block 32 --shape 0=4x4
