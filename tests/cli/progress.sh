# A terminal gets a progress line, which is erased at the end; a pipe gets nothing.
. "$(dirname "$0")/cli_lib.sh"
command -v script >/dev/null || { echo "skipped: there is no script(1), which makes a terminal"; exit 77; }
why=$(script -qec true terminal 2>&1 </dev/null) || {
    echo "skipped: no pseudo-terminal (is /dev/pts mounted?): $why"
    exit 77
}
run='proact run jacobi --size 200 --iterations 100 -n 2 --compare --method bulk'
$run 2>&1 >/dev/null | wc -c | tr -d ' '
script -qec "$run >table" output >/dev/null || echo "exit status $?"
escape=$(printf '\033')
tr '\r' '\n' <output | grep '^\[[#.]* *\]\|^\[' |
    sed "s/$escape\[K.*//" >lines
grep -q '^\[\.*\]   0 %  one device: iteration 0$' lines || echo 'no first line'
grep -q '^\[#.*#\.*\] *[1-9][0-9]* %  bulk: iteration [0-9]*, change [0-9.e+-]*, [0-9]* s left$' lines ||
    echo 'no line with what is left'
# Percentages only increase, and the last output erases the line.
sed 's/.*\] *\([0-9]*\) %.*/\1/' lines | sort -nc
tail -c 200 output | tr '\r' '\n' | grep -c "^$escape\[K"
sed -n 1p table
