"""docs/triton-report.md: its tables are what its rows say, and rows of some kernels are asked again."""

import importlib.machinery
import importlib.util
import itertools
import json
import os
import re

import pytest
from conftest import ROOT

LOADER = importlib.machinery.SourceFileLoader("triton_report", str(ROOT / "script" / "triton-report"))
report = importlib.util.module_from_spec(importlib.util.spec_from_loader("triton_report", LOADER))
LOADER.exec_module(report)
ROWS = [json.loads(line) for line in report.ANSWERS.read_text().splitlines()]


key = report.key


def test_the_page_has_what_the_rows_say():
    assert report.PAGE.read_text() == report.page(ROWS)
    assert len({key(row) for row in ROWS}) == len(ROWS)


def test_each_answer_stands_in_its_cell():
    """Kernels of which the same is said share a line, and targets with the same answer a bracket: read back, each has what its own row says, and no line is too many."""
    shown: dict[tuple[str, str, str], str] = {}
    table = report.PAGE.read_text().partition(report.BEGIN)[2].split("\n\n")[1].splitlines()
    for line in table[2:]:
        names, parameters, answers = (cell.strip() for cell in line.split("|")[1:-2])
        said_of = [cell.removesuffix(")").rpartition(" (") for cell in re.split(r"(?<=\)); ", answers)]
        for name, own, (cell, _, targets) in itertools.product(names.split(", "), parameters.split("; "), said_of):
            kind = next(kind for kind in ("", "matmul ", "sum ") if kind + name in report.NAMES)
            listed = targets.removeprefix("all but ").split(", ")
            for target in listed if listed == targets.split(", ") and targets != "all" else [t for t in report.TARGETS if t not in listed]:
                assert (kind + name, own.partition(":")[0], target) not in shown
                shown[kind + name, own.partition(":")[0], target] = cell
    said = {(row["kernel"], report.TITLES[row["parameter"]], row["target"]): report.cell(row) for row in ROWS if "release" not in key(row) and row["target"] != "all"}
    assert shown == said


def test_every_value_is_in_one_class_or_refused():
    for row in ROWS:
        placed = sorted(i for members in row["classes"] for i in members)
        assert placed == [i for i, value in enumerate(row["values"]) if str(value) not in row["refused"]], row


@pytest.mark.parametrize(
    ("name", "target", "parameter"),
    [
        ("sum of rows", "sm_80", "num_warps"),
        ("sum of rows", "gfx942", "num_stages"),
        ("matmul e4m3", "sm_90", "TM"),
        ("matmul f16", "gfx942", "kpack"),
        ("matmul f16", "sm_120", "TK"),
    ],
)
def test_rows_are_those_that_the_script_finds(name, target, parameter):
    triton = pytest.importorskip("triton", reason="triton is not installed")
    if triton.__version__ != report.VERSION:
        pytest.skip(f"Triton is {triton.__version__}, and the page is about {report.VERSION}")
    kernels = report.corpus()
    assert list(kernels) == report.NAMES
    asked = (name, target, parameter)
    assert list(report.rows_of(name, kernels[name], {key(row) for row in ROWS} - {asked})) == [row for row in ROWS if key(row) == asked]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sum of rows", "matmul bf16"])
def test_rows_of_two_releases_are_those_that_the_script_finds(name):
    """DISCERN_OLDER_TRITON names a Python that has the older release, and numpy."""
    triton = pytest.importorskip("triton", reason="triton is not installed")
    if triton.__version__ != report.VERSION:
        pytest.skip(f"Triton is {triton.__version__}, and the page is about {report.VERSION}")
    if "DISCERN_OLDER_TRITON" not in os.environ:
        pytest.skip(f"DISCERN_OLDER_TRITON names no Python with Triton {report.OLDER}")
    found = list(report.releases({name: report.corpus()[name]}, os.environ["DISCERN_OLDER_TRITON"]))
    assert found == [row for row in ROWS if row["kernel"] == name and "release" in key(row)]
    assert {row["parameter"] for row in found} > {"release", "num_warps"}
