#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Regret of the planner: the time of --method auto over that of the best method, minus 1, for
# applications of several sizes on several machines. Next to it: always fused, inline, bulk.
# Usage: bench/regret.sh BUILD FILE [MACHINE...]
#   BUILD    a build folder (build/default), or a folder with its programs at the same paths
#   FILE     receives the cases as JSON
#   MACHINE  default: h200x2 h200x4 v100x4 v100x16
# METHODS (environment) are those that are compared. Prints a line per case, then median,
# 90th percentile and worst case of each column. A method within 1 % of the best counts as
# best. Exit status 1: a run failed.
set -u
[ $# -ge 2 ] || { sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 2; }
build=$(cd "$1" && pwd) || exit 2
case $2 in /*) file=$2 ;; *) file=$PWD/$2 ;; esac
shift 2
machines=${*:-h200x2 h200x4 v100x4 v100x16}
methods=${METHODS:-inline,fused,polling,dynamic,copy-engine,auto}
proact=$build/tools/proact/proact
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
code=0
"$proact" make wiki --vertices 2000 --seed 7 -o small.sg >/dev/null || exit 1
"$proact" make wiki --vertices 16000 --seed 7 -o large.sg >/dev/null || exit 1
"$proact" make hv15r --grid 6x6x8 -o flow.sg >/dev/null || exit 1
"$proact" make ratings --users 1000 --items 300 --draws 20000 -o ratings.mtx >/dev/null || exit 1
cat >cases <<END
pagerank small.sg --iterations 24 --tolerance 0
pagerank large.sg --iterations 8 --tolerance 0 --type f32
jacobi --size 256 --iterations 48 --tolerance 0
jacobi --size 768 --iterations 16 --tolerance 0
sssp flow.sg --weights hash
band --rows 20000 --half-width 13 --iterations 24 --tolerance 0
als ratings.mtx --rank 16 --iterations 4 --tolerance 0 --precision f32 --report 4
als ratings.mtx --update gradient --rank 16 --iterations 12 --tolerance 0 --precision f32 --report 12
ct --size 64 --views 90 --channels 96 --subsets 6 --iterations 4 --precision f32
END
for machine in $machines; do
    while read -r case; do
        # shellcheck disable=SC2086 # an application and its options
        if timeout 600 "$proact" run $case -m "$machine" --compare --method "$methods" \
            --json run.json >/dev/null 2>error </dev/null; then
            awk -v case="$case" -v machine="$machine" '
                /"method": / {
                    split($0, part, "\"")
                    method = part[4]
                    match($0, /"time_ns": [0-9]*/)
                    time[method] = substr($0, RSTART + 11, RLENGTH - 11) + 0
                    if (method != "auto" && (!best || time[method] < time[best])) best = method
                }
                function regret(method,    r) {
                    r = time[method] / time[best] - 1
                    return r < 0.01 ? 0 : r
                }
                END {
                    printf "{\"case\": \"%s\", \"machine\": \"%s\", \"best\": \"%s\", \"best_ns\": %s, \"auto_ns\": %s, \"auto\": %.4f, \"fused\": %.4f, \"inline\": %.4f, \"bulk\": %.4f}\n",
                        case, machine, best, time[best], time["auto"], regret("auto"),
                        regret("fused"), regret("inline"), regret("bulk")
                }' run.json | tee -a rows
        else
            echo "regret.sh: $case on $machine: $(tail -1 error)" >&2
            code=1
        fi
    done <cases
done
for column in auto fused inline bulk; do
    sed "s/.*\"$column\": \([0-9.]*\).*/\1/" rows | sort -n | awk -v column=$column '
        { r[NR] = $1 }
        END {
            if (!NR) exit
            printf "%-7s median %5.1f %%  p90 %5.1f %%  worst %5.1f %%  (%d cases)\n", column,
                100 * r[int((NR + 1) / 2)], 100 * r[int(0.9 * NR + 0.999)], 100 * r[NR], NR
        }'
done
{
    printf '{"machine": "emulated: %s", "date": "%s", "commit": "%s", "runs": 1, "methods": "%s",\n "rows": [\n' \
        "$machines" "$(date +%F)" "$(git -C "$build/.." rev-parse --short=8 HEAD 2>/dev/null || echo unknown)" "$methods"
    sed '$!s/$/,/; s/^/  /; s/{"case": "\([^"]*\)"/{"name": "\1", "command": "proact run \1 --compare"/' rows
    printf ' ]}\n'
} >"$file"
exit $code
