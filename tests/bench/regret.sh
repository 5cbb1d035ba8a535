#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/regret.sh, of a command whose times are known: a plan that wins under one seed alone is
# no longer the best, 1 % is noise, and the summary states median, 90th percentile and worst.
# Usage: regret.sh SOURCE
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/build/tools/proact" "$scratch/build/bench"
cat >"$scratch/build/tools/proact/proact" <<'END'
#!/bin/sh
: >"$(eval echo "\${$#}")" # make
END
# Plan, time and text of each run. The first polling run is an accident.
cat >"$scratch/build/bench/regret_runs" <<'END'
#!/bin/sh
case "$1 $2" in
*relay:256K*micro)
    printf '%s\n' 'auto 1040000 method=relay' 'inline 1100000' 'bulk 2200000' 'fused:64K 1200000' 'relay:256K 1000000'
    exit ;;
*micro) # an array without such chunks
    printf '%s\n' 'auto 1100000 method=inline' 'inline 1100000' 'bulk 2200000'
    exit ;;
esac
auto=1000000
case $2 in
band) auto=1200000 ;;
als) auto=1010000 ;;
esac
printf '%s\n' "auto $auto inline" "auto $auto inline" "auto $auto inline" 'inline 1004000' 'fused:64K 1500000' \
    'polling:16K 9000' 'polling:16K 2000000' 'polling:16K 2000000' 'bulk 3000000'
END
chmod +x "$scratch/build/tools/proact/proact" "$scratch/build/bench/regret_runs"
cd "$1" || exit 1
bench/regret.sh --quick "$scratch/build" "$scratch/out.json" v100x4 >"$scratch/table" 2>"$scratch/log"
status=$?
code=0
[ $status = 3 ] || { echo "exit status $status, expected 3: a regret of 20 %"; cat "$scratch/log"; code=1; }
expect() { # LINE
    grep -qxF -e "$1" "$scratch/table" || { echo "the table lacks: $1"; cat "$scratch/table"; code=1; }
}
expect "| jacobi | 1 | 0.0 / 0.0 / 0.0 | 49.4 / 49.4 / 49.4 | 0.0 / 0.0 / 0.0 | 198.8 / 198.8 / 198.8 |"
expect "| band | 1 | 19.5 / 19.5 / 19.5 | 49.4 / 49.4 / 49.4 | 0.0 / 0.0 / 0.0 | 198.8 / 198.8 / 198.8 |"
expect "| gradient | 1 | 0.0 / 0.0 / 0.0 | 49.4 / 49.4 / 49.4 | 0.0 / 0.0 / 0.0 | 198.8 / 198.8 / 198.8 |"
expect "| narrow-stores | 1 | 4.0 / 4.0 / 4.0 | 20.0 / 20.0 / 20.0 | 10.0 / 10.0 / 10.0 | 120.0 / 120.0 / 120.0 |"
expect "| all | 9 | 4.0 / 19.5 / 19.5 | 20.0 / 49.4 / 49.4 | 0.0 / 10.0 / 10.0 | 120.0 / 198.8 / 198.8 |"
bench/regret.sh --quick --class band,als "$scratch/build" "$scratch/few.json" v100x4 >"$scratch/few" 2>&1
[ "$(grep -c '^{' "$scratch/few")" = 1 ] || { echo "--class band,als:"; cat "$scratch/few"; code=1; }
grep -c '"plan": "inline", "best": "inline"' "$scratch/out.json" | grep -qx 4 || { cat "$scratch/out.json"; code=1; }
exit $code
