"""The pictures of docs/gallery.md are those that its calls make."""

from __future__ import annotations

import re

import pytest

import gallery

pytest.importorskip("matplotlib", reason="matplotlib is not installed")


@pytest.mark.slow
def test_the_pictures_are_what_the_calls_make(tmp_path):
    names = gallery.make(tmp_path)
    assert len(names) == len(gallery.calls()) >= 4
    assert sorted(names) == sorted(path.name for path in gallery.KEPT.iterdir())
    for name in names:
        kept = gallery.KEPT / name
        assert gallery.structure(tmp_path / name) == gallery.structure(kept), "script/gallery makes them again"
        assert kept.stat().st_size < 60_000
        assert f"(gallery/{name})" in gallery.PAGE.read_text()


def test_another_picture_has_another_structure(tmp_path):
    """The comparison can fail."""
    for call in gallery.calls():
        name = re.search(r'path="([^"]+)"', call)[1]
        changed = (gallery.KEPT / name).read_text()
        (tmp_path / name).write_text(re.sub(r"hopper/wgmma\.m64n8k16\.f32\.f16\.f16", "hopper/another", changed))
        assert gallery.structure(tmp_path / name) != gallery.structure(gallery.KEPT / name)
