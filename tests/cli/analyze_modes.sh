# A kernel whose launch cannot be split as written is specialized to the given parameters.
. "$(dirname "$0")/cli_lib.sh"
cp "$(dirname "$0")/modes.ptx" .
launch="modes.ptx --grid 4 --block 64 --arg 3=256"
exec 2>&1
proact analyze modes.ptx
for mode in 0 1; do
    # shellcheck disable=SC2086 # words
    proact analyze $launch --arg 4=$mode
done
# shellcheck disable=SC2086
proact analyze $launch --arg 4=0 --arg 2=0 --json out.json
grep specialized_from out.json
# Nothing was said that decides.
# shellcheck disable=SC2086
proact analyze $launch | grep split
fails 2 proact analyze modes.ptx --grid 4 --block 64 --arg 4=0
