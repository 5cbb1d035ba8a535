#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Regret of the planner: the time of --method auto over that of the best plan of an exhaustive
# search, minus 1. Next to it: always fused, inline, bulk.
# Usage: bench/regret.sh [--quick] [--seconds N] BUILD FILE [MACHINE...]
#   --quick    a fourth of the cases on two machines: two minutes on two cores
#   --seconds  start no case later (default 1800); cases are in the order of importance
#   BUILD      a build folder (build/default), or a folder with its programs at the same paths
#   FILE       receives the cases as JSON
#   MACHINE    default: h200x2 h200x4 v100x4 v100x16; local: the GPUs, with larger inputs
# A search runs each plan once. The selected plan, the best one and the three methods are then
# measured again: three other seeds of an emulated machine; on GPUs 15 interleaved runs of the
# selected and the best plan, and three of the methods. The median ratio of two plans counts; of
# times with two modes (quartiles 20 % apart), the ratio of their upper quartiles. A plan within
# the noise of the best counts as best: 1 %, or half the distance of the quartiles of the ratio.
# Prints a line per case, then median, 90th percentile and worst case of each class. Exit status
# 1: a run failed. 3: the regret of auto exceeds 3 % in the median, 10 % in the 90th percentile
# or 25 % at worst.
set -u
usage() { sed -n '3,18s/^# \{0,1\}//p' "$0"; exit 2; }
quick='' seconds=1800
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=yes ;;
    --seconds) shift; seconds=${1:-} ;;
    *) break ;;
    esac
    shift
done
[ $# -ge 2 ] || usage
build=$(cd "$1" && pwd) || exit 2
case $2 in /*) file=$2 ;; *) file=$PWD/$2 ;; esac
shift 2
machines=${*:-h200x2 h200x4 v100x4 v100x16}
[ -z "$quick" ] || [ $# -gt 0 ] || machines="h200x4 v100x4"
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/inputs.sh
. "$here/inputs.sh"
functions=$(cat "$here/value.awk" "$here/regret.awk") || exit 2
proact=$build/tools/proact/proact
started=$(date +%s) code=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
: >rows

# Class, quick or -, and the words of proact run.
cases() {
    if [ "$machines" = local ]; then
        cat <<END
jacobi quick jacobi --size 4096 --iterations 200 --tolerance 0
pagerank quick pagerank wiki.sg --iterations 50 --tolerance 0
band quick band --rows 8388608 --half-width 13 --iterations 50 --tolerance 0 --type f32
sssp quick sssp flow.sg --weights hash
als quick als ratings.mtx --rank 32 --iterations 3 --tolerance 0 --precision f32 --report 3
gradient quick als ratings.mtx --update gradient --rank 32 --iterations 10 --tolerance 0 --precision f32 --report 10
jacobi - jacobi --size 2048 --iterations 200 --tolerance 0
jacobi - jacobi --size 8192 --iterations 200 --tolerance 0
pagerank - pagerank wiki.sg --iterations 50 --tolerance 0 --type f32
ct - ct --size 256 --views 492 --channels 444 --subsets 12 --slices 4 --iterations 2 --precision f32
jacobi - jacobi --size 1024 --iterations 200 --tolerance 0
jacobi - jacobi --size 4096 --iterations 8 --tolerance 0
sssp - sssp flow.sg --weights hash --form frontier
sgd - als ratings.mtx --update sgd --rank 32 --iterations 3 --tolerance 0 --precision f32 --report 3
pagerank - pagerank wiki.sg --iterations 20 --tolerance 0 --kernel paper
band - band --rows 1048576 --half-width 13 --iterations 50 --tolerance 0
END
    else
        cat <<END
jacobi quick jacobi --size 256 --iterations 24 --tolerance 0
pagerank quick pagerank wiki.sg --iterations 24 --tolerance 0
band quick band --rows 20000 --half-width 13 --iterations 24 --tolerance 0
gradient quick als ratings.mtx --update gradient --rank 16 --iterations 6 --tolerance 0 --precision f32 --report 6
sssp - sssp flow.sg --weights hash
als - als ratings.mtx --rank 16 --iterations 2 --tolerance 0 --precision f32 --report 2
ct - ct --size 48 --views 60 --channels 64 --subsets 4 --iterations 2 --precision f32
jacobi - jacobi --size 512 --iterations 16 --tolerance 0
pagerank - pagerank large.sg --iterations 8 --tolerance 0 --type f32
jacobi - jacobi --size 256 --iterations 6 --tolerance 0
sgd - als ratings.mtx --update sgd --rank 16 --iterations 2 --tolerance 0 --precision f32 --report 2
jacobi - jacobi --size 128 --iterations 24 --tolerance 0
pagerank - pagerank wiki.sg --iterations 6 --tolerance 0 --kernel paper
band - band --rows 5000 --half-width 60 --iterations 16 --tolerance 0 --type f32
sssp - sssp flow.sg --weights hash --form frontier --type f32
jacobi - jacobi --size 768 --iterations 8 --tolerance 0
END
    fi
}

# Inputs, when the first case needs them.
make_inputs() { # WORD...: of a case
    for input in "$@"; do
        [ ! -e "$input" ] || continue
        case $machines/$input in
        # shellcheck disable=SC2046 # words
        local/wiki.sg | local/ratings.mtx) set -- $(input_words "$input" medium) ;;
        local/flow.sg) set -- $(input_words hv15r.sg medium) ;;
        */wiki.sg) set -- wiki --vertices 2000 --seed 7 ;;
        */large.sg) set -- wiki --vertices 16000 --seed 7 ;;
        */flow.sg) set -- hv15r --grid 6x6x8 ;;
        */ratings.mtx) set -- ratings --users 1000 --items 300 --draws 20000 ;;
        *) continue ;;
        esac
        "$proact" make "$@" -o "$input" >/dev/null || exit 1
    done
}

# One run of $words on $machine by a plan METHOD or METHOD:CHUNK: prints its time and, of
# auto, the plan.
time_of() { # PLAN SEED
    chunk=${1#*:}
    [ "$chunk" != "$1" ] || chunk=
    # shellcheck disable=SC2086 # the words of a case
    timeout 120 "$proact" run $words -m "$machine" --method "${1%%:*}" \
        ${chunk:+--chunk $chunk} --seed "$2" --runs 1 --json run.json >/dev/null 2>error \
        </dev/null || return 1
    awk '/"method": / {
        plan = match($0, /"plan": "[^"]*/) ? substr($0, RSTART + 9, RLENGTH - 9) : ""
        match($0, /"time_ns": [0-9]*/)
        print substr($0, RSTART + 11, RLENGTH - 11), plan
    }' run.json
}

search="bulk inline fused:16K fused:64K fused:256K polling:16K polling:64K polling:256K dynamic copy-engine"
measure() { # the case $name: a row
    : >search
    for plan in $search; do # what a machine lacks is left out
        found=$(time_of "$plan" 0) && echo "$plan $found" >>search
    done
    best=$(sort -k 2n search | awk 'NR == 1 { print $1 }')
    [ -n "$best" ] || return 1
    pairs=3
    [ "$machine" != local ] || pairs=15
    : >"$work/again"
    i=0
    while [ $i -lt $pairs ]; do
        i=$((i + 1))
        others="fused:64K inline bulk"
        [ $i -le 3 ] || others=
        # shellcheck disable=SC2086 # the plans
        for plan in auto $(printf '%s\n' "$best" $others | sort -u); do
            found=$(time_of "$plan" $i) || continue
            echo "$plan $found" >>"$work/again"
        done
    done
    grep -q '^auto ' "$work/again" || return 1
    awk -v name="$words" -v class="$class" -v machine="$machine" '
        { n[$1]++; t[$1, n[$1]] = $2 + 0 }
        $1 == "auto" { plan = $0; sub(/^auto [0-9]* */, "", plan) }
        function faster(p) { return p != "auto" && (best == "" || of(p, 0.5) < of(best, 0.5)) }
        function order(v, count,    i, j, swap) {
            for (i = 2; i <= count; i++)
                for (j = i; j > 1 && v[j] < v[j - 1]; j--) { swap = v[j]; v[j] = v[j - 1]; v[j - 1] = swap }
        }
        function quartile(v, count, share) { return v[int(share * (count - 1) + 1.5)] }
        function of(p, share,    i, v) {
            for (i = 1; i <= n[p]; i++) v[i] = t[p, i]
            order(v, n[p])
            return quartile(v, n[p], share)
        }
        function regret(p,    i, v, count, r, noise) {
            if (!n[p] || !n[best]) return -1
            count = n[p] < n[best] ? n[p] : n[best]
            for (i = 1; i <= count; i++) v[i] = t[p, i] / t[best, i] - 1
            order(v, count)
            r = quartile(v, count, 0.5)
            noise = (quartile(v, count, 0.75) - quartile(v, count, 0.25)) / 2
            if (of(p, 0.75) > 1.2 * of(p, 0.25) || of(best, 0.75) > 1.2 * of(best, 0.25))
                r = of(p, 0.75) / of(best, 0.75) - 1
            return r < 0.01 || r < noise ? 0 : r
        }
        END {
            for (p in n)
                if (faster(p)) best = p
            printf "{\"name\": \"%s\", \"command\": \"proact run %s --machine %s\", \"class\": \"%s\", \"machine\": \"%s\", \"plan\": \"%s\", \"best\": \"%s\", \"auto_ns\": %.0f, \"best_ns\": %.0f, \"auto\": %.4f, \"fused\": %.4f, \"inline\": %.4f, \"bulk\": %.4f}\n",
                name, name, machine, class, machine, plan, best, of("auto", 0.5), of(best, 0.5),
                regret("auto"), regret("fused:64K"), regret("inline"), regret("bulk")
        }' "$work/again" | tee -a rows
}

while read -r class kind words; do
    [ -z "$quick" ] || [ "$kind" = quick ] || continue
    for machine in $machines; do
        if [ $(($(date +%s) - started)) -gt "$seconds" ]; then
            echo "regret.sh: left out: $words on $machine" >&2
            continue
        fi
        # shellcheck disable=SC2086 # the words of a case
        make_inputs $words
        measure || { echo "regret.sh: $words on $machine: $(tail -1 error)" >&2; code=1; }
    done
done <<END
$(cases)
END
{
    printf '{"machine": "%s", "date": "%s", "commit": "%s", "runs": %d,\n "rows": [\n' \
        "$machines" "$(date +%F)" \
        "$(git -C "$build/.." rev-parse --short=8 HEAD 2>/dev/null || echo unknown)" \
        "$([ "$machines" = local ] && echo 15 || echo 3)"
    sed '$!s/$/,/; s/^/  /' rows
    printf ' ]}\n'
} >"$file"
echo "Regret in percent: median / 90th percentile / worst"
awk "$functions"' { regret_read($0) } END { regret_print(); exit !NR || regret_exceeds() }' rows || {
    [ $code -ne 0 ] || code=3
}
exit $code
