#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/programs/whole.sh: its four programs have equal outputs on one device and split over
# two, and their kernels are split. It reports another output and a failed run. With nvcc's
# builds it finds the steps. Usage: whole.sh PROACTCC SOURCE
# shellcheck disable=SC2015,SC2016 # no branches; variables of the stand-ins
set -u
proactcc=$1 source=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
code=0
fail() { # MESSAGE FILE
    echo "$1:"
    cat "$2"
    code=1
}
program() { # NAME BODY: a program in the folder of EXTRA
    printf '#!/bin/sh\n%s\n' "$2" >"extra/$1"
    chmod +x "extra/$1"
}
whole() { # STATUS [ARGUMENT...]
    want=$1
    shift
    "$source/bench/programs/whole.sh" "$proactcc" programs out.json "$@" >table 2>message
    status=$?
    [ $status = "$want" ] || fail "status $status, expected $want" message
}
export ROUNDS=1 PROACT_DEVICES=2 PROACT_MACHINE=h200x2

whole 0
[ "$(grep -c '"kernel"' out.json)" = 12 ] || fail "12 rows were expected" out.json
"$source/bench/origins.sh" . >message 2>&1 || fail "the result file is incomplete" message
for run in "multigrid 32 1" "functors 24 1" "heat 128 1" "n_body 512 1"; do
    # shellcheck disable=SC2086 # a program and its arguments
    set -- $run
    PROACT_SPLIT=always PROACT_REPORT=1 "programs/$1_proactcc" "$2" "$3" >/dev/null 2>report
    awk '$2 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ && !/add_sums/ { kernels++; if ($3 == 0) bad = 1 }
        END { exit !kernels || bad }' report || fail "$1 has a kernel that is not split" report
    "programs/$1_proactcc" 0 2>message >&2
    [ $? = 2 ] && grep -q '^usage: ' message || fail "$1 accepted a size of 0" message
done

mkdir extra
export EXTRA=extra
echo STEPS | tee extra/changed.args extra/failing.args >extra/sleeping.args
program changed_proactcc 'echo "${PROACT_SPLIT-automatic}"'
program failing_proactcc '[ "${PROACT_SPLIT-}" != always ] || exit 3'
whole 1 2 changed failing missing
for line in "changed: proactcc, forced split has another output" \
    "changed: proactcc has another output" "missing: no such program" \
    "failing: proactcc, forced split ended with status 3"; do
    grep -qx "whole.sh: $line" message || fail "'$line' was expected" message
done

# On this machine two stand-ins take 1 ms a step.
program nvidia-smi 'echo GPU'
for build in nvcc proactcc; do
    program sleeping_$build 'sleep "$(printf "%d.%03d" $(($1 / 1000)) $(($1 % 1000)))"'
done
unset PROACT_MACHINE
PATH=$work/extra:$PATH
export PATH
whole 0 0.5 sleeping
[ "$(grep -c '"kernel": "sleeping, [0-9]* steps"' out.json)" = 4 ] || fail "4 rows were expected" out.json
steps=$(sed -n 's/.*"sleeping, \([0-9]*\) steps".*/\1/p;T;q' out.json)
[ "${steps:-0}" -ge 50 ] && [ "$steps" -le 2000 ] || fail "about 500 steps were expected" out.json
program sleeping_proactcc 'echo more'
whole 1 0.1 sleeping
grep -qx "whole.sh: sleeping: proactcc has another output" message || fail "a difference to nvcc was expected" message
exit $code
