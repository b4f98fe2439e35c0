"""Comments and documents name files that are there.

Usage: names.py [ROOT]     the folder of a checkout, or the one where it is called

Looked at are comments of sources and scripts, and documents but for their transcripts (lines that are indented by four
spaces), which other tests run. A word that ends as a source does (.cpp, .hpp, .py, .md, .sv, .txt, .sh) has to be a file: by its
path from the root or from a folder above the text that names it, or by its name alone if a file of that name is in the same
top folder, or, of a document, below a folder that it names. Tests mirror the sources, so a test may also name a file as a
source in its place would. Left out are

- words that stand for any name: with FILE, NAME or FOLDER in them, or patterns (*_test.cpp),
- names with a line behind them, "f.sv:12", which are examples of messages,
- headers of libraries, which some source includes as <such>, and files that a program writes: some source has their name in quotes.
"""

import pathlib
import posixpath
import re
import subprocess
import sys

SOURCES = {".cpp": "//", ".hpp": "//", ".h": "//", ".c": "//", ".cu": "//", ".sv": "//", ".v": "//", ".awk": "#", ".py": "#", ".sh": "#",
           ".cmake": "#", ".txt": "#", ".toml": "#", ".yml": "#", "": "#"}
NAME = re.compile(r"(?<![\w/.*~$}>-])((?:[\w.+-]+/)*[\w+-][\w.+-]*\.(?:cpp|hpp|py|md|sv|txt|sh))(?![\w/*-]|:\d)")
FOLDER = re.compile(r"(?<![\w/.])(?:\.\./)?((?:[\w-]+/)+)")
ANY = re.compile(r"FILE|NAME|FOLDER|DIR")
INCLUDED = re.compile(r"#include <([^>]+)>")
QUOTED = re.compile(r'["/]([\w-]+\.(?:cpp|hpp|py|md|sv|txt|sh))["\']')


def comments(path, text):
    """Number and text of each line of a comment, or of a document."""
    if path.suffix == ".md":
        for number, line in enumerate(text.splitlines(), 1):
            if not line.startswith("    "):
                yield number, line
        return
    if path.suffix == ".py":
        inside = False
        for number, line in enumerate(text.splitlines(), 1):
            quotes = line.count('"""') if inside or line.lstrip().startswith('"""') else 0
            if inside or quotes:
                yield number, line
            elif "# " in line:
                yield number, line[line.index("# "):]
            inside ^= quotes % 2 == 1
        return
    mark = SOURCES[path.suffix]
    for number, line in enumerate(text.splitlines(), 1):
        begin = re.search(r"(^|[^:\"'\w])" + mark + r"[/ !<]", line)
        if begin:
            yield number, line[begin.start():]


def is_there(token, named_in, files, names, folders):
    """Whether a text at that place, which names these folders, may call a file so."""
    places = [named_in]
    if named_in.parts[0] == "tests" and len(named_in.parts) > 2:
        places.append(pathlib.Path(*named_in.parts[1:]))
    for place in places:
        for folder in place.parents:
            if posixpath.normpath((folder / token).as_posix()) in files:
                return True
        if "/" not in token and any(file.startswith(place.parts[0] + "/") for file in names.get(token, ())):
            return True
    return any(file.startswith(folder) for folder in folders for file in names.get(token, ()))


def main(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if listed.returncode != 0:
        print("this is no checkout of git")
        return 77
    files = {line for line in listed.stdout.splitlines() if (pathlib.Path(root) / line).is_file()}
    names = {}
    for file in files:
        names.setdefault(pathlib.Path(file).name, []).append(file)
    texts = {}
    for file in sorted(files):
        path = pathlib.Path(file)
        if path.suffix in SOURCES or path.suffix == ".md":
            try:
                texts[path] = (pathlib.Path(root) / file).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                pass
    elsewhere = set()  # libraries' headers, and what programs write
    for path, text in texts.items():
        if path.suffix != ".md":
            elsewhere.update(INCLUDED.findall(text), QUOTED.findall(re.sub(r"#include .*", "", text)))
    looked_at, wrong = 0, []
    for path, text in texts.items():
        if path.suffix == "" and not text.startswith("#!"):
            continue
        named = set(FOLDER.findall(text)) if path.suffix == ".md" else set()
        for number, line in comments(path, text):
            for match in NAME.finditer(line):
                token = match.group(1)
                looked_at += 1
                if ANY.search(token) or token in elsewhere or is_there(token, path, files, names, named):
                    continue
                wrong.append(f"{path}:{number}: there is no {token}: {line.strip()[:110]}")
    print("\n".join(wrong))
    print(f"{looked_at} names of files, {len(wrong)} of files that are not there")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
