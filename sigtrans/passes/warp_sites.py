"""Where code counts on warps of 32 lanes: the literal in its role, told apart by data flow.

A 32 is a warp only by what it is applied to, so the number alone decides nothing. Values are
followed through one function, without order and without branches: a variable has the sum of what
is ever assigned to it, and what is declared elsewhere (a parameter, a member, a template argument)
has what its name says. What a value can be:

- THREAD: an index of a thread in its block (`threadIdx`, `thread_rank()`, sums and products of
  them); GLOBAL: the same with `blockIdx` in it; ITEM: one of them that a loop moves on.
- LANE: THREAD % 32, THREAD & 31, a rank in a tile, a source lane; LANE_ITEM: one that a loop moves
  on; STRIDED: something that a lane is added to.
- WARP: THREAD / 32, THREAD >> 5; BASE: WARP * 32.
- COUNT: threads of a block (`blockDim`, a constant named so); WARPS: COUNT / 32.
- MASK: lanes as bits (ballot, active mask, 1 << LANE).

Roles and what makes them:

- lane-id: THREAD or GLOBAL `% 32`, `& 31`; LANE compared with 31 or 32, added to or taken from
  them; the stride 32 of a LANE_ITEM or of what is STRIDED; `row * 32 + LANE`; a source lane of 31.
- warp-id: THREAD or GLOBAL `/ 32`, `>> 5`, `& ~31`; WARP `* 32`, `<< 5`; `tid < 32` where the
  function works by warps.
- warps-sized: COUNT `/ 32`, `% 32`, compared with 32; WARPS `* 32`; an array of 32 whose index is
  a WARP or a LANE; a size of blocks that is rounded up to 32 or limited by it; threads for a
  launch of one warp per row.
- mask: the mask argument of a `*_sync` call or of a collective of warps, or what flows into it; a
  shift of lane bits.
- fold: where a loop or an unrolled sequence that halves its distance begins or ends, with a
  shuffle or a shared array inside.
- width: the width argument of a shuffle, or what flows into it.
- tile: `tiled_partition<32>`, `thread_block_tile<32>`, CUB's warp collectives, templates of warps.
- launch-bounds: a 32 in the first argument of `__launch_bounds__`.
- warp-size: a constant that is named as the warp size, its uses, and the built-in `warpSize`.
- call: a warp function whose meaning hangs on 32 lanes without a literal: shuffles without width,
  forms without mask, votes, match, reduce, `__activemask`.

Not a role: sides of tiles and blocks (`[32][33]`, `dim3(32, 8)`), columns of a layout in groups of
32 (`(t & ~31) * m + (t & 31)`), bits of a word, factors of unrolling, alignments, hashes,
`case 32:`. A `% 32` of a thread index is one of these where the
result is named or used as a bit, a row or a column and nothing in the function works by warps.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from sigtrans.passes import Code
from sigtrans.passes.functions import Function
from sigtrans.passes.warp_launches import find_launched


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """One place that counts on 32 lanes."""

    start: int
    end: int
    role: str


THREAD, GLOBAL, ITEM, LANE, LANE_ITEM, WARP = 1, 2, 4, 8, 16, 32
COUNT, WARPS, MASK, BLOCK, BASE, TILE, GRID = 64, 128, 256, 512, 1024, 2048, 4096
STRIDED = 8192  # a lane is added to it
_INDEX = THREAD | GLOBAL
_BY_WARP = LANE | WARP | LANE_ITEM

_CANDIDATE = re.compile(
    rb"(?<![\w.$])(?:(?:32|31|16|5|0[xX](?:1[fF]|20|[fF]{8}))[uUlL]*(?![\w.$])|-1\b|~0[uU]?\b)"
    rb"|(?<![\w$])(?:[A-Za-z_]\w*[Ww](?:arp|ARP)\w*|[Ww](?:arp|ARP)\w+"
    rb"|__(?:shfl|ballot|any|all|activemask|match_|reduce_)\w*)"
)
# Without one of these a 5 or a 16 is nobody's warp.
_TELLING = re.compile(
    rb"(?<![\w.])(?:32|31|0[xX](?:1[fF]|20|[fF]{8}))[uUlL]*(?![\w.])|[wW](?:arp|ARP)|>>=?\s*5\b"
    rb"|__(?:shfl|ballot|any|all|activemask|match|reduce)|\bshfl"
)
_TOKEN = re.compile(
    rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*|\.?\d(?:[\w.']|(?<=[eE])[+-])*"
    rb"|<<<|>>>|<<=|>>=|->|::|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|\.\.\.|[^\s\w]"
)
_SIZE_NAME = re.compile(
    rb"(?i)(?:warp_?(?:size|sz)|threads_?(?:per|in)_?(?:a_)?warp|warp_?threads|lanes_?per_?warp|warp_?lanes"
    rb"|warp_?width|size_?of_?warp)\Z"
)
_LOG_NAME = re.compile(rb"(?i)(?:log2?|shift|bits)\w*warp|warp\w*(?:log|shift|bits)")
_MASK_NAME = re.compile(
    rb"(?i)(?:full|warp|lanes?|shfl|shuffle|active|member|final|all|sync)_?(?:warp|lanes?)?_?mask"
    rb"|mask_?(?:all|full)|all_?lanes"
)
_LANE_NAME = re.compile(rb"(?i)(?:^|_)lane(?:_?(?:id|idx|index|num|rank))?(?:_|$)|lane_?(?:id|idx)")
_WARP_NAME = re.compile(
    rb"(?i)(?:warp|wrp)_?(?:id|idx|index|num|no|rank|offset|x|y|m|n|row|col)?$|^wid$|^wi$"
    rb"|warp_?(?:id|idx)"
)
_WARPS_NAME = re.compile(
    rb"(?i)(?:^|_|k|n|num|nr|max|total|block)_?warps(?:_|$|[A-Z])|^k?_?n_?warps?$|num_?warps?"
    rb"|^wpb$|warps?_?(?:per|count|in|cnt)|warps_[mn]$"
)
_BALLOT_NAME = re.compile(rb"(?i)ballot|lane_?mask|active_?mask|peer_?mask|^votes?$")
_PER_THREAD = re.compile(rb"(?i)per_?thread|in_?thread")
_COUNT_NAME = re.compile(
    rb"(?i)threads?$|n_?threads|num_?threads?|threads_?(?:per|in)|block_?(?:size|dim|threads)"
    rb"|^bdim|^tpb$|nthr|cta_?(?:size|threads)|THREADS"
)
_THREAD_NAME = re.compile(
    rb"(?i)^(?:k?_?tid|tidx|tid_?x|thread_?(?:id|idx|index|rank|num)|i?thread|thid|lid|local_?id)"
    rb"(?:_?[xyz]|_?in_?block)?$"
)
_OTHER_NAME = re.compile(  # of a result that is not a lane or a warp
    rb"(?i)bit|word|(?:^|_)(?:row|col|tx|ty|byte|bank|shift|digit|bin|pixel|channel)(?:s|$|_|\d)"
    rb"|(?:^|_)[xyrcij]\d?$"
)
# In lower case: what works on the lanes of a warp together.
_PRIMITIVES = (
    *(b"__shfl", b"__ballot", b"__syncwarp", b"__activemask", b"__match_", b"__reduce_", b"__any"),
    *(b"__all", b"thread_block_tile", b"tiled_partition", b"wmma", b"mma_sync", b"mma.sync"),
    *(b"ldmatrix", b"warpreduce", b"warp_reduce", b"warpscan", b"warp_scan", b"warp_shfl"),
    *(b"warpallreduce", b"warp_all_reduce", b"warpsum", b"warp_sum", b"warpmax", b"warp_max"),
    *(b"warp_shuffle", b"shfl_"),
)
_SYNC = re.compile(
    rb"__(?:shfl(?:_up|_down|_xor)?|ballot|any|all|match_any|match_all|reduce_\w+)_sync\Z"
)
_MASKED = re.compile(rb"\b(?:__(?:shfl|match|reduce|ballot|any|all|syncwarp)|WARP_SHFL)\w*")
_SHUFFLE = re.compile(rb"__shfl(?:_up|_down|_xor)?(?:_sync)?\Z")
_CALL = re.compile(
    rb"__(?:shfl(?:_up|_down|_xor)?(?:_sync)?|ballot(?:_sync)?|any(?:_sync)?|all(?:_sync)?|activemask"
    rb"|match_(?:any|all)_sync|reduce_(?:add|min|max|and|or|xor)_sync)\Z"
)
_COLLECTIVE = re.compile(
    rb"(?i)warp_?(?:all_?)?(?:reduce|scan|sum|max|min|shfl|shuffle|prefix|broadcast|bcast)"
    rb"|Shuffle(?:Index|Up|Down)\Z"
)
_CEIL = re.compile(rb"(?i)(?:ceil|div|round)\w*\Z|\w*(?:ceil_?div|div_?up|div_?round_?up|cdiv)\Z")
_TILE_NAME = re.compile(
    rb"tiled_partition|thread_block_tile|Shuffle(?:Index|Up|Down)\Z|Warp(?:Reduce|Scan|Load|Store|Exchange|MergeSort)\Z"
    rb"|(?i:\w*warp\w*)\Z"
)
_FULL = frozenset((0xFFFFFFFF, -1))
_PRECEDENCE = {
    b"*": 9, b"/": 9, b"%": 9, b"+": 8, b"-": 8, b"<<": 7, b">>": 7, b"<": 6, b">": 6, b"<=": 6,
    b">=": 6, b"==": 5, b"!=": 5, b"&": 4, b"^": 3, b"|": 2, b"&&": 1, b"||": 1,
}  # fmt: skip
_UNARY = frozenset((b"-", b"~", b"!", b"*", b"&", b"+", b"++", b"--"))
_COMPARE = frozenset((b"<", b">", b"<=", b">=", b"==", b"!="))
_TYPE_WORDS = frozenset(
    b"int unsigned long short char signed const float double bool auto size_t uint std "
    b"uint32_t int32_t uint64_t int64_t uint8_t uint16_t".split()
)
_NOT_OPERAND = frozenset(b"return case else do throw sizeof".split())
_NUMBER = re.compile(rb"(0[xX][0-9a-fA-F]+|\d+)[uUlLzZ]*\Z")
_DEFINE = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\r\n]*)", re.MULTILINE)
_LANE_ASM = re.compile(rb"%+laneid\b")
_COLUMNS = re.compile(rb">>\s?5\s?\)\s?<<\s?5")
STEP = re.compile(rb"\[[^\[\]]{0,80}?\+\s{0,9}(32|16|8|4|2|1)\s{0,9}\)?\s{0,9}\]")
_BARRIER = re.compile(rb"__sync|\bsync\s*\(|\.sync\s*\(")
_REACH = 400  # tokens between brackets that are looked through
_LONGEST = 80  # tokens of an expression whose value is followed
_WINDOW = 8000  # bytes around a place in which its uses are looked for


@dataclass(frozen=True, slots=True)
class Analysis:
    """What `analyse` found in one file, in order."""

    sites: tuple[Site, ...] = ()
    lockstep: tuple[tuple[int, int], ...] = ()  # first step of folds that go on without barriers


def find_sites(code: Code) -> tuple[Site, ...]:
    """Every place of the file that counts on 32 lanes, in order."""
    return analyse(code).sites


def analyse(code: Code) -> Analysis:
    """Sites, and folds that lean on lockstep."""
    if not _TELLING.search(code.data):
        return Analysis()
    return File(code).analyse()


@dataclass(slots=True)
class Scope:
    """A function, or all that stands outside of them, while its values are followed."""

    function: Function | None
    start: int  # tokens
    end: int
    is_followed: bool = False
    values: dict[bytes, int] = field(default_factory=dict)
    moved: frozenset[bytes] = frozenset()  # changed by += and the like
    by_warps: bool = False  # something inside works on warps
    lockstep: tuple[int, int] | None = None  # first step of an unrolled fold without barriers

    @property
    def is_host(self) -> bool:
        return self.function is not None and self.function.kind == "host"


class File:
    """The tokens of one file and what is known of its values."""

    def __init__(self, code: Code) -> None:
        self.code = code
        data = bytearray(code.data)
        self.lanes_by_asm: list[int] = []
        for start, end in code.lexed.blanks:
            literal = data[start:end]
            quote = data[start]
            if quote == 0x22 and _LANE_ASM.search(literal):
                self.lanes_by_asm.append(end)
            data[start:end] = b" " * (end - start)
            if quote != 0x2F:  # a literal stays an operand
                data[start] = 0x30
        self.text = bytes(data)
        self.words: list[bytes] = []
        self.starts: list[int] = []
        for match in _TOKEN.finditer(self.text):
            self.words.append(match.group())
            self.starts.append(match.start())
        self.pairs = self._pair()
        self.constants = self._constants()
        self.masks, self.widths = self._flowing()
        self.wide = _works_by_warps(self.text)
        self.has_asm = b"asm" in self.text
        self.widths_of: dict[int, frozenset[bytes]] = {}
        self.indexed: dict[bytes, list[int]] = {}
        self.scopes = tuple(self._scopes())

    # --- tokens ------------------------------------------------------------------------------

    def _pair(self) -> dict[int, int]:
        """Brackets and their partners, both ways."""
        pairs: dict[int, int] = {}
        stack: list[int] = []
        closing = {b")": b"(", b"]": b"[", b"}": b"{"}
        for at, word in enumerate(self.words):
            if word in (b"(", b"[", b"{"):
                stack.append(at)
            elif word in closing:
                while stack and self.words[stack[-1]] != closing[word]:
                    if word != b"}" and self.words[stack[-1]] == b"{":
                        break
                    stack.pop()
                if stack and self.words[stack[-1]] == closing[word]:
                    left = stack.pop()
                    pairs[left], pairs[at] = at, left
        return pairs

    def word(self, at: int) -> bytes:
        return self.words[at] if 0 <= at < len(self.words) else b""

    def _is_operand_end(self, at: int) -> bool:
        word = self.word(at)
        if word in (b")", b"]"):
            return True
        return (
            bool(word)
            and (word[0:1].isalnum() or word[0] in b"_$.")
            and word not in (_NOT_OPERAND | {b"."})
        )

    def _is_binary(self, at: int) -> bool:
        return self.word(at) in _PRECEDENCE and self._is_operand_end(at - 1)

    def primary_left(self, at: int) -> int:
        """First token of the primary expression that ends at `at`."""
        while True:
            word = self.word(at)
            if word in (b")", b"]", b"}"):
                left = self.pairs.get(at, -1)
                if left < 0:
                    return at
                before = self.word(left - 1)
                if before == b">" and word == b")":
                    angle = self.angle_left(left - 1)
                    if angle > 0:
                        at = angle - 1
                        continue
                if self._is_operand_end(left - 1) and before not in (b"if", b"while", b"for"):
                    at = left - 1
                    continue
                at = left
            before = self.word(at - 1)
            if before in (b".", b"->", b"::"):
                if self._is_operand_end(at - 2):
                    at -= 2
                    continue
                at -= 1
            return at

    def angle_left(self, at: int) -> int:
        """The `<` of a template argument list that closes at `at`, -1 for a comparison."""
        depth = 0
        for n in range(at, max(at - 40, -1), -1):
            word = self.words[n]
            if word in (b">", b">>"):
                depth += len(word)
            elif word == b"<":
                depth -= 1
                if depth <= 0:
                    return (
                        n if self.word(n - 1)[:1].isalpha() or self.word(n - 1)[:1] == b"_" else -1
                    )
            elif word in (b";", b"{", b"}", b"&&", b"||"):
                return -1
        return -1

    def angle_right(self, at: int) -> int:
        """The `>` that closes the template argument list at `at`, -1 for a comparison."""
        depth = 0
        n = at
        while n < min(at + 60, len(self.words)):
            word = self.words[n]
            if word in (b"(", b"[", b"{"):
                n = self.pairs.get(n, n)
            elif word == b"<":
                depth += 1
            elif word in (b">", b">>"):
                depth -= len(word)
                if depth <= 0:
                    return n
            elif word in (b";", b"&&", b"||", b")", b"]", b"}"):
                return -1
            n += 1
        return -1

    def left_of(self, at: int, precedence: int) -> int:
        """First token of the left operand of the operator at `at`."""
        start = at
        limit = max(at - _LONGEST, 0)
        while True:
            start = self.primary_left(start - 1)
            while True:  # casts and unary operators
                before = start - 1
                word = self.word(before)
                if word == b")" and self.is_cast(before):
                    start = self.pairs[before]
                elif word in (b"-", b"~", b"!", b"*", b"&", b"+") and not self._is_binary(before):
                    start = before
                else:
                    break
            if start <= limit or not self._is_binary(start - 1):
                return start
            if _PRECEDENCE[self.word(start - 1)] < precedence:
                return start
            start -= 1

    def right_of(self, at: int, precedence: int) -> int:
        """One past the right operand of the operator at `at`."""
        end = at + 1
        limit = min(at + _LONGEST, len(self.words))
        while True:
            while end < limit and self.word(end) in _UNARY:
                end += 1
            if self.word(end) == b"(" and self.is_cast(self.pairs.get(end, end)):
                end = self.pairs[end] + 1
                continue
            end = self.primary_right(end)
            word = self.word(end)
            if end >= limit or word not in _PRECEDENCE or _PRECEDENCE[word] <= precedence:
                return min(end, len(self.words))
            end += 1

    def primary_right(self, at: int) -> int:
        word = self.word(at)
        end = self.pairs.get(at, at) + 1 if word in (b"(", b"[") else at + 1
        while True:
            word = self.word(end)
            if word in (b"(", b"[", b"{") and word != b"{":
                end = self.pairs.get(end, end) + 1
            elif word in (b".", b"->", b"::"):
                end += 2
            elif word == b"<":
                close = self.angle_right(end)
                if close < 0 or self.word(close + 1) not in (b"(", b"::", b"{"):
                    return end
                end = close + 1
            else:
                return end

    def is_cast(self, at: int) -> bool:
        """Does a parenthesis that closes at `at` hold nothing but a type?"""
        left = self.pairs.get(at, -1)
        if left < 0 or at - left > 6 or at - left < 2:
            return False
        inside = self.words[left + 1 : at]
        return all(w in _TYPE_WORDS or w in (b"*", b"::", b"&") for w in inside) and (
            inside[0] in _TYPE_WORDS
        )

    # --- values ------------------------------------------------------------------------------

    def _constants(self) -> dict[bytes, int]:
        """Names that the file gives a number."""
        found: dict[bytes, int] = {}
        for match in _DEFINE.finditer(self.text):
            value = match.group(2).strip().strip(b"()").strip()
            number = _NUMBER.match(value)
            if number:
                found[match.group(1)] = _number(value) or 0
        for at in range(1, len(self.words) - 1):
            if self.words[at] == b"=" and self.words[at + 1][:1].isdigit():
                number = _NUMBER.match(self.words[at + 1])
                constant = (b"const", b"constexpr", b"enum")
                if number and self.word(at + 2) in (b";", b",", b"}"):
                    head = self.words[max(0, at - 6) : at]
                    if any(w in constant for w in head):
                        found[self.words[at - 1]] = _number(self.words[at + 1]) or 0
        return found

    def value(self, lo: int, hi: int) -> int | None:
        """The number that a short constant expression stands for."""
        while hi - lo > 2 and self.word(lo) == b"(" and self.pairs.get(lo) == hi - 1:
            lo, hi = lo + 1, hi - 1
        if hi - lo == 1:
            word = self.word(lo)
            if _is_size(word):
                return 32
            if word[:1].isdigit():
                return _number(word)
            return self.constants.get(word)
        if hi - lo == 2 and self.word(lo) in (b"-", b"~"):
            number = self.value(lo + 1, hi)
            return None if number is None else (-number if self.word(lo) == b"-" else ~number)
        if hi - lo == 3 and self.word(lo + 1) in (b"-", b"/", b"*", b">>", b"<<", b"+"):
            a, b = self.value(lo, lo + 1), self.value(lo + 2, hi)
            if a is None or b is None or not 0 <= b <= 64:
                return None
            match self.word(lo + 1):
                case b"-":
                    return a - b
                case b"+":
                    return a + b
                case b"*":
                    return a * b
                case b"/":
                    return a // b if b else None
                case b">>":
                    return a >> b
                case _:
                    return a << b
        if hi - lo > 3 and self.word(lo) == b"(" and self.is_cast(self.pairs.get(lo, lo)):
            return self.value(self.pairs[lo] + 1, hi)
        return None

    def _flowing(self) -> tuple[frozenset[bytes], frozenset[bytes]]:
        """Names that stand in the mask and in the width argument of warp functions."""
        masks: set[bytes] = set()
        widths: set[bytes] = set()
        for match in _MASKED.finditer(self.text):
            at = self._token_at(match.start())
            if at < 0:
                continue
            word = self.words[at]
            arguments = self.arguments(at + 1)
            if word == b"__syncwarp" or _SYNC.match(word):
                if arguments:
                    masks.update(self.names(*arguments[0]))
                if len(arguments) == 4 and _SHUFFLE.match(word):
                    widths.update(self.names(*arguments[3]))
            elif len(arguments) >= 3:  # __shfl(value, lane, width)
                widths.update(self.names(*arguments[2]))
        return frozenset(masks), frozenset(widths)

    def names(self, lo: int, hi: int) -> Iterator[bytes]:
        for at in range(lo, hi):
            if self.words[at][:1].isalpha() or self.words[at][:1] == b"_":
                yield self.words[at]

    def arguments(self, left: int) -> list[tuple[int, int]]:
        """Token ranges of the arguments of a call."""
        if self.word(left) == b"<":  # __shfl_sync<T>(
            close = self.angle_right(left)
            left = close + 1 if close > 0 else left
        if self.word(left) != b"(":
            return []
        right = self.pairs.get(left, -1)
        if right < 0 or right - left > 4 * _REACH:
            return []
        found: list[tuple[int, int]] = []
        start = at = left + 1
        while at < right:
            word = self.words[at]
            if word in (b"(", b"[", b"{"):
                at = self.pairs.get(at, at)
            elif word == b",":
                found.append((start, at))
                start = at + 1
            at += 1
        if right > left + 1:
            found.append((start, right))
        return found

    def kind(self, scope: Scope, lo: int, hi: int, depth: int = 0) -> int:
        """What the expression of a token range can be."""
        if depth > 12 or hi - lo > _LONGEST:
            return 0
        while hi - lo > 2 and self.word(lo) == b"(" and self.pairs.get(lo) == hi - 1:
            lo, hi = lo + 1, hi - 1
        if hi <= lo:
            return 0
        at, least = -1, 98
        n = lo
        question = -1
        while n < hi:
            word = self.words[n]
            if word in (b"(", b"[", b"{"):
                n = self.pairs.get(n, n)
            elif word == b"?" and question < 0:
                question = n
            elif (
                word == b"<"
                and (close := self.angle_right(n)) > 0
                and (self.word(close + 1) in (b"(", b"::", b"{"))
            ):
                n = close
            elif n > lo and _PRECEDENCE.get(word, 99) <= least and self._is_binary(n):
                at, least = n, _PRECEDENCE[word]
            n += 1
        if question > 0:
            colon = next((n for n in range(question, hi) if self.words[n] == b":"), hi)
            return self.kind(scope, question + 1, colon, depth + 1) | self.kind(
                scope, colon + 1, hi, depth + 1
            )
        if at < 0:
            return self._kind_of_primary(scope, lo, hi, depth)
        if least <= 1 or self.word(at) in _COMPARE:
            return 0
        left = self.kind(scope, lo, at, depth + 1)
        right = self.kind(scope, at + 1, hi, depth + 1)
        return self._combine(self.word(at), left, right, self.value(lo, at), self.value(at + 1, hi))

    def _combine(self, operator: bytes, left: int, right: int, a: int | None, b: int | None) -> int:
        match operator:
            case b"/":
                return _divided(left, b)
            case b"%":
                if left & _INDEX and (b == 32 or right & TILE):
                    return LANE
                return LANE if left & COUNT and b == 32 else 0
            case b"&":
                if b in (31, -32) or a == 31:
                    index, other = (left, b) if b is not None else (right, a)
                    if index & (_INDEX | COUNT):
                        return LANE if other == 31 else BASE
                return (left | right) & MASK
            case b">>":
                return _divided(left, 32 if b == 5 else 0) if b is not None else left & MASK
            case b"<<":
                if right & LANE:
                    return MASK
                return BASE if left & WARP and b == 5 else left & MASK
            case b"*":
                if 32 in (a, b):
                    if (left | right) & WARP:
                        return BASE
                    return COUNT if (left | right) & WARPS else 0
                both = left | right
                if not both & COUNT:
                    return 0
                if both & (BLOCK | THREAD):
                    return GLOBAL if both & BLOCK else THREAD  # threadIdx.y * blockDim.x
                # 2 * blockDim.x is a size, i * blockDim.x a step.
                is_size = a is not None or b is not None or left & right & COUNT or both & GRID
                return COUNT if is_size else ITEM
            case b"+" | b"-":
                if operator == b"-" and left & _INDEX and right & BASE:
                    return LANE
                both = left | right
                if both & (BASE | THREAD) and both & LANE:
                    return THREAD
                if both & ITEM:
                    return ITEM | (both & LANE_ITEM)
                if both & GLOBAL or (both & THREAD and both & BLOCK):
                    return GLOBAL
                return both & ~(BLOCK | COUNT) if both & THREAD else both & ~BLOCK
            case _:
                return (left | right) & (MASK | _INDEX | LANE)

    def _kind_of_primary(self, scope: Scope, lo: int, hi: int, depth: int) -> int:
        while self.word(lo) in (b"-", b"~", b"!", b"*", b"&", b"+") and lo < hi - 1:
            lo += 1
        close = self.pairs.get(lo, hi) if self.word(lo) == b"(" else hi
        if close < hi - 1 and self.is_cast(close):
            return self.kind(scope, close + 1, hi, depth + 1)
        word = self.word(lo)
        last = self.word(hi - 1)
        if word == b"threadIdx":
            return THREAD
        if word == b"blockIdx":
            return BLOCK
        if word == b"blockDim":
            return COUNT
        if word == b"gridDim":
            return GRID
        if last == b")":
            return self._kind_of_call(scope, lo, hi, depth)
        if last == b"]":
            left = self.pairs.get(hi - 1, -1)
            inside = self.word(left - 1)
            return MASK if scope.values.get(inside, 0) & MASK else 0
        name = self.word(hi - 1)
        if name in (b"x", b"y", b"z") and self.word(hi - 2) == b".":
            name = self.word(hi - 3)  # a dim3
        if hi - lo == 1 and name in scope.values:
            return scope.values[name]
        if hi - lo == 3 and self.words[lo + 1] == b"::" and _kind_of_name(self.words[lo]) & WARPS:
            return WARPS  # WarpCount::kCount
        return _kind_of_name(name)

    def _kind_of_call(self, scope: Scope, lo: int, hi: int, depth: int) -> int:
        left = self.pairs.get(hi - 1, -1)
        if left <= lo:
            return 0
        end = left
        if self.word(end - 1) == b">":
            angle = self.angle_left(end - 1)
            if angle > 0:
                end = angle
        name = self.word(end - 1)
        arguments = self.arguments(left)
        if name in (b"static_cast", b"reinterpret_cast", b"const_cast") or name in _TYPE_WORDS:
            return self.kind(scope, left + 1, hi - 1, depth + 1)
        if name == b"thread_rank":
            return LANE if self._is_tile(scope, lo, end) else THREAD
        if name == b"meta_group_rank":
            return WARP
        if name == b"meta_group_size":
            return WARPS
        if name in (b"size", b"num_threads"):
            return TILE if self._is_tile(scope, lo, end) else 0
        if name in (b"__activemask", b"__match_any_sync") or b"ballot" in name.lower():
            return MASK
        kinds = [self.kind(scope, *argument, depth + 1) for argument in arguments]
        if name in (b"__ffs", b"__clz", b"__popc", b"__fns", b"__ffsll", b"__popcll", b"__brev"):
            return (MASK if name == b"__brev" else LANE) if kinds and kinds[0] & MASK else 0
        if name.startswith(b"__shfl") and len(kinds) > 1:
            return kinds[1 if name.endswith(b"_sync") else 0]
        if name in (b"min", b"max", b"__ldg", b"__readfirstlane", b"umin", b"umax"):
            return _union(kinds)
        if len(kinds) == 2 and _CEIL.match(name):
            return _divided(kinds[0], self.value(*arguments[1]))
        if not arguments or (len(arguments) == 1 and not kinds[0]):
            # lane_id(), get_warp_id(), canonical_warp_idx_sync()
            if _LANE_NAME.search(name):
                return LANE
            if re.search(rb"(?i)warp_?(?:id|idx|index)", name):
                return WARP
        return 0

    def _is_tile(self, scope: Scope, lo: int, end: int) -> bool:
        return bool(scope.values.get(self.word(lo), 0) & TILE) or any(
            b"tiled_partition" in w or w in (b"warp", b"tile32") for w in self.words[lo:end]
        )

    # --- scopes ------------------------------------------------------------------------------

    def _scopes(self) -> Iterator[Scope]:
        """Functions, and what lies before, between and behind them."""
        at = 0
        for function in self.code.functions:
            start = bisect_left(self.starts, function.head)
            end = bisect_left(self.starts, function.body[1])
            if start > at:
                yield Scope(None, at, start)
            yield Scope(function, start, end)
            at = end
        if at < len(self.words):
            yield Scope(None, at, len(self.words))

    def follow(self, scope: Scope) -> None:
        """Fill in the values of a scope, once."""
        if scope.is_followed:
            return
        scope.is_followed = True
        words = self.words
        moved: set[bytes] = set()
        added: list[tuple[bytes, int]] = []
        assigned: list[tuple[bytes, int, int]] = []
        for at in range(scope.start, scope.end):
            word = words[at]
            if word == b"=":
                name = words[at - 1]
                if name[:1].isalpha() or name[:1] == b"_":
                    assigned.append((name, at + 1, self.end_of_value(at + 1, scope.end)))
            elif word in (b"+=", b"-="):
                moved.add(words[at - 1])
                added.append((words[at - 1], at + 1))
            elif word in (b"(", b"{") and self._is_declared(at):
                right = self.pairs.get(at, at)
                if 1 < right - at < 40 and self.word(right + 1) in (b";", b",", b"{"):
                    assigned.append((words[at - 1], at + 1, right))
            elif word in (b"tiled_partition", b"thread_block_tile"):
                self._note_tile(scope, at)
        text = self.text[self.offset(scope.start) : self.offset(scope.end)]
        scope.by_warps = _works_by_warps(text)
        scope.moved = frozenset(moved)
        scope.lockstep = self._find_lockstep(scope, text)
        start, end = self.offset(scope.start), self.offset(scope.end)
        for place in self.lanes_by_asm:
            if start <= place < end:
                self._note_asm(scope, place)
        for _ in range(2):
            before = dict(scope.values)
            for name, lo, hi in assigned:
                kind = self.kind(scope, lo, hi)
                if name in moved and kind & (_INDEX | LANE):
                    kind = (kind & ~(_INDEX | LANE)) | (LANE_ITEM if kind & LANE else ITEM)
                if kind & (LANE | WARP) and not scope.by_warps and not scope.lockstep:
                    kind &= ~(LANE | WARP) if _is_other(name) else -1
                # What a name says counts where its value cannot be followed.
                scope.values[name] = scope.values.get(name, 0) | kind or _kind_of_name(name)
            for name, lo in added:
                end = self.end_of_value(lo, scope.end)
                if self.kind(scope, lo, end) & LANE:
                    self._add(scope, name, LANE_ITEM)
            self._note_uses(scope)
            if scope.values == before:
                break

    def offset(self, at: int) -> int:
        return self.starts[at] if at < len(self.starts) else len(self.text)

    def end_of_value(self, at: int, limit: int) -> int:
        start = at
        while at < limit and at - start < _REACH:
            word = self.words[at]
            if word in (b"(", b"[", b"{"):
                at = self.pairs.get(at, at)
            elif word in (b";", b",", b")", b"}", b"]"):
                return at
            at += 1
        return at

    def _is_declared(self, at: int) -> bool:
        """`int name(` or `: name(`: an initialiser."""
        name, before = self.word(at - 1), self.word(at - 2)
        if not (name[:1].isalpha() or name[:1] == b"_") or name in _TYPE_WORDS:
            return False
        return (
            before in _TYPE_WORDS
            or before == b"dim3"
            or (before in (b":", b",") and self.word(at) == b"(")
        )

    def _note_tile(self, scope: Scope, at: int) -> None:
        """The variable that a tile of 32 lanes goes to: `auto tile = tiled_partition<32>(b)`."""
        if self.words[at] == b"thread_block_tile":
            close = self.angle_right(at + 1)
            name = self.word(close + 1) if self.word(close + 1) != b"&" else self.word(close + 2)
            scope.values[name] = TILE
            return
        n = at
        while n > scope.start and self.words[n] not in (b";", b"{", b"}", b"="):
            n -= 1
        if self.words[n] == b"=":
            scope.values[self.word(n - 1)] = TILE
        else:
            scope.values[self.word(at - 1)] = TILE

    def _note_asm(self, scope: Scope, place: int) -> None:
        """`asm("mov.u32 %0, %laneid;" : "=r"(lane))`."""
        at = bisect_left(self.starts, place)
        for n in range(at, min(at + 12, len(self.words))):
            if self.words[n] == b"(":
                scope.values[self.word(n + 1)] = LANE
                return

    def _note_uses(self, scope: Scope) -> None:
        """Uses that tell what a variable is: a source lane, an index beside a warp's base."""
        words = self.words
        for at in range(scope.start, scope.end):
            word = words[at]
            if word in (b"__shfl_sync", b"__shfl"):
                arguments = self.arguments(at + 1)
                place = 2 if word == b"__shfl_sync" else 1
                if len(arguments) > place:
                    lo, hi = arguments[place]
                    if hi - lo == 1:
                        self._add(scope, self.words[lo], LANE)
            elif word == b"+" and self._is_binary(at):
                lo, hi = self.left_of(at, 8), self.right_of(at, 8)
                if hi - at == 2 and self.kind(scope, lo, at) & BASE:
                    self._add(scope, self.words[at + 1], LANE)
                elif at - lo == 1 and (kind := self.kind(scope, at + 1, hi)) & (BASE | LANE):
                    # lane + warp * 32; row + lane, where row goes on by 32
                    self._add(scope, self.words[lo], LANE if kind & BASE else STRIDED)
            elif word == b"<" and self.word(at - 2) in (b"(", b";", b"&&"):
                is_lane = scope.values.get(words[at - 1], 0) & LANE and self._is_binary(at)
                if is_lane and self.kind(scope, at + 1, self.right_of(at, 6)) & WARPS:
                    self._add(scope, words[at - 1], WARP)

    def _add(self, scope: Scope, name: bytes, kind: int) -> None:
        if name[:1].isalpha() or name[:1] == b"_":
            scope.values[name] = scope.values.get(name, 0) | kind

    def _find_lockstep(self, scope: Scope, text: bytes) -> tuple[int, int] | None:
        """The first step of an unrolled fold over memory that goes on without barriers."""
        steps = [(m.start(1), int(m.group(1))) for m in STEP.finditer(text)]
        for n, (at, value) in enumerate(steps):
            if value not in (32, 16) or (n and steps[n - 1][1] == value):
                continue
            last, end, count = value, at, 1
            for place, step in steps[n + 1 :]:
                if step == last:
                    end = place
                elif step * 2 == last:
                    last, end, count = step, place, count + 1
                else:
                    break
            if count >= 3 and not _BARRIER.search(text, at, end):
                start = self.offset(scope.start) + at
                return start, start + len(str(value))
        return None

    # --- sites -------------------------------------------------------------------------------

    def analyse(self) -> Analysis:
        found: list[Site] = []
        lockstep: list[tuple[int, int]] = []
        wanted = [
            at
            for match in _CANDIDATE.finditer(self.text)
            if (at := self._token_at(match.start())) >= 0 and self._may_be_site(at)
        ]
        n = 0
        for scope in self.scopes:
            while n < len(wanted) and wanted[n] < scope.start:
                n += 1
            if n == len(wanted):
                break
            if wanted[n] >= scope.end:
                continue
            self.follow(scope)
            if scope.lockstep:
                lockstep.append(scope.lockstep)
            while n < len(wanted) and wanted[n] < scope.end:
                at = wanted[n]
                role = self.role(scope, at)
                if role:
                    start = self.starts[at]
                    length = len(self.words[at])
                    if self.words[at] in (b"-", b"~"):
                        length = self.starts[at + 1] + len(self.words[at + 1]) - start
                    found.append(Site(start, start + length, role))
                n += 1
        for at, role in find_launched(self, wanted, found):
            found.append(Site(self.starts[at], self.starts[at] + len(self.words[at]), role))
        return Analysis(tuple(sorted(found)), tuple(lockstep))

    # --- what `warp_launches` asks -------------------------------------------------------------

    def number(self, at: int) -> int | None:
        """The number that a token is, None for none."""
        return _number(self.words[at]) if self.words[at][:1].isdigit() else None

    def scope_of(self, at: int) -> Scope:
        return self.scopes[bisect_right(self.scopes, at, key=lambda s: s.start) - 1]

    def whole(self) -> Scope:
        """All of the file, for looking names up."""
        return Scope(None, 0, len(self.words))

    def has_warp_asm(self, scope: Scope) -> bool:
        """Instructions of a warp in inline assembly."""
        start, end = self.offset(scope.start), self.offset(scope.end)
        marks = (b"mma.sync", b"ldmatrix", b"shfl.sync")
        return self.has_asm and any(self.code.data.find(m, start, end) >= 0 for m in marks)

    def works_by_warps(self, scope: Scope) -> bool:
        if not scope.is_followed:
            return _works_by_warps(self.code_of(scope))
        return scope.by_warps or scope.lockstep is not None

    def widths_in(self, scope: Scope) -> frozenset[bytes]:
        """Names that stand in the width argument of a shuffle of this function."""
        known = self.widths_of.get(scope.start)
        if known is not None:
            return known
        found: set[bytes] = set()
        for at in range(scope.start, scope.end) if self.widths else ():
            word = self.words[at]
            if word[:6] == b"__shfl" or word[:9] == b"WARP_SHFL":
                arguments = self.arguments(at + 1)
                place = 3 if word.endswith(b"_sync") else 2
                if len(arguments) == place + 1:
                    found.update(self.names(*arguments[place]))
        self.widths_of[scope.start] = frozenset(found)
        return self.widths_of[scope.start]

    def is_thread(self, scope: Scope, lo: int, hi: int) -> bool:
        """A thread, a lane or a warp of its block."""
        kind = self.kind(scope, lo, hi)
        return bool(kind & (THREAD | LANE | WARP)) and not kind & GLOBAL

    def is_lane(self, scope: Scope, lo: int, hi: int) -> bool:
        return bool(self.kind(scope, lo, hi) & (LANE | LANE_ITEM | STRIDED))

    def is_count(self, scope: Scope, lo: int, hi: int) -> bool:
        return bool(self.kind(scope, lo, hi) & COUNT)

    def is_by_warp(self, scope: Scope, lo: int, hi: int) -> bool:
        """A warp or a lane, and no thread of the block."""
        kind = self.kind(scope, lo, hi)
        return bool(kind & (WARP | LANE)) and not kind & _INDEX

    def is_strided(self, scope: Scope, name: bytes) -> bool:
        """Is a lane added to a name?"""
        return bool(scope.values.get(name, 0) & STRIDED)

    def is_builtin_size(self, place: int) -> bool:
        """Does CUDA's own `warpSize` stand there?"""
        at = self._token_at(place)
        return self.words[at] == b"warpSize" and self.word(at - 1) not in (b".", b"->")

    def code_of(self, scope: Scope) -> bytes:
        return self.text[self.offset(scope.start) : self.offset(scope.end)]

    def is_size(self, name: bytes) -> bool:
        return _is_size(name)

    def is_warps(self, name: bytes) -> bool:
        return bool(_kind_of_name(name) & WARPS)

    def is_mask(self, word: bytes) -> bool:
        """All lanes, by value or by name."""
        return _number(word) in _FULL if word[:1].isdigit() else bool(_MASK_NAME.search(word))

    def is_ceil(self, name: bytes) -> bool:
        return _CEIL.match(name) is not None

    def _token_at(self, place: int) -> int:
        at = bisect_left(self.starts, place)
        return at if at < len(self.starts) and self.starts[at] == place else -1

    def _may_be_site(self, at: int) -> bool:
        """Leave out at once what is common and can be no site."""
        word = self.words[at]
        if word[:1].isalpha() or word[:1] == b"_":
            return _is_size(word) or _CALL.match(word) is not None
        if word[:1] == b"5":
            return (
                self.word(at - 1) in (b">>", b"<<", b"<", b"=", b">>=") or self.defines(at) != b""
            )
        if word[:2] == b"16":
            return self.word(at - 1) in (b"=", b",", b"+", b"<=", b"<", b"(")
        return True

    def role(self, scope: Scope, at: int) -> str:
        """The role of the token at `at`, "" for none."""
        word = self.words[at]
        if _CALL.match(word):
            return self._role_of_call(at)
        if word[:1].isalpha() or word[:1] == b"_":
            return self._role_of_name(scope, at)
        if word in (b"-", b"~"):
            lo, hi = at, at + 2
            value: int | None = -1
        else:
            lo, hi = at, at + 1
            value = _number(word)
        return self._role_of_value(scope, lo, hi, value)

    def _role_of_call(self, at: int) -> str:
        word = self.words[at]
        if self.word(at + 1) not in (b"(", b"<") or self.word(at - 1) in (b".", b"->"):
            return ""
        if _SHUFFLE.match(word) and word.endswith(b"_sync"):
            return "call" if len(self.arguments(at + 1)) == 3 else ""
        return "call"

    def _role_of_name(self, scope: Scope, at: int) -> str:
        """A constant named as the warp size; its definition is a site at its literal."""
        word = self.words[at]
        if not _is_size(word) or self.word(at + 1) in (b"=", b"::"):
            return ""
        if self.word(at - 1) in (b"define", b"ifdef", b"ifndef", b"undef", b"defined"):
            return ""
        if self.word(at + 1) == b"(" and self.word(self.pairs.get(at + 1, at) + 1) == b"{":
            return ""  # a function's own head
        if self.word(at - 1) in (b"int", b"unsigned", b"uint32_t", b"size_t", b"auto"):
            return ""  # a parameter or a declaration
        lo, hi = at, at + 1
        if self.word(at - 1) == b"." or (word == b"warpSize" and self.word(at - 1) == b"->"):
            known = self.word(at - 1) == b"->" or self._is_property(at)
            return "warp-size" if word == b"warpSize" and known else ""
        return self._role_of_value(scope, lo, hi, 32) or "warp-size"

    def _is_property(self, at: int) -> bool:
        """Is the member at `at` one of the device's properties?"""
        first = self.offset(self.primary_left(at))
        named = self.text[first : self.starts[at]].lower()
        return b"prop" in named or b"DeviceProp" in self.text

    def _role_of_value(self, scope: Scope, lo: int, hi: int, value: int | None) -> str:
        """The constant grows as far as it stays one: 32 - 1, (32), 32 / 2."""
        value, lo, hi = self._widen(lo, hi, value)
        if value in _FULL:
            return self._role_of_mask(scope, lo, hi)
        if value not in (32, 31, 5, 16, -32):
            return ""
        assert value is not None
        left, right = self.word(lo - 1), self.word(hi)
        role = ""
        if left in _PRECEDENCE and self._is_binary(lo - 1):
            role = self._role_beside(scope, lo - 1, lo, hi, value)
        if not role and right in _PRECEDENCE and not (right == b"<" and self.angle_right(hi) > 0):
            role = self._role_before(scope, hi, lo, hi, value)
        if not role and left in (b"+=", b"-=", b"%=", b"/=", b"&=", b">>=", b"*="):
            role = self._role_assigned(scope, lo - 1, value)
        if not role and left == b"=":
            role = self._role_of_definition(scope, lo, hi, value)
        return role or self._role_in_brackets(scope, lo, hi, value)

    def _widen(self, lo: int, hi: int, value: int | None) -> tuple[int | None, int, int]:
        for _ in range(4):
            if self.word(lo - 1) == b"(" and self.word(hi) == b")":
                before = self.word(lo - 2)
                called = before[:1].isalpha() or before[:1] in (b"_", b">")
                if called and before not in _NOT_OPERAND:
                    break
                lo, hi = lo - 1, hi + 1
                continue
            if self.word(lo - 1) == b"~" and value == 31:
                lo, value = lo - 1, -32
                continue
            operator = self.word(hi)
            tighter = self.word(lo - 1) in (b"*", b"/", b"%")
            if (
                operator in (b"-", b"/", b">>")
                and self.word(hi + 1)
                in (
                    b"1",
                    b"2",
                    b"1u",
                    b"1U",
                    b"2u",
                )
                and not tighter
                and self.word(hi + 2) not in (b"*", b"/", b"%", b"<<")
            ):
                grown = self.value(lo, hi + 2) if hi - lo == 1 else None
                if grown is not None:
                    value, hi = grown, hi + 2
                    continue
            break
        return value, lo, hi

    def _role_beside(self, scope: Scope, at: int, lo: int, hi: int, value: int) -> str:
        """The constant is the right operand of the operator at `at`."""
        operator = self.words[at]
        precedence = _PRECEDENCE[operator]
        start = self.left_of(at, precedence)
        kind = self.kind(scope, start, at)
        divides = (operator == b"/" and value == 32) or (operator == b">>" and value == 5)
        takes_rest = (operator == b"%" and value == 32) or (operator == b"&" and value == 31)
        if divides or takes_rest or (operator == b"&" and value == -32):
            return self._role_of_split(
                scope, start, hi, kind, "lane-id" if takes_rest else "warp-id"
            )
        if (operator == b"*" and value == 32) or (operator == b"<<" and value == 5):
            return self._role_of_product(scope, start, hi, kind)
        if operator in _COMPARE:
            return self._role_of_comparison(scope, start, at, lo, hi, kind, value)
        if operator in (b"+", b"-"):
            if kind & (LANE | LANE_ITEM) and value in (31, 32):
                return "lane-id"
            if kind & COUNT and value in (31, 32) and (self.wide or value == 31):
                return "warps-sized" if operator == b"-" or value == 31 else ""
            divides = self.word(hi) == b")" and self.word(hi + 1) in (b"/", b">>")
            if operator == b"+" and value in (31, 32) and divides:
                left = self.pairs.get(hi, hi)
                if self.word(hi + 2) in (b"32", b"5") and self._is_block_of_warps(scope, left, hi):
                    return "warps-sized"
            if operator == b"+" and value in (32, 16) and kind & (_INDEX | LANE):
                return "fold" if scope.lockstep or self._is_pair_of_warps(scope, start, hi) else ""
        return ""

    def _role_before(self, scope: Scope, at: int, lo: int, hi: int, value: int) -> str:
        """The constant is the left operand of the operator at `at`."""
        operator = self.words[at]
        if self._is_binary(lo - 1) and _PRECEDENCE[self.word(lo - 1)] >= _PRECEDENCE[operator]:
            return ""  # belongs to what stands before it
        end = self.right_of(at, _PRECEDENCE[operator])
        kind = self.kind(scope, at + 1, end)
        if operator == b"*" and value == 32:
            return self._role_of_product(scope, lo, end, kind)
        if operator == b"&" and value in (31, -32) and kind & _INDEX:  # 31 & tid
            role = "lane-id" if value == 31 else "warp-id"
            return "" if _is_other(self.target(lo, scope)) else role
        if operator in _COMPARE:
            return self._role_of_comparison(scope, at + 1, end, lo, hi, kind, value)
        if operator == b"-" and value in (31, 32) and kind & (LANE | MASK):
            return "lane-id"
        if operator == b"-" and value in (31, 32) and any(map(_is_size, self.names(at + 1, end))):
            return "warp-size"
        if operator in (b"/", b"%") and value == 32:
            names = b" ".join((*self.names(at + 1, end), self.target(lo, scope)))
            if re.search(rb"(?i)warp|lane|per_?thread\b", names) or kind & COUNT:
                return "warp-size"
            if operator == b"%" and scope.by_warps and self._in_static_assert(at):
                return "warp-size"  # a group that shuffles divides a warp
        if operator == b"+" and value == 32 and kind & (LANE | _INDEX):
            return "fold" if scope.lockstep else "lane-id" if kind & LANE else ""
        return ""

    def _role_of_split(self, scope: Scope, lo: int, hi: int, kind: int, role: str) -> str:
        """THREAD % 32 and its like: a lane, or the column of a tile?"""
        target = self.target(lo, scope)
        named = bool(_LANE_NAME.search(target) or re.search(rb"(?i)warp|wrp|^wid", target))
        if kind & (COUNT | WARPS) and not kind & (_INDEX | ITEM | WARP | LANE):
            if re.match(rb"(?i)block_?[xyz]$", target) and not named:
                return ""
            return "warps-sized"
        if role == "warp-id" and self._is_block_of_warps(scope, lo, hi - 3):
            return "warps-sized"
        if (value := self.value(lo, hi - 2)) is not None:  # a constant, named after warps or not
            is_count = _kind_of_name(target) & WARPS and self.words[hi - 1][:1].isdigit()
            return "warps-sized" if is_count and value > 32 and role == "warp-id" else ""
        if kind & (LANE | WARP | BASE) and not kind & _INDEX:
            return "lane-id" if named else ""
        if not kind & (_INDEX | ITEM | LANE_ITEM):
            return role if named else ""
        score = 1 if kind & THREAD else 0
        score += 3 if named else 0
        score += 3 if scope.by_warps or scope.lockstep else 0
        score -= 3 if kind & (ITEM | LANE_ITEM) and not kind & _INDEX else 0
        first, end = lo - 1, hi
        while self.word(first) == b"(" and self.word(end) == b")":
            first, end = first - 1, end + 1
        whole = self.word(first) == b"=" and self.word(end) in (b";", b",")
        score -= 3 if whole and _is_other(target) else 0
        operand = self.word(lo) if self.word(lo + 1) == self.word(hi - 2) else b""
        score -= 3 if not named and _is_other(operand) else 0
        score -= 5 if not named and self._is_column_layout(scope) else 0
        score -= 3 if self._is_shift(lo, hi) and not named else 0
        score += 1 if self._is_leader(hi) else 0
        score += 1 if self.wide and kind & GLOBAL else 0
        if self.word(hi) == b"+" and self.kind(scope, hi + 1, self.right_of(hi, 8)) & WARP:
            score += 2
        if kind & THREAD and not named and not scope.by_warps:
            score -= 3 if self._is_side(scope, lo, hi, target) else 0
        return role if score > 0 else ""

    def _is_block_of_warps(self, scope: Scope, at: int, addend: int) -> bool:
        """Is a size of blocks rounded up at `at`, as in `threads = (n + 31) / 32 * 32`?"""
        while self.word(addend) == b")":
            addend -= 1
        if self.word(addend) not in (b"31", b"32", b"1"):
            return False
        target = self.target(at, scope)
        return bool(_kind_of_name(target) & COUNT) or re.match(rb"(?i)block$", target) is not None

    def _is_column_layout(self, scope: Scope) -> bool:
        """Does the function lay out columns in groups of 32, a thread to a column?"""
        text = self._text_near(scope, self.offset(scope.start))
        return b"xffffffe0" in text.lower() or _COLUMNS.search(text) is not None

    def _text_near(self, scope: Scope, place: int) -> bytes:
        start = max(self.offset(scope.start), place - _WINDOW)
        return self.text[start : min(self.offset(scope.end), place + _WINDOW)]

    def _role_of_product(self, scope: Scope, lo: int, hi: int, kind: int) -> str:
        if kind & WARP and not kind & _INDEX:
            return "warp-id"
        if kind & WARPS:
            return "warps-sized"
        inner = hi - 3
        while self.word(inner) == b")":
            inner -= 1
        if self.word(inner) in (b"32", b"5") and self._is_block_of_warps(scope, lo, inner - 2):
            return "warps-sized"
        end = hi
        while self.word(end) == b")" and self.word(end + 1) == b"+":
            end += 1
        is_one = lo >= hi - 2 or self.primary_left(hi - 3) == lo  # row * 32 + lane
        is_one = is_one and self.word(end) == b"+" and not self._is_column_layout(scope)
        if is_one and self.kind(scope, end + 1, self.right_of(end, 8)) & LANE:
            return "lane-id"
        if self.words[hi - 1][:1].isdigit() and not self._is_column_layout(scope):
            if self._is_beside_lane(scope, lo, hi):
                return "lane-id"
            if self._is_product_of_warps(lo, hi):
                return "warps-sized"
        if scope.by_warps and not scope.is_host and _kind_of_name(self.target(lo, scope)) & COUNT:
            return "warps-sized"
        if scope.is_host and re.match(
            rb"(?i)(?:n_?|num_?)?(?:grid|blocks?$|blocks_|threads)", self.target(lo, scope)
        ):
            # One warp per row: rows * 32 threads, divided by the size of a block.
            around = b" ".join(self._statement(lo))
            if re.search(rb"(?i)div|/", around) and _COUNT_NAME.search(around) and self.wide:
                return "warps-sized"
        return ""

    def _is_beside_lane(self, scope: Scope, lo: int, hi: int) -> bool:
        """`lane + i * 32`"""
        if self.primary_left(hi - 3) != lo:
            return False
        at = lo - 1
        while self.word(at) == b"(" and not self._is_operand_end(at - 1):
            at -= 1
        if self.word(at) != b"+" or not self._is_binary(at):
            return False
        start = self.primary_left(at - 1)
        named = at - start > 1 or _LANE_NAME.search(self.word(start)) is not None
        kind = self.kind(scope, start, at)
        return named and bool(kind & LANE) and not kind & _INDEX

    def _is_product_of_warps(self, lo: int, hi: int) -> bool:
        """`loops * WARPS_PER_BLOCK * rows * 32`"""
        factors, signs = self.words[lo : hi - 1 : 2], self.words[lo + 1 : hi : 2]
        if set(signs) != {b"*"} or any(w[:1].isdigit() for w in factors):
            return False
        return (
            any(_kind_of_name(w) & WARPS for w in factors)
            and self.called(self.enclosing(lo)) != b"__launch_bounds__"
        )

    def _role_of_comparison(
        self, scope: Scope, start: int, end: int, lo: int, hi: int, kind: int, value: int
    ) -> str:
        names = b" ".join(self.names(start, end))
        if value in (31, 32):
            if kind & (LANE | LANE_ITEM):
                return "lane-id"
            if value == 32 and re.search(rb"(?i)warp_?size", names):
                return "warp-size"
            if value == 32 and kind & (WARP | WARPS):
                return "warps-sized"
            if value == 32 and re.search(rb"(?i)per_?warp|lanes?\b|threads_?per", names):
                return "warp-size"
            if value == 32 and kind & COUNT:
                sure = scope.by_warps or scope.lockstep or self._in_static_assert(start)
                sure = sure or self.word(start) == b"blockDim" or (scope.is_host and self.wide)
                return "warps-sized" if sure else ""
            if value == 32 and kind & THREAD and (scope.by_warps or scope.lockstep):
                return "warp-id"
        return self._role_of_loop(scope, lo)

    def _in_static_assert(self, at: int) -> bool:
        return b"static_assert" in self.words[max(0, at - 12) : at]

    def _role_of_loop(self, scope: Scope, at: int) -> str:
        """A bound or a start in the head of a loop that folds."""
        left = self.enclosing(at)
        if left < 0 or self.word(left - 1) not in (b"for", b"while"):
            return ""
        right = self.pairs.get(left, -1)
        head = self.words[left + 1 : right]
        halves = any(w in (b">>=", b"/=", b"<<=", b"*=") for w in head) or (
            b">>" in head and b"=" in head
        )
        body = self.body(right)
        start = self.offset(right)
        text = self.text[start : min(self.offset(body), start + _WINDOW)]
        shuffles = re.search(rb"(?i)shfl|shuffle_?(?:up|down|xor)|\.shfl", text) is not None
        if self.word(left - 1) == b"while":
            return ""
        if halves and shuffles:
            return "fold"
        if halves and not shuffles:
            # for (s = n / 2; s > 32; s >>= 1) s_data[t] += s_data[t + s]; the last warp follows
            shrinks = any(w in (b">>=", b"/=", b">>") for w in head)
            bound = self.word(at - 1) in (b">", b">=")
            if bound and shrinks and (scope.by_warps or scope.lockstep or b"[" in text):
                return "fold" if re.search(rb"\[[^\]]*\+", text) else ""
            return ""
        variable = self.word(self._variable(left))
        if shuffles and re.search(rb"<<\s*" + re.escape(variable) + rb"\b", text):
            return "fold"
        return ""

    def _variable(self, left: int) -> int:
        for n in range(left + 1, self.pairs.get(left, left)):
            if self.words[n] == b"=":
                return n - 1
        return left + 1

    def body(self, right: int) -> int:
        """One past the statement behind the head of a loop."""
        if self.word(right + 1) == b"{":
            return self.pairs.get(right + 1, right) + 1
        n = right + 1
        while n < min(right + _REACH, len(self.words)) and self.words[n] != b";":
            if self.words[n] in (b"(", b"[", b"{"):
                n = self.pairs.get(n, n)
                if self.words[n] == b"}":
                    break
            n += 1
        return n + 1

    def _role_assigned(self, scope: Scope, at: int, value: int) -> str:
        """`i += 32` and the like."""
        name = self.word(at - 1)
        kind = scope.values.get(name, 0)
        if value == 32 and kind & (LANE_ITEM | STRIDED) and self.words[at] in (b"+=", b"-="):
            return "lane-id"
        splits = {b"%=": 32, b"/=": 32, b"&=": 31, b">>=": 5}
        if splits.get(self.words[at]) == value and (kind | _kind_of_name(name)) & (_INDEX | COUNT):
            return "lane-id" if self.words[at] in (b"%=", b"&=") else "warp-id"
        if self.words[at] == b"*=" and value == 32:
            if kind & (WARP | WARPS):
                return "warp-id"
            return "warps-sized" if _kind_of_name(name) & COUNT else ""
        return ""

    def _role_of_definition(self, scope: Scope, lo: int, hi: int, value: int) -> str:
        name = self.word(lo - 2)
        closes = self.word(hi)
        if closes not in (b";", b",", b")", b"}", b">"):
            return ""
        if value == 32 and _is_size(name):
            return "warp-size"
        if value == 5 and _LOG_NAME.search(name):
            return "warp-size"
        if value == 31 and re.search(rb"(?i)lane_?mask|warp_?mask", name):
            return "lane-id"
        if value == 32 and name in self.widths:
            return "width"
        if value in (32, 16):
            return self._role_of_loop(scope, lo)
        return ""

    def _role_of_mask(self, scope: Scope, lo: int, hi: int) -> str:
        left = self.enclosing(lo)
        if left > 0 and self.word(left) == b"(":
            name = self.called(left)
            arguments = self.arguments(left)
            is_first = bool(arguments) and arguments[0][0] <= lo < arguments[0][1]
            if is_first and (name == b"__syncwarp" or _SYNC.match(name)):
                return "mask"
            if (lo, hi) in arguments and _COLLECTIVE.search(name):
                return "mask"
        target = self.target(lo, scope)
        plain = self.word(lo) not in (b"-", b"~") or target in self.masks
        if target and target in self.masks and plain:
            return "mask"
        if self.word(lo)[:1] != b"0":
            return ""
        if target and _MASK_NAME.search(target) and (self.wide or scope.function is None):
            return "mask"
        define = self.defines(lo)
        if define and (define in self.masks or _MASK_NAME.search(define)):
            return "mask"
        if self.word(lo - 1) == b"return" and self.word(hi) == b";" and scope.function is not None:
            return "mask" if _MASK_NAME.search(scope.function.name) else ""
        for at, start, end in (
            (lo - 1, self.left_of(lo - 1, 4) if self._is_binary(lo - 1) else lo, lo - 1),
            (hi, hi + 1, self.right_of(hi, 4) if self.word(hi) in _PRECEDENCE else hi),
        ):
            operator = self.word(at)
            wanted = MASK if operator in (b"==", b"!=", b"&", b"^") else 0
            if operator in (b"<<", b">>") and at == hi:
                wanted = LANE
            if wanted and self.kind(scope, start, end) & wanted:
                return "mask"
            if wanted == LANE and any(map(_is_size, self.names(start, end))):
                return "mask"
        return ""

    def _role_in_brackets(self, scope: Scope, lo: int, hi: int, value: int) -> str:
        """By the bracket around: an argument, the size of an array, a template argument."""
        define = self.defines(lo)
        if define and self.word(hi) not in _PRECEDENCE:
            if value == 32 and _is_size(define):
                return "warp-size"
            if value == 5 and _LOG_NAME.search(define):
                return "warp-size"
            if value == 32 and define in self.widths:
                return "width"
        if self.word(lo - 1) == b"return" and value == 32 and scope.function is not None:
            name = scope.function.name
            return "warp-size" if re.search(rb"(?i)warp_?(?:size|threads)", name) else ""
        left = self.enclosing(lo)
        if value == 32 and self.word(lo - 1) == b"[" and self.word(hi) == b"]":
            return self._role_of_array(scope, lo - 1)
        if left >= 0 and self.word(left) == b"(":
            role = self._role_of_argument(scope, left, lo, hi, value)
            if role:
                return role
        if value == 32:
            return self._role_in_template(lo, hi)
        return ""

    def _role_of_argument(self, scope: Scope, left: int, lo: int, hi: int, value: int) -> str:
        name = self.called(left)
        arguments = self.arguments(left)
        place = next((n for n, (a, b) in enumerate(arguments) if a <= lo < b), -1)
        if place < 0:
            return ""
        whole = arguments[place] == (lo, hi)
        if name == b"__launch_bounds__":
            return "launch-bounds" if place == 0 and value == 32 else ""
        if _SHUFFLE.match(name) and whole:
            first = 1 if name.endswith(b"_sync") else 0
            if place == first + 2 and value == 32:
                return "width"
            if place == first + 1:
                if value == 16:
                    return "fold"
                return "lane-id" if value == 31 else ""
            return ""
        if not whole or value != 32:
            return "" if value != 31 or not whole else ("lane-id" if name == b"shfl" else "")
        if name.startswith(b"WARP_SHFL"):
            return "width"
        if name == b"tiled_partition":
            return "tile"
        if _CEIL.match(name) and len(arguments) == 2 and place == 1:
            kind = self.kind(scope, *arguments[0])
            return self._role_of_split(scope, self._callee_start(left), hi, kind, "warp-id")
        limits = name == b"lcm" or (name in (b"min", b"max") and scope.by_warps)
        if limits and _kind_of_name(self.target(left, scope)) & COUNT:
            return "warps-sized"
        if name in (b"min", b"max") and not scope.is_host:
            kinds = _union([self.kind(scope, *a) for n, a in enumerate(arguments) if n != place])
            return "warps-sized" if kinds & (COUNT | WARPS) and self.wide else ""
        if name == b"static_cast" or name in _TYPE_WORDS:
            outer = self.enclosing(left)
            if outer > 0 and self.called(outer) in (b"max", b"min"):
                kinds = _union([self.kind(scope, *a) for a in self.arguments(outer)])
                return "warps-sized" if kinds & (COUNT | WARPS) and self.wide else ""
            return ""
        return "width" if _COLLECTIVE.search(name) and not name.isupper() else ""

    def _callee_start(self, left: int) -> int:
        return self.primary_left(left - 1)

    def _role_in_template(self, lo: int, hi: int) -> str:
        if self.word(lo - 1) not in (b"<", b",") or self.word(hi) not in (b">", b",", b">>"):
            return ""
        depth = 0
        for n in range(lo - 1, max(lo - 30, -1), -1):
            word = self.words[n]
            if word in (b">", b">>"):
                depth += len(word)
            elif word == b"<":
                if depth == 0:
                    name = self.word(n - 1)
                    if self.angle_right(n) < 0 and self.word(hi) != b">":
                        return ""
                    if not _TILE_NAME.match(name):
                        return ""
                    if name not in (b"tiled_partition", b"thread_block_tile") and lo - 1 == n:
                        return "tile" if self.word(hi) == b">" else ""
                    return "tile"
                depth -= 1
            elif word in (b";", b"{", b"}", b"(", b")"):
                return ""
        return ""

    def _role_of_array(self, scope: Scope, left: int) -> str:
        """`name[32]`: the size of an array whose index is a warp or a lane."""
        place = 0
        n = left
        while self.word(n - 1) == b"]":
            n = self.pairs.get(n - 1, -1)
            place += 1
            if n < 0:
                return ""
        if place and self.kind(scope, n + 1, self.pairs.get(n, n)) & WARPS:
            return "warps-sized"  # [warps][32]
        name = self.word(n - 1)
        declared = self.word(n - 2)
        if not (declared[:1].isalpha() or declared in (b"_", b"*", b">", b",", b"&")):
            return ""
        for at in self._subscripts().get(name, ())[:200]:
            if at + 1 == n or (scope.function and not scope.start <= at < scope.end):
                continue
            index = at + 1
            for _ in range(place):
                index = self.pairs.get(index, -2) + 1
            if self.word(index) != b"[":
                continue
            inner = scope if scope.function else self._scope_at(at)
            kind = self.kind(inner, index + 1, self.pairs.get(index, index))
            last = self.words[self.pairs.get(index, index) - 1]
            named = kind & WARP or inner.by_warps or inner.lockstep or _kind_of_name(last) & LANE
            if kind & (WARP | LANE) and not kind & _INDEX and named:
                return "warps-sized"
            used = [
                inner.values.get(w, 0) for w in self.words[index + 1 : self.pairs.get(index, index)]
            ]
            if any(k & WARP for k in used):
                return "warps-sized"
            if kind & THREAD and inner.by_warps and place == 0 and self.word(left + 3) != b"[":
                return "warps-sized"
        return ""

    def _subscripts(self) -> dict[bytes, list[int]]:
        """Where names are followed by a `[`; looked for once, when first asked."""
        if not self.indexed:
            for at in range(len(self.words) - 1):
                if self.words[at + 1] == b"[":
                    self.indexed.setdefault(self.words[at], []).append(at)
        return self.indexed

    def _scope_at(self, at: int) -> Scope:
        scope = self.scope_of(at)
        self.follow(scope)
        return scope

    # --- where a constant stands ---------------------------------------------------------------

    def enclosing(self, at: int) -> int:
        """The bracket that is open at `at`, -1 for none near."""
        n = at - 1
        limit = max(at - _REACH, -1)
        while n > limit:
            word = self.words[n]
            if word in (b")", b"]", b"}"):
                n = self.pairs.get(n, n)
                if self.words[n] == b"{":
                    return -1
            elif word in (b"(", b"["):
                return n
            elif word in (b"{", b"}"):
                return -1
            n -= 1
        return -1

    def called(self, left: int) -> bytes:
        n = left - 1
        if self.word(n) == b">":
            angle = self.angle_left(n)
            n = angle - 1 if angle > 0 else n
        return self.word(n)

    def _statement(self, at: int) -> list[bytes]:
        start = at
        while start > 0 and self.words[start - 1] not in (b";", b"{", b"}") and at - start < 60:
            start -= 1
        end = at
        while end < len(self.words) and self.words[end] not in (b";", b"{", b"}") and end - at < 60:
            end += 1
        return self.words[start:end]

    def target(self, at: int, scope: Scope) -> bytes:
        """The variable that the expression at `at` is assigned to, b"" for none."""
        n = at - 1
        limit = max(at - 60, scope.start - 1)
        while n > limit:
            word = self.words[n]
            if word in (b")", b"]"):
                n = self.pairs.get(n, n)
            elif word in (b"=", b"+=", b"|=", b"&="):
                if self.word(n - 1) == b"]":
                    n = self.pairs.get(n - 1, n)
                is_part = self.word(n - 2) == b"." and self.word(n - 1) in (b"x", b"y", b"z")
                return self.word(n - 3 if is_part else n - 1)
            elif word == b"define" and self.word(n - 1) == b"#":
                return self.word(n + 1)
            elif word in (b"(", b"{") and self._is_declared(n):
                return self.word(n - 1)
            elif word in (b";", b"{", b"}", b"[") or (word == b"," and not self._in_call(n)):
                return b""
            n -= 1
        return b""

    def _in_call(self, at: int) -> bool:
        left = self.enclosing(at)
        return left > 0 and self.word(left) == b"(" and self.called(left) not in (b"for", b"")

    def defines(self, at: int) -> bytes:
        """The macro whose whole value the constant at `at` is."""
        n = at - 1
        while self.word(n) == b"(":
            n -= 1
        return self.word(n) if self.word(n - 1) == b"define" else b""

    def _is_shift(self, lo: int, hi: int) -> bool:
        """`1u << (x & 31)`, `word >> (x % 32)`."""
        n = lo - 1
        while self.word(n) == b"(":
            n -= 1
        return self.word(n) in (b"<<", b">>", b"<<=", b">>=")

    def _is_leader(self, hi: int) -> bool:
        while self.word(hi) == b")":
            hi += 1
        return self.word(hi) in (b"==", b"!=") and self.word(hi + 1) in (b"0", b"31")

    def _is_side(self, scope: Scope, lo: int, hi: int, target: bytes) -> bool:
        """Does the result run along one side of a tile of 32, or choose a bit of a word?"""
        text = self._text_near(scope, self.offset(lo))
        if target:
            name = re.escape(target)
            shifted = re.search(rb"(?:<<|>>)\s*\(?\s*" + name + rb"\b", text)
            return bool(shifted) or bool(
                re.search(rb"\[\s*3[23](?:\s*\+\s*1)?\s*\]\s*[;,)=]", text)
                and re.search(
                    rb"\]\s*\[[^\]]*\b" + name + rb"\b|\[[^\]]*\b" + name + rb"\b[^\]]*\]\s*\[",
                    text,
                )
            )
        left = self.enclosing(lo)
        if left < 0 or self.word(left) != b"[":
            return False
        return self.word(left - 1) == b"]" or self.word(self.pairs.get(left, left) + 1) == b"["

    def _is_pair_of_warps(self, scope: Scope, start: int, hi: int) -> bool:
        """`data[tid + 32]` where the function goes on with shuffles."""
        left = self.enclosing(start)
        return left >= 0 and self.word(left) == b"[" and scope.by_warps


def _works_by_warps(text: bytes) -> bool:
    text = text.lower()
    return any(mark in text for mark in _PRIMITIVES)


def _divided(kind: int, divisor: int | None) -> int:
    if divisor != 32:
        return 0
    if kind & _INDEX:
        return WARP
    return WARPS if kind & COUNT else 0


def _union(kinds: list[int]) -> int:
    both = 0
    for kind in kinds:
        both |= kind
    return both


def _number(word: bytes) -> int | None:
    match = _NUMBER.match(word.replace(b"'", b""))
    if match is None:
        return None
    digits = match.group(1)
    if digits[:2].lower() == b"0x":
        return int(digits, 16)
    return int(digits.lstrip(b"0") or b"0")


@lru_cache(maxsize=4096)
def _is_size(name: bytes) -> bool:
    """Is a constant of this name the number of lanes of a warp?"""
    return _SIZE_NAME.search(name) is not None


@lru_cache(maxsize=4096)
def _is_other(name: bytes) -> bool:
    """Does a name say that the rest of a division is no lane: a bit, a row, a column?"""
    named = _LANE_NAME.search(name) or re.search(rb"(?i)warp|wrp|^wid", name)
    return named is None and _OTHER_NAME.search(name) is not None


@lru_cache(maxsize=4096)
def _kind_of_name(name: bytes) -> int:
    """What a name says of a value that is declared elsewhere."""
    if _WARPS_NAME.search(name):
        return WARPS
    if _BALLOT_NAME.search(name):
        return MASK
    if _PER_THREAD.search(name):
        return 0
    if _is_size(name):
        return 0
    if _LANE_NAME.search(name) and b"ask" not in name:
        return LANE
    if _WARP_NAME.search(name):
        return WARP
    if _THREAD_NAME.search(name):
        return THREAD
    return COUNT if _COUNT_NAME.search(name) else 0
