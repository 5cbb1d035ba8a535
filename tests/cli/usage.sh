# Wrong command lines: one message on stderr, exit status 2, nothing on stdout.
. "$(dirname "$0")/cli_lib.sh"
exec 2>&1
fails 2 proact --frobnicate
fails 2 proact frobnicate
fails 2 proact help frobnicate
fails 2 proact version now
fails 2 proact methods now
fails 2 proact doctor now
fails 2 proact run
fails 2 proact run frobnicate
fails 2 proact run pagerank
fails 2 proact run pagerank a.mtx b.mtx
fails 2 proact run pagerank a.mtx --size 5
fails 2 proact run jacobi --names names.txt
fails 2 proact run jacobi --chnk 64K
fails 2 proact run jacobi --chunk
fails 2 proact run jacobi --chunk 3000
fails 2 proact run jacobi --chunk 2K
fails 2 proact run jacobi --chunk 512M
fails 2 proact run jacobi --chunk 64Q
fails 2 proact run jacobi --chunk -64K
fails 2 proact run jacobi --chunk 99999999999999999999
fails 2 proact run jacobi --method telepathy
fails 2 proact run jacobi --method inline+fused:1M
fails 2 proact run jacobi --method copy-engine+fused:0
fails 2 proact run jacobi --devices 0
fails 2 proact run jacobi --devices 99999999999999999999
fails 2 proact run jacobi --devices two
fails 2 proact run jacobi --threads 16
fails 2 proact run jacobi --threads 100
fails 2 proact run jacobi --send some
fails 2 proact run jacobi --machine v100x4 --devices 5
fails 2 proact run jacobi --machine cray1 2>&1 | sed 's/there are .*, or/there are ..., or/'
fails 2 proact topo cray1 2>&1 | sed 's/there are .*, or/there are ..., or/'
fails 2 proact topo v100x4 k40x4
fails 2 proact topo --jsn
fails 2 proact machines v100x4
fails 2 proact run jacobi --size 2
fails 2 proact run jacobi --seed -1
fails 2 proact run jacobi --tolerance nan
fails 2 proact run jacobi --tolerance -1
fails 2 proact run jacobi --tolerance
fails 2 proact run jacobi --iterations 0
fails 2 proact run jacobi --compare --trace t.json
fails 2 proact run jacobi --trace t.json --method all
fails 2 proact run jacobi --chart
fails 2 proact run jacobi --every 5
fails 2 proact run jacobi --checkpoint c --every 0
fails 2 proact run jacobi --method all --log log.csv
fails 2 proact run jacobi --compare --reference
fails 2 proact run jacobi --log - --output -
ls
