# PTX inside programs, and on stdin. Each report equals that of the PTX itself.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
cp "$(dirname "$0")/../ptx/corpus/vecadd.sm_90.ptx" v.ptx
cp "$(dirname "$0")/../ptx/corpus/histogram.sm_90.ptx" w.ptx
size() { wc -c <"$1" | tr -d ' '; }
# Little-endian number $1 of $2 bytes.
le() {
    number=$1
    for _ in $(seq "$2"); do
        # shellcheck disable=SC2059 # the format is the byte
        printf "\\$(printf %o $((number & 255)))"
        number=$((number >> 8))
    done
}
# Entry of kind $1 for sm_$2 with flags $3: file $4 unpacks to $5 bytes.
entry() {
    bytes=$(size "$4")
    le "$1" 2 && le 257 2 && le 64 4 && le "$bytes" 8
    le $(($3 ? bytes : 0)) 4 && le 64 4 && le 589824 4 && le "$2" 4 && le 0 8
    le "$3" 8 && le 0 8 && le "$5" 8
    cat "$4"
}
# Container with the entries of file $1.
container() {
    le $((0xba55ed50)) 4 && le 1 2 && le 16 2 && le "$(size "$1")" 8
    cat "$1"
}
printf '\177ELF an executable with \120\355\125\272 by chance ' >head
printf 'machine code' >code
proact analyze v.ptx >expected

proact analyze - <v.ptx | sed 's/(stdin:/(v.ptx:/' | cmp - expected

# Machine code, an older PTX, and the PTX for sm_90; one for sm_100 is not preferred.
{ entry 2 90 0 code 0; entry 1 70 0 w.ptx 0; entry 1 90 0 v.ptx 0; entry 1 100 0 w.ptx 0; } >entries
{ cat head; container entries; echo the end; } >v
proact analyze v | cmp - expected
proact analyze - <v | sed 's/(stdin.ptx:/(v.ptx:/' | cmp - expected
{ printf '!<arch>\n'; container entries; } >v.a
proact analyze v.a | sed 's/(v.a.ptx:/(v.ptx:/' | cmp - expected
container entries >v.fatbin
proact analyze v.fatbin | sed 's/(v.fatbin.ptx:/(v.ptx:/' | cmp - expected

# LZ4: 65 line ends as a literal and a match, then literals.
{ printf '\n' && cat v.ptx; } >padded
rest=$(($(size padded) - 15))
{
    printf '\037\n\001\000\055\360'
    while [ $rest -ge 255 ]; do printf '\377' && rest=$((rest - 255)); done
    le $rest 1
    cat padded
} >packed
for _ in $(seq 65); do echo; done >plain
cat padded >>plain
entry 1 90 $((0x2011)) packed "$(size plain)" >entries
{ cat head; container entries; } >plain_of
proact analyze plain >expected_padded
proact analyze plain_of | sed 's/(plain_of.ptx:/(plain:/' | cmp - expected_padded
entry 1 90 $((0x2011)) packed 77 >entries
{ cat head; container entries; } >damaged
fails 1 proact analyze damaged

# Zstandard: one block as it is.
if ls /usr/lib/*/libzstd.so.1 /usr/lib64/libzstd.so.1 2>/dev/null | grep -q .; then
    n=$(size v.ptx)
    { printf '\050\265\057\375\240' && le "$n" 4 && le $((n * 8 + 1)) 3 && cat v.ptx; } >packed
    entry 1 90 $((0x8011)) packed "$n" >entries
    { cat head; container entries; } >v
    proact analyze v | cmp - expected
fi

# nvcc's own kernels for kernels that launch kernels are not listed.
sed 's/entry vecadd(/entry __nv_static_52__1_cuda_device_runtime_cu_2_vecadd(/' v.ptx >own.ptx
entry 1 90 0 own.ptx 0 >entries
container entries >own
proact analyze own | grep -c vecadd
proact analyze own --kernel vecadd4 | grep -c 'vecadd4 ('

# Two translation units: --kernel selects among the kernels of both.
entry 1 90 0 v.ptx 0 >entries
{ cat head; container entries; } >two
entry 1 90 0 w.ptx 0 >entries
container entries >>two
fails 0 proact analyze two | grep -c '\.ptx:'
fails 0 proact analyze two --kernel vecadd | grep -o 'vecadd (.*)'
fails 2 proact analyze two --kernel frobnicate
fails 2 proact analyze two --stop-after parse

# Nothing to read.
entry 2 80 0 code 0 >entries
entry 2 90 0 code 0 >>entries
{ cat head; container entries; } >machine_code
fails 1 proact analyze machine_code
fails 1 proact analyze head
{ printf '\177ELF\002\001\001A' && le 0 8 && le 2 2 && le 190 2; } >v.cubin
fails 1 proact analyze v.cubin
fails 1 proact analyze - </dev/null
