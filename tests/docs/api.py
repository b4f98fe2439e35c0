"""The page of the C++ interface, docs/api.md, from the installed headers; and whether it is as they are.

Usage: api.py ROOT           exits with 1 if the page is another one than the headers make
       api.py ROOT --write   writes it

The headers are those of the file set in models/CMakeLists.txt. Of each the page has its opening comment, and what it
declares at the outermost level: the names of types and of functions.
"""

import pathlib
import re
import sys

BEGINNING = """# The C++ interface

What `cmake --install` installs for programs of your own ([install](install.md), [an example](examples/find_package)). Bit patterns go in and come out, as `std::uint64_t`. What a person can get wrong
ends as a `discern::Error` whose text is a sentence. Everything is in the namespace `discern`, and nothing holds global state.

This list of headers, types and functions is made from the headers (`tests/docs/api.py . --write`), which say what each type, function and parameter is.
"""

DECLARATION = re.compile(
    r"^(?:inline |constexpr |\[\[nodiscard\]\] |template <[^>]*> )*"
    r"(?:(?P<kind>struct|class|enum class|enum) (?P<type>\w+)|[\w:<>,&*\s]+?\b(?P<function>\w+)\()"
)


def opening(text):
    """The first paragraph of the comment that a header opens with."""
    lines = []
    for line in text.splitlines():
        stripped = re.sub(r"^(//|/\*| \*)\s?", "", line)
        if not re.match(r"^(//|/\*| \*)", line) or not stripped.strip():
            break
        lines.append(stripped.replace("*/", "").strip())
    return " ".join(lines)


def declarations(text):
    """Each declaration at the outermost level, those in namespaces that end in _detail left out."""
    text = re.sub(r"^namespace (\w+_detail) \{.*?^\} // namespace \1$", "", text, flags=re.MULTILINE | re.DOTALL)
    found, depth = [], 0
    for line in text.splitlines():
        outer = depth == 0
        code = line.split("//")[0]
        if not line.startswith(("namespace", "} // namespace", "#", "extern")):
            depth += code.count("{") + code.count("(") - code.count("}") - code.count(")")
        match = DECLARATION.match(line) if outer else None
        forward = match and match["type"] and line.rstrip().endswith(";") and "{" not in line
        if match and not forward and not line.startswith(("return", "using", "namespace", "static_assert")):
            name = match["type"] or match["function"] + "()"
            found.append(f"{match['kind'] + ' ' if match['kind'] else ''}{name}")
    return found


def page(root):
    listed = (root / "models/CMakeLists.txt").read_text().split("FILE_SET HEADERS", 1)[1].split(")", 1)[0]
    parts = [BEGINNING]
    for name in re.findall(r"^\s+(\w+\.h(?:pp)?)$", listed, re.MULTILINE):
        text = (root / "models" / name).read_text()
        parts.append(f"## models/{name}\n\n{opening(text)}\n")
        # Types first, then functions; what is overloaded, once.
        names = sorted(dict.fromkeys(declarations(text)), key=lambda what: what.endswith("()"))
        if names:
            parts.append(", ".join(f"`{what}`" for what in names) + "\n")
    return "\n".join(parts)


def main():
    root = pathlib.Path(sys.argv[1])
    made, file = page(root), root / "docs/api.md"
    if "--write" in sys.argv[2:]:
        file.write_text(made)
        return 0
    if file.read_text() == made:
        return 0
    print("docs/api.md is not what the installed headers make: tests/docs/api.py . --write writes it", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
