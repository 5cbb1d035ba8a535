# Generated inputs: equal options give equal bytes, and a wrong option gives one message.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
body() { # FILE: without the comments
    grep -v '^% ' "$1"
}
fails 0 proact make wiki --vertices 5000 --edges 60000 --seed 7 -o a.mtx
fails 0 proact make wiki --vertices 5000 --edges 60000 --seed 7 --output b.mtx
fails 0 proact make wiki --vertices 5000 --edges 60000 --seed 8 -o c.mtx
fails 0 proact make wiki --vertices 5000 --edges 60000 --seed 7 -o d.mtx.gz
fails 0 proact make wiki --vertices 5000 --edges 60000 --seed 7 -o e.mtx.gz
head -4 a.mtx
cmp a.mtx b.mtx
cmp d.mtx.gz e.mtx.gz
gzip -dc d.mtx.gz | cmp - a.mtx
body a.mtx >a.body
body c.mtx >c.body
cmp -s a.body c.body && echo 'another seed gave the same graph'
proact make wiki --vertices 5000 --edges 60000 --seed 7 -o - | cmp - a.mtx
ls -- - 2>/dev/null
# The checksum of an independent implementation.
md5sum <a.body

# Edges are ascending, distinct and in range, without loops; in- and out-degrees are skewed.
tail -n +4 a.mtx | sort -n -k1,1 -k2,2 | cmp - "$(tail -n +4 a.mtx >edges; echo edges)"
awk '{ if ($1 == $2 || $1 < 1 || $2 < 1 || $1 > 5000 || $2 > 5000 || seen[$0]++) bad++
       out[$1]++; in_[$2]++ }
     END { for (v in out) if (out[v] > most_out) most_out = out[v]
           for (v in in_) if (in_[v] > most_in) most_in = in_[v]
           print NR, bad + 0, (most_out > 120), (most_in > 2 * most_out), most_out, most_in }' edges
proact run pagerank a.mtx -n 1 --method bulk --iterations 1 | sed -n 1p

# A binary graph is read like the text.
proact make wiki --vertices 5000 --edges 60000 --seed 7 -o a.sg
for file in a.mtx a.sg; do
    proact run pagerank $file -n 1 --iterations 2 --output $file.ranks >/dev/null
    proact run sssp $file -n 1 --weights hash --output $file.paths >/dev/null
done
cmp a.mtx.ranks a.sg.ranks
cmp a.mtx.paths a.sg.paths
wc -c <a.sg

# The written band matrix gives the answer of the generated one.
fails 0 proact make band --rows 500 --half-width 3 -o band.mtx
sed -n '3p;4p' band.mtx
tail -n +4 band.mtx | wc -l
proact run band --matrix band.mtx -n 1 --iterations 9 --output matrix.x >/dev/null
proact run band --rows 500 --half-width 3 -n 1 --iterations 9 --output band.x >/dev/null
cmp matrix.x band.x
fails 1 proact make band --rows 5 --half-width 5 -o x.mtx
fails 2 proact make band --dominance 0 -o x.mtx
fails 2 proact make band

# The defaults have the vertices and edges of an eighth of Wikipedia: 12.62 edges each.
proact make wiki --vertices 20000 -o - | sed -n 3p

# The counts of the reference program for a grid of 6 x 6 x 8 nodes, as a Matrix Market file
# and, without the diagonal, as a binary graph.
proact make hv15r --grid 6x6x8 -o h.mtx
sed -n 3p h.mtx
tail -n +4 h.mtx | awk '{ if ($1 < row || ($1 == row && $2 <= column) || $2 > 2016) bad++
       row = $1; column = $2; diagonal += $1 == $2; if (seen[$2 " " $1]) pairs++; seen[$0] = 1 }
     END { print NR, bad + 0, diagonal, 2 * pairs + diagonal }'
proact make hv15r --grid 6x6x8 -o h.sg
for file in h.mtx h.sg; do
    proact run pagerank $file -n 1 --iterations 2 --output $file.ranks | sed -n 1p
done
cmp h.mtx.ranks h.sg.ranks
fails 2 proact make hv15r --grid 6x6 -o x.sg
fails 2 proact make hv15r --grid 6x6x0 -o x.sg
fails 2 proact make hv15r --grid 300x300x300 -o x.sg
fails 2 proact make hv15r --grid 6x6x8
fails 1 proact make hv15r --grid 6x6x8 -o no/such/x.sg

fails 2 proact make
fails 2 proact make frobnicate
fails 2 proact make wiki
fails 2 proact make wiki --vertices 1 -o x.mtx
fails 2 proact make wiki --vertices 4294967296 -o x.mtx
fails 2 proact make wiki --vertices 1e5 -o x.mtx
fails 2 proact make wiki --edges 0 -o x.mtx
fails 2 proact make wiki --vertices 30 --edges 871 -o x.mtx
fails 2 proact make wiki --vertices 4000000000 -o x.mtx
fails 2 proact make wiki --seed -1 -o x.mtx
fails 2 proact make wiki --colour red -o x.mtx
fails 2 proact make wiki -o x.mtx y.mtx
fails 1 proact make wiki --vertices 30 --edges 870 -o x.mtx
fails 1 proact make wiki --vertices 5000 --edges 60000 -o no/such/x.mtx
ls x.mtx y.mtx no 2>/dev/null
proact make --help >help
proact help make | cmp - help
proact make wiki --help | head -1
