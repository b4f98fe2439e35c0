"""Runs the notebooks of docs/examples/python, and writes what comes out into them: script/notebooks.

nbclient runs them, which Debian has; the usual tools for it, nbmake and jupytext, are not in Debian 12.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BOOKS = sorted((ROOT / "docs" / "examples" / "python").glob("*.ipynb"))

#: The tag of a cell that prints what differs from machine to machine, or with the time that it has.
VARIES = "varies"


def missing(book) -> str:
    """What a notebook needs that is not here, as a sentence; empty if it can run."""
    code = "\n".join(cell.source for cell in book.cells if cell.cell_type == "code")
    if "discern.torch" in code and importlib.util.find_spec("torch") is None:
        return "torch is not installed"
    if '"iverilog"' in code and shutil.which("iverilog") is None:
        return "iverilog is not installed"
    return ""


def read(path: Path):
    import nbformat

    return nbformat.read(path, as_version=4)


def executed(path: Path, timeout: float = 120):
    """The notebook with the outputs of a new run, in a folder like its own, where it may write.

    timeout: seconds for a cell. Raises CellExecutionError, which has the cell and what it raised.
    """
    import discern
    from nbclient import NotebookClient

    book = read(path)
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "python"
        folder.mkdir()
        (folder.parent / "rtl").symlink_to(ROOT / "docs" / "examples" / "rtl")
        client = NotebookClient(
            book, timeout=timeout, kernel_name="python3", record_timing=False, resources={"metadata": {"path": str(folder)}}
        )
        package = Path(discern.__file__).absolute().parents[1]
        client.execute(env={**os.environ, "PYTHONPATH": str(package)})
    return tidy(book)


def tidy(book):
    """Without what differs from run to run, or is of this machine's Jupyter."""
    for cell in book.cells:
        cell.pop("id", None)
        if cell.cell_type != "code":
            continue
        outputs = []
        for output in cell.outputs:
            if output.output_type == "stream":
                if output.name != "stdout":  # progress, warnings
                    continue
                if outputs and outputs[-1].output_type == "stream":
                    outputs[-1].text += output.text
                    continue
            outputs.append(output)
        cell.outputs = outputs
    book.metadata.language_info = {"name": "python"}
    book.nbformat, book.nbformat_minor = 4, 4
    return book


def shown(cell) -> list[tuple[str, str]]:
    """The kinds of a cell's outputs, with their texts."""
    texts = []
    for output in cell.outputs:
        text = output.text if output.output_type == "stream" else output.data["text/plain"]
        texts.append((output.output_type, re.sub(r"0x[0-9a-f]{9,}", "0x…", text)))
    return texts


def main() -> None:
    import nbformat

    for path in BOOKS:
        reason = missing(read(path))
        if reason:
            raise SystemExit(f"{path.name}: {reason}")
        nbformat.write(executed(path), path)
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(main())
