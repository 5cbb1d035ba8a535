#!/bin/sh
# Usage: capability.sh PTX_TESTS. Compares the lowest capability of each form of PTX with the
# targets that ptxas requires for it. ptxas names them in its errors for a low target. Forms
# of which it names none, or which end with an architecture, are not compared; nor are those
# that capability.def leaves out: memory orders and scopes, special registers, and what
# depends on the operands.
set -u
command -v ptxas >/dev/null || { echo "there is no ptxas"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" capability print >"$scratch/forms" || exit 1
cat >"$scratch/forms.ptx" <<'END'
.version 9.0
.target sm_20
.address_size 64
.const .u32 k[8];
.func nothing() { ret; }
.visible .entry kernel(.param .align 16 .b8 out[64])
{
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>;
.reg .f32 %f<40>; .reg .f64 %d<20>; .reg .b128 %q<9>; .shared .align 16 .b8 s[64];
.shared .align 8 .b64 m; .local .align 16 .b8 l[64]; targets: .branchtargets DONE;
END
head=$(wc -l <"$scratch/forms.ptx")
cut -f2 "$scratch/forms" | sed 's/$/;/' >>"$scratch/forms.ptx"
echo 'DONE: ret; }' >>"$scratch/forms.ptx"
# A newer ptxas may know no target as low as this one.
ptxas -arch=sm_75 "$scratch/forms.ptx" -o /dev/null >"$scratch/errors" 2>&1
grep -q 'requires .target sm_' "$scratch/errors" || { cat "$scratch/errors"; exit 77; }
awk -F '\t' -v head="$head" '
FILENAME ~ /errors$/ {
    if (!match($0, /line [0-9]+/)) next
    line = substr($0, RSTART + 5, RLENGTH - 5) - head
    if ($0 ~ /not supported/) unknown[line] = 1
    if (match($0, /requires \.target sm_[0-9]+/)) {
        least = substr($0, RSTART + 20, RLENGTH - 20) + 0
        if (least > needs[line]) needs[line] = least
    }
    next
}
unknown[FNR] { next }
$1 > needs[FNR] + 0 { print $2 ": capability " $1 ", ptxas requires " needs[FNR] + 0; wrong = 1 }
needs[FNR] <= 35 { next } # every device has it
$2 ~ /\.(weak|relaxed|acquire|release|acq_rel|sc)\.|^fence|%(pm0_64|current_graph|cluster|aggr|reserved)/ { next }
$2 ~ /^(min|max).*, %f[0-9]*, %f[0-9]*, |^t(ex|ld4).*\|%p|\.tensormap|\.cp_mask|param::entry|^mbarrier.arrive.*, 2$/ { next }
$1 < needs[FNR] { print $2 ": capability " $1 ", ptxas requires " needs[FNR]; wrong = 1 }
END { exit wrong }' "$scratch/errors" "$scratch/forms"
