# Tables of `proact bench figures` in the documentation, from bench/results/figureN.json and
# table2.json, or from one file for each machine (figureN-MACHINE.json). tables.awk calls
# figure_table() and paper_table().

# A command that prints the files of a figure.
function figure_files(file,    name) {
    name = file
    sub(/\.json$/, "", name)
    return "cat " name ".json " name "-[kpv][0-9]*.json 2>/dev/null"
}

# The rows of a figure. Sets cell[SERIES, AT], the names and x of the positions, the series,
# and info: "n" series, "k" positions, "down", and "panel" if there is one. Several rows of one
# cell (one of each application) count with their geometric mean; the mean of a series is that
# of its cells. A series is PANEL SUBSEP NAME.
function figure_load(file, noted, cell, series, ats, x, info,    line, s, a, v, i, j, files, seen, logs,
                     count, sum, number) {
    files = figure_files(file)
    while ((files | getline line) > 0) {
        if (line ~ /^  "down": /) info["down"] = value(line, "down")
        if (line !~ /^ *\{"name": /) continue
        s = value(line, "panel") SUBSEP value(line, "name"); a = value(line, "at")
        v = value(line, "value")
        if (value(line, "panel") != "") info["panel"] = 1
        if (!(("s", s) in seen)) { seen["s", s]; series[++info["n"]] = s }
        if (a ~ /mean$/) { info["mean"] = a; continue }
        if (!(("a", a) in seen)) { seen["a", a]; ats[++info["k"]] = a; x[info["k"]] = value(line, "x") + 0 }
        if (v != "") { count[s, a]++; logs[s, a] += v > 0 ? log(v) : 0; number[s, a] = v }
        if (v != "" && count[s, a] > 1) number[s, a] = exp(logs[s, a] / count[s, a])
        cell[s, a] = noted ? value(line, "plan") : v == "" ? "undefined" : figure_number(number[s, a])
    }
    close(files)
    figure_sort(ats, x, info["k"])
    if (!info["mean"]) return
    for (i = 1; i <= info["n"]; i++) {
        s = series[i]; count[s] = sum = 0
        for (j = 1; j <= info["k"]; j++)
            if ((s, ats[j]) in number) {
                count[s]++
                sum += info["mean"] ~ /geometric/ ? log(number[s, ats[j]]) : number[s, ats[j]]
            }
        if (!count[s]) continue
        sum /= count[s]
        cell[s, info["mean"]] = figure_number(info["mean"] ~ /geometric/ ? exp(sum) : sum)
    }
    ats[++info["k"]] = info["mean"]
}

# The panels of a figure, one below the other: a row for each series, a column for each
# position. The key `plan` is shown where the file has it and `noted` is set.
function figure_table(file, noted,    i, j, series, ats, x, cell, part, info) {
    info["n"] = info["k"] = 0
    figure_load(file, noted, cell, series, ats, x, info)
    if (!info["n"]) fail(file " has no row")
    printf "|%s %s |", info["panel"] ? " panel |" : "", info["down"]
    for (j = 1; j <= info["k"]; j++) printf " %s |", ats[j]
    printf "\n"
    rule(info["k"] + 1 + info["panel"])
    for (i = 1; i <= info["n"]; i++) {
        split(series[i], part, SUBSEP)
        printf "|%s %s |", info["panel"] ? " " part[1] " |" : "", part[2]
        for (j = 1; j <= info["k"]; j++)
            printf " %s|", (series[i], ats[j]) in cell ? cell[series[i], ats[j]] " " : ""
        printf "\n"
    }
}

function figure_number(number) {
    return number + 0 < 10 && number + 0 > -10 ? sprintf("%.2f", number) : sprintf("%.1f", number)
}

# Positions in ascending order of x; equal ones keep their order.
function figure_sort(ats, x, count,    i, j, name, place) {
    for (i = 2; i <= count; i++) {
        name = ats[i]; place = x[i]
        for (j = i; j > 1 && x[j - 1] > place; j--) { ats[j] = ats[j - 1]; x[j] = x[j - 1] }
        ats[j] = name; x[j] = place
    }
}

# The value of one row, or its plan in Table II; "" if the file lacks it.
function figure_cell(file, panel, which, at,    cell, series, ats, x, info) {
    info["n"] = info["k"] = 0
    figure_load(file, file ~ /table2/, cell, series, ats, x, info)
    return (panel SUBSEP which, at) in cell ? cell[panel SUBSEP which, at] : ""
}

# The numbers of the paper (bench/paper.txt) next to those of the result files.
function paper_table(    line, field, cell) {
    head("| quantity | the paper | here | reason of the difference |")
    while ((getline line < "bench/paper.txt") > 0) {
        if (line ~ /^#/) continue
        split(line, field, / *\| */)
        cell = figure_cell(result_file(field[3]), field[4], field[5], field[6])
        if (cell == "") fail("bench/paper.txt: " field[3] " has no row for: " field[1])
        printf "| %s | %s | %s | %s |\n", field[1], field[2], cell, field[7]
    }
    close("bench/paper.txt")
}

# The plans of the cost model next to those of Table II, and the estimated keys of the
# machines that change them.
function planner_table(file,    line, field, cell, paper, names, apps, n, k, i, j, a, m, seen, count) {
    while ((getline line < "bench/paper.txt") > 0) {
        split(line, field, / *\| */)
        if (field[3] == "table2") paper[field[5], field[6]] = field[2]
    }
    close("bench/paper.txt")
    while ((getline line < file) > 0) {
        if (line !~ /^ *\{"name": / || value(line, "panel") != "plans") continue
        a = value(line, "name"); m = value(line, "at")
        if (!(("a", a) in seen)) { seen["a", a]; apps[++n] = a }
        if (!(("m", m) in seen)) { seen["m", m]; names[++k] = m }
        cell[a, m] = value(line, "plan")
    }
    close(file)
    if (!n) fail(file " has no plan")
    printf "| application |"
    for (j = 1; j <= k; j++) printf " %s | the paper |", names[j]
    printf "\n"
    rule(2 * k + 1)
    for (i = 1; i <= n; i++) {
        printf "| %s |", apps[i]
        for (j = 1; j <= k; j++) printf " %s | %s |", cell[apps[i], names[j]], paper[apps[i], names[j]]
        printf "\n"
    }
    while ((getline line < file) > 0)
        if (line ~ /^ *\{"name": / && value(line, "panel") == "changes") {
            if (!count++) {
                printf "\n"
                head("| application | machine | changed key: plan |")
            }
            printf "| %s | %s | %s |\n", value(line, "name"), value(line, "at"), value(line, "plan")
        }
    close(file)
}
