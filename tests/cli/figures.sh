# Figures of the paper: the files of a small one, pictures from files alone, refused
# options.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
proact bench figures --only 2 --quick --machine k40x4 --out made
ls made
grep -c '"value": ' made/figure2.json
# Every file states its origin.
sed -n 's/^  "\(figure\|unit\|machine\|date\|commit\|command\|seconds\)": .*/\1/p' made/figure2.json
"$SVG_CHECK" made/figure2.svg
# The JSON file alone gives the same picture and table.
mv made/figure2.svg made/figure2.txt .
proact bench figures --only 2 --draw --out made >/dev/null
proact bench figures --only table2-planner --out made
cmp figure2.svg made/figure2.svg && cmp figure2.txt made/figure2.txt && echo equal
# Bars below 0, an undefined value, two panels, notes, and names that XML must escape.
mkdir drawn
cat >drawn/figure8.json <<END
{"figure": "8", "rows": [
 {"name": "k40x4", "at": "pagerank", "machine": "k40x4", "value": -12.5, "plan": "D 16kB 256 CDP"},
 {"name": "v100x4", "at": "pagerank", "machine": "v100x4", "value": 4},
 {"name": "v100x4", "at": "a<b&c", "machine": "v100x4"}]}
END
cat >drawn/table2.json <<END
{"figure": "table2", "rows": [
 {"name": "pagerank", "at": "k40x4", "machine": "k40x4", "value": 2, "plan": "D 16kB 256 CDP"},
 {"name": "jacobi", "at": "k40x4", "machine": "k40x4", "value": 3, "plan": "I"}]}
END
cat >drawn/figure4.json <<END
{"figure": "4", "rows": [
 {"name": "32", "at": "16 kB", "machine": "k40x4", "panel": "polling", "x": 16384, "value": 1.5},
 {"name": "32", "at": "4 kB", "machine": "k40x4", "panel": "polling", "x": 4096, "value": 1},
 {"name": "64", "at": "4 kB", "machine": "k40x4", "panel": "dynamic", "x": 4096, "value": 0.5}]}
END
proact bench figures --only 8,table2,4 --draw --out drawn
for file in figure8 table2 figure4; do "$SVG_CHECK" drawn/$file.svg; done
# Wrong files and command lines.
fails 1 proact bench figures --only 9 --draw --out drawn
sed 's/"8"/"9"/' drawn/figure8.json >drawn/figure9.json
fails 1 proact bench figures --only 8,9 --draw --out nowhere
cp drawn/figure8.json drawn/figure9.json
fails 1 proact bench figures --only 9 --draw --out drawn
fails 2 proact bench figures --only 2,5
fails 2 proact bench figures --draw --quick
fails 2 proact bench figures --draw --sample 4
fails 2 proact bench figures --draw --application ct
fails 2 proact bench figures --application jacobi
fails 2 proact bench figures --only 7 --sample 1
fails 2 proact bench figures --out made more
fails 2 proact bench figures --only 2 --machine nosuch 2>&1 | sed 's/there are .*, or/there are ..., or/'
fails 1 proact bench figures --only 2 --quick --out no/such
touch file
fails 1 proact bench figures --only 2 --quick --out file
mkdir -p taken/figure2.svg
fails 1 proact bench figures --only 2 --quick --out taken
