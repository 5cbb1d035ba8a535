#!/bin/sh
# Usage: driver_calls.sh SOURCE LIBRARY INCLUDE DRIVER. The list of driver functions
# contains every function that NVIDIA's library exports (DRIVER may be a stub) and every
# version in its headers. LIBRARY defines every function of the list, with as many
# parameters as in cuda.h.
set -u
tool=$1/tools/proactcc list=$1/tools/proactcc/rt/abi/driver_call.def
library=$2 include=$3 driver=$4
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
fault() { # WORDS <LINES
    sed "s/\$/: $1/" >>"$scratch/faults"
}
same() { # OURS THEIRS WORDS
    comm -3 "$1" "$2" | tr -d '\t' | fault "$3"
}
rows() { # KIND...
    for kind; do
        sed -n "s/^$kind(\([^,)]*\).*/\1/p" "$list"
    done | sort -u
}

rows CALL REFUSED ALIAS >"$scratch/list"
nm -D --defined-only "$driver" | awk '$2 == "T" && $3 ~ /^cu[A-Z]/ { print $3 }' | sort -u >"$scratch/theirs"
same "$scratch/list" "$scratch/theirs" "in our list or in the driver alone"

rows CALL REFUSED >"$scratch/called"
nm -g --defined-only "$library" | sed -n 's/.* T proactrt_\(cu[A-Z].*\)/\1/p' | sort -u >"$scratch/ours"
same "$scratch/called" "$scratch/ours" "in the list or in the library alone"
sed -n 's/^ALIAS([^,]*, \(.*\))/\1/p' "$list" | sort -u | comm -23 - "$scratch/called" | fault "has aliases, and is none of our calls"

# NAME VERSION of every function with that name, in order of versions.
sed -n 's/^[CR][A-Z]*(\([^,]*\), \([^,]*\), \([0-9]*\))/\2 \3/p' "$list" | sort -u >"$scratch/versions"
cat "$include/cudaTypedefs.h" "$include/cudaProfilerTypedefs.h" |
    sed -n 's/.*PFN_\(cu[A-Z][A-Za-z0-9]*\)_v\([0-9]*\))(.*/\1 \2/p' | sort -u >"$scratch/known"
sed -n 's/^ALIAS(\(cu[A-Za-z0-9]*\), \1_v.*/\1/p' "$list" | sort -u >"$scratch/once"
comm -23 "$scratch/versions" "$scratch/known" | fault "no version that NVIDIA's headers know"
comm -13 "$scratch/versions" "$scratch/known" |
    awk 'FILENAME != "-" { once[$1] = 1; next } !once[$1]' "$scratch/once" - | fault "a version that our list lacks"

parameters() { # HEADER OPTION...: a line for each call: its name, how many
    cc -E -P "$@" 2>"$scratch/output" | tr '\n' ' ' | sed 's/__asm__ *("[^)]*")//g; s/__attribute__ *(([^)]*))//g' |
        tr ';' '\n' | awk '
        match($0, /cu[A-Z][A-Za-z0-9_]* *\(/) {
            name = substr($0, RSTART, RLENGTH - 1)
            gsub(/ /, "", name)
            depth = 1
            count = 1
            text = substr($0, RSTART + RLENGTH)
            if (text ~ /^ *(void)? *\)/)
                count = 0
            for (i = 1; i <= length(text) && depth; i++) {
                c = substr(text, i, 1)
                depth += c == "(" ? 1 : c == ")" ? -1 : 0
                if (c == "," && depth == 1)
                    count++
            }
            print name, count
        }' | sort -u
}
parameters "-D__CUDA_API_VERSION_INTERNAL" "$include/cuda.h" >"$scratch/declared"
parameters "-I$1/include" "-I$tool" "$tool/rt/abi/driver_calls.h" >"$scratch/taken"
join "$scratch/declared" "$scratch/taken" >"$scratch/both"
awk '$2 != $3 { print $1 " takes " $2 " parameters, ours " $3 }' "$scratch/both" >>"$scratch/faults"
[ "$(wc -l <"$scratch/both")" -ge 200 ] || echo "parameters of too few calls were compared" >>"$scratch/faults"

cat "$scratch/faults"
echo "$(wc -l <"$scratch/list") names listed, $(rows CALL | wc -l) calls ours, parameters of $(wc -l <"$scratch/both") compared"
[ ! -s "$scratch/faults" ]
