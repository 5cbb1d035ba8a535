#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Mutation test of the protocol. Removes each step from the source in turn, rebuilds what
# depends on it, and records which test fails. A step is the statement, up to the first line
# that ends in `;`, after a comment `protocol: NAME`. If the comment contains `(else: S)`, the
# statement S replaces the step. Fails if a removed step goes undetected, or if a test fails
# on the unchanged source.
# Usage: mutate.sh ROOT SCRATCH [NAME...]; writes ROOT/docs/internals/protocol-steps.md
# unless NAMEs are given. SCRATCH is kept: the next run rebuilds only what has changed.
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
        'src/transfer/*.c' src/device/emulator/kernel/unit.c src/device/cuda/cuda_interop.c
}

marks() { # FILE NAME LINE, in the order of the files
    files | (cd "$root" && xargs grep -n '^ */\* protocol: [a-z-]*\( (else: .*)\)* \*/$') |
        sed 's|^\([^:]*\):\([0-9]*\):.*protocol: \([a-z-]*\).*|\1 \3 \2|'
}

# marks() skips a mark that shares its line with code.
all_marks=$(files | (cd "$root" && xargs grep '/\* protocol: ') | wc -l)
[ "$(marks | wc -l)" -eq "$all_marks" ] || { echo "a mark is not alone on its line" && exit 2; }

remove_step() { # FILE LINE: the file without the step marked on that line
    awk -v mark="$2" '
        NR == mark {
            replacement = "(void)0;"
            if (match($0, /\(else: .*\) \*\//))
                replacement = substr($0, RSTART + 7, RLENGTH - 11)
            print replacement
            skipping = 1
            next
        }
        skipping { if (/;$/) skipping = 0; next }
        { print }' "$root/$1"
}

methods_of() {
    case $1:$2 in
    *:agent-*) echo polling ;;
    *:serial-*) echo bulk-serial ;;
    *:hold-*) echo "agents" ;;
    *:bulk-landed) echo "fused, polling" ;;
    *:bulk-*) echo inline ;;
    *:copy-*) echo copy-engine ;;
    *:relay-*) echo relay ;;
    *:counter-rewind | *:notify | *:tables-*) echo polling ;;
    *:rewind-*) echo copy-engine ;;
    *:counter-restart*) echo polling ;;
    *:child-*) echo dynamic ;;
    *:verdict-*) echo fused ;;
    *:count | *:last-fence) echo fused ;;
    include/*:*) echo "fused, polling" ;;
    */unit.c:*) echo hardware ;;
    *:send-follows) echo bulk ;;
    *:single-device-*) echo "plain kernels" ;;
    *:interop-*) echo interoperation ;;
    *:distributed-*) echo distributed ;;
    *:texture-*) echo textures ;;
    *:streams-* | *:event-wait-stream) echo streams ;;
    *) echo all ;;
    esac
}

run_cases() { # [METHOD]
    cmake --build "$scratch/build" -j2 --target protocol_cases >"$scratch/log" 2>&1 ||
        { echo "does not build" && return 2; }
    timeout 900 "$scratch/build/tests/protocol_cases" 2 "$@" >"$scratch/output" 2>&1
    code=$?
    sed 's/0x[0-9a-f]*/an address/' "$scratch/output"
    return $code
}

# Emulated machines have no external libraries. The contract test on the fake driver and the
# runtime's own test cover interoperation.
run_interop() {
    cmake --build "$scratch/build" -j2 --target runtime_tests device_tests fake_cuda_fake \
        >"$scratch/log" 2>&1 || { echo "does not build" && return 2; }
    tests=$scratch/build/tests
    for test in "runtime_tests interop" "device_tests contract cuda guests"; do
        # shellcheck disable=SC2086 # a program and its arguments
        (cd "$tests" && LD_LIBRARY_PATH=$tests/driver_fake timeout 900 ./$test) \
            >"$scratch/output" 2>&1 && continue
        code=$?
        [ $code -ge 124 ] || code=1 # otherwise the number of failures
        echo "interoperation | \`${test%% *}\` | fails"
        return $code
    done
}

# A feature with its own test program, which runs under the same checks.
run_own() { # METHODS NAME: the file NAME_test.c of tests/runtime
    cmake --build "$scratch/build" -j2 --target runtime_tests >"$scratch/log" 2>&1 ||
        { echo "does not build" && return 2; }
    (cd "$scratch/build/tests" && timeout 900 ./runtime_tests "$2") >"$scratch/output" 2>&1
    code=$?
    [ $code -eq 0 ] && return 0
    [ $code -ge 124 ] || code=1
    race=$(grep -m1 race "$scratch/output" | sed 's/^ERROR: //; s/0x[0-9a-f]*/an address/')
    echo "$1 | \`$2\` | ${race:-fails}"
    return $code
}

mkdir -p "$tree"
(cd "$root" && git ls-files -z | xargs -0 tar -cf - --exclude=data) | (cd "$tree" && tar -xf - --skip-old-files)
(cd "$root" && git ls-files) | while read -r file; do
    [ ! -f "$tree/$file" ] || cmp -s "$root/$file" "$tree/$file" || cp "$root/$file" "$tree/$file"
done
cmake -S "$tree" -B "$scratch/build" -G Ninja -DCMAKE_C_FLAGS=-w >"$scratch/log" 2>&1 || exit 2
report=$(run_cases) && report=$(run_interop) &&
    report=$(run_own distributed distributed_order) && report=$(run_own streams program_streams) &&
    report=$(run_own textures launch_textures) &&
    report=$(run_own bulk-serial bulk_serial) && report=$(run_own polling session) || { echo "unchanged source: $report" && tail -5 "$scratch/log" && exit 1; }

cat >"$table" <<'END'
# Which test catches each missing protocol step

`tests/protocol/mutate.sh` writes this page ([how](protocol.md#how-it-is-tested)). The script
removes each step from the source in turn and records the first failing test: a case of
`tests/protocol/protocol_cases.c`, or another test program. The report is the message of that
test.

| step | file | methods | fails under | test | report |
|---|---|---|---|---|---|
END
marks | (
    missed=0
    while read -r file name line; do
        [ $# -gt 0 ] && case " $* " in *" $name "*) ;; *) continue ;; esac
        remove_step "$file" "$line" >"$tree/$file"
        methods=$(methods_of "$file" "$name")
        case $methods in
        inline | fused | polling | dynamic | copy-engine | relay | hardware | bulk) report=$(run_cases "$methods") ;;
        interoperation) report=$(run_interop) ;;
        distributed) report=$(run_own distributed distributed_order) ;;
        streams) report=$(run_own streams program_streams) ;;
        bulk-serial) report=$(run_own bulk-serial bulk_serial) ;;
        agents) report=$(run_own polling session) ;;
        textures) report=$(run_own textures launch_textures) ;;
        *fused*) report=$(run_cases polling) && report=$(run_cases fused) ;;
        *) report=$(run_cases) ;;
        esac
        code=$?
        cp "$root/$file" "$tree/$file"
        [ $code -eq 124 ] && report="- | - | timeout"
        [ $code -ge 128 ] && report="- | - | signal $((code - 128))"
        if [ $code -eq 0 ] || [ $code -eq 2 ]; then
            missed=$((missed + 1))
            report="NOT CAUGHT | | $report"
        fi
        echo "$name: $(echo "$report" | tail -1)"
        echo "| \`$name\` | $file | $methods | $(echo "$report" | tail -1) |" >>"$table"
    done
    echo "$missed steps not caught"
    [ $missed -eq 0 ]
)
result=$?
[ $# -gt 0 ] || [ $result -ne 0 ] || cp "$table" "$root/docs/internals/protocol-steps.md"
exit $result
