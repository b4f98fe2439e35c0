"""The modules of the Python package import each other at their top, and in no circle; what is imported within a function is
a package that need not be installed.

Usage: imports.py [ROOT]. Prints what is not so; the exit status is 1 if anything is not.
"""
import ast
import pathlib
import sys

OPTIONAL = {"cocotb", "jax", "matplotlib", "ml_dtypes", "torch", "tqdm"}

package = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "python" / "discern"
wrong, imports = [], {}


def own(node):
    """The modules of the package that an import names."""
    if isinstance(node, ast.ImportFrom) and node.level:
        return [node.module.split(".")[0]] if node.module else [name.name for name in node.names]
    names = [node.module] if isinstance(node, ast.ImportFrom) else [name.name for name in node.names]
    return [name.partition(".")[2] or "__init__" for name in names if name.split(".")[0] == "discern"]


def others(node):
    if isinstance(node, ast.ImportFrom):
        return [] if node.level else [node.module.split(".")[0]]
    return [name.name.split(".")[0] for name in node.names]


for path in sorted(package.glob("*.py")):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))]
    within = {inner for function in functions for inner in ast.walk(function)}
    imports[path.stem] = set()
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        imports[path.stem].update(own(node))
        place = f"{path.relative_to(package.parent.parent)}:{node.lineno}"
        if node in within and own(node):
            wrong.append(f"{place}: {', '.join(own(node))} is imported within a function; at the top is right")
        for name in others(node):
            if node in within and name != "discern" and name not in OPTIONAL:
                wrong.append(f"{place}: {name} is always there, and is imported within a function; at the top is right")


def circle(module, path):
    """The first circle that begins at a module, as a list of names."""
    if module in path:
        return path[path.index(module):] + [module]
    for other in sorted(imports.get(module, ())):
        if found := circle(other, [*path, module]):
            return found
    return None


for module in sorted(imports):
    if found := circle(module, []):
        wrong.append("a circle of imports: " + " → ".join(found))
        break
for sentence in wrong:
    print(sentence)
print(f"{len(imports)} modules, {len(wrong)} imports are wrong")
sys.exit(1 if wrong or not imports else 0)
