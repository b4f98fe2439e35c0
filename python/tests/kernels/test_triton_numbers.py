"""classes() beside numbers: of 20 configurations of each of ten kernels, every pair is held against what both compute.

In one class, which is proved, all results must have the same bits; of two classes that differ, the vector that was found must show it
again. The results are those of the kernels' graphs, by the models, on random matrices and on some whose sums cancel: the proof compares
graphs and computes nothing.
"""

import functools
import importlib.machinery
import importlib.util
import itertools

import numpy as np
import pytest
from conftest import ROOT

pytest.importorskip("triton", reason="triton is not installed")

import discern.triton as dt  # noqa: E402
from discern.running import run  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("triton_report", str(ROOT / "script" / "triton-report"))
report = importlib.util.module_from_spec(importlib.util.spec_from_loader("triton_report", LOADER))
LOADER.exec_module(report)

COUNT = 20
#: beside the values of the report: more warps, and of AMD's GPUs its own parameters
MORE = {"num_warps": [4, 8, 2], "num_stages": [1, 3, 2]}
WORDS = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "e4m3": np.uint8}
#: the exponent of 1 and the place of an exponent's lowest bit
EXPONENTS = {"f16": (15, 10), "bf16": (127, 7), "f32": (127, 23), "e4m3": (7, 3)}


def configurations(name, base, tried):
    """Twenty, of every second target one after the other, so that the values of all parameters occur."""
    values = {parameter: MORE.get(parameter, found) for parameter, found in tried.items() if parameter not in report.AMD_ONLY}
    targets = ["sm_90", "sm_89" if "e4m3" in name else "sm_80"] + ([] if "tf32x3" in name or name == "softmax" else ["gfx942"])
    found = [{**base, **dict(zip(values, chosen))} for chosen in itertools.product(*values.values())]
    found = [found[i] for i in np.random.default_rng(7).permutation(len(found))]
    all_of_them = [{**config, "target": target} for config in found for target in targets]
    for i, config in enumerate(all_of_them):
        if config["target"] == "gfx942" and "kpack" in tried:
            config["kpack"] = 1 + i % 2
    return all_of_them[:COUNT]


def matrices(arrays, random, aimed):
    """Patterns of finite numbers: of like size, or in pairs that cancel but for what is far below them."""
    for array in arrays:
        one, lowest = EXPONENTS[array["format"]]
        word, shape = WORDS[array["format"]], array["shape"]
        width = 8 * np.dtype(word).itemsize
        mantissa = random.integers(0, 1 << lowest, shape, dtype=np.uint64)
        sign = random.integers(0, 2, shape, dtype=np.uint64)
        reach = min(one - 1, 6 if aimed else 3)
        exponent = random.choice([one - reach, one, one + reach], shape) if aimed else random.integers(one - reach, one + reach, shape)
        if array["format"] == "f32" and array.get("matrix", "").startswith("s"):  # scales
            sign[:] = 0
        made = sign << (width - 1) | exponent.astype(np.uint64) << lowest | mantissa
        if aimed and len(shape) == 2:
            half = shape[1] // 2
            made[:, half : 2 * half] = np.where(random.random((shape[0], half)) < 0.8, made[:, :half] ^ np.uint64(1 << (width - 1)), made[:, half : 2 * half])
        yield made.astype(word)


def result(file, place, launch, inputs):
    for i, array in enumerate(inputs):
        np.save(place / f"{i}.npy", array)
    run("gemm", file, *(str(place / f"{i}.npy") for i in range(len(inputs))), "-o", str(place / "d.npy"))
    found = np.load(place / "d.npy")
    return found.view(f"u{found.itemsize}").reshape(next(one["shape"] for one in launch["arguments"] if "result" in one))


def shown_again(files, place, launch, vector):
    """Whether the vector of two classes has these results, computed by both kernels in whole."""
    inputs = []
    arrays = [one for one in launch["arguments"] if "matrix" in one]
    own = dict(zip(next(one["axes"] for one in launch["arguments"] if "result" in one), vector["element"]))
    for array in arrays:
        made = np.zeros(array["shape"], WORDS[array["format"]])
        for name, bits in vector["operands"].items():
            if name.split("[")[0] == array["matrix"]:
                made[tuple(own[i] if i in own else int(i) for i in name.split("[")[1][:-1].split(","))] = int(bits, 16)
        inputs.append(made)
    return [int(result(file, place, launch, inputs)[tuple(vector["element"])]) for file in files] == [int(bits, 16) for bits in vector["d"]]


@functools.cache
def corpus():
    return report.corpus()


@pytest.mark.slow
@pytest.mark.parametrize("name", report.NAMES)
def test_classes_are_not_contradicted_by_numbers(name, tmp_path):
    fn, base, more, tried = corpus()[name]
    configs = configurations(name, base, tried)
    found = dt.classes(fn, configs, **more)
    made = [dt.compiled(fn, config, **more) for config in configs]
    files = [one.write(tmp_path, f"k{i}") for i, one in enumerate(made)]
    arrays = [one for one in made[0].launch["arguments"] if "matrix" in one]
    random = np.random.default_rng(20240611)
    results = []
    for aimed in (False, True, True, True):
        inputs = list(matrices(arrays, random, aimed))
        known = {}
        results.append([known.setdefault((one.ptx, one.llir, str(one.launch)), None) for one in made])
        for i, one in enumerate(made):
            text = (one.ptx, one.llir, str(one.launch))
            if known[text] is None:
                known[text] = result(files[i], tmp_path, one.launch, inputs)
            results[-1][i] = known[text]
    class_of = {i: number for number, members in enumerate(found) for i in members}
    same = apart = seen = 0
    for i, j in itertools.combinations(range(len(configs)), 2):
        differs = any(not np.array_equal(each[i], each[j]) for each in results)
        if class_of[i] == class_of[j]:
            assert not differs, (configs[i], configs[j])
            same += 1
        else:
            apart, seen = apart + 1, seen + differs
    vectors = [(pair, answer.vector) for pair, answer in found.apart.items() if answer.verdict == "different"]
    for pair, vector in vectors:
        assert shown_again([files[i] for i in pair], tmp_path, made[0].launch, vector), (pair, vector)
    print(f"\n{name}: {len(configs)} configurations, {len(found)} classes, {len(found.open)} pairs of them open; {same} pairs the same, {apart} apart, "
          f"of which these matrices show {seen}; {len(vectors)} vectors shown again")  # fmt: skip
    assert len(configs) == COUNT and (len(found) == 1 or seen or found.open)
