# The proof of a certificate in a form that other checkers read: LRAT, or DRAT with -v form=drat.
#
# Usage: awk -f lrat.awk NAME.proof >NAME.lrat
#
# Only the definitions differ: each clause of a gate is added by itself. Its new variable comes first, and with the
# clauses before it that have the opposite there it gives nothing but clauses that always hold, which is what LRAT's
# negative hints say (a clause "blocked" on the variable; docs/certificates.md).

function add(literals, against,    text, k, n, parts) {
    text = literals " 0"
    if (form != "drat") {
        text = id " " text
        n = split(against, parts, " ")
        for (k = 1; k <= n; ++k) text = text " -" first + parts[k]
        text = text " 0"
    }
    print text
    ++id
}

$2 == "e" {
    first = id = $1; g = $4; x = $5; y = $6; z = $7
    if ($3 == "and") { add(-g " " x); add(-g " " y); add(g " " (-x) " " (-y), "0 1") }
    if ($3 == "xor") {
        add(-g " " x " " y); add(-g " " (-x) " " (-y)); add(g " " (-x) " " y, "0 1"); add(g " " x " " (-y), "0 1")
    }
    if ($3 == "ite") {
        add(-g " " (-x) " " y); add(g " " (-x) " " (-y), "0"); add(-g " " x " " z, "1"); add(g " " x " " (-z), "0 2")
    }
    if ($3 == "maj") {
        add(-g " " x " " y); add(-g " " x " " z); add(-g " " y " " z)
        add(g " " (-x) " " (-y), "0 1 2"); add(g " " (-x) " " (-z), "0 1 2"); add(g " " (-y) " " (-z), "0 1 2")
    }
    next
}
form != "drat" { print; next }
$2 != "d" { # without number and hints; deletions are left out, which is allowed
    text = ""
    for (k = 2; $k != 0; ++k) text = text $k " "
    print text "0"
}
