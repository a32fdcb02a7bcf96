"""Warps: what changes because MUSA's warps are not CUDA's, and where code counts on 32 lanes.

On mp_21 and mp_22 the hardware warp has 128 lanes while device code works on groups of 32; a
kernel written for 32 lanes stays at 32 on every target, and its masks stay 32 bits wide. A pattern
rule could not do it: arguments have to be counted, types looked up, and a 32 told from a 32.

Edited: shuffles without width get 32 (the documented default is the built-in `warpSize`, which is
not 32 on every card); the built-in itself becomes 32; forms without mask become `_sync` forms; what
MUSA does not document (match, reduce, shuffles of 16-bit types) goes to a helper header; the host's
device property becomes 32 where it plainly sizes a launch or a shared array.

Reported: everything edited that a person has to look at, ballots and `__activemask`, folds and
locks that lean on lockstep, wide tiles and masks, and for each function where it counts on 32 lanes
(`find_sites`, in `warp_sites`, says how that is decided).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sigtrans import target
from sigtrans.passes import Code, CodeFindings, Finder
from sigtrans.passes.code import DIRECTIVE
from sigtrans.passes.device_words import declares
from sigtrans.passes.functions import Function
from sigtrans.source import Edit, Safety, Severity, Span
from sigtrans.syntax import Word

if TYPE_CHECKING:
    from sigtrans.passes.warp_sites import Analysis, Site

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
_WORD = re.compile(
    rb"(?P<shuffle>__shfl(?:_up|_down|_xor)?(?P<sync>_sync)?)|(?P<vote>__(?:ballot|any|all))"
    rb"|(?P<helped>__(?:match_(?:any|all)|reduce_(?:add|min|max|and|or|xor))_sync)"
    rb"|(?P<ballot>__ballot_sync)|(?P<active>__activemask)|(?P<size>warpSize)"
)
_COALESCED = re.compile(rb"\b(coalesced_threads)\s{0,9}\(\s{0,9}\)")
_FOREIGN = re.compile(rb"HIP|ROCM|__AMD|SYCL")
_OWN_SIZE = re.compile(
    rb"\b(?:int|unsigned|long|short|size_t|u?int(?:8|16|32|64)_t|auto|const|constexpr|uint|enum)"
    rb"[\s*&]+warpSize\b|(?<![.>\w])warpSize\s*=[^=]"
    rb"|#[ \t]*define[ \t]+(?:warpSize\b|\w+\([^()\r\n]{0,200}\bwarpSize\b)"
)
_HOST_SIZE = re.compile(
    rb"(?:\.|->)\s{0,9}(warpSize)\b(?!\s*\()|\b(warp_size)\s{0,9}\(\s{0,9}\)"
    rb"|\b(cudaDevAttrWarpSize|CU_DEVICE_ATTRIBUTE_WARP_SIZE)\b"
)
_SIZES = re.compile(
    rb"<<<|\bdim3\b|\b\w*(?:[tT]hreads?|THREADS?|[bB]lock(?:_?[sS]ize|_?[dD]im)?|[gG]rid|[sS]mem|"
    rb"[sS]hmem|[sS]hared)\w*\s*(?:\([^()]*\)\s*)?[({=]"
)
_PRINTS = re.compile(rb"printf|cout|cerr|<<\s*\"|\bLOG\w*\s*\(|format\s*\(")
_WIDE_TILE = re.compile(rb"\b(?:tiled_partition|thread_block_tile)\s*<\s*(64|128|256|512)\b")
_WIDE_CUB = re.compile(
    rb"\bWarp(?:Reduce|Scan|Exchange|MergeSort)\s*<[^<>;{}]{0,200},\s*(64|128)\s*>"
)
_WIDE_MASK = re.compile(
    rb"(?:\b0[xX][fF]{16}(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU])?|~0[uU]?[lL]{2}|~0[lL]{2}[uU])\b"
)
_SPIN = re.compile(
    rb"\bwhile\s*\(\s*[!(]*\s*(?:0\s*[!=]=\s*)?(?:\w+::)?(atomic(?:CAS|Exch)(?:_block|_system)?)\s*\("
)
_HALF_TYPE = re.compile(
    rb"__half2?|half2?|__nv_bfloat162?|nv_bfloat162?|(?:at|c10)::(?:Half|BFloat16)"
)
_HALF_MARKS = (b"half", b"Half", b"bfloat16", b"BFloat16")
_NO_TYPE = (b"return", b"else", b"case", b"throw", b"goto")
_HALF_VALUE = re.compile(
    rb"\s*(?:__(?:float2(?:half|bfloat16)\w*|h(?:add|mul|sub|fma|max|min)2?))\s*\("
)
_NAMED = re.compile(rb"\s*([A-Za-z_]\w*)\s*((?:\[[^\[\]]*\]\s*)*)\Z")
_ROLES = {
    "lane-id": "lane id",
    "warp-id": "warp id",
    "warps-sized": "sizes by warps",
    "mask": "mask",
    "fold": "fold",
    "width": "width",
    "tile": "tile",
    "launch-bounds": "launch bounds",
    "warp-size": "warp size",
}


def find(code: Code) -> CodeFindings:
    """Every edit and every remark about warps in one C-family file."""
    return _Pass(code).run()


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of a warp function: its name, the parenthesis and the arguments."""

    word: Word
    open: int
    arguments: list[tuple[int, int]]


class _Pass(Finder):
    """What one file does with warps."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.budget = 8 * len(code.data) + 1000000  # bytes that may be read for arguments
        self.actives: set[Function | None] = set()  # functions whose __activemask was told
        self.types: dict[tuple[Function, bytes], int] = {}
        self.is_size_doubted = False
        self.has_halves = any(mark in code.data for mark in _HALF_MARKS)
        self.foreign = _foreign_branches(code)
        # Where the property of the device is not what its kernels see.
        self.wide = tuple(
            name
            for name in code.targets
            if (target.load(name).number("hardware_warp_size") or 0) > 32
        )
        self.cards = " and ".join(self.wide)
        self.sizes = self._own_sizes()

    def run(self) -> CodeFindings:
        if self.code.is_cuda:
            self._words()
            self._coalesced()
            self._wide()
            self._locks()
            if self.wide:  # where the hardware has 32 lanes, code for 32 lanes runs as it did
                from sigtrans.passes.warp_sites import analyse

                analysis = analyse(self.code)
                self._lockstep(analysis)
                self._inventory(analysis)
        self._host_sizes()
        return self.findings

    def _edit(self, start: int, end: int, text: bytes, rule: str, safety: Safety) -> None:
        self.edits.append(Edit(Span(start, end), text, rule, safety))

    def _coalesced(self) -> None:
        """`cg::coalesced_threads()` is made for branches, and made of the active mask."""
        for match in _COALESCED.finditer(self.data):
            if self.code.is_open(match.start()):
                self.say(
                    *match.span(1), "SIG202", WARNING,
                    "'coalesced_threads' is the lanes that are here; MUSA describes the active "
                    "mask, which such a group is made of, as the lanes that have not exited "
                    "(the first place in this file)",
                    "test it in a branch on the card, or make the group by cg::binary_partition "
                    "of a tile before the branch", "warp/coalesced",
                )  # fmt: skip
                return

    # --- warp functions ------------------------------------------------------------------------

    def _words(self) -> None:
        legacy: dict[Function | None, list[Word]] = {}
        helped: dict[bytes, list[Word]] = {}
        halves: list[Word] = []
        sizes: list[Word] = []
        ballots: dict[Function | None, list[Word]] = {}
        doubted: list[Word] = []
        words = [(w, m) for w in self.code.lexed.words if (m := _WORD.fullmatch(w[2]))]
        own = self._own_names() if words else frozenset()
        for word, match in words:
            if not self._is_builtin(word):
                continue
            if word[2] in own:
                if match["sync"] and self.wide:
                    doubted.append(word)
                continue
            if match["size"]:
                if self._is_device_size(word):
                    self._edit(word[0], word[1], b"32", "warp/size", Safety.REVIEW)
                    sizes.append(word)
                continue
            call = self._call(word)
            if call is None:
                continue
            function = self.code.function_at(word[0])
            if match["ballot"]:
                ballots.setdefault(function, []).append(word)
            elif match["active"]:
                self._active(call, function)
            elif match["helped"]:
                if self._help(call):
                    helped.setdefault(word[2], []).append(word)
            elif match["vote"]:
                if len(call.arguments) == 1 and not self._is_foreign(word[0]):
                    self._edit(word[0], word[1], word[2] + b"_sync", "warp/legacy", Safety.REVIEW)
                    self._full_mask(call)
                    legacy.setdefault(function, []).append(word)
            elif self._shuffle(call, function, halves) and not match["sync"]:
                legacy.setdefault(function, []).append(word)
        self._say_words(legacy, helped, halves, sizes, ballots)
        doubted = [word for word in doubted if self._has_no_width(word)]
        if doubted:
            more = f" ({len(doubted)} places in this file)" if len(doubted) > 1 else ""
            self.say(
                doubted[0][0], doubted[0][1], "SIG208", WARNING,
                f"'{doubted[0][2].decode()}' may be CUDA's or the function that the project "
                f"declares by that name; left as it is{more}",
                "give those that are CUDA's the width 32", "warp/shuffle",
            )  # fmt: skip

    def _own_names(self) -> frozenset[bytes]:
        """Warp functions that the file defines itself, or the project everywhere."""
        if b"__" not in self.data:
            return frozenset()
        found: set[bytes] = set()
        for match in _OWN.finditer(self.data):
            if self.code.lexed.blank_at(match.start()) is None:
                found.add(match.group(1))
        names = {f.name for f in self.code.functions if f.name.startswith(b"__")}
        prototypes = {w[2] for w in self.code.lexed.words if self._is_prototype(w)}
        return frozenset(found | names | prototypes | self.code.project.owned.keys())

    def _is_prototype(self, word: Word) -> bool:
        """`float4 __shfl_sync(`: a type before a name declares it, no call has that form."""
        if not word[2].startswith(b"__") or _WORD.fullmatch(word[2]) is None:
            return False
        before = self.code.lexed.before(word[0])
        type_ = self.code.lexed.name_ending_at(before) if before >= 0 else b""
        return bool(type_) and type_ not in _NO_TYPE and declares(self.code, word[0])

    def _is_builtin(self, word: Word) -> bool:
        """Open code, and neither a member nor a name of some scope."""
        if not self.code.is_open(word[0]):
            return False
        at = self.code.lexed.before(word[0])
        if at < 0 or self.data[at] not in b".>:":
            return True
        if self.data[at] == 0x2E:
            return False
        if self.data[at] == 0x3E:
            return self.data[at - 1] != 0x2D
        if self.data[at - 1] != 0x3A:
            return True
        return not self.code.lexed.name_ending_at(self.code.lexed.before(at - 1))

    def _has_no_width(self, word: Word) -> bool:
        """Is this a call, in a body, with the three arguments that leave the width out?"""
        function = self.code.function_at(word[0])
        call = self._call(word) if function and word[0] > function.body[0] else None
        return call is not None and len(call.arguments) == 3

    def _is_foreign(self, at: int) -> bool:
        return any(start <= at < end for start, end in self.foreign)

    def _call(self, word: Word) -> _Call | None:
        lexed = self.code.lexed
        at = lexed.after(word[1])
        if self.data[at : at + 1] == b"<":  # __shfl_sync<float>(
            close = self.data.find(b">", at, at + 80)
            at = lexed.after(close + 1) if close > 0 else at
        if self.data[at : at + 1] != b"(":
            return None
        if self.budget < 0:
            return None
        found = lexed.arguments(at)
        self.budget -= found[-1][1] - at if found else 65536
        arguments = _joined(self.data, found)
        if len(arguments) == 1 and lexed.after(arguments[0][0]) >= arguments[0][1]:
            arguments = []
        return _Call(word, at, arguments)

    def _full_mask(self, call: _Call) -> None:
        at = call.open + 1
        self._edit(at, at, b"0xffffffff, ", "warp/legacy", Safety.REVIEW)

    def _width(self, call: _Call, rule: str, safety: Safety) -> None:
        at = self.code.lexed.before(call.arguments[-1][1]) + 1
        self._edit(at, at, b", 32", rule, safety)

    def _shuffle(self, call: _Call, function: Function | None, halves: list[Word]) -> bool:
        """Give a shuffle its mask, its width, and a type that MUSA has; was anything to be done?"""
        start, end, name = call.word
        is_sync = name.endswith(b"_sync")
        if not is_sync and self._is_foreign(start):
            return False
        first = 1 if is_sync else 0
        count = len(call.arguments)
        if any(
            b"..." in self.data[a:b] or b"__VA_ARGS__" in self.data[a:b] for a, b in call.arguments
        ):
            count = 0
        if count not in (first + 2, first + 3):
            self.say(
                start, end, "SIG208", WARNING,
                f"the arguments of '{name.decode()}' cannot be counted here; left as it is",
                "see that it gets a mask and the width 32", "warp/shuffle",
            )  # fmt: skip
            return False
        value = call.arguments[first]
        is_half = self._is_half(function, *value)
        rule = "warp/width" if is_sync else "warp/legacy"
        safety = Safety.EXACT if is_sync else Safety.REVIEW
        if is_half:
            helper = b"sigtrans::" + name.removeprefix(b"__")
            self._edit(start, end, helper + (b"" if is_sync else b"_sync"), "warp/bits", safety)
            self.helpers.add("warp")
            halves.append(call.word)
        elif not is_sync:
            self._edit(start, end, name + b"_sync", rule, safety)
        if not is_sync:
            self._full_mask(call)
        if count == first + 2:
            self._width(call, rule, safety)
        return True

    def _is_half(self, function: Function | None, start: int, end: int) -> bool:
        """Is the value one or two 16-bit floats, as far as its declaration is at hand?"""
        if not self.has_halves:
            return False
        text = self.code.lexed.code(start, end)
        if _HALF_VALUE.match(text):
            return True
        named = _NAMED.match(text)
        if named is None or function is None:
            return False
        return self._declared(function, named.group(1)) == named.group(2).count(b"[")

    def _declared(self, function: Function, name: bytes) -> int:
        """How many pointers and arrays lead to the 16-bit value `name`; -1 if it is none."""
        key = (function, name)
        if key not in self.types:
            pattern = re.compile(
                rb"\b(\w+(?:::\w+)*)(?:\s+const)?([\s*&]+)(?:__restrict__\s+|const\s+)?"
                + name
                + rb"\b\s*((?:\[[^\[\]]*\]\s*)*)[,;=)({]"
            )
            text = self.code.lexed.code(function.params[0] - 1, function.body[1])
            first = next((m for m in pattern.finditer(text) if m[1] not in _NO_TYPE), None)
            self.types[key] = -1
            if first is not None and _HALF_TYPE.fullmatch(first[1]):
                self.types[key] = first[2].count(b"*") + first[3].count(b"[")
        return self.types[key]

    def _help(self, call: _Call) -> bool:
        """A function that the helper header has."""
        start, end, name = call.word
        wanted = 3 if name == b"__match_all_sync" else 2
        if len(call.arguments) != wanted:
            self.say(
                start, end, "SIG203", ERROR,
                f"'{name.decode()}' has other arguments than CUDA's; left as it is",
                "MUSA documents no such function: emulate it by hand", "warp/emulated",
            )  # fmt: skip
            return False
        self._edit(start, end, b"sigtrans::" + name[2:], "warp/emulated", Safety.EXACT)
        self.helpers.add("warp")
        return True

    def _active(self, call: _Call, function: Function | None) -> None:
        start, end, _ = call.word
        if function in self.actives:
            return
        self.actives.add(function)
        if self._is_divergent(start, function):
            self.say(
                start, end, "SIG202", WARNING,
                "'__activemask' in a branch: MUSA describes it as the lanes that have not exited, "
                "not as those that are here",
                "compute the mask with __ballot_sync before the branch, where all lanes are",
                "warp/activemask",
            )  # fmt: skip
        elif self.wide:
            self.say(
                start, end, "SIG202", NOTE,
                f"'__activemask' has 32 bits; which lanes it sees on {self.cards} (128-lane "
                "hardware) is not proven",
                "test it on the card", "warp/activemask",
            )  # fmt: skip

    def _is_divergent(self, at: int, function: Function | None) -> bool:
        """Inside a branch or a loop, or behind a return that not all lanes take."""
        if function is None:
            return False
        text = self.code.lexed.code(function.body[0] + 1, at)
        if text.count(b"{") > text.count(b"}") or re.search(rb"\breturn\b", text):
            return True
        statement = re.split(rb"[;{}]", text)[-1]
        return re.search(rb"\b(?:if|while|for|else)\b|\?|&&|\|\|", statement) is not None

    def _own_sizes(self) -> frozenset[Function | None]:
        """Functions that declare a `warpSize` of their own; None stands for the file."""
        if b"warpSize" not in self.data:
            return frozenset()
        code = self.code
        return frozenset(
            code.function_at(match.start())
            for match in _OWN_SIZE.finditer(self.data)
            if code.lexed.blank_at(match.start()) is None
        )

    def _is_device_size(self, word: Word) -> bool:
        """Is this `warpSize` the built-in variable?"""
        if self.code.function_at(word[0]) in self.sizes or self._is_foreign(word[0]):
            return False
        if None in self.sizes:
            self._doubt_size(word)
            return False
        at = self.code.lexed.after(word[1])
        if self.data[at : at + 1] == b"(":
            return False
        function = self.code.function_at(word[0])
        if function is None:  # a macro of a kernel, or a default argument, an operator
            is_device = self._is_in_define(word[0])
        else:
            body = self.data[function.body[0] : function.body[1]]
            is_device = function.kind != "host" or b"__device__" in body
        if not is_device and self.wide and not self.is_size_doubted:
            self.is_size_doubted = True
            self.say(
                word[0], word[1], "SIG204", WARNING,
                "'warpSize' is kept where nothing tells whether this is device code "
                "(the first such place in this file)",
                "write 32 where it is the built-in: a qualifier hidden in a macro, an operator, "
                "a default argument", "warp/size",
            )  # fmt: skip
        return is_device

    def _doubt_size(self, word: Word) -> None:
        function = self.code.function_at(word[0])
        if function is None or function.kind == "host" or self.is_size_doubted:
            return
        self.is_size_doubted = True
        self.say(
            word[0], word[1], "SIG204", WARNING,
            "'warpSize' may be the built-in or the one that this file declares; it is kept",
            "write 32 where the built-in is meant", "warp/size",
        )  # fmt: skip

    def _is_in_define(self, at: int) -> bool:
        start, _ = self.code.lexed.logical_line(at)
        return re.match(rb"[ \t]*#[ \t]*define\b", self.data[start : start + 80]) is not None

    def _say_words(
        self,
        legacy: dict[Function | None, list[Word]],
        helped: dict[bytes, list[Word]],
        halves: list[Word],
        sizes: list[Word],
        ballots: dict[Function | None, list[Word]],
    ) -> None:
        for function, words in legacy.items():
            start, end, name = words[0]
            body = self.data[function.body[0] : function.body[1]] if function else b""
            # Beside the _sync form it stands in the branch for a CUDA before 9.
            is_old = name + b"_sync" in body
            self.say(
                start, end, "SIG201", NOTE if is_old else WARNING,
                f"'{name.decode()}' has no mask; now the _sync form with all 32 lanes"
                f"{_times(words)}",
                "see that all 32 lanes get here together, else give the lanes that do",
                "warp/legacy",
            )  # fmt: skip
        for name, words in helped.items():
            start, end, _ = words[0]
            self.say(
                start, end, "SIG203", NOTE,
                f"'{name.decode()}' is not documented for MUSA; computed by sigtrans_warp.h"
                f"{_times(words)}",
                "it takes several shuffles or ballots where CUDA has one instruction",
                "warp/emulated",
            )  # fmt: skip
        if halves:
            start, end, name = halves[0]
            self.say(
                start, end, "SIG209", NOTE,
                f"'{name.decode()}' of a 16-bit type: MUSA lists shuffles of 32 and 64 bits only; "
                f"now its bits are shuffled{_times(halves)}",
                "", "warp/bits",
            )  # fmt: skip
        if sizes:
            start, end, _ = sizes[0]
            self.say(
                start, end, "SIG204", NOTE,
                f"'warpSize' in device code is now 32{_times(sizes)}",
                "nothing, where the code is written for warps of 32 lanes", "warp/size",
            )  # fmt: skip
        for function, words in ballots.items() if self.wide else ():
            body = self.data[function.body[0] : function.body[1]] if function else b""
            if not _RANKS.search(body):
                continue
            start, end, _ = words[0]
            self.say(
                start, end, "SIG202", NOTE,
                f"ranks or counts by '__ballot_sync'{_times(words)}: on {self.cards} it is not "
                "proven that a ballot sees the 32 lanes of its caller's group alone",
                "test it on the card with more than one warp to a block", "warp/ballot",
            )  # fmt: skip

    # --- sizes -----------------------------------------------------------------------------------

    def _host_sizes(self) -> None:
        """The width that the host is told: 128 on some cards, whose kernels see 32."""
        if not any(mark in self.data for mark in _HOST_MARKS):
            return
        last = -2
        for match in _HOST_SIZE.finditer(self.data):
            end = match.end()
            if not self.code.is_open(match.start()) or self._is_foreign(end):
                continue
            start = self._host_size_start(match)
            if start < 0:
                continue
            statement = self._statement(start, end)
            name = self.data[start:end].decode("latin-1")
            prints = _PRINTS.search(statement) is not None
            sized = match[3] is None and not prints and _SIZES.search(statement) is not None
            if sized:
                self._edit(start, end, b"32", "warp/host-size", Safety.REVIEW)
            line = self.data.rfind(b"\n", 0, start)
            if not self.wide or line == last:
                continue
            last = line
            if prints:
                self.say(
                    start, end, "SIG204", NOTE,
                    f"'{name}' is 128 on {self.cards}, while kernels see 32 lanes; it is printed",
                    "", "warp/host-size",
                )  # fmt: skip
                continue
            now = "it sizes a launch or shared memory, so it is now 32" if sized else "it is kept"
            self.say(
                start, end, "SIG204", WARNING,
                f"'{name}' is 128 on {self.cards}, while kernels see 32 lanes; {now}",
                "see that the kernel is written for 32 lanes" if sized else
                "use 32 where it has to fit a kernel that is written for 32 lanes",
                "warp/host-size",
            )  # fmt: skip

    def _host_size_start(self, match: re.Match[bytes]) -> int:
        """Where the expression begins; -1 where it is not the device's property."""
        if match[3]:
            at = self.code.lexed.after(match.end())
            return -1 if self.data[at : at + 1] == b"=" else match.start()  # an enumerator
        if match[2]:  # PyTorch's, qualified or where its namespace is open
            for scope in (b"at::cuda::", b"at::musa::"):
                if self.data.endswith(scope, 0, match.start()):
                    return match.start() - len(scope)
            plain = self._is_builtin((*match.span(2), match[2]))
            return match.start() if plain and b"using namespace at::cuda" in self.data else -1
        lexed = self.code.lexed
        at = match.start()
        for _ in range(12):  # over prop.  prop[i].  properties()->  to the first name
            at, left = lexed.before(at), -1
            while at > 0 and self.data[at] in b")]":
                left, _ = lexed.list_start(at - 1)
                if left < 0:
                    return -1
                at = lexed.before(left)
            name = lexed.name_ending_at(at)
            if not name and left >= 0 and self.data[left] == 0x28:  # (*prop).
                at = left
                break
            if not name:
                return -1
            at -= len(name) - 1
            ahead = lexed.before(at)
            if ahead > 0 and self.data[ahead - 1 : ahead + 1] in (b"->", b"::"):
                at = ahead - 1
            elif ahead > 0 and self.data[ahead] == 0x2E:
                at = ahead
            else:
                break
        else:
            return -1
        known = b"DeviceProp" in self.data or b"prop" in self.data[at : match.start()].lower()
        return at if known else -1

    def _statement(self, start: int, end: int) -> bytes:
        """The statement around a range, as far as it is short."""
        start = max(start - 300, *(self.data.rfind(c, 0, start) + 1 for c in (b";", b"{", b"}")))
        stop = self.data.find(b";", end, end + 300)
        return self.code.lexed.code(start, stop if stop > 0 else end + 300)

    def _wide(self) -> None:
        """Tiles, collectives and masks of more than 32 lanes."""
        for pattern, what in ((_WIDE_TILE, "a tile"), (_WIDE_CUB, "a warp collective")):
            if b"tile" not in self.data and b"Warp" not in self.data:
                break
            for match in pattern.finditer(self.data):
                if self.code.is_open(match.start()):
                    self.say(
                        *match.span(), "SIG206", ERROR,
                        f"{what} of {match.group(1).decode()} lanes: warps have 32 in device code",
                        "use 32 lanes or less and combine them through shared memory",
                        "warp/wide-tile",
                    )  # fmt: skip
        for word in self.code.lexed.words:
            if not word[2].endswith(b"_sync") or not word[2].startswith(b"__"):
                continue
            call = self._call(word)
            if call is None or not call.arguments or not self.code.is_open(word[0]):
                continue
            start, end = call.arguments[0]
            if _WIDE_MASK.search(self.data, start, end) and not self._is_foreign(start):
                self.say(
                    start, end, "SIG212", WARNING,
                    "a mask of 64 bits: masks have 32 bits on every MUSA card",
                    "use 0xffffffff", "warp/mask",
                )  # fmt: skip

    # --- lanes that wait for one another -------------------------------------------------------

    def _locks(self) -> None:
        for match in _SPIN.finditer(self.data):
            start = match.start()
            function = self.code.function_at(start)
            if not self.code.is_open(start) or function is None or function.kind == "host":
                continue
            if self._is_spinning(match):
                self.say(
                    match.start(1), match.end(1), "SIG211", WARNING,
                    "a lock that lanes of one warp may wait for: a warp has one program counter, "
                    "so the lane that holds it may never go on",
                    "let one lane of a warp take the lock, or take and free it inside one branch "
                    "of the loop",
                    "warp/lock",
                )  # fmt: skip

    def _is_spinning(self, match: re.Match[bytes]) -> bool:
        """Does the loop do nothing but ask again?"""
        lexed = self.code.lexed
        left = self.data.find(b"(", match.start())
        condition = lexed.arguments(left)
        if not condition:
            return False
        at = lexed.after(condition[-1][1] + 1)
        if self.data[at : at + 1] == b";":
            ahead = lexed.before(match.start())
            return self.data[ahead : ahead + 1] != b"}" or not self._ends_do(ahead)
        if self.data[at : at + 1] != b"{":
            return False
        close = self.data.find(b"}", at)
        body = lexed.code(at + 1, close) if close > 0 else b"x"
        return re.fullmatch(rb"(?:\s|;|__nanosleep\s*\([^;{}]*\)|continue)*", body) is not None

    def _ends_do(self, close: int) -> bool:
        """Does the brace at `close` end the body of a do?"""
        depth = 0
        for at in range(close, max(close - 4000, -1), -1):
            byte = self.data[at]
            if byte == 0x7D:
                depth += 1
            elif byte == 0x7B:
                depth -= 1
                if depth == 0:
                    ahead = self.code.lexed.before(at)
                    return self.code.lexed.name_ending_at(ahead) == b"do"
        return False

    def _lockstep(self, analysis: Analysis) -> None:
        for start, end in analysis.lockstep:
            if not self.code.is_open(start):
                continue
            self.say(
                start, end, "SIG210", WARNING if self.wide else NOTE,
                "a fold within a warp without __syncwarp: it needs lanes in lockstep"
                + (f", which is not proven inside the 128-lane warps of {self.cards}"
                   if self.wide else "; a warp has one program counter here, so they are"),
                "put __syncwarp() between the steps, or fold with shuffles", "warp/lockstep",
            )  # fmt: skip

    def _inventory(self, analysis: Analysis) -> None:
        """One note for each function: where it counts on 32 lanes."""
        groups: dict[Function, list[Site]] = {}
        for site in analysis.sites:
            # A property of the device has a diagnostic of its own.
            ahead = max(self.code.lexed.before(site.start), 0)
            is_member = self.data[ahead] == 0x2E or self.data[ahead - 1 : ahead + 1] == b"->"
            if site.role in _ROLES and self.code.is_open(site.start) and not is_member:
                function = self.code.function_at(site.start)
                if function is not None:
                    groups.setdefault(function, []).append(site)
        line, counted = 1, 0
        for function, sites in groups.items():
            roles: dict[str, list[int]] = {}
            for site in sites:
                line += self.data.count(b"\n", counted, site.start)
                counted = site.start
                lines = roles.setdefault(site.role, [])
                if line not in lines:
                    lines.append(line)
            said = ", ".join(
                f"{_ROLES[role]} in line {lines[0]}" if len(lines) == 1 else
                f"{_ROLES[role]} in lines {_listed(lines)}"
                for role, lines in roles.items()
            )  # fmt: skip
            name = function.name.decode("latin-1")
            self.say(
                sites[0].start, sites[0].end, "SIG207", NOTE,
                f"'{name}' is written for warps of 32 lanes: {said}",
                "", "warp/lanes",
            )  # fmt: skip


_OWN = re.compile(rb"#[ \t]*define[ \t]+(__\w+)")
_RANKS = re.compile(rb"__popc|__ffs|__clz|__fns|__brev|lanemask|<<\s*\(?\s*\w*lane", re.IGNORECASE)
_HOST_MARKS = (b"warpSize", b"warp_size", b"AttrWarpSize", b"ATTRIBUTE_WARP_SIZE")


def _times(words: list[Word]) -> str:
    return f" ({len(words)} places)" if len(words) > 1 else ""


def _listed(lines: list[int]) -> str:
    text = ", ".join(map(str, lines[:4]))
    return f"{text} and {len(lines) - 4} more" if len(lines) > 4 else text


def _joined(data: bytes, arguments: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Arguments that a comma between < and > took apart: f<a, b>(x)."""
    found: list[tuple[int, int]] = []
    for start, end in arguments:
        if found and _CUT.search(data, *found[-1]) and _REST.match(data, start, end):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


_CUT = re.compile(rb"\w\s*<[^<>()]*\Z")
_REST = re.compile(rb"[^<>()]*>\s*[({:]")


def _foreign_branches(code: Code) -> tuple[tuple[int, int], ...]:
    """Branches of #if that only builds for other vendors compile."""
    if not _FOREIGN.search(code.data):
        return ()
    found: list[tuple[int, int]] = []
    stack: list[tuple[int, int]] = []  # where the open branch began (-1: ours), what #else is
    for match in DIRECTIVE.finditer(code.data):
        if code.lexed.blank_at(match.start(1)) is not None:
            continue
        kind, condition = match.group(1), match.group(2)
        if kind in (b"if", b"ifdef", b"ifndef"):
            stack.append((-1, 0))
        if not stack:
            continue
        began, other = stack.pop()
        if began >= 0:
            found.append((began, match.start()))
        if kind == b"endif":
            continue
        if kind == b"else":
            stack.append((match.end() if other else -1, 0))
            continue
        is_foreign = _FOREIGN.search(condition) is not None and b"||" not in condition
        negated = kind in (b"ifndef", b"elifndef") or re.match(
            rb"\s*!\s*(?:defined\b|\w+\s*$)", condition
        )
        began = match.end() if is_foreign and not negated else -1
        stack.append((began, 1 if is_foreign and negated else 0))
    return tuple(found)
