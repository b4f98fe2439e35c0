"""discern.triton: configurations that give the same bits, compiled without a GPU."""

import itertools
import json

import pytest

pytest.importorskip("triton", reason="triton is not installed")

import discern  # noqa: E402
import discern.triton as dt  # noqa: E402
import triton_kernels as kernels  # noqa: E402
from discern.pytest import assert_same_bits  # noqa: E402

M, N, K = 64, 64, 128
SIZES = dict(M=M, N=N, K=K, sx=K, sy=N, so=N)


def of_product(kind, out, target, **more):
    return dict(
        signature={"x": f"*{kind}", "y": f"*{kind}", "out": f"*{out}", **dict.fromkeys(SIZES, "i32")},
        arrays={"x": ("A", "mk", (M, K)), "y": ("B", "kn", (K, N)), "out": ("D", "mn", (M, N))},
        scalars=SIZES, grid=lambda c: (M // c["TM"] * (N // c["TN"]),), target=target, **more,
    )  # fmt: skip


def tile(m, k, **options):
    return dict(TM=m, TN=64, TK=k, **options)


def test_plain_products_have_one_class_whatever_the_tile():
    found = dt.classes(kernels.product, [tile(64, 32), tile(32, 64, num_stages=1), tile(16, 32, num_warps=2)], **of_product("fp16", "fp16", "sm_80"))
    assert list(found) == [[0, 1, 2]]
    assert found.kernels[0] == "ampere/mma.m16n8k16.f32.f16.f16.f32@[K=128 d=f16:rne]"
    assert str(found) == f"0, 1, 2: {found.kernels[0]}" and not found.open


def test_fp8_on_hopper_has_other_bits_for_sixteen_rows():
    asked = of_product("fp8e4nv", "fp32", "sm_90")
    found = dt.classes(kernels.product, [tile(64, 32), tile(16, 32), tile(64, 64), tile(32, 32)], **asked)
    assert list(found) == [[0, 2], [1, 3]]
    answer = dt.same_bits(kernels.product, tile(64, 32), tile(16, 32), **asked)
    assert answer.verdict == "different" and not answer
    one, other = answer.vector["d"]
    assert one != other and found.apart[0, 1].verdict == "different"


def test_clusters_of_blocks_share_a_tile():
    found = dt.classes(kernels.product, [tile(64, 32), tile(64, 32, num_ctas=2), tile(64, 64, num_ctas=4)], **of_product("fp16", "fp32", "sm_90"))
    assert found.kernels[0].startswith("hopper/wgmma.m64n8k16")
    assert list(found) == [[0, 1, 2]]


def test_targets_are_compared():
    sm_80, sm_90 = tile(64, 32, target="sm_80"), tile(64, 32, target="sm_90")
    assert list(dt.classes(kernels.product, [sm_80, sm_90], **of_product("fp16", "fp32", "sm_80"))) == [[0], [1]]


def test_amd_deals_out_k_by_kpack_and_not_by_the_tile():
    asked = of_product("fp16", "fp32", "gfx942")
    found = dt.classes(kernels.product, [tile(64, 32), tile(64, 64, kpack=2), tile(16, 64), tile(32, 32, matrix_instr_nonkdim=32)], **asked)
    assert list(found) == [[0, 2, 3], [1]]
    assert found.kernels[0].startswith("cdna3/v_mfma_f32_") and found.apart[0, 1].verdict == "different"


def test_amd_and_nvidia_are_compared():
    targets = [tile(32, 32, target=name) for name in ("sm_80", "gfx942", "gfx1100", "gfx1201")]
    found = dt.classes(kernels.product, targets, **of_product("fp16", "fp16", "sm_80"))
    assert list(found) == [[0], [1], [2], [3]] and not found.open


def test_fusion_of_amd_is_what_the_assembly_has():
    asked = dict(signature={"x": "*fp32", "out": "*fp32", "N": "i32"}, arrays={"x": ("X", "mk", (4, 2048)), "out": ("D", "m", (4,))},
                 scalars={"N": 2048}, constexprs={"B": 1024}, grid=(4,), target="gfx942")  # fmt: skip
    assert list(dt.classes(kernels.row_squares, [{}, {"enable_fp_fusion": False}, {"num_stages": 1}], **asked)) == [[0, 2], [1]]


def test_sums_of_rows_depend_on_warps():
    asked = dict(signature={"x": "*fp32", "out": "*fp32", "N": "i32"}, arrays={"x": ("X", "mk", (4, 2048)), "out": ("D", "m", (4,))},
                 scalars={"N": 2048}, constexprs={"B": 1024}, grid=(4,), target="sm_80")  # fmt: skip
    assert list(dt.classes(kernels.row_sum, [{"num_warps": w} for w in (4, 8, 4)], **asked)) == [[0, 2], [1]]


@pytest.mark.parametrize(("kind", "target"), [("fp16", "sm_90"), ("fp8e4nv", "sm_90"), ("fp16", "gfx942")])
def test_classes_are_those_of_all_pairs(kind, target, tmp_path):
    """classes() does not ask about kernels that are one schedule; here the program is asked about every pair."""
    asked = of_product(kind, "fp32", target)
    configs = [tile(64, 32), tile(16, 32), tile(32, 64, num_warps=2), tile(64, 64, **({"kpack": 2} if target == "gfx942" else {"num_stages": 2}))]
    found = dt.classes(kernels.product, configs, **asked)
    class_of = {i: number for number, members in enumerate(found) for i in members}
    files = [dt.compiled(kernels.product, config, **asked).write(tmp_path, f"k{i}") for i, config in enumerate(configs)]
    for i, j in itertools.combinations(range(len(files)), 2):
        assert discern.same_bits(files[i], files[j]).verdict == ("same" if class_of[i] == class_of[j] else "different"), (i, j)


def of_layer(kind, out):
    columns, depth = 64, 128
    return dict(
        signature={"x": f"*{kind}", "y": f"*{kind}", "out": f"*{out}", "M": "i32", "N": "i32", "K": "i32"}, scalars={"N": columns, "K": depth},
        arrays=lambda c: {"x": ("A", "mk", (c["M"], depth)), "y": ("B", "nk", (columns, depth)), "out": ("D", "mn", (c["M"], columns))},
        constexprs={"TN": 64}, grid=lambda c: (-(-c["M"] // c["TM"]),), target="sm_90",
    )  # fmt: skip


BATCHES = [{"TM": 16 if m <= 16 else 64, "TK": 64, "scalars": {"M": m}} for m in (1, 16, 256)]


def test_a_row_of_a_layer_has_one_result_in_batches_of_1_16_and_256_in_f16_and_not_in_fp8():
    assert list(assert_same_bits(kernels.linear, BATCHES, **of_layer("fp16", "fp16"))) == [[0, 1, 2]]
    with pytest.raises(AssertionError) as failure:
        assert_same_bits(kernels.linear, *BATCHES, **of_layer("fp8e4nv", "fp32"))
    said = str(failure.value)
    assert said.startswith("2 classes of bits among 3 kernels:\n  0, 1: t0 = hopper/mma.m16n8k16.f32.f16.f16.f32@[")
    assert "'scalars': {'M': 256}" in said and "0 and 2 differ: D[0,0] is " in said
    assert "products by hopper/mma.m16n8k16.f32.f16.f16.f32 after conversions beside hopper/wgmma" in said
    # With one tile for all batches the rows have their bits again.
    assert_same_bits(kernels.linear, [{**batch, "TM": 64} for batch in BATCHES], **of_layer("fp8e4nv", "fp32"))


def test_a_batch_that_is_a_scalar_is_specialised_as_its_launcher_does():
    batches = [dt.compiled(kernels.linear, batch, **of_layer("fp16", "fp16")).launch for batch in BATCHES]
    assert [batch["arguments"][2]["shape"] for batch in batches] == [[1, 64], [16, 64], [256, 64]]
    assert [batch["grid"][0] for batch in batches] == [1, 1, 4]
    assert {"i32": 16} in batches[1]["arguments"] and {"i32": 1} not in batches[0]["arguments"]  # 1 is a constant


def test_the_launch_of_a_compiled_kernel(tmp_path):
    asked = of_product("bf16", "fp32", "sm_80")
    made = dt.compiled(kernels.product, tile(32, 32), **asked)
    assert made.launch["grid"] == [2, 1, 1]
    assert made.launch["arguments"][2] == {"result": "D", "format": "f32", "shape": [M, N], "axes": "mn"}
    name = made.write(tmp_path, "product")
    assert json.loads((tmp_path / "product.launch.json").read_text()) == made.launch
    assert discern.same_bits(name, "ampere/mma.m16n8k16.f32.bf16.bf16.f32@[K=128]").verdict == "same"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"signature": {"x": "*fp16", "y": "*fp16", "out": "*fp16"}}, "the parameter M has no type in signature"),
        ({"scalars": {}}, "the scalar M has no value in scalars"),
        ({"arrays": {"x": ("A", "mk", (M, K))}}, "the pointer y is no array"),
        ({"arrays": {}}, "arrays says of each pointer"),
        ({"arrays": {"x": ("A", "m", (M, K)), "y": ("B", "kn", (K, N)), "out": ("D", "mn", (M, N))}}, "has 1 axes, 'm', and a shape of 2"),
        ({"arrays": {"x": "A", "y": ("B", "kn", (K, N)), "out": ("D", "mn", (M, N))}}, "must be a name, a letter for each axis, and a shape"),
        ({"target": "gfx803"}, "kernels for sm_80 to sm_120 are read, and for gfx90a, gfx942"),
        ({"signature": {**of_product("fp16", "fp16", "sm_80")["signature"], "x": "*i16"}}, "the elements of x are i16"),
    ],
)
def test_what_is_wrong_is_said(change, says):
    with pytest.raises(discern.Error, match=says):
        dt.classes(kernels.product, [tile(32, 32)], **{**of_product("fp16", "fp16", "sm_80"), **change})


def test_what_triton_does_not_compile_is_one_sentence():
    with pytest.raises(discern.Error, match=r"Triton does not compile the configuration \{'TM': 30.*power of 2"):
        dt.classes(kernels.product, [tile(30, 32)], **of_product("fp16", "fp16", "sm_80"))


def test_a_kernel_that_is_not_read_is_refused_with_its_line():
    asked = dict(signature={"x": "*fp32", "index": "*i32", "out": "*fp32"}, target="sm_80", constexprs={"N": 128},
                 arrays={"x": ("X", "k", (128,)), "index": ("I", "n", (128,)), "out": ("D", "n", (128,))})  # fmt: skip
    with pytest.raises(discern.Error, match=r"the PTX of configuration 0:\d+: 'ld\.global.*depends on data"):
        dt.classes(kernels.gathered, [{}], **asked)


def test_kernels_of_several_kinds_are_read():
    import triton_corpus

    rows = list(triton_corpus.read(["e4m3 of scaled blocks sm_90", "f16 by TMA, warp-specialised", "split K"], products=1))
    assert [row[2] for row in rows] == ["1 trees, 3 terms", "blackwell/tcgen05.mma.m128n8k16.f32.f16.f16@[K=128 d=f16:rne]", "1 trees, 3 terms"]
    assert not any(row[3] for row in rows) and rows[1][4:] == (0, 8192)


@pytest.mark.slow
def test_the_whole_corpus_is_read_and_its_schedules_are_its_graphs():
    import triton_corpus

    rows = list(triton_corpus.read([], products=8))
    assert [row[2] for row in rows if row[3]] == []
    assert sum(row[4] for row in rows) == 0 and sum(row[5] for row in rows) > 10**6
