# Tables of `proact bench figures` in the documentation, from bench/results/figureN.json and
# table2.json, or from one file for each machine (figureN-MACHINE.json). tables.awk calls
# figure_table() and paper_table().

# A command that prints the files of a figure.
function figure_files(file,    name) {
    name = file
    sub(/\.json$/, "", name)
    return "cat " name ".json " name "-[kpv][0-9]*.json 2>/dev/null"
}

# The panels of a figure, one below the other: a row for each series, a column for each
# position. The key `plan` is shown where the file has it and `noted` is set.
function figure_table(file, noted,    line, p, s, a, k, n, i, j, panels, series, ats, x, cell, seen, has_panel,
                      down, part, files) {
    files = figure_files(file)
    while ((files | getline line) > 0) {
        if (line ~ /^  "down": /) down = value(line, "down")
        if (line !~ /^ *\{"name": /) continue
        p = value(line, "panel"); s = p SUBSEP value(line, "name"); a = value(line, "at")
        if (p != "") has_panel = 1
        if (!(("s", s) in seen)) { seen["s", s]; series[++n] = s }
        if (!(("a", a) in seen)) { seen["a", a]; ats[++k] = a; x[k] = value(line, "x") + 0 }
        cell[s, a] = noted ? value(line, "plan") : value(line, "value") == "" ? "undefined" \
                     : figure_number(value(line, "value"))
    }
    close(files)
    if (!n) fail(file " has no row")
    figure_sort(ats, x, k)
    printf "|%s %s |", has_panel ? " panel |" : "", down
    for (j = 1; j <= k; j++) printf " %s |", ats[j]
    printf "\n"
    rule(k + 1 + has_panel)
    for (i = 1; i <= n; i++) {
        split(series[i], part, SUBSEP)
        printf "|%s %s |", has_panel ? " " part[1] " |" : "", part[2]
        for (j = 1; j <= k; j++)
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
function figure_cell(file, panel, series, at,    line, found, files) {
    files = figure_files(file)
    while ((files | getline line) > 0)
        if (line ~ /^ *\{"name": / && value(line, "name") == series &&
            value(line, "at") == at && value(line, "panel") == panel)
            found = file ~ /table2/ ? value(line, "plan") : value(line, "value") == "" ? "undefined" \
                    : figure_number(value(line, "value"))
    close(files)
    return found
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
