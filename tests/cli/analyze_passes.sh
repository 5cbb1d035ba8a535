# Each pass prints valid PTX. The reader accepts it and prints the same text, except that
# parameters read through a register get a name the first time.
. "$(dirname "$0")/cli_lib.sh"
corpus=$(dirname "$0")/../ptx/corpus
proact analyze "$corpus/stencil.sm_90.ptx" --stop-after parse | cmp - "$corpus/stencil.sm_90.ptx"
for kernel in jacobi stencil3d; do
    for pass in parse slice grid inline count send stage; do
        proact analyze "$corpus/stencil.sm_90.ptx" --kernel $kernel --stop-after $pass >out.ptx
        echo "$kernel $pass: $(grep -c '^.visible .entry' out.ptx) kernels," \
            "$(grep "^.visible .entry $kernel.*(" out.ptx | tr '\n' ' ')"
        proact analyze out.ptx --stop-after parse >named.ptx
        proact analyze named.ptx --stop-after parse | cmp - named.ptx
        sed '/^\tadd.s64 .*;$/d; /^\t$/d; /ld.param/d' out.ptx >out.others
        sed '/^\tadd.s64 .*;$/d; /^\t$/d; /ld.param/d' named.ptx | cmp - out.others
    done
done
proact analyze "$corpus/transpose.sm_90.ptx" --stop-after slice | grep st.global | sed 1q

cp "$corpus/../../instrument/refused.ptx" .
exec 2>&1
fails 1 proact analyze refused.ptx --kernel loaded --stop-after slice
fails 1 proact analyze refused.ptx --kernel async_store --stop-after grid
