"""The grammar of docs/notation.md, taken at its word: it derives each line of tests/data/spellings.txt but those that are
"refused", and the lines of tests/data/random_units.txt.

Usage: grammar.py [ROOT]. Prints what is not so; the exit status is 1 if anything is not.

What the page says of numbers, formats and patterns in prose is written here once more: `terminals`.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
page = (root / "docs/notation.md").read_text()
block = re.search(r"\n## Grammar\n\n((?:    .*\n)+)", page)[1]

names = re.search(r"FORMAT   = a name: (.*)", block)[1].replace(",", "").split()
names += re.search(r"another name of these: (.*)", block)[1].split()
modes = re.search(r"MODE = ((?:\w+ )+\w+);", block)[1].split()
count = "(?:[1-9][0-9]?|0)"
terminals = {
    "n": r"-?\s*[0-9]{1,7}",
    "HEX": r"[0-9a-fA-F]+",
    "MODE": "|".join(sorted(modes, key=len, reverse=True)),
    "FORMAT": "|".join([f"e{count}m{count}(?:ieee|fnuz|inuz|fn|f)?", rf"fix{count}\.{count}", *sorted(names, key=len, reverse=True)]),
}
terminals |= {"m": terminals["n"], **{operand: terminals["FORMAT"] for operand in "ABCD"}}

# The productions: what stands behind three blanks or more is a comment.
productions, last = {}, None
for line in block.splitlines():
    head = re.match(r"    (\w+) *= *(.*)", line)
    more = re.match(r" {13}(\|.*)", line)
    if head:
        last = head[1]
        productions[last] = re.split(r" {3,}", head[2])[0]
    elif more:
        productions[last] += " " + re.split(r" {3,}", more[1])[0]
del productions["FORMAT"]  # prose


def parsed(text):
    """A rule as nested tuples: ("any", alternatives), ("all", parts), ("maybe", x), ("many", x), ("text", x), ("name", x)."""
    tokens = re.findall(r'"[^"]*"|[\[\](){}|]|\w+', text)
    at = 0

    def alternatives(end):
        nonlocal at
        choices, parts = [], []
        while at < len(tokens) and tokens[at] != end:
            token = tokens[at]
            at += 1
            if token == "|":
                choices.append(("all", parts))
                parts = []
            elif token in "[{(":
                inner = alternatives({"[": "]", "{": "}", "(": ")"}[token])
                parts.append(({"[": "maybe", "{": "many", "(": "any"}[token], inner) if token != "(" else inner)
            else:
                parts.append(("text", token[1:-1]) if token[0] == '"' else ("name", token))
        if end:
            assert tokens[at:at + 1] == [end], f"'{end}' is missing in: {text}"
            at += 1
        return ("any", [*choices, ("all", parts)])

    return alternatives(None)


productions["unit"] = productions["unit"].replace("[ overrides ]", "")  # they have rules of their own
rules = {name: parsed(text) for name, text in productions.items()}


def ends(rule, text, at):
    """All places at which a derivation of the rule that begins at a place can end."""
    kind, inner = rule
    if kind == "text":
        # A sign may have blanks before it; of a word, "K=" or ":pos", also between its parts.
        pattern = r"\s*".join(re.escape(part) for part in re.findall(r"\w+|[^\w\s]", inner))
        found = re.compile(r"\s*" + pattern + (r"(?!\w)" if inner[-1].isalnum() and inner not in "pg" else "")).match(text, at)
        return {found.end()} if found else set()
    if kind == "name":
        if inner in rules:
            return ends(rules[inner], text, at)
        found = re.compile(rf"\s*(?:{terminals[inner]})(?!\w)").match(text, at)
        return {found.end()} if found else set()
    if kind == "any":
        return set().union(*(ends(choice, text, at) for choice in inner))
    if kind == "all":
        places = {at}
        for part in inner:
            places = set().union(*(ends(part, text, place) for place in places)) if places else places
        return places
    reached, new = {at}, {at}
    while new:
        new = set().union(*(ends(inner, text, place) for place in new)) - reached
        reached |= new
        if kind == "maybe":
            break
    return reached


def derives(line):
    return any(not line[place:].strip() for place in ends(rules["unit"], line, 0))


wrong, right, refused = [], 0, 0
for line in (root / "tests/data/spellings.txt").read_text().splitlines():
    if line.startswith("#"):
        continue
    spelled, printed = line.split("  =>  ")
    lines = [(spelled, printed != "refused")]
    if printed not in ("refused", "not allowed"):
        lines.append((printed, True))
    for text, expected in lines:
        if derives(text) != expected:
            wrong.append(f"docs/notation.md, Grammar: {'no derivation' if expected else 'a derivation, and it is refused,'} of {text}")
        right, refused = right + expected, refused + (not expected)
for line in (root / "tests/data/random_units.txt").read_text().splitlines():
    right += 1
    if not derives(line):
        wrong.append(f"docs/notation.md, Grammar: no derivation of {line}")
print("\n".join(wrong))
print(f"{right} lines that are right, {refused} that are not; {len(wrong)} wrong")
sys.exit(1 if wrong or right < 200 or refused < 20 else 0)
