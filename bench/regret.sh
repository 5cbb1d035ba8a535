#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Regret of the planner: the time of --method auto over that of the best plan of an exhaustive
# search, minus 1. Next to it: always fused, inline, bulk.
# Usage: bench/regret.sh [--quick] [--tuned] [--seconds N] [--class C,...] BUILD FILE [MACHINE...]
#   --quick    a few cases of each kind on two machines: two minutes on one core
#   --tuned    auto has the profile of `proact tune`, which takes at most 25 s a case on GPUs;
#              only applications
#   --seconds  start no case later (default 1800); cases are in the order of importance
#   --class    only cases of these classes; computing (kernels that compute, on emulated
#              machines) only if it is named
#   BUILD      a build folder (build/default), or a folder with its programs at the same paths
#   FILE       receives the cases as JSON
#   MACHINE    default: h200x2 h200x4 v100x4 v100x16; local: the GPUs, with larger inputs
# A case is an application, or the microbenchmark (proact bench micro). BUILD/bench/regret_runs
# runs it under each plan, on GPUs three times if it is short, and compares the answers of an
# application with that of one device. Then the selected and the best plan take turns, 15 on
# GPUs. An emulated machine repeats a run exactly, and another seed changes it by about 1 %:
# there they run under two other seeds, only if they differ by more. The median ratio of two
# plans counts; of times with two modes (quartiles 20 % apart), the ratio of their upper
# quartiles. A plan within the noise of the best counts as best: 1 %, or half the distance of
# the quartiles of the ratio.
# Prints a line per case, then median, 90th percentile and worst case of each class. Exit status
# 1: a run failed. 3: the regret of auto exceeds 3 % in the median, 10 % in the 90th percentile
# or 25 % at worst.
set -u
usage() { sed -n '3,26s/^# \{0,1\}//p' "$0"; exit 2; }
quick='' tuned='' seconds=1800 classes=
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=yes ;;
    --tuned) tuned=yes ;;
    --seconds) shift; seconds=${1:-} ;;
    --class) shift; classes=${1:-} ;;
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
commit=$(git -C "$here" rev-parse --short=8 HEAD 2>/dev/null || echo unknown)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
: >rows

micro_cases() { # BYTES RATIOS: computing kernels, for GPUs
    for pattern in one-to-all all-to-all; do
        case $1 in
        256K) class=small-arrays ;;
        *) [ $pattern = all-to-all ] && class=all-producers || class=one-producer ;;
        esac
        for ratio in $2; do
            echo "$class - micro --pattern $pattern --ratio $ratio --bytes $1"
        done
    done
}
narrow_cases() { # without the first, which is quick on emulated machines
    cat <<END
narrow-stores - micro --pattern all-to-all --ratio 1 --bytes 1M --store 4 --run 4
narrow-stores - micro --pattern all-to-all --ratio 1 --bytes 1M --store 8 --run 64
narrow-stores - micro --pattern all-to-all --ratio 2 --bytes 1M --store 16 --run 1024
narrow-stores - micro --pattern one-to-all --ratio 1 --bytes 1M --store 4 --run 4
narrow-stores - micro --pattern one-to-all --ratio 0.5 --bytes 1M --store 8 --run 16
narrow-stores - micro --pattern one-to-all --ratio 1 --bytes 1M --store 16 --run 64
END
}
# Class, quick or -, and the words of proact run or proact bench.
cases() {
    if [ "$machines" = local ]; then
        cat <<END
jacobi quick jacobi --size 4096 --iterations 1000 --tolerance 0
pagerank quick pagerank wiki.sg --iterations 200 --tolerance 0
band quick band --rows 8388608 --half-width 13 --iterations 200 --tolerance 0 --type f32
sssp quick sssp flow.sg --weights hash
als quick als ratings.mtx --rank 32 --iterations 3 --tolerance 0 --precision f32 --report 3
gradient quick als ratings.mtx --update gradient --rank 32 --iterations 10 --tolerance 0 --precision f32 --report 10
END
        micro_cases 256M "0.5 1 1.25 2"
        micro_cases 4M "0.5 2"
        echo "narrow-stores - micro --pattern all-to-all --ratio 1 --bytes 1M --store 4 --run 16"
        narrow_cases
        micro_cases 256K "0.5 1 1.25 2"
        micro_cases 4M "1 1.25"
        cat <<END
jacobi - jacobi --size 2048 --iterations 1000 --tolerance 0
jacobi - jacobi --size 8192 --iterations 500 --tolerance 0
pagerank - pagerank wiki.sg --iterations 200 --tolerance 0 --type f32
ct - ct --size 256 --views 492 --channels 444 --subsets 12 --slices 4 --iterations 2 --precision f32
jacobi - jacobi --size 1024 --iterations 1000 --tolerance 0
jacobi - jacobi --size 4096 --iterations 8 --tolerance 0
sssp - sssp flow.sg --weights hash --form frontier
sgd - als ratings.mtx --update sgd --rank 32 --iterations 3 --tolerance 0 --precision f32 --report 3
pagerank - pagerank wiki.sg --iterations 200 --tolerance 0 --kernel paper
band - band --rows 1048576 --half-width 13 --iterations 200 --tolerance 0
END
    else
        cat <<END
jacobi quick jacobi --size 256 --iterations 24 --tolerance 0
one-producer quick micro --pattern one-to-all --ratio 0.5 --bytes 4M
pagerank quick pagerank wiki.sg --iterations 24 --tolerance 0
narrow-stores quick micro --pattern all-to-all --ratio 1 --bytes 1M --store 4 --run 16
band quick band --rows 20000 --half-width 13 --iterations 24 --tolerance 0
gradient quick als ratings.mtx --update gradient --rank 16 --iterations 6 --tolerance 0 --precision f32 --report 6
all-producers quick micro --pattern all-to-all --ratio 1 --bytes 4M
small-arrays quick micro --pattern one-to-all --ratio 1 --bytes 256K
two-producers quick micro --pattern two-to-all --ratio 0.5 --bytes 4M
sssp - sssp flow.sg --weights hash
als - als ratings.mtx --rank 16 --iterations 2 --tolerance 0 --precision f32 --report 2
sgd - als ratings.mtx --update sgd --rank 16 --iterations 2 --tolerance 0 --precision f32 --report 2
ct - ct --size 48 --views 60 --channels 64 --subsets 4 --iterations 2 --precision f32
one-producer - micro --pattern one-to-all --ratio 1 --bytes 4M
one-producer - micro --pattern one-to-all --ratio 1.25 --bytes 4M
one-producer - micro --pattern one-to-all --ratio 2 --bytes 4M
all-producers - micro --pattern all-to-all --ratio 0.5 --bytes 4M
all-producers - micro --pattern all-to-all --ratio 1.25 --bytes 4M
all-producers - micro --pattern all-to-all --ratio 2 --bytes 4M
two-producers - micro --pattern two-to-all --ratio 1 --bytes 4M
END
        narrow_cases
        cat <<END
small-arrays - micro --pattern one-to-all --ratio 0.5 --bytes 4K
small-arrays - micro --pattern one-to-all --ratio 2 --bytes 4K
small-arrays - micro --pattern all-to-all --ratio 0.5 --bytes 256K
small-arrays - micro --pattern all-to-all --ratio 2 --bytes 256K
jacobi - jacobi --size 512 --iterations 16 --tolerance 0
jacobi - jacobi --size 128 --iterations 24 --tolerance 0
pagerank - pagerank wiki.sg --iterations 6 --tolerance 0 --kernel paper
jacobi - jacobi --size 256 --iterations 6 --tolerance 0
computing - micro --pattern one-to-all --ratio 0.5 --bytes 1M
computing - micro --pattern one-to-all --ratio 1 --bytes 1M
computing - micro --pattern one-to-all --ratio 2 --bytes 1M
computing - micro --pattern all-to-all --ratio 0.5 --bytes 1M
computing - micro --pattern all-to-all --ratio 1 --bytes 1M
computing - micro --pattern all-to-all --ratio 2 --bytes 1M
END
    fi
}

# Inputs, when the first case needs them.
make_inputs() { # WORD...: of a case
    for input in "$@"; do
        [ ! -e "$input" ] || continue
        # shellcheck disable=SC2046 # words
        case $machines/$input in
        local/wiki.sg | local/ratings.mtx) set -- $(input_words "$input" medium) ;;
        local/flow.sg) set -- $(input_words hv15r.sg medium) ;;
        */wiki.sg) set -- wiki --vertices 2000 --seed 7 ;;
        */flow.sg) set -- hv15r --grid 6x6x8 ;;
        */ratings.mtx) set -- ratings --users 1000 --items 300 --draws 20000 ;;
        *) continue ;;
        esac
        "$proact" make "$@" -o "$input" >/dev/null || exit 1
    done
}

plans="auto bulk inline fused:16K fused:64K polling:16K polling:64K dynamic copy-engine relay"
[ "$machines" != local ] || plans="$plans fused:256K polling:256K"
micro_plans() { # prints the plans of the microbenchmark
    case $words in
    *" 4K"*) sizes=4K ;;
    *" 256K"*) sizes="4K 16K 64K" ;;
    *" 256M"*) sizes="16K 64K 256K 1M" ;;
    *) sizes="16K 64K 256K" ;;
    esac
    echo "auto bulk inline"
    for method in fused polling dynamic copy-engine relay; do
        for chunk in $sizes; do echo "$method:$chunk"; done
    done
}

# The case $words, of its times.
row() {
    case $words in
    micro*) command="bench $words${sleep:+ $sleep}" ;;
    *) command="run $words" ;;
    esac
    awk -v name="$words" -v class="$class" -v machine="$machine" -v command="$command" '
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
            if (!n["auto"] || best == "") exit 1
            printf "{\"name\": \"%s\", \"command\": \"proact %s --machine %s\", \"class\": \"%s\", \"machine\": \"%s\", \"plan\": \"%s\", \"best\": \"%s\", \"auto_ns\": %.0f, \"best_ns\": %.0f, \"runs\": %d, \"auto\": %.4f, \"fused\": %.4f, \"inline\": %.4f, \"bulk\": %.4f}\n",
                name, command, machine, class, machine, plan, best, of("auto", 0.5), of(best, 0.5),
                n["auto"], regret("auto"), regret("fused:64K"), regret("inline"), regret("bulk")
        }' runs >row
}

# Writes a profile of the application $words, for the planner of later runs.
tune() {
    export PROACT_PROFILE="$work/profile"
    rm -f "$PROACT_PROFILE"
    limit=
    [ "$machine" != local ] || limit="--time 25"
    # shellcheck disable=SC2086 # the words of a case
    timeout 600 "$proact" tune $limit --profile "$PROACT_PROFILE" "$proact" run $words \
        -m "$machine" >/dev/null 2>error </dev/null
}

measure() { # the case $words: a row
    case $words in
    micro*)
        sleep=--sleep
        [ "$machine" != local ] && [ "$class" != computing ] || sleep=
        # shellcheck disable=SC2046,SC2086 # the plans, the words of a case
        set -- "$(echo $(micro_plans))" $words $sleep --host-threads 1
        ;;
    *)
        # shellcheck disable=SC2086 # the words of a case
        set -- "$plans" $words
        [ -z "$tuned" ] || tune || return 1
        ;;
    esac
    timeout 600 "$build/bench/regret_runs" "$@" -m "$machine" >runs 2>error </dev/null && row
}

while read -r class kind words; do
    [ -z "$quick" ] || [ "$kind" = quick ] || continue
    case $tuned-$words in yes-micro*) continue ;; esac
    [ "$class" != computing ] || [ -n "$classes" ] || continue # minutes for each case
    case ",${classes:-$class}," in *",$class,"*) ;; *) continue ;; esac
    for machine in $machines; do
        if [ $(($(date +%s) - started)) -gt "$seconds" ]; then
            echo "regret.sh: left out: $words on $machine" >&2
            continue
        fi
        # shellcheck disable=SC2086 # the words of a case
        make_inputs $words
        if measure; then
            tee -a rows <row
        else
            echo "regret.sh: $words on $machine: $(tail -1 error)" >&2
            code=1
        fi
    done
done <<END
$(cases)
END
{
    on=$machines
    if [ "$on" = local ]; then
        names=$(nvidia-smi --query-gpu=name --format=csv,noheader)
        on="$(echo "$names" | grep -c .) x $(echo "$names" | head -1)"
    fi
    printf '{"machine": "%s", "date": "%s", "commit": "%s", "runs": %d,\n "rows": [\n' \
        "$on" "$(date +%F)" "$commit" \
        "$([ "$machines" = local ] && echo 15 || echo 1)"
    sed '$!s/$/,/; s/^/  /' rows
    printf ' ]}\n'
} >"$file"
echo "Regret in percent: median / 90th percentile / worst"
awk "$functions"' { regret_read($0) } END { regret_print(); exit !NR || regret_exceeds() }' rows || {
    [ $code -ne 0 ] || code=3
}
exit $code
