# Bar chart of the speedups as SVG and as text.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
printf '%%%%MatrixMarket matrix coordinate pattern general\n5 5 6\n1 2\n1 3\n2 3\n4 3\n3 1\n5 4\n' >g.mtx
run='proact run pagerank g.mtx --machine v100x4 --compare'

# SVG: well-formed, with one bar for one device and one for each method, and the table's
# numbers.
$run --method bulk,inline,fused --plot p.svg >table
"$SVG_CHECK" p.svg
grep -c '<rect class="bar"' p.svg
grep -o '>speedup over one device<\|>method<\|prefers-color-scheme: dark\|class="ideal"' p.svg | sort
awk '$NF == "equal" { print $1, $4 }
     $1 == "(ideal)" { print "ideal", $4 }' table |
    while read -r name speedup; do
        case $name in
        ideal) grep -q ">ideal $speedup<" p.svg || echo "no ideal $speedup" ;;
        *)
            grep -A2 ">$name<" p.svg | grep -q ">$speedup<" || echo "no $name $speedup"
            ;;
        esac
    done

# Names are escaped as text.
cp g.mtx "a&b<c>\"$(printf '\377\1')].mtx"
proact run pagerank a*.mtx --machine v100x4 -n 2 --compare --method bulk --plot q.svg >/dev/null
"$SVG_CHECK" q.svg
grep -c '<title>PageRank of a&amp;b&lt;c&gt;"??\].mtx: 5 vertices' q.svg
long=$(printf '%0120d' 0).mtx
cp g.mtx "$long"
proact run pagerank "$long" --machine v100x4 -n 2 --compare --method bulk --plot q.svg >/dev/null
"$SVG_CHECK" q.svg

# The SVG goes to stdout and the table to stderr.
$run -n 2 --method bulk --plot - 2>table >o.svg
"$SVG_CHECK" o.svg
grep -c 'equal$' table
fails 2 $run --json - --plot -
fails 1 $run --plot no/such/p.svg
ls -- - 2>/dev/null

# Methods keep the order of the command line after the baseline.
$run --method fused,inline | awk '$NF == "equal" { print $1 }'
fails 2 $run --method fused,
fails 2 $run --method fused,telepathy
fails 2 $run --method fused,inline,fused
fails 2 $run --method fused,all
fails 2 $run --method bulk,fused --trace t.json
