# One run: the answer and one line of times, its files, the reference, and checkpoints.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
printf '%%%%MatrixMarket matrix coordinate pattern general\n5 5 6\n1 2\n1 3\n2 3\n4 3\n3 1\n5 4\n' >g.mtx
run="proact run pagerank g.mtx --machine v100x4"
# Times depend on the compiler of the kernels.
without_times() {
    sed 's/: [0-9.]* [mun]*s (virtual), [0-9.]* [mun]*s an/: T (virtual), T an/; s/[0-9.]* [kM]*B sent$/N sent/; s/^auto: .*/auto: PLAN/'
}

$run --tolerance 1e-10 --reference --output ranks --log log.csv --plot p.svg --json out.json | without_times
grep -o '"equal_to_one_device"\|"speedup"\|"one_device"\|"method": "[a-z]*"' out.json

# The text has all digits, and the log has every iteration.
awk '{ sum += $1 } END { print NR " ranks, sum " sum }' ranks
sed -n 1p log.csv
awk -F, 'NR > 1 { if ($1 != NR - 1 || $2 < time) print "line " NR ": " $0; time = $2; last = $3 }
    END { print (last < 1e-10) " below the tolerance" }' log.csv
"$SVG_CHECK" p.svg
grep -o 'class="line"\|>iteration<\|>change<' p.svg

# NumPy's format: magic, version, shape, and 8 bytes a rank.
$run --output ranks.npy >/dev/null
head -c 128 ranks.npy | tail -c +11 | tr -s ' '
[ "$(wc -c <ranks.npy)" = 168 ] || wc -c ranks.npy
mkdir folder
$run --output folder >/dev/null
cmp ranks.npy folder/ranks.npy
proact run jacobi --size 5 --iterations 2 --output - 2>/dev/null | awk 'END { print NR " rows of " NF }'

# Every written byte goes to all devices, or only what they read.
for what in needed all; do
    proact run jacobi --machine v100x4 --size 256 --iterations 8 --tolerance 0 --method fused --send $what |
        sed -n 's/.*, \([0-9.]* [kM]*B sent\)$/'$what': \1/p'
done

# A run from a checkpoint gives the same bytes, on other devices and by another method.
$run --checkpoint c.check --every 8 --tolerance 1e-12 --output a.npy >/dev/null
$run --resume c.check -n 2 --method bulk --tolerance 1e-12 --output b.npy >/dev/null
cmp a.npy b.npy
ls

# Another input, another application, damage, another format, and no checkpoint at all.
printf '%%%%MatrixMarket matrix coordinate pattern general\n5 5 5\n1 2\n1 3\n2 3\n4 3\n3 1\n' >h.mtx
fails 1 proact run pagerank h.mtx --resume c.check
fails 1 proact run jacobi --resume c.check
fails 1 $run --type f32 --tolerance 1e-6 --resume c.check
fails 1 $run --kernel paper --resume c.check
fails 1 $run --type f32 --tolerance 1e-12
head -c 200 c.check >torn.check
fails 1 $run --resume torn.check
head -c -1 c.check >torn.check
fails 1 $run --resume torn.check
cp c.check changed.check
printf X | dd of=changed.check conv=notrunc bs=1 seek=250 2>/dev/null
fails 1 $run --resume changed.check
# One part more than the application has, with a hash that fits.
sed '0,/^$/s/^$/part more 4\n/' c.check >more.check
head -c -8 more.check >longer.check
printf abcd12345678 >>longer.check
"$CHECKPOINT_SEAL" longer.check
fails 1 $run --resume longer.check
head -c -8 c.check >longer.check
printf abcd12345678 >>longer.check
"$CHECKPOINT_SEAL" longer.check
fails 1 $run --resume longer.check
rm longer.check more.check
sed '1s/1/9/' c.check >newer.check
fails 1 $run --resume newer.check
fails 1 $run --resume g.mtx
fails 1 $run --resume none.check
fails 1 $run --checkpoint no/such/folder
# Outputs that cannot be written are refused before the run.
fails 1 $run --output no/such/folder
fails 1 $run --output g.mtx/ranks
fails 1 proact run jacobi --size 5 --output /dev/full | without_times
(
    trap '' XFSZ
    ulimit -f 8
    fails 1 proact run jacobi --size 96 --iterations 30 --checkpoint full.check --every 8
) 2>&1 | cat
[ ! -e full.check ] || echo "a partial checkpoint"
