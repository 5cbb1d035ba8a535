# Ratings: generated files, both formats, the answer and its files, and faults.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
make="proact make ratings --users 60 --items 30 --draws 600"
$make -o r.mtx
$make -o r.csv.gz
$make --seed 1 -o other.mtx
head -4 r.mtx
gzip -dc r.csv.gz | head -2
cmp -s r.mtx other.mtx && echo 'another seed gave the same ratings'
gzip -dc r.csv.gz | sed 1d | tr , ' ' | cmp - "$(sed 1,3d r.mtx >entries; echo entries)"

# All users and items occur, so both files have the same matrix and the same answer.
run="proact run als r.mtx -n 2 --rank 4 --iterations 3"
$run | sed '/^auto/d'
mkdir one two
$run --output one --log log.csv >/dev/null
proact run als r.csv.gz -n 2 --rank 4 --iterations 3 --output two >/dev/null
cmp one/users.npy two/users.npy
cmp one/items.npy two/items.npy
ls one two
head -1 log.csv
wc -l <log.csv

# The host and all devices agree.
for update in als gradient sgd; do
    $run --update $update --reference | tail -1 | sed 's/validation [^ ]* (/validation D (/'
done
$run --precision f32 --compare --method fused | grep -c 'equal$'
$run --update gradient --kernel paper --json - 2>/dev/null | grep -A 12 '"ratings"'

# An interrupted run goes on with the same bits.
proact run als r.mtx -n 2 --rank 4 --iterations 9 --tolerance 0 --output one >/dev/null
proact run als r.mtx -n 4 --rank 4 --iterations 5 --tolerance 0 --checkpoint state --every 2 >/dev/null
proact run als r.mtx -n 1 --rank 4 --iterations 9 --tolerance 0 --resume state --output two >/dev/null
cmp one/users.npy two/users.npy
cmp one/items.npy two/items.npy
fails 1 proact run als r.mtx --rank 5 --resume state

printf 'user,item,rating\n7,9,3\n8,9,1\n7,9,4\n' >twice.csv
fails 1 proact run als twice.csv
printf '1,2,3\n1,3,nan\n' >nan.csv
fails 1 proact run als nan.csv
fails 1 proact run als r.mtx --update gradient --gamma 5
fails 1 proact run als r.mtx --update sgd --blocks 31
fails 1 proact run als r.mtx --kernel paper
fails 2 proact run als
fails 2 proact run als r.mtx --rank 0
fails 2 proact run als r.mtx --rank 257
fails 2 proact run als r.mtx --lambda 0
fails 2 proact run als r.mtx --update stochastic
fails 2 proact run jacobi --rank 4

fails 2 proact make ratings
fails 2 proact make ratings --users 0 -o x.mtx
fails 2 proact make ratings --colour red -o x.mtx
fails 2 proact make ratings -o x.mtx y.mtx
fails 1 proact make ratings -o no/such/x.mtx
ls x.mtx y.mtx 2>/dev/null
proact make ratings --help | head -1
