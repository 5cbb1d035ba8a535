#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Takes each step of the protocol out of the source, one at a time, rebuilds what depends on
# it, and writes down which case notices. A step is the statement, up to the first line that
# ends in `;`, behind a comment `protocol: NAME`; where the comment says `(else: S)`, the
# statement S takes its place. Fails if a step is not noticed, or if the whole source is.
# Usage: mutate.sh ROOT SCRATCH [NAME...]; writes ROOT/docs/protocol-steps.md unless NAMEs
# are given. SCRATCH is kept: the next run rebuilds only what has changed.
set -u
root=$(cd "$1" && pwd)
mkdir -p "$2"
scratch=$(cd "$2" && pwd)
shift 2
tree=$scratch/tree
table=$scratch/table.md

files() {
    cd "$root" && git ls-files include/proact/device_primitives.h include/proact/device_epilogue.h \
        include/proact/device_bulk.h \
        kernels/agent.cu kernels/child.cu 'src/runtime/*.c' \
        'src/transfer/*.c' src/device/emulator/kernel/unit.c src/device/cuda/cuda_guest.c
}

marks() { # FILE NAME LINE, in the order of the files
    files | (cd "$root" && xargs grep -n '^ */\* protocol: [a-z-]*\( (else: .*)\)* \*/$') |
        sed 's|^\([^:]*\):\([0-9]*\):.*protocol: \([a-z-]*\).*|\1 \3 \2|'
}

# A mark that is not alone on its line would be passed over.
said=$(files | (cd "$root" && xargs grep '/\* protocol: ') | wc -l)
[ "$(marks | wc -l)" -eq "$said" ] || { echo "a mark is not alone on its line" && exit 2; }

take_out() { # FILE LINE: the file without the step that is marked there
    awk -v mark="$2" '
        NR == mark {
            other = "(void)0;"
            if (match($0, /\(else: .*\) \*\//))
                other = substr($0, RSTART + 7, RLENGTH - 11)
            print other
            skipping = 1
            next
        }
        skipping { if (/;$/) skipping = 0; next }
        { print }' "$root/$1"
}

methods_of() {
    case $1:$2 in
    *:agent-*) echo polling ;;
    *:bulk-landed) echo "fused, polling" ;;
    *:bulk-*) echo inline ;;
    *:copy-*) echo copy-engine ;;
    *:relay-*) echo relay ;;
    *:counter-rewind | *:tell | *:tables-*) echo polling ;;
    *:rewind-*) echo copy-engine ;;
    *:counter-restart*) echo polling ;;
    *:child-*) echo dynamic ;;
    *:verdict-*) echo fused ;;
    *:count | *:last-fence) echo fused ;;
    include/*:*) echo "fused, polling" ;;
    */unit.c:*) echo hardware ;;
    *:side-*) echo bulk ;;
    *:whole-*) echo "unmarked kernels" ;;
    *:guest*) echo guests ;;
    *:parts-*) echo distributed ;;
    *:texels-*) echo textures ;;
    *:streams-* | *:moment-*) echo streams ;;
    *) echo all ;;
    esac
}

run_cases() { # [METHOD]
    cmake --build "$scratch/build" -j2 --target protocol_cases >"$scratch/log" 2>&1 ||
        { echo "does not build" && return 2; }
    timeout 900 "$scratch/build/tests/protocol_cases" 2 "$@" >"$scratch/said" 2>&1
    code=$?
    sed 's/0x[0-9a-f]*/an address/' "$scratch/said"
    return $code
}

# No emulated machine has guests: what holds them are promises of the device contract on the
# driver without a GPU, and the runtime's own test of them.
run_guests() {
    cmake --build "$scratch/build" -j2 --target guest_test contract_test fake_cuda_fake \
        >"$scratch/log" 2>&1 || { echo "does not build" && return 2; }
    tests=$scratch/build/tests
    for held in "guest_test" "contract_test cuda guests"; do
        (cd "$tests" && LD_LIBRARY_PATH=$tests/driver_fake timeout 900 ./$held) \
            >"$scratch/said" 2>&1 && continue
        code=$?
        [ $code -ge 124 ] || code=1 # it is how many failed
        sed -n 's/.*\[  FAILED  \] //p' "$scratch/said" | head -1 |
            sed "s/.*/guests | & | fails in ${held%% *}/"
        return $code
    done
}

# Some have a test of their own, which runs under the same checks.
run_own() { # METHODS TEST
    cmake --build "$scratch/build" -j2 --target "$2" >"$scratch/log" 2>&1 ||
        { echo "does not build" && return 2; }
    (cd "$scratch/build/tests" && timeout 900 ./"$2") >"$scratch/said" 2>&1
    code=$?
    [ $code -eq 0 ] && return 0
    [ $code -ge 124 ] || code=1
    failed=$(sed -n 's/.*\[  FAILED  \] \([a-z_]*\)$/\1/p' "$scratch/said" | head -1)
    race=$(grep -m1 race "$scratch/said" | sed 's/^ERROR: //; s/0x[0-9a-f]*/an address/')
    echo "$1 | $failed | ${race:-fails in $2}"
    return $code
}

mkdir -p "$tree"
(cd "$root" && git ls-files -z | xargs -0 tar -cf - --exclude=data) | (cd "$tree" && tar -xf - --skip-old-files)
(cd "$root" && git ls-files) | while read -r file; do
    [ ! -f "$tree/$file" ] || cmp -s "$root/$file" "$tree/$file" || cp "$root/$file" "$tree/$file"
done
cmake -S "$tree" -B "$scratch/build" -G Ninja -DCMAKE_C_FLAGS=-w >"$scratch/log" 2>&1 || exit 2
said=$(run_cases) && said=$(run_guests) &&
    said=$(run_own distributed distributed_order_test) && said=$(run_own streams program_streams_test) &&
    said=$(run_own textures launch_textures_test) || { echo "nothing taken out: $said" && tail -5 "$scratch/log" && exit 1; }

cat >"$table" <<'END'
# What notices a missing step

Written by `tests/protocol/mutate.sh`, which takes each step out of the source in turn
([how](protocol.md#how-it-is-tested)). The first case of `tests/protocol/protocol_cases.c` that
fails is named, with what it says.

| step | file | methods | caught under | case | what it says |
|---|---|---|---|---|---|
END
marks | (
    missed=0
    while read -r file name line; do
        [ $# -gt 0 ] && case " $* " in *" $name "*) ;; *) continue ;; esac
        take_out "$file" "$line" >"$tree/$file"
        methods=$(methods_of "$file" "$name")
        case $methods in
        inline | fused | polling | dynamic | copy-engine | relay | hardware | bulk) said=$(run_cases "$methods") ;;
        guests) said=$(run_guests) ;;
        distributed) said=$(run_own distributed distributed_order_test) ;;
        streams) said=$(run_own streams program_streams_test) ;;
        textures) said=$(run_own textures launch_textures_test) ;;
        *fused*) said=$(run_cases polling) && said=$(run_cases fused) ;;
        *) said=$(run_cases) ;;
        esac
        code=$?
        cp "$root/$file" "$tree/$file"
        [ $code -eq 124 ] && said="- | - | does not end"
        [ $code -ge 128 ] && said="- | - | ends by signal $((code - 128))"
        if [ $code -eq 0 ] || [ $code -eq 2 ]; then
            missed=$((missed + 1))
            said="NOT CAUGHT | | $said"
        fi
        echo "$name: $(echo "$said" | tail -1)"
        echo "| \`$name\` | $file | $methods | $(echo "$said" | tail -1) |" >>"$table"
    done
    echo "$missed steps not caught"
    [ $missed -eq 0 ]
)
result=$?
[ $# -gt 0 ] || [ $result -ne 0 ] || cp "$table" "$root/docs/protocol-steps.md"
exit $result
