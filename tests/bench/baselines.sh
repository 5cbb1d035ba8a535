#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/baselines.sh with programs that only note their arguments: each program runs each
# application with small and with medium inputs, and every input exists.
# Usage: baselines.sh SOURCE
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/build/tools/proact" "$scratch/out/peers"
cat >"$scratch/build/tools/proact/proact" <<'END'
#!/bin/sh
while [ $# -gt 1 ]; do
    [ "$1" != -o ] || file=$2
    shift
done
echo input >"$file"
END
cat >"$scratch/out/peers/peer_apps_copies" <<'END'
#!/bin/sh
echo "${0##*/} $1" >>"${0%/peers/*}/calls"
case $2 in /*) [ -s "$2" ] || { echo "no input $2" >&2; exit 1; } ;; esac
END
chmod +x "$scratch/build/tools/proact/proact" "$scratch/out/peers/peer_apps_copies"
cp "$scratch/out/peers/peer_apps_copies" "$scratch/out/peers/peer_apps_nccl"
cd "$1" || exit 1
code=0
bench/baselines.sh "$scratch/build" "$scratch/out" medium >"$scratch/table" ||
    { cat "$scratch/table"; code=1; }
for size in small medium; do
    for application in pagerank sssp jacobi band als als ct; do
        printf '%s\n' "peer_apps_copies $application" "peer_apps_nccl $application"
    done
done | diff - "$scratch/out/calls" || code=1
exit $code
