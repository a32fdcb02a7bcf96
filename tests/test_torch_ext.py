"""PyTorch extensions in C++: keys, devices, torch::cuda and what torch_musa calls its own."""

from __future__ import annotations

import re

import pytest
from porting import port, table

from sigtrans.names import data_dir

HEAD = "#include <torch/extension.h>\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("TORCH_LIBRARY_IMPL(ops, CUDA, m) {}", "TORCH_LIBRARY_IMPL(ops, PrivateUse1, m) {}"),
        (
            "TORCH_LIBRARY_IMPL_EXPAND(NAME, CUDA, m) {}",
            "TORCH_LIBRARY_IMPL_EXPAND(NAME, PrivateUse1, m) {}",
        ),
        (
            "TORCH_LIBRARY_IMPL(ops, AutogradCUDA, m) {}",
            "TORCH_LIBRARY_IMPL(ops, AutogradPrivateUse1, m) {}",
        ),
        ("auto k = c10::DispatchKey::CUDA;", "auto k = c10::DispatchKey::PrivateUse1;"),
        ("auto k = at::DeviceType::CUDA;", "auto k = at::DeviceType::PrivateUse1;"),
        ("auto y = x.cuda();", "auto y = x.to(at::kPrivateUse1);"),
        ("auto y = f(x)->cuda( );", "auto y = f(x)->to(at::kPrivateUse1);"),
        ("TORCH_CHECK(x.is_cuda());", "TORCH_CHECK(x.is_privateuseone());"),
        ("bool b = x.device().is_cuda();", "bool b = x.device().is_privateuseone();"),
        (
            "auto o = torch::dtype(t).device(torch::kCUDA, 0);",
            "auto o = torch::dtype(t).device(torch::kPrivateUse1, 0);",
        ),
        (
            "const at::cuda::OptionalCUDAGuard g(device_of(x));",
            "const at::musa::OptionalMUSAGuard g(device_of(x));",
        ),
        (
            "c10::cuda::CUDACachingAllocator::emptyCache();",
            "c10::musa::MUSACachingAllocator::emptyCache();",
        ),
        ("at::PhiloxCudaState s;", "at::PhiloxMusaState s;"),
        (
            "auto s = at::cuda::getDefaultCUDAStream().stream();",
            "auto s = at::musa::getDefaultMUSAStream().stream();",
        ),
        ("C10_CUDA_CHECK(cudaFree(p));", "C10_MUSA_CHECK(musaFree(p));"),
    ],
)
def test_edit(before: str, after: str) -> None:
    got = port(HEAD + before + "\n", path="a.cpp", is_cuda=False)
    assert got.text == HEAD + after + "\n"
    assert "SIG130" not in got.codes and "SIG134" not in got.codes
    assert not port(got.text, path="a.cpp", is_cuda=False).edits


@pytest.mark.parametrize(
    "source",
    [
        "// x.cuda(); DispatchKey::CUDA",
        "#define USE_CUDA 1",
        "enum Kind { CPU, CUDA };",
        "int f(int CUDA) { return g(a, CUDA, b); }",
        'AT_DISPATCH_FLOATING_TYPES(t, "f", [&] { k<scalar_t>(); });',
        "struct S { S cuda(); };\nS f(S s) { return s.cuda(); }",
        "auto k = mine::Kind::CUDA;",
        "TORCH_LIBRARY(CUDA, m) {}",
        "// sigtrans: off\nauto k = c10::DispatchKey::CUDA; x.cuda();",
        "#ifdef __MUSA__\nauto k = c10::DispatchKey::CUDA;\n#endif",
    ],
)
def test_same(source: str) -> None:
    text = HEAD + source + "\n"
    assert port(text, path="a.cpp", is_cuda=False).text == text


def test_a_file_without_pytorch_is_left_alone() -> None:
    text = 'auto y = x.cuda(); auto k = DeviceType::CUDA; f("cuda");\n'
    got = port(text, path="a.cpp", is_cuda=False)
    assert got.text == text and not got.codes


@pytest.mark.parametrize(
    ("source", "offer"),
    [
        ("bool b = torch::cuda::is_available();", "at::musa::is_available()"),
        ("int n = torch::cuda::device_count();", "c10::musa::device_count()"),
        ("torch::cuda::synchronize();", "c10::musa::device_synchronize()"),
        ("torch::cuda::manual_seed_all(1);", "at::musa or c10::musa"),
        ("auto y = x.cuda(1);", ".to(at::kPrivateUse1)"),
        ('torch::Device d("cuda");', 'write "musa"'),
        ('torch::Device d("cuda:1");', 'write "musa:1"'),
    ],
)
def test_what_is_reported_offers_the_edit(source: str, offer: str) -> None:
    got = port(HEAD + source + "\n", path="a.cpp", is_cuda=False)
    (said,) = (d for d in got.diagnostics if d.code == "SIG130")
    assert offer in said.help
    assert got.text == HEAD + source + "\n"


def test_a_changed_key_is_said_once_a_file() -> None:
    got = port(HEAD + "TORCH_LIBRARY_IMPL(a, CUDA, m) { x.cuda(); }\n", path="a.cpp")
    (said,) = (d for d in got.diagnostics if d.code == "SIG170")
    assert "2 places" in said.message


@pytest.mark.parametrize(
    ("name", "told"), [("getCurrentDeviceProperties", False), ("device_count", False), ("x", True)]
)
def test_names_that_torch_musa_is_not_known_to_have(name: str, told: bool) -> None:
    got = port(f"{HEAD}auto p = c10::cuda::{name}();\n", path="a.cpp")
    assert f"c10::musa::{name}()" in got.text
    assert ("SIG134" in got.codes) == told


def test_a_name_of_cuda_below_a_renamed_namespace_is_said() -> None:
    got = port(HEAD + "c10::cuda::CUDACachingAllocator::CUDANews n;\n", path="a.cpp")
    assert "c10::musa::MUSACachingAllocator::CUDANews n;" in got.text
    assert [d.code for d in got.diagnostics if d.code == "SIG134"] == ["SIG134"]
    known = port(HEAD + "c10::cuda::CUDACachingAllocator::CUDAAllocator *n;\n", path="a.cpp")
    assert "c10::musa::MUSACachingAllocator::MUSAAllocator *n;" in known.text
    assert "SIG134" not in known.codes


def test_the_list_of_kept_members_is_sorted_and_apart_from_the_names() -> None:
    lines = (data_dir() / "torch-members.tsv").read_text().splitlines()
    names = [line.split("\t")[0] for line in lines[1:]]
    assert lines[0] == "name\tevidence" and names == sorted(set(names))
    assert all(re.fullmatch(r"\w+\ttorch_musa: torch_musa/csrc/\S+", line) for line in lines[1:])
    assert not [name for name in names if name.encode() in table()]


@pytest.mark.parametrize(
    ("own", "is_said"),
    [
        ("struct Mine { bool is_cuda() const { return on; } bool on; };", True),
        ("bool f(at::Tensor t) { bool is_cuda = t.is_cuda(); return is_cuda; }", False),
        ("bool f(at::Tensor t) { return t.is_cuda(); }", False),
    ],
)
def test_a_method_that_a_class_of_the_tree_has_too(own: str, is_said: bool) -> None:
    use = "bool g(Mine m, at::Tensor t) { return m.is_cuda() && t.is_cuda(); }\n"
    got = port(HEAD + own + "\n" + use, path="a.cpp", is_cuda=False)
    assert use.replace("is_cuda", "is_privateuseone") in got.text
    assert len([d for d in got.diagnostics if d.code == "SIG130"]) == is_said
