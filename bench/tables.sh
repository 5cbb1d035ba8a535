#!/bin/sh
# Puts the tables of bench/results/*.json into docs/measuring.md and docs/performance.md,
# between the marks `<!-- table NAME -->` and `<!-- end -->`. With --check it only says
# whether they are there.
set -eu
cd "$(dirname "$0")/.."
made=$(mktemp)
trap 'rm -f "$made"' EXIT
stale=

make_tables() {
    awk "$(cat bench/value.awk)"'
function mechanism(line,    note) {
    note = value(line, "note")
    return value(line, "method") (note != "" ? ", " note : "")
}
function size(bytes) {
    bytes += 0
    if (bytes == 0) return ""
    if (bytes >= 1048576) return bytes / 1048576 " MB"
    return bytes / 1024 " KB"
}
function differs(line) {
    return sprintf("%+.1f %%%s", 100 * (value(line, "emulated") / value(line, "measured") - 1),
                   value(line, "outside") != "" ? " (left out)" : "")
}
function link_row(line) {
    printf "| %s | %.4g %s | %.4g | %s |\n", value(line, "what"), value(line, "measured"),
           value(line, "unit"), value(line, "emulated"), differs(line)
}
function tracking_row(line,    what, adds) {
    what = value(line, "what"); sub(/:.*/, "", what)
    adds = value(line, "adds_percent_measured")
    printf "| %s | %.4g %s | %.4g | %s | %s | %s | %s |\n", what, value(line, "measured"),
           value(line, "unit"), value(line, "emulated"), differs(line),
           adds == "" ? "" : sprintf("%+.1f %%", adds),
           adds == "" ? "" : sprintf("%+.1f %%", value(line, "adds_percent")),
           adds == "" ? "" : sprintf("%+.1f", value(line, "adds_percent") - adds)
}
function micro_row(line) {
    printf "| %s | %s | %s | %s | %s | %.2f | %.2f | %s |\n", value(line, "pattern"),
           value(line, "ratio"), mechanism(line), size(value(line, "chunk_bytes")),
           (value(line, "threads") + 0 == 0 ? "" : value(line, "threads")),
           value(line, "measured"), value(line, "emulated"), differs(line)
}
function speed_row(line) {
    printf "| %s | %s | %s | %.2f | %.2f to %.2f |\n", value(line, "kernel"),
           value(line, "devices"), value(line, "threads"), value(line, "median"),
           value(line, "lowest"), value(line, "highest")
}
function run_row(line) {
    printf "| %s | %.2f ms | %.2f | %.0f %% | %.0f MB | %.0f k | %.0f %% |\n",
           value(line, "method"), value(line, "time_ns") / 1e6, value(line, "speedup"),
           100 * value(line, "captured_share"), value(line, "sent_bytes") / 1e6,
           value(line, "packets") / 1e3, 100 * value(line, "hidden_share")
}
# Measured on hardware: what each row is, its median and its spread.
function figure_row(line) {
    printf "| %s | %.4g %s | %.4g to %.4g | %s |\n", value(line, "what"),
           value(line, "measured"), value(line, "unit"), value(line, "lowest"),
           value(line, "highest"), value(line, "runs")
}
function row(kind, line) {
    if (kind == "run") run_row(line)
    else if (kind == "figure") figure_row(line)
    else if (kind == "speed") speed_row(line)
    else if (kind == "micro") micro_row(line)
    else if (kind == "tracking") tracking_row(line)
    else link_row(line)
}
function rule(columns) {
    printf "|"
    while (columns-- > 0) printf "---|"
    printf "\n"
}
# A row for each line of the file that has the key.
function rows(file, kind, key, head,    line) {
    print head
    rule(gsub(/\|/, "|", head) - 1)
    while ((getline line < file) > 0)
        if (index(line, "\"" key "\": ")) row(kind, line)
    close(file)
}
# The best chunk of each mechanism, by compute / copy.
function best_table(file,    line, k, m, r, i, n, count, order, ratios, best, chunk, seen) {
    while ((getline line < file) > 0) {
        if (line !~ /"measured": /) continue
        m = mechanism(line); r = value(line, "ratio"); k = m SUBSEP r
        if (!(m in seen)) { seen[m] = 1; order[++n] = m }
        if (!(r in ideal)) { ratios[++count] = r; ideal[r] = value(line, "ideal") }
        if (value(line, "measured") + 0 > best[k] + 0) {
            best[k] = value(line, "measured")
            chunk[k] = size(value(line, "chunk_bytes"))
        }
    }
    close(file)
    printf "| mechanism |"
    for (i = 1; i <= count; i++) printf " compute / copy %s |", ratios[i]
    printf "\n"
    rule(count + 1)
    for (m = 1; m <= n; m++) {
        printf "| %s |", order[m]
        for (i = 1; i <= count; i++) {
            k = order[m] SUBSEP ratios[i]
            if (!(k in best)) printf " |"
            else printf " %.3f%s |", best[k], chunk[k] == "" ? "" : " (" chunk[k] ")"
        }
        printf "\n"
    }
    printf "| *ideal* |"
    for (i = 1; i <= count; i++) printf " %.2f |", ideal[ratios[i]]
    printf "\n"
    delete ideal
}
# Microseconds a launch, by kernel, of the builds and numbers of devices.
function compiled_table(file,    line, k, b, kernels, builds, n, m, i, j, us) {
    while ((getline line < file) > 0) {
        if (line !~ /"median": /) continue
        k = value(line, "kernel"); b = value(line, "build")
        gsub("_", " ", b)
        b = b ", " value(line, "devices") " GPU" (value(line, "devices") > 1 ? "s" : "")
        if (!(k in us)) { us[k] = 1; kernels[++n] = k }
        if (!(b in us)) { us[b] = 1; builds[++m] = b }
        us[k, b] = value(line, "median")
    }
    close(file)
    printf "| kernel |"
    for (j = 1; j <= m; j++) printf " %s |", builds[j]
    printf "\n"
    rule(m + 1)
    for (i = 1; i <= n; i++) {
        printf "| %s |", kernels[i]
        for (j = 1; j <= m; j++)
            printf((kernels[i], builds[j]) in us ? " %.4g |" : " |", us[kernels[i], builds[j]])
        printf "\n"
    }
}
# Milliseconds of the first, the second and the last launch, by kernel, of the builds.
function large_table(file,    line, k, b, kernels, builds, n, m, i, j, each, ms) {
    while ((getline line < file) > 0) {
        if (line !~ /"each": /) continue
        k = value(line, "kernel")
        b = value(line, "build") ", " value(line, "devices") " GPU" (value(line, "devices") > 1 ? "s" : "")
        if (!(k in ms)) { ms[k] = 1; kernels[++n] = k }
        if (!(b in ms)) { ms[b] = 1; builds[++m] = b }
        sub(/.*\[/, "", line); sub(/\].*/, "", line)
        i = split(line, each, ", ")
        ms[k, b] = sprintf("%.4g, %.4g, %.4g", each[1], each[2], each[i])
    }
    close(file)
    printf "| kernel |"
    for (j = 1; j <= m; j++) printf " %s |", builds[j]
    printf "\n"
    rule(m + 1)
    for (i = 1; i <= n; i++) {
        printf "| %s |", kernels[i]
        for (j = 1; j <= m; j++) printf " %s |", ms[kernels[i], builds[j]]
        printf "\n"
    }
}
# What bench/correct.sh ran, and what that said.
function correct_table(file,    line) {
    printf "| what | said | seconds |\n"
    rule(3)
    while ((getline line < file) > 0)
        if (line ~ /"said": /)
            printf "| %s | %s | %s |\n", value(line, "name"), value(line, "said"), value(line, "seconds")
    close(file)
}
# Of a microbenchmark: the method whose figure is the greatest at a compute / copy; of the
# peers, or of ours, or that one.
function best_at(file, ratio, whose,    line, m, is_peer) {
    best_figure = best_ideal = 0
    best_method = ""
    while ((getline line < file) > 0) {
        m = value(line, "method")
        is_peer = m ~ /^(NCCL|NVSHMEM|cudaMemcpyPeer)/
        if (m == "" || value(line, "ratio") != ratio || value(line, "measured") + 0 <= best_figure) continue
        if (whose == "ours" ? is_peer : whose == "peers" ? m !~ /^(NCCL|NVSHMEM)/ : m != whose) continue
        best_figure = value(line, "measured") + 0
        best_ideal = value(line, "ideal")
        best_method = mechanism(line)
    }
    close(file)
    return best_figure
}
function ahead(file,    ratios, i, count, ours, said) {
    count = split("0.5 1 1.25 2", ratios, " ")
    for (i = 1; i <= count; i++) {
        ours = best_at(file, ratios[i], "ours")
        if (ours && best_at(file, ratios[i], "peers"))
            said = said (said == "" ? "" : ", ") sprintf("%+.1f %% at %s", 100 * (ours / best_figure - 1), ratios[i])
    }
    gsub(/[-+]0\.0 /, "0.0 ", said)
    return said
}
# The greatest of the rows whose name begins so.
function greatest(file, select, key,    line, most, unit) {
    most = ""
    while ((getline line < file) > 0)
        if (value(line, "what") ~ "^" select && value(line, key) != "" && (most == "" || value(line, key) + 0 > most)) {
            most = value(line, key) + 0
            unit = value(line, "unit")
        }
    close(file)
    return most == "" ? "" : key == "adds_percent" ? sprintf("%.1f %%", most) : sprintf("%.4g %s", most, unit)
}
function half(figure,    word) {
    return split(figure, word, " ") ? sprintf("%.3g %s", word[1] / 2, word[2]) : ""
}
# What the file says of an aim (bench/aims.txt), if it is there.
function reached(file, how, select,    word) {
    if (how == "most") return greatest(file, select, "measured")
    if (how == "half") return half(greatest(file, select, "measured"))
    if (how == "adds") return greatest(file, select, "adds_percent")
    if (how == "ahead") return ahead(file)
    split(select, word, " ")
    if (!best_at(file, word[1], word[2] == "" ? "ours" : word[2])) return ""
    if (how == "short") return sprintf("%.1f %% (%s)", 100 * (best_ideal / best_figure - 1), best_method)
    return sprintf("%.3f", best_figure) (word[2] == "" ? " (" best_method ")" : "")
}
# Times, and what something costs, are to be less than the aim; of what is ahead, nothing behind.
function misses(said, aim, how,    is_less) {
    if (aim == "") return 0
    if (how == "ahead") return index(said, "-") > 0
    is_less = aim ~ /(us|%)$/
    return is_less ? said + 0 > aim + 0 : said + 0 < aim + 0
}
function aims_table(    line, field, machines, count, i, said, all) {
    count = split("4xH200 4xH100 2xH200 2xH100 1xH200 1xH100", machines, " ")
    printf "| figure | aim | reached; *short of it* | |\n"
    rule(4)
    while ((getline line < "bench/aims.txt") > 0) {
        if (line ~ /^#/) continue
        split(line, field, / *\| */)
        all = ""
        for (i = 1; i <= count; i++) {
            said = reached("bench/results/" field[3] "-" machines[i] ".json", field[4], field[5])
            if (said == "") continue
            if (misses(said, field[2], field[4])) said = "*" said "*"
            all = all (all == "" ? "" : "; ") machines[i] ": " said
        }
        gsub(/xH/, " x H", all)
        printf "| %s | %s | %s | %s |\n", field[1], field[2], all, field[6]
    }
    close("bench/aims.txt")
}
function table(name,    file) {
    file = "bench/results/" name ".json"
    if (name == "aims") aims_table()
    else if (name ~ /^correct/) correct_table(file)
    else if (name ~ /^(calls|compiled|distributed|start)/) compiled_table(file)
    else if (name ~ /^large/) large_table(file)
    else if (name ~ /^micro-(row-)?(all-)?[0-9]/) best_table(file)
    else if (name ~ /-[0-9]+x/)
        rows(file, "figure", "measured", "| what | median | lowest to highest | runs |")
    else if (name ~ /^pagerank/)
        rows(file, "run", "hidden_share",
             "| method | time | speedup | captured | sent | packets | hidden |")
    else if (name ~ /-speed$/)
        rows(file, "speed", "median",
             "| kernel | devices | host threads | G lane instructions a second, median | runs |")
    else if (name ~ /^micro/)
        rows(file, "micro", "measured",
             "| pattern | compute / copy | mechanism | chunk | threads | measured | emulated | differs |")
    else if (name ~ /^tracking/)
        rows(file, "tracking", "measured",
             "| what | measured | emulated | differs | adds, measured | adds, emulated | points |")
    else
        rows(file, "link", "measured", "| what | measured | emulated | differs |")
}
/^<!-- end -->/ { inside = 0 }
!inside { print }
/^<!-- table / { inside = 1; table($3) }
' "$1" >"$made"
}

for page in docs/measuring.md docs/performance.md; do
    make_tables "$page"
    cmp -s "$made" "$page" && continue
    if [ "${1:-}" = --check ]; then
        echo "$page: its tables are not those of bench/results: run bench/tables.sh" >&2
        stale=yes
    else
        cat "$made" >"$page"
    fi
done
[ -z "$stale" ]
