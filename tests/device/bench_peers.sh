#!/bin/sh
# `proact bench --peers`: valid rows that another library's program prints appear next to
# proact's rows; invalid rows do not.
# Usage: bench_peers.sh PROACT, with a driver in LD_LIBRARY_PATH
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/peer_copies" <<'END'
#!/bin/sh
[ "$1 $2 $4" = "2 1048576 one-to-all" ] || exit 1
echo "noise"
echo "row BROKEN x 1 1 1 1"
echo "row SHORT 1 1 1"
echo "row PRETEND 65536 1000 900 1200 9"
END
chmod +x "$scratch/peer_copies"
output=$(PROACT_BENCH_PEERS=$scratch "$1" bench micro --machine local --peers --bytes 1M --ratio 1 \
    --pattern one-to-all --chunk 64K --json "$scratch/r.json")
echo "$output"
echo "$output" | grep -q '1\.00 PRETEND  *64 KB .* 9$'
ours=8 # plus dynamic, if kernels can launch kernels
! "$1" doctor | grep -q '^ok  *launches' || ours=9
[ "$(echo "$output" | grep -c '^one-to-all  *1\.00 ')" -eq $((ours + 1)) ]
[ "$(grep -c '"measured"' "$scratch/r.json")" -eq $((ours + 1)) ]
! grep -q BROKEN "$scratch/r.json"
