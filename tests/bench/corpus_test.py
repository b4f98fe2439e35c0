"""What corpus.py writes, on what a status rests, and that wrong answers are noticed.

Usage: tests/bench/corpus_test.py PROGRAM        exit status 77: without z3, or in a build without solvers, nothing is asked
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import candidates
import corpus

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else ""
# Two that are the same, which takes a solver, and one that is not.
ONCE = "e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[exact](p*))"
TWICE = "e2m1*e2m1->f16 K=2 : round[f16 rne](round[bf16 odd](fuse[exact](p*)))"
CUT = "e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[F=1 rz](p*))"
HARD = candidates.Candidate("hard ones", ONCE, TWICE)


class Corpus(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        families = candidates.families
        self.addCleanup(setattr, candidates, "families", families)

    def options(self, **more):
        common = {"program": PROGRAM, "folder": self.folder, "seed": 1, "most": 9, "seconds": 20, "every": 1, "first": 0, "ways": "sat,z3", "minutes": 5}
        return argparse.Namespace(**common | more)

    def made(self, *given):
        candidates.families = lambda seed: [list(family) for family in given]
        corpus.make(self.options())
        return corpus.read(self.folder / "index.jsonl")

    def test_only_hard_questions_are_written(self):
        folds = candidates.Candidate("a", ONCE, ONCE.replace("(p*)", "(p1, p0)"))
        told = candidates.Candidate("a", ONCE, CUT)
        meaningless = candidates.Candidate("a", ONCE, "no unit")
        rows = self.made([folds, told, meaningless], [HARD])
        self.assertEqual([row["name"] for row in rows], ["000-hard-ones"])
        text = (self.folder / "000-hard-ones.smt2").read_text()
        self.assertTrue(text.startswith("(set-info :smt-lib-version 2.6)\n(set-logic QF_BV)\n(set-info :source |\n"), text[:200])
        for part in (ONCE, TWICE, '(set-info :category "crafted")', "(set-info :status unknown)", "(set-info :license "):
            self.assertIn(part, text)

    def test_a_design_takes_the_place_of_a_unit(self):
        if not shutil.which("yosys") or not shutil.which("iverilog"):
            self.skipTest("yosys and iverilog are not installed")
        row = self.made([candidates.Candidate("designs", ONCE, "", design=ONCE)])[0]
        self.assertTrue((self.folder / row["design"]).exists())
        self.assertEqual(corpus.answer(self.options(), row, "sat")["answer"], "unsat")

    def test_a_proof_counts_when_two_found_it(self):
        self.made([HARD])
        corpus.ask(self.options())
        [row] = corpus.read(self.folder / "answers.jsonl")
        self.assertEqual((row["status"], row["confirmed"]), ("unsat", "cadical, z3"))
        self.assertIn("(set-info :status unsat)", (self.folder / "000-hard-ones.smt2").read_text())
        one = {"sat": row["ways"]["sat"]}
        self.assertEqual(corpus.status(self.options(seconds=0.01), row, one)[0], "unknown")
        self.assertEqual(corpus.status(self.options(seconds=0.01), row, one | {"portfolio": row["ways"]["sat"]})[0], "unknown")
        self.assertEqual(corpus.status(self.options(), row, one), ("unsat", "cadical, a certificate"))

    def test_a_vector_counts_when_the_file_has_it_as_a_solution(self):
        row = {"name": "cut", "first": ONCE, "second": CUT, "limits": [], "design": ""}
        text = subprocess.run([PROGRAM, "smt2", ONCE, CUT], capture_output=True, check=True, text=True).stdout
        (self.folder / "cut.smt2").write_text(corpus.with_infos(text, "", "unknown"))
        given = corpus.answer(self.options(), row, "sat")
        self.assertEqual(given["answer"], "sat")
        self.assertEqual(corpus.status(self.options(), row, {"sat": given}), ("sat", "a vector, and z3"))
        with self.assertRaises(SystemExit):  # both units give zero
            corpus.has_solution(self.folder, row, {"a": ["0", "0"], "b": ["0", "0"]})
        with self.assertRaises(SystemExit):
            corpus.status(self.options(), row, {"sat": given, "z3": {"answer": "unsat", "seconds": 1}})

    def test_what_comes_late_is_no_answer(self):
        late = corpus.answer(self.options(seconds=0.001), {"name": "", "first": ONCE, "second": TWICE, "limits": [], "design": ""}, "sat")
        self.assertEqual(late["answer"], "unknown")
        row = {"limit": 20, "ways": {"one": {"answer": "unknown", "seconds": 3}, "two": {"answer": "unsat", "seconds": 3}}}
        self.assertEqual([corpus.par2(row, way) for way in ("one", "two")], [40, 3])

    def test_the_same_seed_draws_the_same_candidates(self):
        self.assertEqual(candidates.families(3), candidates.families(3))
        self.assertNotEqual(candidates.families(3), candidates.families(4))


if __name__ == "__main__":
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, check=True, text=True).stdout
    if not shutil.which("z3") or "solver sat" not in version or "solver z3" not in version:
        print("z3 is not installed, or the program has no solvers")
        raise SystemExit(77)
    unittest.main()
