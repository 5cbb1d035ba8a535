#!/bin/sh
# Usage: completion.sh PROACT SCRIPT. The completion of bash at some command lines, and each
# command of `proact help` with its options.
set -eu
command -v bash >/dev/null || { echo "there is no bash"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$1" "$folder/proact"
cat >"$folder/try" <<'END'
. "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_proact
echo "${COMPREPLY[*]}"
END
expect() {
    expected=$1
    shift
    found=$(PATH=$folder:$PATH bash "$folder/try" "$script" "$@")
    [ "$found" = "$expected" ] || { echo "$*: expected '$expected', found '$found'"; exit 1; }
}
script=$2
expect "make machines methods model" proact m
expect "doctor" proact d
expect "-V" proact -
expect "pagerank" proact run p
expect "--machine --method" proact run jacobi --m
expect "wiki hv15r band phantom ratings" proact make ""
expect "--names" proact run pagerank --na
expect "" proact run jacobi --na
expect "v100x4 v100x16" proact topo v
expect "copy-engine" proact run jacobi --method c
expect "bulk,inline" proact run jacobi --method bulk,i
expect "--probe" proact topo --p
expect "fit" proact model f
expect "--from" proact model fit --f
expect "copy copy-wait" proact model fit --initiator cop
expect "" proact analyze stencil
for command in run make analyze machines topo doctor methods model bench; do
    expect "--help" proact $command --he
done
