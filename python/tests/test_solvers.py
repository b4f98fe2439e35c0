"""Solvers that come as packages, asked as programs."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

import discern

PROGRAM = [sys.executable, "-m", "discern.solvers.cvc5"]
NINE = "(set-option :produce-models true)\n(set-logic QF_BV)\n(declare-const x (_ BitVec 8))\n(assert (= (bvmul x x) #x{}))\n(check-sat)\n"


def ask(text, **options):
    return subprocess.run(PROGRAM, input=text, capture_output=True, text=True, **options)


def test_without_the_package_one_sentence_says_what_installs_it(tmp_path):
    (tmp_path / "cvc5.py").write_text("raise ImportError\n")
    package = pathlib.Path(discern.__file__).absolute().parents[1]
    ended = ask("(check-sat)", cwd=tmp_path, env={**os.environ, "PYTHONPATH": f"{tmp_path}:{package}"})
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "discern.solvers.cvc5: cvc5 is not installed; pip install 'discern-mma[cvc5]' does that\n"


@pytest.mark.skipif(importlib.util.find_spec("cvc5") is None, reason="cvc5 is not installed (pip install cvc5)")
def test_it_answers_as_the_program_does():
    ended = ask(NINE.format("51") + "(get-value (x))\n(exit)\n(check-sat)\n")
    assert ended.returncode == 0 and ended.stdout.startswith("sat\n((x #b"), ended.stdout
    x = int(ended.stdout.split("#b")[1].split(")")[0], 2)
    assert x * x % 256 == 0x51 and ended.stdout.count("sat") == 1
    assert ask(NINE.format("02")).stdout == "unsat\n"
    wrong = ask(NINE.format("02") + "(assert")
    assert wrong.returncode == 1 and wrong.stdout.startswith('unsat\n(error "')
