# Tables of the documentation, each from one file of bench/results. table() maps a name to
# its table; the main rules at the end copy a page and replace its tables. value.awk reads
# a line, summary.awk makes the tables that combine several files, and figures.awk those of
# the paper's figures.

function rule(columns) {
    printf "|"
    while (columns-- > 0) printf "---|"
    printf "\n"
}

function head(text) {
    print text
    rule(gsub(/\|/, "|", text) - 1)
}

function fail(text) {
    print "bench/tables.awk: " text >"/dev/stderr"
    failed = 1
}

function result_file(name) {
    return "bench/results/" name ".json"
}

# Four significant digits, without an exponent.
function digits(figure) {
    return figure >= 1000 ? sprintf("%.0f", figure) : sprintf("%.4g", figure)
}

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

function difference(line) {
    return sprintf("%+.1f %%%s", 100 * (value(line, "emulated") / value(line, "measured") - 1),
                   value(line, "excluded") != "" ? " (excluded)" : "")
}

# Emulated machines against measured ones.
function fit_row(line) {
    printf "| %s | %.4g %s | %.4g | %s |\n", value(line, "what"), value(line, "measured"),
           value(line, "unit"), value(line, "emulated"), difference(line)
}

function tracking_row(line,    what, adds) {
    what = value(line, "what"); sub(/:.*/, "", what)
    adds = value(line, "adds_percent_measured")
    printf "| %s | %.4g %s | %.4g | %s | %s | %s | %s |\n", what, value(line, "measured"),
           value(line, "unit"), value(line, "emulated"), difference(line),
           adds == "" ? "" : sprintf("%+.1f %%", adds),
           adds == "" ? "" : sprintf("%+.1f %%", value(line, "adds_percent")),
           adds == "" ? "" : sprintf("%+.1f", value(line, "adds_percent") - adds)
}

function micro_row(line) {
    printf "| %s | %s | %s | %s | %s | %.2f | %.2f | %s |\n", value(line, "pattern"),
           value(line, "ratio"), mechanism(line), size(value(line, "chunk_bytes")),
           (value(line, "threads") + 0 == 0 ? "" : value(line, "threads")),
           value(line, "measured"), value(line, "emulated"), difference(line)
}

function speed_row(line) {
    printf "| %s | %s | %s | %.2f | %.2f to %.2f |\n", value(line, "kernel"),
           value(line, "devices"), value(line, "threads"), value(line, "median"),
           value(line, "lowest"), value(line, "highest")
}

# A share in percent; an undefined one is null.
function percent(line, key,    share) {
    share = value(line, key)
    return share == "null" ? "" : sprintf("%.0f %%", 100 * share)
}

function run_row(line) {
    printf "| %s | %.2f ms | %.2f | %s | %s | %.0f MB | %.0f k | %s |\n",
           value(line, "method"), value(line, "time_ns") / 1e6, value(line, "speedup"),
           percent(line, "captured_share"), percent(line, "overhead_share"),
           value(line, "sent_bytes") / 1e6, value(line, "packets") / 1e3,
           percent(line, "hidden_share")
}

# An application on one GPU next to a library's call, and the floor of its design.
function twin_row(line) {
    printf "| %s | %.3f ms | %.3f ms | %.2f | %s |\n", value(line, "name"),
           value(line, "one_device_ns") / 1e6, value(line, "twin_ns") / 1e6,
           value(line, "ratio"), value(line, "twin")
}

function alone_row(line) {
    printf "| %s | %s us | %s |\n", value(line, "name"), digits(value(line, "time_us")),
           value(line, "before_us") == "" ? "" : digits(value(line, "before_us")) " us"
}

# Measurements on hardware: the median and the spread of a case.
function figure_row(line) {
    printf "| %s | %.4g %s | %.4g to %.4g | %s |\n", value(line, "what"),
           value(line, "measured"), value(line, "unit"), value(line, "lowest"),
           value(line, "highest"), value(line, "runs")
}

# A matrix product, predicted and measured.
function product_row(line) {
    printf "| %s | %s | %s | %s | %.1f us | %.1f us | %.1f us | %+.1f %% |\n",
           value(line, "machine"), value(line, "size"), value(line, "tiles"),
           value(line, "method"), value(line, "kernel_ns") / 1e3,
           value(line, "measured_ns") / 1e3, value(line, "predicted_ns") / 1e3,
           100 * (value(line, "predicted_ns") / value(line, "measured_ns") - 1)
}

function row(kind, line) {
    if (kind == "run") run_row(line)
    else if (kind == "product") product_row(line)
    else if (kind == "figure") figure_row(line)
    else if (kind == "twin") twin_row(line)
    else if (kind == "alone") alone_row(line)
    else if (kind == "speed") speed_row(line)
    else if (kind == "micro") micro_row(line)
    else if (kind == "tracking") tracking_row(line)
    else fit_row(line)
}

# One row for each line of the file that has the key.
function rows(file, kind, key, columns,    line, count) {
    head(columns)
    while ((getline line < file) > 0)
        if (index(line, "\"" key "\": ")) {
            row(kind, line)
            count++
        }
    close(file)
    if (!count) fail(file " has no row with the key " key)
}

# Microbenchmark: the best chunk of each mechanism, by compute / copy.
function best_table(file,    line, k, m, r, i, n, count, order, ratios, best, chunk, seen, ideal) {
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
    if (!n) fail(file " has no measured row")
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
}

# Column of a build: its name and its number of GPUs.
function build_column(line,    build) {
    build = value(line, "build")
    gsub("_", " ", build)
    return build ", " value(line, "devices") " GPU" (value(line, "devices") > 1 ? "s" : "")
}

# Programs: one row for each kernel, one column for each build and number of GPUs. `key` is
# that of the number, or "each" for the first, second and last launch of a list.
function build_table(file, key,    line, k, b, kernels, builds, n, m, i, j, cell, each, seen) {
    while ((getline line < file) > 0) {
        if (!index(line, "\"" key "\": ")) continue
        k = value(line, "kernel"); b = build_column(line)
        if (!(("k", k) in seen)) { seen["k", k]; kernels[++n] = k }
        if (!(("b", b) in seen)) { seen["b", b]; builds[++m] = b }
        if (key == "each") {
            sub(/.*\[/, "", line); sub(/\].*/, "", line)
            i = split(line, each, ", ")
            cell[k, b] = digits(each[1] + 0) ", " digits(each[2] + 0) ", " digits(each[i] + 0)
        } else
            cell[k, b] = digits(value(line, key) + 0)
    }
    close(file)
    if (!n) fail(file " has no row with the key " key)
    printf "| kernel |"
    for (j = 1; j <= m; j++) printf " %s |", builds[j]
    printf "\n"
    rule(m + 1)
    for (i = 1; i <= n; i++) {
        printf "| %s |", kernels[i]
        for (j = 1; j <= m; j++)
            printf " %s|", (kernels[i], builds[j]) in cell ? cell[kernels[i], builds[j]] " " : ""
        printf "\n"
    }
}

# Checks of bench/correct.sh with the line that each one printed.
function correct_table(file,    line) {
    head("| check | result | seconds |")
    while ((getline line < file) > 0)
        if (line ~ /"result": /)
            printf "| %s | %s | %s |\n", value(line, "name"), value(line, "result"),
                   value(line, "seconds")
    close(file)
}

# Errors of the model: "median, 95th percentile (points)" in percent.
function error_cell(line) {
    return sprintf("%.1f, %.1f (%d)", value(line, "median"), value(line, "p95"), value(line, "points"))
}

# Messages by initiator and decade of size, from bench/model_errors.sh.
function message_errors(file,    line, k, d, order, decades, n, m, i, j, cell, seen) {
    while ((getline line < file) > 0) {
        if (line !~ /"initiator": /) continue
        k = value(line, "initiator"); d = value(line, "from_kb")
        if (!(("k", k) in seen)) { seen["k", k]; order[++n] = k }
        if (!(("d", d) in seen)) { seen["d", d]; decades[++m] = d }
        cell[k, d] = error_cell(line)
    }
    close(file)
    if (!n) fail(file " has no initiator")
    printf "| initiator |"
    for (j = 1; j <= m; j++) printf " from %s KB |", decades[j]
    printf "\n"
    rule(m + 1)
    for (i = 1; i <= n; i++) {
        printf "| %s |", order[i]
        for (j = 1; j <= m; j++)
            printf " %s|", (order[i], decades[j]) in cell ? cell[order[i], decades[j]] " " : ""
        printf "\n"
    }
}

# The microbenchmark by pattern and method, one column for each machine, and a line about
# the model's choices.
function micro_errors(file,    line, k, m, order, names, n, c, i, j, part, cell, seen, first, three, cases, points) {
    while ((getline line < file) > 0) {
        if (line !~ /"machine": .*"pattern": /) continue
        if (index(line, "\"fastest\": ")) {
            cases++
            first += value(line, "first_loses") <= 2
            three += value(line, "three_lose") <= 2
            continue
        }
        k = value(line, "pattern") SUBSEP value(line, "method"); m = value(line, "machine")
        if (!(("k", k) in seen)) { seen["k", k]; order[++n] = k }
        if (!(("m", m) in seen)) { seen["m", m]; names[++c] = m }
        cell[k, m] = error_cell(line)
        points += value(line, "points")
    }
    close(file)
    if (!n) fail(file " has no method")
    printf "| pattern | method |"
    for (j = 1; j <= c; j++) printf " %s |", names[j]
    printf "\n"
    rule(c + 2)
    for (i = 1; i <= n; i++) {
        split(order[i], part, SUBSEP)
        printf "| %s | %s |", part[1], part[2]
        for (j = 1; j <= c; j++)
            printf " %s|", (order[i], names[j]) in cell ? cell[order[i], names[j]] " " : ""
        printf "\n"
    }
    printf "\n%d rows. In %d of %d cases of machine, pattern and ratio, one of the model's first three\n" \
           "candidates is within 2 percent of the fastest measured one; in %d cases the first is.\n",
           points, three, cases, first
}

function regret_table(file,    line) {
    regret_reset()
    while ((getline line <file) > 0) regret_read(line)
    close(file)
    if (!regret_classes) fail(file " has no cases")
    regret_print()
}

function table(name,    file) {
    file = result_file(name)
    if (name ~ /^summary-/ || name == "targets") summary_table(name)
    else if (name == "paper") paper_table()
    else if (name == "table2-planner") planner_table(file)
    else if (name ~ /^model-product/)
        rows(file, "product", "measured_ns",
             "| machine | size | tiles | method | kernel | measured | predicted | difference |")
    else if (name ~ /^model-messages/) message_errors(file)
    else if (name ~ /^model-micro/) micro_errors(file)
    else if (name ~ /^(figure|table)[0-9]+$/) figure_table(file, name ~ /^table/)
    else if (name ~ /^correct/) correct_table(file)
    else if (name ~ /^(calls|compiled|distributed|start|whole)/) build_table(file, "median")
    else if (name ~ /^large/) build_table(file, "each")
    else if (name ~ /^micro-(row-)?(all-)?[0-9]/) best_table(file)
    else if (name ~ /^(run|(pagerank|als).*-v100)/)
        rows(file, "run", "hidden_share",
             "| method | time | speedup | captured | overhead | sent | packets | hidden |")
    else if (name ~ /^regret/) regret_table(file)
    else if (name ~ /^twins/)
        rows(file, "twin", "ratio", "| application | proact, one GPU | library | ratio | call |")
    else if (name ~ /^applications/)
        rows(file, "alone", "time_us", "| application | per iteration | before |")
    else if (name ~ /-[0-9]+x/)
        rows(file, "figure", "measured", "| case | median | min to max | runs |")
    else if (name ~ /-speed$/)
        rows(file, "speed", "median",
             "| kernel | devices | host threads | G lane instructions/s, median | min to max |")
    else if (name ~ /^micro/)
        rows(file, "micro", "measured",
             "| pattern | compute / copy | mechanism | chunk | threads | measured | emulated | difference |")
    else if (name ~ /^tracking/)
        rows(file, "tracking", "measured",
             "| case | measured | emulated | difference | added, measured | added, emulated | points |")
    else
        rows(file, "fit", "measured", "| case | measured | emulated | difference |")
}

/^<!-- end -->/ { inside = 0 }
!inside { print }
/^<!-- table / { inside = 1; table($3) }
END { exit failed }
