"""Words that were given up are not used again: words.txt has them, with what is said instead.

Usage: words.py [ROOT]. Prints each place with what is said instead; the exit status is 1 if there is any.
"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
rules = []
for line in (pathlib.Path(__file__).parent / "words.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        word, instead = line.rsplit("|", 1)
        where = word.partition(": ")[0] if word.startswith(("docs: ", "comments: ")) else ""
        rules.append((re.compile(word.removeprefix(where + ": ") if where else word, re.IGNORECASE), instead, where))
COMMENT = re.compile(r"(?<![:\"])//.*")


def part(name, line, where):
    """What of a line a rule of that kind looks at."""
    if where == "docs":
        return line if name.endswith(".md") else ""
    if where == "comments":
        comment = COMMENT.search(line) if name.endswith((".cpp", ".hpp")) else None
        return comment.group() if comment else ""
    return line


left_out = ("CHANGELOG.md", "tests/docs/words.", "generated/", "tests/data/", "docs/examples/")
KINDS = ("*.md", "*.cpp", "*.hpp", "*.py", "*.txt", "*.cmake")


def files_with(word):
    """Files that a word may be in: git finds them in a hundredth of the time that looking at each line takes."""
    said = subprocess.run(["git", "-C", root, "grep", "-lPi", "-e", word.pattern.replace("^", ""), "--", *KINDS], capture_output=True,
                          text=True)  # fmt: skip
    if said.returncode > 1:
        sys.exit(said.stderr)
    return [name for name in said.stdout.split() if not name.startswith(left_out)]


found = 0
for word, instead, where in rules:
    for name in files_with(word):
        for number, line in enumerate((root / name).read_text(errors="replace").splitlines(), 1):
            if line.startswith("    ") and name.endswith(".md"):
                continue
            if match := word.search(part(name, line, where)):
                found += 1
                print(f"{name}:{number}: '{match.group()}': {instead}: {line.strip()[:100]}")
print(f"{len(rules)} words that were given up, {found} uses of them")
sys.exit(1 if found else 0)
