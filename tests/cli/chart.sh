# Bar chart in the terminal: it has the width of the terminal, and its bars have the length
# of the speedups.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
run='proact run jacobi --size 64 --iterations 4 --machine v100x4 --method bulk,inline'
chart() { # prints stdout from the chart on
    sed -n '/^  speedup over one device$/,$p'
}
# A pipe gets no chart without --chart.
$run | chart
COLUMNS=64 $run --chart >table
chart <table >text
cat >bars.awk <<'END'
# Rows are "  LABEL  BAR  VALUE" in `columns`; a bar is as long as VALUE, to half a cell.
/^  speedup/ { next }
{
    value = $NF
    bar = substr($0, 15, columns - 20)
    full = gsub(/#/, "#", bar)
    value_of[++rows] = value; length_of[rows] = full; name[rows] = $1
    if (value > most) most = value
    if (length($0) != columns) print "a line of " length($0) " columns: " $0
}
END {
    for (i = 1; i <= rows; i++) {
        want = value_of[i] / most * (columns - 20)
        if (name[i] == "ideal") want = 0
        if (length_of[i] > want + 1 || length_of[i] < want - 1)
            print name[i] ": " length_of[i] " cells, expected " want
    }
    print rows " rows"
}
END
awk -v columns=64 -f bars.awk text
awk '$NF == "equal" { print $1, $4 } $1 == "(ideal)" { print "ideal", $4 }' table |
    while read -r name speedup; do
        grep -q "^  $name .* $speedup\$" text || echo "no $name $speedup in the chart"
    done
# The line of the ideal is in one column.
awk '{ at = match($0, /[|+]/) } at { print at }' text | sort -u | wc -l | tr -d ' '
tail -1 text | grep -c '^  ideal  *-*+ '

# A terminal gets a chart without --chart, with blocks in a UTF-8 locale. Some sandboxes
# have no pseudo-terminal.
if script -qec true output >/dev/null 2>&1; then
    script -qec "stty cols 100; LC_ALL=C.UTF-8 $run" output >/dev/null
    tr -d '\r' <output | chart | sed '/^Script done/d' >text
    [ "$(grep -c "$(printf '\342\226\210')" text)" = 3 ] || echo 'no three bars of blocks'
    ! grep '#' text
fi
true
