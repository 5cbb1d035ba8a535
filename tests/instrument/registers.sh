#!/bin/sh
# ptxas accepts every kernel version of every sample, and the versions need few more
# registers than the kernel. A version needs at most MORE registers more, or as many of its
# CTAs are resident on an SM as of the kernel's, at any CTA size. Registers are allocated in
# units of eight, 65536 of them in an SM. An SM has room for 32 (sm_75) or 64 warps, and for
# 16 or 32 CTAs.
# Usage: registers.sh TEST PTXAS FOLDER [MORE [TEXTS]]   TEXTS: a pattern, for TEST
test=$1 ptxas=$2 folder=$3 more=${4:-8} texts=${5-}
mkdir -p "$folder" && rm -f "$folder"/*.ptx
# shellcheck disable=SC2086 # a program and the name of its test file
$test "$folder" "$texts" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
for text in "$folder"/*.ptx; do
    target=$(sed -n 's/^\.target sm_\([0-9]*\).*/\1/p' "$text")
    for sm in 75 80 90 100; do
        [ "$sm" -ge "$target" ] || continue
        "$ptxas" -v -arch=sm_$sm "$text" -o "$folder/out" 2>"$folder/output" ||
            { echo "$text: ptxas refuses it for sm_$sm"; grep -v info "$folder/output"; exit 1; }
        sed "s|^|$(basename "$text" .ptx) sm_$sm |" "$folder/output"
    done
done | tee "$folder/all" | awk -v more="$more" '
    function resident(registers, warps, sm,    by_registers, by_warps, most) {
        by_registers = int(int(65536 / (int((registers + 7) / 8) * 256)) / warps)
        by_warps = int((sm == "sm_75" ? 32 : 64) / warps)
        most = sm == "sm_75" ? 16 : 32
        most = by_warps < most ? by_warps : most
        return by_registers < most ? by_registers : most
    }
    function costs_residency(clone, kernel, sm,    warps) {
        for (warps = 1; warps <= 32; warps++)
            if (resident(clone, warps, sm) < resident(kernel, warps, sm)) return 1
        return 0
    }
    /refuses it/ { print; bad = 1 }
    /Compiling entry function/ { split($0, q, "\047"); name = q[2] }
    /Used [0-9]* registers/ {
        match($0, /Used [0-9]*/); n = substr($0, RSTART + 5, RLENGTH - 5)
        kind = "original"; plain = name
        if (i = index(name, "__proact_")) { kind = substr(name, i + 9); plain = substr(name, 1, i - 1) }
        used[$1 " " $2 " " plain, kind] = n; row[$1 " " $2 " " plain]
    }
    END {
        split("grid inline count send stage", kinds, " ")
        for (r in row) for (k in kinds) if ((r, kinds[k]) in used) {
            grows = used[r, kinds[k]] - used[r, "original"]; seen++
            if (grows > most[kinds[k]]) most[kinds[k]] = grows
            each[kinds[k]]++
            over[kinds[k]] += grows > more
            split(r, word, " ")
            if (!costs_residency(used[r, kinds[k]], used[r, "original"], word[2])) continue
            fewer++
            if (grows > more) { print r ": " kinds[k] " needs " used[r, kinds[k]] " registers, the kernel " used[r, "original"]; bad = 1 }
        }
        print seen " clones; most registers more: grid " most["grid"] ", inline " most["inline"] ", count " most["count"] ", send " most["send"] ", stage " most["stage"]
        for (k = 1; k <= 5; k++)
            print kinds[k] ": " over[kinds[k]] + 0 " of " each[kinds[k]] + 0 " need over " more " more"
        print fewer + 0 " of them have fewer CTAs of some size on an SM, for " more " registers more at most"
        exit bad || seen < 1
    }'
