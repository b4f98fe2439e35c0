"""discern.inductor: kernels of compiled models, from generated code that was kept (tests/data/inductor), and compiled here where there is torch."""

import functools
import importlib
import json
import math
import re
import shutil
import sys

import discern
import discern.inductor
import numpy as np
import pytest
from conftest import DATA
from discern.inductor import compiling, launches, output_code
from discern.running import run

KEPT = DATA / "inductor"
NORM = "triton_per_fused_native_layer_norm_relu_0"


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(KEPT, tmp_path / "kept")


@pytest.fixture
def no_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "torch._inductor.runtime.triton_heuristics", None)


def test_generated_code_is_read_without_torch():
    graph = output_code.read(KEPT / "graph-0.py")
    product, norm = graph.calls
    assert (product.name, product.is_native, product.origin) == ("aten.addmm", True, ("aten.t", "aten.addmm"))
    assert [one.shape for one in product.arguments] == [(32,), (16, 64), (64, 32)] and product.result.shape == (16, 32)
    assert product.arguments[2].strides == (1, 64)
    assert (norm.name, norm.is_native) == (NORM, False) and list(graph.sources) == [NORM]
    assert [getattr(one, "shape", one) for one in norm.arguments] == [(16, 32), (32,), (32,), 16, 32]
    assert norm.origin == ("aten.relu", "aten.native_layer_norm") and len(graph.hashes[NORM]) > 40


def test_kept_kernels_are_read_without_torch(no_torch, tmp_path):
    found = discern.inductor.kernels(KEPT)
    product, norm = found
    assert str(product) == "aten.addmm: native, of [32], [16, 64], [64, 32]" and product.shapes[-1] == [16, 32]
    assert norm.refused is None and norm.configurations[0]["XBLOCK"] == 1 and norm.trees == 32
    assert len(norm.terms) > 100 and all("in1" not in line for line in norm.terms[:5])
    assert list(norm.classes) == [[0], [1]] and norm.bits.endswith(": XBLOCK=1 / XBLOCK=8")
    assert json.loads(json.dumps(found.to_dict()))["kernels"][1]["classes"]["classes"] == [[0], [1]]
    found.write(tmp_path / "again")
    assert {one.name: one.read_bytes() for one in (tmp_path / "again").iterdir()} == {one.name: one.read_bytes() for one in KEPT.iterdir() if one.suffix != ".md"}
    assert str(discern.inductor.kernels(tmp_path / "again")) == str(found)


def test_the_layer_norm_has_the_numbers_of_a_layer_norm(tmp_path, rng):
    """Its graph, computed by the program, beside relu and norm of numpy in f64: within an ulp or two of f16."""
    norm = discern.inductor.kernels(KEPT)[1]
    x, weight, bias = (rng.standard_normal(shape).astype(np.float16) for shape in ((16, 32), (32,), (32,)))
    for name, array in (("x", x), ("weight", weight), ("bias", bias)):
        np.save(tmp_path / f"{name}.npy", array)
    positive = np.maximum(x.astype(np.float64), 0)
    right = (positive - positive.mean(1, keepdims=True)) / np.sqrt(positive.var(1, keepdims=True) + 1e-5) * weight + bias
    for configuration in (0, 1):
        file = norm.write(tmp_path, configuration)
        run("gemm", file, *(str(tmp_path / f"{name}.npy") for name in ("x", "weight", "bias")), "-o", str(tmp_path / "d.npy"))
        np.testing.assert_allclose(np.load(tmp_path / "d.npy"), right, rtol=2e-3, atol=2e-3)


def test_what_was_kept_is_read_and_not_believed(folder):
    """One configuration's code in the place of the other's: the classes are of the code that is there."""
    for kind in ("ptx", "launch.json"):
        shutil.copy(folder / f"kernel-1-1.{kind}", folder / f"kernel-1-0.{kind}")
    assert list(discern.inductor.kernels(folder)[1].classes) == [[0, 1]]
    ptx = folder / "kernel-1-0.ptx"
    ptx.write_text(ptx.read_text().replace("max.NaN", "most.NaN"))
    assert "the PTX of" in discern.inductor.kernels(folder)[1].refused
    (folder / "kernel-1-0.launch.json").write_text("{}")
    assert "launch" in discern.inductor.kernels(folder)[1].refused
    (folder / "kernel-1-0.launch.json").unlink()
    assert discern.inductor.kernels(folder)[1].refused.endswith("kernel-1-0.ptx or its launch is missing")


CALL = '''
async_compile = AsyncCompile()
k = async_compile.triton('k', \'\'\'source\'\'\')
c = async_compile.cpp_pybinding([], \'\'\'source\'\'\')
def call(args):
    arg0_1, arg1_1 = args
    args.clear()
    with torch.cuda._DeviceGuard(0):
        buf0 = extern_kernels.convolution(arg0_1, arg1_1, stride=(1, 1))
        assert_size_stride(buf0, (2, 3), (3, 1))
        buf1 = torch.ops.aten._scaled_dot_product_flash_attention.default(arg0_1, arg1_1, arg1_1, scale=0.5)
        buf2 = buf1[0]
        assert_size_stride(buf2, (4, 4), (4, 1))
        pool = empty_strided_cuda((64, ), (1, ), torch.uint8)
        buf3 = alloc_from_pool(pool, 0, torch.float32, (2, 3), (3, 1))
        # Original ATen: [aten.relu]
        k.run(buf3, 6, stream=stream0)
        k.run(reinterpret_tensor(buf2, (2, 3), (3, 1), 0), 6, stream=stream0)
        c(buf0, 5)
    return (buf0, buf2)
def benchmark_compiled_module():
    arg0_1 = rand_strided((2, 3), (3, 1), device='cuda:0', dtype=torch.float16)
    arg1_1 = rand_strided((3, 3), (3, 1), device='cuda:0', dtype=torch.float16)
'''

RUNNER = '''
k = async_compile.triton('k', """source""")
def partition_0(args):
    buf9, = args
    args.clear()
    k.run(buf9, 6, stream=raw_stream0)
    return (buf9, )
class Runner:
    def __init__(self, partitions):
        self.partitions = partitions
    def call(self, args):
        arg0_1, = args
        assert_size_stride_grouped((arg0_1,), ((2, 3),), ((3, 1),), 'input')
        (buf1,) = self.partitions[0]([arg0_1])
        return (buf1, )
'''


def test_forms_of_generated_code(tmp_path):
    (tmp_path / "code.py").write_text(CALL)
    graph = output_code.read(tmp_path / "code.py")
    assert [(one.name, one.is_native) for one in graph.calls] == [
        ("aten.convolution", True), ("aten._scaled_dot_product_flash_attention", True), ("k", False), ("k", False), ("c", False)]  # fmt: skip
    assert graph.calls[0].result.shape == (2, 3) and graph.calls[2].arguments[0].shape == (2, 3)
    assert graph.calls[2].origin == ("aten.relu",) and graph.calls[2].key == graph.calls[3].key and graph.others == {"c": "cpp_pybinding"}
    (tmp_path / "code.py").write_text(RUNNER)
    assert [(one.name, one.arguments[0].shape) for one in output_code.read(tmp_path / "code.py").calls] == [("k", (2, 3))]


def test_a_buffer_that_is_read_and_written_by_two_names_is_refused():
    whole = output_code.Buffer((4, 8), (8, 1))
    view = output_code.Buffer((2, 8), (8, 1), whole=output_code.Buffer((4, 8), (8, 1), whole=whole))
    made = compiling.Compiled({}, {"in_ptr0": "*fp16", "out_ptr0": "*fp16"}, (1, 1, 1), 0, "")
    with pytest.raises(discern.Error, match="in_ptr0 and out_ptr0 are parts of one buffer, of which the kernel writes one"):
        list(launches.launches_of(made, {"in_ptr0": view, "out_ptr0": whole}, []))
    other = output_code.Buffer((4, 8), (8, 1))
    (launch,) = list(launches.launches_of(made, {"in_ptr0": other, "out_ptr0": whole}, []))[:1]
    assert [one.get("matrix", one.get("result")) for one in launch["arguments"]] == ["in0", "out0"]
    (launch,) = list(launches.launches_of(made, {"in_ptr0": whole, "out_ptr0": whole}, ["in_ptr0"]))[:1]
    assert launch["arguments"][0]["initial"] == "in0_before" and launch["arguments"][1] == {"pointer": "in0"}


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("nothing", None, "is neither a file nor a folder of Inductor's generated code"),
        ("code.py", "x = 1", "has no function `call`"),
        ("code.py", "def call(:", "code.py:1: this is no Python that Inductor writes"),
        ("code.py", "async_compile = 1\ndef call(args):\n    return args[0]", "its `call` is not the straight-line code that is read: IndexError"),
        (".", "x = 1", "has no file that Inductor has generated: TORCH_COMPILE_DEBUG=1 or TORCHINDUCTOR_CACHE_DIR=FOLDER"),
    ],
)
def test_what_is_no_generated_code_is_said(tmp_path, file, text, says):
    if text is not None:
        (tmp_path / "code.py").write_text(text)
    with pytest.raises(discern.Error, match=re.escape(says)):
        [output_code.read(one) for one in output_code.files_of(tmp_path / file)]


def test_what_was_kept_of_other_code_is_said(folder):
    kept = json.loads((folder / "kernels.json").read_text())
    (folder / "kernels.json").write_text(json.dumps({**kept, "kernels": kept["kernels"][:1]}))
    assert "has no code of triton_per_fused_native_layer_norm_relu_0 as kernel 1" in discern.inductor.kernels(folder)[1].refused
    (folder / "kernels.json").write_text("[]")
    with pytest.raises(discern.Error, match="kernels.json is not as Kernels.write"):
        discern.inductor.kernels(folder)


def test_without_torch_one_sentence_says_so(no_torch, folder):
    (folder / "kernels.json").unlink()
    for asked in ((folder,), (print, ())):
        with pytest.raises(discern.Error, match="^discern.inductor needs torch, which is not installed; torch .* were tried, with the Triton that they need: 'pip install torch' installs both$"):
            discern.inductor.kernels(*asked)


@pytest.mark.parametrize(
    ("given", "says"), [((3, ()), "kernels.model, inputs. needs a model of torch"), ((print,), "needs a model of torch"), ((KEPT, ()), "has no inputs")]
)
def test_what_is_asked_wrongly_is_said(given, says):
    with pytest.raises(discern.Error, match=says):
        discern.inductor.kernels(*given)


@pytest.fixture(scope="module")
def models():
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("triton", reason="triton is not installed")
    try:
        compiling.modules()
    except discern.Error as error:
        pytest.skip(str(error))
    return importlib.import_module("inductor_models")


@pytest.fixture
def same_torch(models):
    """The torch that has generated what was kept: another one fuses otherwise, and does not read all of it."""
    kept = json.loads((KEPT / "kernels.json").read_text())["compiled_by"]
    if kept.split("+")[0] != compiling.versions().split("+")[0]:
        pytest.skip(f"{compiling.versions()} is installed, and the kept code is of {kept}")


#: what Inductor leaves to libraries, and the kernels that are not read, with what is said of them
REFUSED = {"gelu": "its guard depends on data", "max_pool2d_with_indices_relu_3": "a comparison of data is combined with a predicate"}  # the second by Triton 3.4 only
NATIVE = {"mlp": 2, "block": 5, "convolution": 2}


@functools.cache
def kernels_of(models, name):
    return discern.inductor.kernels(*getattr(models, name)(), target="sm_90")


@pytest.mark.parametrize("name", NATIVE)
def test_every_kernel_of_a_model_is_listed_and_read_or_refused(models, name, tmp_path):
    found = kernels_of(models, name)
    assert sum(one.calls for one in found if one.is_native) == NATIVE[name] and all(one.shapes[-1] for one in found)
    for kernel in found:
        if kernel.is_native:
            assert kernel.name in ("aten.addmm", "aten.mm", "aten._scaled_dot_product_flash_attention", "aten.convolution")
        elif kernel.refused:
            assert any(part in kernel.name and sentence in kernel.refused for part, sentence in REFUSED.items()), str(kernel)
        else:
            assert kernel.terms and kernel.classes and len(kernel.launches) == len(kernel.ptx) == len(kernel.configurations), str(kernel)
    if name == "mlp":
        found.write(tmp_path)
        assert [str(one) for one in discern.inductor.kernels(tmp_path)] == [str(one) for one in found]


def as_rows(array):
    """The description of an array of a launch as one of rows, in the order of memory."""
    if "shape" not in array:
        return array
    nearest = array["shape"][array["strides"].index(1)]
    others = {key: value for key, value in array.items() if key != "strides"}
    return {**others, "shape": [math.prod(array["shape"]) // nearest, nearest], "axes": "mn"}


def computed(kernel, place, *arrays):
    """The result of a kernel's graph, of arrays of rows."""
    for i, array in enumerate(arrays):
        np.save(place / f"{i}.npy", array)
    file = kernel.write(place)
    launch = kernel.launches[0]
    rows = {key: [as_rows(one) for one in launch.get(key, [])] for key in ("arguments", "buffers")}
    (place / f"{kernel.name}.launch.json").write_text(json.dumps({**launch, **rows}))
    run("gemm", file, *(str(place / f"{i}.npy") for i in range(len(arrays))), "-o", str(place / "d.npy"))
    return np.load(place / "d.npy")


def test_kernels_have_the_numbers_of_the_model(models, same_torch, tmp_path, rng):
    """Beside numpy: relu; the last sum of the block, which is rounded once, and not after each sum as without a compiler; the pooling."""
    relu = kernels_of(models, "mlp")[1]
    x = rng.standard_normal((64, 128)).astype(np.float16)
    assert np.array_equal(computed(relu, tmp_path, x), np.maximum(x, 0))
    last = kernels_of(models, "block")[-1]
    x, y, z = (rng.standard_normal((32, 32)).astype(np.float16) for _ in range(3))
    wide = [one.astype(np.float32) for one in (x, y, z)]
    assert np.array_equal(computed(last, tmp_path, x, y, z), (wide[2] + (wide[1] + wide[0])).astype(np.float16))
    assert not np.array_equal(computed(last, tmp_path, x, y, z), z + (y + x))
    pool = next(one for one in kernels_of(models, "convolution") if "max_pool2d_with_indices_relu_3" in one.name)
    x = rng.standard_normal((16, 16, 16)).astype(np.float16)  # rows, columns, channels
    pooled = x.reshape(8, 2, 8, 2, 16).max((1, 3))
    assert np.array_equal(computed(pool, tmp_path, x.reshape(256, 16)), pooled.reshape(64, 16))


def test_inputs_may_be_one_tensor_or_a_tree_of_them(models):
    torch = importlib.import_module("torch")
    x = torch.zeros(8, 64).half()
    one, other = discern.inductor.kernels(lambda x: x + x * x, x), discern.inductor.kernels(lambda tree: tree["x"] + tree["x"] * tree["x"], [{"x": x}])
    assert len(one) == len(other) == 1 and one[0].terms == other[0].terms and not one[0].refused and "fma.rn" in "".join(one[0].terms)


@pytest.mark.parametrize(("kind", "mask", "kernel"), [("float16", False, "flash"), ("bfloat16", True, "efficient"), ("float32", False, "efficient")])
def test_attention_is_the_kernel_that_torch_takes_on_a_gpu(models, kind, mask, kernel):
    torch = importlib.import_module("torch")

    def attention(q, k, v, mask=None):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)

    queries, keys = torch.zeros(1, 4, 16, 32, dtype=getattr(torch, kind)), torch.zeros(1, 2, 16, 32, dtype=getattr(torch, kind))
    found = discern.inductor.kernels(attention, (queries, keys, keys, *[torch.ones(16, 16, dtype=torch.bool)] * mask))
    assert [one.name for one in found if one.is_native] == [f"aten._scaled_dot_product_{kernel}_attention"]
    assert not [one.refused for one in found if one.refused and "u8" not in one.refused]


def test_a_folder_is_compiled_for_the_gpu_that_is_asked_and_by_the_choice_of_its_cache(same_torch, folder):
    (folder / "kernels.json").unlink()
    hashes = output_code.read(folder / "graph-0.py").hashes
    for target in ("sm_80", "sm_90"):
        norm = discern.inductor.kernels(folder, target=target)[1]
        assert f".target {target}" in norm.ptx[0] and not norm.is_tuned and norm.configurations[0]["XBLOCK"] == 1
    (folder / f"{hashes[NORM]}.best_config").write_text(json.dumps({"XBLOCK": 8, "num_warps": 2, "num_stages": 1, "configs_hash": "x", "found_by_coordesc": False}))
    norm = discern.inductor.kernels(folder)[1]
    assert norm.is_tuned and [one["XBLOCK"] for one in norm.configurations] == [8, 1] and list(norm.classes) == [[0], [1]]
    with pytest.raises(discern.Error, match="kernels of Inductor are compiled for sm_80 to sm_120"):
        raise discern.InputError(discern.inductor.kernels(folder, target="gfx942")[1].refused)


def test_a_torch_that_is_too_old_is_one_sentence(models, monkeypatch):
    monkeypatch.delattr(compiling.modules()[0], "GridExpr")
    with pytest.raises(discern.Error, match=r"^torch [\d.+cu]+ is too old for discern.inductor; torch .* were tried, with the Triton that they need$"):
        discern.inductor.kernels(*models.small())


def test_a_torch_that_works_otherwise_is_one_sentence(models, monkeypatch):
    interface = importlib.import_module("torch._dynamo.device_interface")
    monkeypatch.delattr(interface, "CudaInterface")
    with pytest.raises(discern.Error, match="generates code otherwise .*; torch .* tried, .*, and kernels.FOLDER. reads what it keeps"):
        discern.inductor.kernels(*models.small())
