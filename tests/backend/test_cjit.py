"""C kernels: compiled once, kept in a folder of the user's, and never needed."""

from __future__ import annotations

import ctypes
import warnings

import pytest

from paddlite.backend import cjit

SOURCE = "double twice(double x) { return 2 * x; }\n"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder of the test's own, with nothing remembered."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("PADDLITE_CJIT", raising=False)
    remembered = (cjit.compiler, cjit.library, cjit.cache_folder, cjit._tell_once)
    for function in remembered:
        function.cache_clear()
    yield tmp_path / "paddlite" / "kernels"
    for function in remembered:
        function.cache_clear()


needs_compiler = pytest.mark.skipif(cjit.compiler() is None, reason="no C compiler here")


@needs_compiler
def test_a_source_is_compiled_once_and_kept(cache):
    library = cjit.library(SOURCE)
    library.twice.restype, library.twice.argtypes = ctypes.c_double, [ctypes.c_double]
    assert library.twice(3.5) == 7.0
    (made,) = cache.iterdir()
    before = made.stat().st_mtime_ns
    cjit.library.cache_clear()
    assert cjit.library(SOURCE) is not None
    (again,) = cache.iterdir()
    assert again == made and again.stat().st_mtime_ns == before
    assert cache.stat().st_mode & 0o777 == 0o700


@needs_compiler
def test_what_does_not_compile_warns_once_and_gives_nothing(cache):
    with pytest.warns(RuntimeWarning, match="NumPy does their work"):
        assert cjit.library("this is not C;") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cjit.library("this is not C;") is None


@needs_compiler
def test_a_folder_that_others_can_write_is_not_used(cache):
    cache.mkdir(parents=True)
    cache.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="can be written by others"):
        assert cjit.library(SOURCE) is None
    assert list(cache.iterdir()) == []


def test_it_can_be_switched_off(cache, monkeypatch):
    monkeypatch.setenv("PADDLITE_CJIT", "0")
    assert cjit.compiler() is None and cjit.library(SOURCE) is None


def test_without_a_compiler_there_is_no_library(cache, monkeypatch):
    monkeypatch.setenv("PATH", str(cache))
    assert cjit.compiler() is None and cjit.library(SOURCE) is None
