"""PyTorch extensions: dispatch keys and devices, `torch::cuda`, `.cuda()`, the device "cuda".

A name table cannot do it: `CUDA` and `cuda` mean PyTorch's backend only in some places, and which
these are is told by what stands around them. Names such as CUDAGuard are renamed by the names pass.
"""

from __future__ import annotations

import re

from sigtrans.passes import Code, CodeFindings, Finder
from sigtrans.source import Edit, Safety, Severity, Span
from sigtrans.syntax import Lexed

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


def find(code: Code) -> CodeFindings:
    """Edits and reports of one file; nothing in a file that does not use PyTorch."""
    if _TORCH.search(code.data) is None and not any(
        include.path.startswith((b"torch/", b"ATen/", b"c10/")) for include in code.facts.includes
    ):
        return CodeFindings()
    return _Torch(code).run()


class _Torch(Finder):
    """PyTorch's CUDA layer in one file."""

    def run(self) -> CodeFindings:
        code = self.code
        for start, end, name in code.lexed.words:
            if name == b"CUDA" and code.is_open(start):
                self._key(start, end)
            elif name == b"cuda" and code.is_open(start):
                self._cuda(start, end)
        self._devices()
        self._inner_names()
        if self.edits:
            first = min(self.edits)
            places = len(self.edits)
            self.say(
                first.span.start,
                first.span.end,
                "SIG170",
                NOTE,
                "PyTorch's CUDA backend is PrivateUse1 on MUSA: changed "
                + (f"in {places} places of this file" if places > 1 else "here"),
                "a build for CUDA from the same source needs both: put them behind a macro",
                "torch/private-use",
            )
        return self.findings

    def _key(self, start: int, end: int) -> None:
        """`CUDA` as a dispatch key, a device type or a backend."""
        keyed = scope_before(self.code.lexed, start) in ("DispatchKey", "DeviceType", "Backend")
        if not keyed:
            keyed = self._is_library_key(start, end)
        if keyed:
            edit = Edit(Span(start, end), b"PrivateUse1", "torch/dispatch-key", Safety.REVIEW)
            self.edits.append(edit)

    def _is_library_key(self, start: int, end: int) -> bool:
        """The middle argument of TORCH_LIBRARY_IMPL(library, CUDA, m)."""
        lexed = self.code.lexed
        at, after = lexed.before(start), lexed.after(end)
        if at < 0 or self.code.data[at] != 0x2C or self.code.data[after : after + 1] != b",":
            return False
        opened, index = lexed.list_start(at)
        return (
            opened > 0
            and index == 1
            and lexed.name_ending_at(lexed.before(opened)).startswith(b"TORCH_LIBRARY_IMPL")
        )

    def _cuda(self, start: int, end: int) -> None:
        code = self.code
        scope = scope_before(code.lexed, start)
        after = code.lexed.after(end)
        if scope == "torch" and code.data[after : after + 2] == b"::":
            at = code.lexed.after(after + 2)
            member = code.lexed.name_starting_at(at)
            self.say(
                start,
                end,
                "SIG130",
                ERROR,
                f"'torch::cuda::{member.decode('latin-1')}' asks PyTorch's CUDA backend; left as "
                "it is",
                _MEMBERS.get(member, "use torch_musa's own function, in at::musa or c10::musa"),
                "torch/cuda",
            )
        elif scope == "member" and code.data[after : after + 1] == b"(":
            close = code.lexed.after(after + 1)
            if code.data[close : close + 1] == b")" and not _OWN_METHOD.search(code.data):
                self.edits.append(
                    Edit(
                        Span(start, close + 1),
                        b"to(at::kPrivateUse1)",
                        "torch/cuda-method",
                        Safety.REVIEW,
                    )
                )
            else:
                self.say(
                    start,
                    end,
                    "SIG130",
                    ERROR,
                    "'.cuda(…)' moves a tensor to PyTorch's CUDA device; left as it is",
                    "write .to(at::kPrivateUse1), with the same further arguments, where the "
                    "object is a tensor or a module",
                    "torch/cuda",
                )

    def _devices(self) -> None:
        """The device "cuda" or "cuda:0"; strings are not changed."""
        code = self.code
        for start, end, word in code.lexed.quoted:
            blank = code.lexed.blank_at(start)
            if word != b"cuda" or blank is None or code.protected.why(start):
                continue
            if _DEVICE.fullmatch(code.data, blank[0] + 1, blank[1] - 1):
                shown = code.data[blank[0] : blank[1]].replace(b"cuda", b"musa").decode("latin-1")
                self.say(
                    start,
                    end,
                    "SIG130",
                    WARNING,
                    "this string names PyTorch's CUDA device; strings are not changed",
                    f"write {shown} where it is handed to PyTorch",
                    "torch/device",
                )

    def _inner_names(self) -> None:
        """`c10::cuda::Inner::CUDAName`: a name of CUDA below a namespace that was renamed."""
        code = self.code
        for match in _INNER.finditer(code.data) if b"::cuda::" in code.data else ():
            name = match.group(1)
            if name in code.table.targets or not code.is_open(match.start()):
                continue
            self.say(
                *match.span(1),
                "SIG134",
                WARNING,
                f"'{name.decode('latin-1')}' was not seen in torch_musa's counterpart of this "
                "namespace; left as it is",
                "check torch_musa's headers: most such names have MUSA in CUDA's place",
                "torch/unproven",
            )


def scope_before(lexed: Lexed, start: int) -> str:
    """`X` of `X::name`, "member" after . or ->, else nothing."""
    data = lexed.data
    at = lexed.before(start)
    if at < 1:
        return ""
    pair = data[at - 1 : at + 1]
    if pair == b"::":
        return lexed.name_ending_at(lexed.before(at - 1)).decode("latin-1")
    if pair == b"->" or (data[at] == 0x2E and data[at - 1] != 0x2E):
        return "member"
    return ""


_INNER = re.compile(rb"\b(?:at|c10)::cuda::(?:\w+::){1,4}(\w*(?:CUDA|Cuda|cuda)\w*)(?!\w|::)")
_TORCH = re.compile(rb"\b(?:torch|at)::")
_OWN_METHOD = re.compile(rb"[\w>&*][ \t]+cuda[ \t]*\(")  # a class of this file has such a method
_DEVICE = re.compile(rb"cuda(?::\d+)?")
_MEMBERS = {
    b"is_available": "at::musa::is_available(), of torch_musa/csrc/aten/musa/MUSAContext.h",
    b"device_count": "c10::musa::device_count(), of torch_musa/csrc/core/MUSAFunctions.h",
    b"synchronize": "c10::musa::device_synchronize() for the current device, of "
    "torch_musa/csrc/core/MUSAFunctions.h",
    b"cudnn_is_available": "drop the question: torch_musa always comes with muDNN",
    b"CUDAPluggableAllocator": "torch::musa::MUSAPluggableAllocator, of "
    "torch_musa/csrc/core/MUSAPluggableAllocator.h",
    b"manual_seed": "seed the generator of at::musa::detail::getDefaultMUSAGenerator(), of "
    "torch_musa/csrc/aten/musa/MUSAGeneratorImpl.h",
}
