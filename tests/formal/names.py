"""What pages and the program say of the formal definition is there: the theorems that `discern property` names, those that
docs/formal.md names, the statements that it quotes, and the definitions that docs/notation.md names. Of each of these theorems
the build prints what it assumes (formal/Assumptions.v), and formal/statements.txt has what it says.

Usage: names.py [ROOT]. Prints what is not so; the exit status is 1 if anything is not.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
sources = {path: path.read_text() for part in ("", "circuit", "checker") for path in sorted((root / "formal" / part).glob("*.v"))}
everything = "\n".join(sources.values()) + (root / "formal/axioms.txt").read_text()
theorems = set(re.findall(r"^ *(?:Theorem|Lemma|Corollary|Example) (\w+)", everything, re.M))
asked = re.findall(r"^Print Assumptions (\S+)\.$", (root / "formal/Assumptions.v").read_text(), re.M)
printed = {name.split(".")[-1] for name in asked}
page = (root / "docs/formal.md").read_text()
wrong = []


def require(condition, sentence):
    if not condition:
        wrong.append(sentence)


of_program = set(re.findall(r'of_formal\("(\w+)"\)', (root / "analysis/property/formal.hpp").read_text()))
for name in sorted(of_program):
    require(name in theorems, f"analysis/property/formal.hpp: formal/ has no theorem '{name}'")

of_page = {name for name in re.findall(r"`(\w+)`", page) if "_" in name}
for name in sorted(of_page):
    require(re.search(rf"(?:\b|_){name}\b", everything), f"docs/formal.md: nothing in formal/ is called '{name}'")
named = (of_page & theorems) | of_program
for name in sorted(named):
    require(name in printed, f"formal/Assumptions.v does not print what '{name}' assumes")

statements = re.findall(r"^@?(\S+)\n? +: ", (root / "formal/statements.txt").read_text(), re.M)
require([name.split(".")[-1] for name in statements] == [name.split(".")[-1] for name in asked],
        "formal/statements.txt has not the theorems of formal/Assumptions.v in their order: script/formal says how to make it")

# A quoted statement stands in one source, its lines one after the other.
quoted = re.findall(r"^    ((?:Theorem|Lemma|Definition|Fixpoint|Inductive|Record) .*(?:\n    (?!Theorem|Lemma|Definition).*)*)",
                    page[page.index("\n## How to read it"):], re.M)
for statement in quoted:
    lines = statement.replace("\n    ", "\n")
    require(any(f"\n{lines}\n" in text for text in sources.values()), f"docs/formal.md quotes what is not in formal/: {lines}")

defined = [name for line in re.findall(r"^Formally: .*", (root / "docs/notation.md").read_text(), re.M)
           for name in re.findall(r"\[`(\w+)`\]", line)]
for name in defined:
    require(re.search(rf"^ *(?:Definition|Fixpoint|Inductive|Record) {name}\b", (root / "formal/Notation.v").read_text(), re.M),
            f"docs/notation.md: '{name}' is no definition of formal/Notation.v")

# How much OCaml is trusted with the verified checker, as docs/certificates.md counts it.
count, files = re.search(r"(\d+) lines of OCaml that [^(]*\(([^;]*);", (root / "docs/certificates.md").read_text()).groups()
paths = [root / "formal" / part / name for name in files.split(", ") for part in ("", "checker")]
lines = sum(len(path.read_text().splitlines()) for path in paths if path.exists())
require(abs(int(count) - lines) * 20 <= lines, f"docs/certificates.md: {files} have {lines} lines, not {count}")

print("\n".join(wrong))
print(f"{len(named)} theorems are named, {len(quoted)} statements quoted, {len(set(defined))} definitions named; {len(wrong)} wrong")
sys.exit(1 if wrong or min(len(of_program), len(named), len(quoted), len(defined)) == 0 else 0)
