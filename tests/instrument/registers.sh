#!/bin/sh
# ptxas takes every clone of every sample; how many registers each needs beside its kernel.
# A clone may need MORE registers more at most, or what costs no residency: 64 on sm_75, else
# 32. ptxas schedules LAX clones so differently that they need more nevertheless.
# Usage: registers.sh TEST PTXAS FOLDER [MORE [LAX]]
test=$1 ptxas=$2 folder=$3 more=${4:-8} lax=${5:-1}
mkdir -p "$folder" && rm -f "$folder"/*.ptx
"$test" "$folder" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
for text in "$folder"/*.ptx; do
    target=$(sed -n 's/^\.target sm_\([0-9]*\).*/\1/p' "$text")
    for sm in 75 80 90 100; do
        [ "$sm" -ge "$target" ] || continue
        "$ptxas" -v -arch=sm_$sm "$text" -o "$folder/out" 2>"$folder/said" ||
            { echo "$text: ptxas refuses it for sm_$sm"; grep -v info "$folder/said"; exit 1; }
        sed "s|^|$(basename "$text" .ptx) sm_$sm |" "$folder/said"
    done
done | tee "$folder/all" | awk -v more="$more" -v lax="$lax" '
    /refuses it/ { print; bad = 1 }
    /Compiling entry function/ { split($0, q, "\047"); name = q[2] }
    /Used [0-9]* registers/ {
        match($0, /Used [0-9]*/); n = substr($0, RSTART + 5, RLENGTH - 5)
        kind = "original"; plain = name
        if (i = index(name, "__proact_")) { kind = substr(name, i + 9); plain = substr(name, 1, i - 1) }
        used[$1 " " $2 " " plain, kind] = n; row[$1 " " $2 " " plain]
    }
    END {
        split("grid inline count send", kinds, " ")
        for (r in row) for (k in kinds) if ((r, kinds[k]) in used) {
            grows = used[r, kinds[k]] - used[r, "original"]; seen++
            if (grows > most[kinds[k]]) most[kinds[k]] = grows
            split(r, word, " ")
            if (grows > more && used[r, kinds[k]] > (word[2] == "sm_75" ? 64 : 32)) { print r ": " kinds[k] " needs " used[r, kinds[k]] " registers, the kernel " used[r, "original"]; wide++ }
        }
        print seen " clones; most registers more: grid " most["grid"] ", inline " most["inline"] ", count " most["count"] ", send " most["send"]
        exit bad || wide > lax || seen < 1
    }'
