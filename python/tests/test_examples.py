"""The notebooks run, every cell of them, and show what comes out."""

from __future__ import annotations

import pytest

import notebooks

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")


def test_there_are_notebooks():
    assert len(notebooks.BOOKS) == 4


#: those that take five seconds and more
LONG = {"what_does_my_matmul_compute", "emulate_mi300"}


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem, marks=pytest.mark.slow if path.stem in LONG else ()) for path in notebooks.BOOKS])
def test_a_notebook_runs(path):
    kept = notebooks.read(path)
    reason = notebooks.missing(kept)
    if reason:
        pytest.skip(reason)
    book = notebooks.executed(path)
    assert len(book.cells) == len(kept.cells)
    for now, then in zip(book.cells, kept.cells):
        if now.cell_type != "code":
            continue
        assert then.execution_count == now.execution_count, "script/notebooks has not been run"
        if notebooks.VARIES in now.metadata.get("tags", []):
            assert [kind for kind, _ in notebooks.shown(now)] == [kind for kind, _ in notebooks.shown(then)]
        else:
            assert notebooks.shown(now) == notebooks.shown(then), "script/notebooks writes what comes out now"


def test_a_cell_that_raises_is_told_of(tmp_path):
    import nbformat

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import discern\ndiscern.unit('no such unit')")])
    nbformat.write(book, tmp_path / "bad.ipynb")
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="no such unit"):
        notebooks.executed(tmp_path / "bad.ipynb")
