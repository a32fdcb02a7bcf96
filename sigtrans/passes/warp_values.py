"""Values in one file that tell warps: tokens, constants, and what an expression can be.

Values are followed through one function, without order and without branches: a variable has the
sum of what is ever assigned to it, and what is declared elsewhere (a parameter, a member, a
template argument) has what its name says. What a value can be:

- THREAD: an index of a thread in its block (`threadIdx`, `thread_rank()`, sums and products of
  them); GLOBAL: the same with `blockIdx` in it; ITEM: one of them that a loop moves on.
- LANE: THREAD % 32, THREAD & 31, a rank in a tile, a source lane; LANE_ITEM: one that a loop moves
  on; STRIDED: something that a lane is added to.
- WARP: THREAD / 32, THREAD >> 5; BASE: WARP * 32.
- COUNT: threads of a block (`blockDim`, a constant named so); WARPS: COUNT / 32.
- MASK: lanes as bits (ballot, active mask, 1 << LANE).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache

from sigtrans.passes import Code
from sigtrans.passes.functions import Function

THREAD, GLOBAL, ITEM, LANE, LANE_ITEM, WARP = 1, 2, 4, 8, 16, 32
COUNT, WARPS, MASK, BLOCK, BASE, TILE, GRID = 64, 128, 256, 512, 1024, 2048, 4096
STRIDED = 8192  # a lane is added to it
INDEX = THREAD | GLOBAL
_TOKEN = re.compile(
    rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*|\.?\d(?:[\w.']|(?<=[eE])[+-])*"
    rb"|<<<|>>>|<<=|>>=|->|::|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|\.\.\.|[^\s\w]"
)
_SIZE_NAME = re.compile(
    rb"(?i)(?:warp_?(?:size|sz)|threads_?(?:per|in)_?(?:a_)?warp|warp_?threads|lanes_?per_?warp|warp_?lanes"
    rb"|warp_?width|size_?of_?warp)\Z"
)
MASK_NAME = re.compile(
    rb"(?i)(?:full|warp|lanes?|shfl|shuffle|active|member|final|all|sync)_?(?:warp|lanes?)?_?mask"
    rb"|mask_?(?:all|full)|all_?lanes"
)
LANE_NAME = re.compile(rb"(?i)(?:^|_)lane(?:_?(?:id|idx|index|num|rank))?(?:_|$)|lane_?(?:id|idx)")
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
COUNT_NAME = re.compile(
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
SYNC = re.compile(
    rb"__(?:shfl(?:_up|_down|_xor)?|ballot|any|all|match_any|match_all|reduce_\w+)_sync\Z"
)
_MASKED = re.compile(rb"\b(?:__(?:shfl|match|reduce|ballot|any|all|syncwarp)|WARP_SHFL)\w*")
SHUFFLE = re.compile(rb"__shfl(?:_up|_down|_xor)?(?:_sync)?\Z")
CEIL = re.compile(rb"(?i)(?:ceil|div|round)\w*\Z|\w*(?:ceil_?div|div_?up|div_?round_?up|cdiv)\Z")
FULL = frozenset((0xFFFFFFFF, -1))
PRECEDENCE = {
    b"*": 9, b"/": 9, b"%": 9, b"+": 8, b"-": 8, b"<<": 7, b">>": 7, b"<": 6, b">": 6, b"<=": 6,
    b">=": 6, b"==": 5, b"!=": 5, b"&": 4, b"^": 3, b"|": 2, b"&&": 1, b"||": 1,
}  # fmt: skip
_UNARY = frozenset((b"-", b"~", b"!", b"*", b"&", b"+", b"++", b"--"))
COMPARE = frozenset((b"<", b">", b"<=", b">=", b"==", b"!="))
TYPE_WORDS = frozenset(
    b"int unsigned long short char signed const float double bool auto size_t uint std "
    b"uint32_t int32_t uint64_t int64_t uint8_t uint16_t".split()
)
NOT_OPERAND = frozenset(b"return case else do throw sizeof".split())
_NUMBER = re.compile(rb"(0[xX][0-9a-fA-F]+|\d+)[uUlLzZ]*\Z")
_DEFINE = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\r\n]*)", re.MULTILINE)
_LANE_ASM = re.compile(rb"%+laneid\b")
STEP = re.compile(rb"\[[^\[\]]{0,80}?\+\s{0,9}(32|16|8|4|2|1)\s{0,9}\)?\s{0,9}\]")
_BARRIER = re.compile(rb"__sync|\bsync\s*\(|\.sync\s*\(")
_REACH = 400  # tokens between brackets that are looked through
_LONGEST = 80  # tokens of an expression whose value is followed


class Scope:
    """A function, or all that stands outside of them, while its values are followed."""

    __slots__ = (
        *("by_warps", "end", "function", "is_followed", "lockstep", "moved", "start", "values"),
    )

    def __init__(self, function: Function | None, start: int, end: int) -> None:
        self.function = function
        self.start = start  # tokens
        self.end = end
        self.is_followed = False
        self.values: dict[bytes, int] = {}
        self.moved: frozenset[bytes] = frozenset()  # changed by += and the like
        self.by_warps = False  # something inside works on warps
        self.lockstep: tuple[int, int] | None = None  # first step of an unrolled fold, no barriers

    @property
    def is_host(self) -> bool:
        return self.function is not None and self.function.kind == "host"


def _works_by_warps(text: bytes) -> bool:
    text = text.lower()
    return any(mark in text for mark in _PRIMITIVES)


def _divided(kind: int, divisor: int | None) -> int:
    if divisor != 32:
        return 0
    if kind & INDEX:
        return WARP
    return WARPS if kind & COUNT else 0


def union(kinds: list[int]) -> int:
    both = 0
    for kind in kinds:
        both |= kind
    return both


def parse_number(word: bytes) -> int | None:
    match = _NUMBER.match(word.replace(b"'", b""))
    if match is None:
        return None
    digits = match.group(1)
    if digits[:2].lower() == b"0x":
        return int(digits, 16)
    return int(digits.lstrip(b"0") or b"0")


@lru_cache(maxsize=4096)
def is_size(name: bytes) -> bool:
    """Is a constant of this name the number of lanes of a warp?"""
    return _SIZE_NAME.search(name) is not None


@lru_cache(maxsize=4096)
def is_other(name: bytes) -> bool:
    """Does a name say that the rest of a division is no lane: a bit, a row, a column?"""
    named = LANE_NAME.search(name) or re.search(rb"(?i)warp|wrp|^wid", name)
    return named is None and _OTHER_NAME.search(name) is not None


@lru_cache(maxsize=4096)
def kind_of_name(name: bytes) -> int:
    """What a name says of a value that is declared elsewhere."""
    if _WARPS_NAME.search(name):
        return WARPS
    if _BALLOT_NAME.search(name):
        return MASK
    if _PER_THREAD.search(name):
        return 0
    if is_size(name):
        return 0
    if LANE_NAME.search(name) and b"ask" not in name:
        return LANE
    if _WARP_NAME.search(name):
        return WARP
    if _THREAD_NAME.search(name):
        return THREAD
    return COUNT if COUNT_NAME.search(name) else 0


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

    def is_operand_end(self, at: int) -> bool:
        word = self.word(at)
        if word in (b")", b"]"):
            return True
        return (
            bool(word)
            and (word[0:1].isalnum() or word[0] in b"_$.")
            and word not in (NOT_OPERAND | {b"."})
        )

    def is_binary(self, at: int) -> bool:
        return self.word(at) in PRECEDENCE and self.is_operand_end(at - 1)

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
                if self.is_operand_end(left - 1) and before not in (b"if", b"while", b"for"):
                    at = left - 1
                    continue
                at = left
            before = self.word(at - 1)
            if before in (b".", b"->", b"::"):
                if self.is_operand_end(at - 2):
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
                elif word in (b"-", b"~", b"!", b"*", b"&", b"+") and not self.is_binary(before):
                    start = before
                else:
                    break
            if start <= limit or not self.is_binary(start - 1):
                return start
            if PRECEDENCE[self.word(start - 1)] < precedence:
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
            if end >= limit or word not in PRECEDENCE or PRECEDENCE[word] <= precedence:
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
        return all(w in TYPE_WORDS or w in (b"*", b"::", b"&") for w in inside) and (
            inside[0] in TYPE_WORDS
        )

    # --- values ------------------------------------------------------------------------------

    def _constants(self) -> dict[bytes, int]:
        """Names that the file gives a number."""
        found: dict[bytes, int] = {}
        for match in _DEFINE.finditer(self.text):
            value = match.group(2).strip().strip(b"()").strip()
            number = _NUMBER.match(value)
            if number:
                found[match.group(1)] = parse_number(value) or 0
        for at in range(1, len(self.words) - 1):
            if self.words[at] == b"=" and self.words[at + 1][:1].isdigit():
                number = _NUMBER.match(self.words[at + 1])
                constant = (b"const", b"constexpr", b"enum")
                if number and self.word(at + 2) in (b";", b",", b"}"):
                    head = self.words[max(0, at - 6) : at]
                    if any(w in constant for w in head):
                        found[self.words[at - 1]] = parse_number(self.words[at + 1]) or 0
        return found

    def value(self, lo: int, hi: int) -> int | None:
        """The number that a short constant expression stands for."""
        while hi - lo > 2 and self.word(lo) == b"(" and self.pairs.get(lo) == hi - 1:
            lo, hi = lo + 1, hi - 1
        if hi - lo == 1:
            word = self.word(lo)
            if is_size(word):
                return 32
            if word[:1].isdigit():
                return parse_number(word)
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
            at = self.token_at(match.start())
            if at < 0:
                continue
            word = self.words[at]
            arguments = self.arguments(at + 1)
            if word == b"__syncwarp" or SYNC.match(word):
                if arguments:
                    masks.update(self.names(*arguments[0]))
                if len(arguments) == 4 and SHUFFLE.match(word):
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
            elif n > lo and PRECEDENCE.get(word, 99) <= least and self.is_binary(n):
                at, least = n, PRECEDENCE[word]
            n += 1
        if question > 0:
            colon = next((n for n in range(question, hi) if self.words[n] == b":"), hi)
            return self.kind(scope, question + 1, colon, depth + 1) | self.kind(
                scope, colon + 1, hi, depth + 1
            )
        if at < 0:
            return self._kind_of_primary(scope, lo, hi, depth)
        if least <= 1 or self.word(at) in COMPARE:
            return 0
        left = self.kind(scope, lo, at, depth + 1)
        right = self.kind(scope, at + 1, hi, depth + 1)
        return self._combine(self.word(at), left, right, self.value(lo, at), self.value(at + 1, hi))

    def _combine(self, operator: bytes, left: int, right: int, a: int | None, b: int | None) -> int:
        match operator:
            case b"/":
                return _divided(left, b)
            case b"%":
                if left & INDEX and (b == 32 or right & TILE):
                    return LANE
                return LANE if left & COUNT and b == 32 else 0
            case b"&":
                if b in (31, -32) or a == 31:
                    index, other = (left, b) if b is not None else (right, a)
                    if index & (INDEX | COUNT):
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
                if operator == b"-" and left & INDEX and right & BASE:
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
                return (left | right) & (MASK | INDEX | LANE)

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
        if hi - lo == 3 and self.words[lo + 1] == b"::" and kind_of_name(self.words[lo]) & WARPS:
            return WARPS  # WarpCount::kCount
        return kind_of_name(name)

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
        if name in (b"static_cast", b"reinterpret_cast", b"const_cast") or name in TYPE_WORDS:
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
            return union(kinds)
        if len(kinds) == 2 and CEIL.match(name):
            return _divided(kinds[0], self.value(*arguments[1]))
        if not arguments or (len(arguments) == 1 and not kinds[0]):
            # lane_id(), get_warp_id(), canonical_warp_idx_sync()
            if LANE_NAME.search(name):
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
                if name in moved and kind & (INDEX | LANE):
                    kind = (kind & ~(INDEX | LANE)) | (LANE_ITEM if kind & LANE else ITEM)
                if kind & (LANE | WARP) and not scope.by_warps and not scope.lockstep:
                    kind &= ~(LANE | WARP) if is_other(name) else -1
                # What a name says counts where its value cannot be followed.
                scope.values[name] = scope.values.get(name, 0) | kind or kind_of_name(name)
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
        if not (name[:1].isalpha() or name[:1] == b"_") or name in TYPE_WORDS:
            return False
        return (
            before in TYPE_WORDS
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
            elif word == b"+" and self.is_binary(at):
                lo, hi = self.left_of(at, 8), self.right_of(at, 8)
                if hi - at == 2 and self.kind(scope, lo, at) & BASE:
                    self._add(scope, self.words[at + 1], LANE)
                elif at - lo == 1 and (kind := self.kind(scope, at + 1, hi)) & (BASE | LANE):
                    # lane + warp * 32; row + lane, where row goes on by 32
                    self._add(scope, self.words[lo], LANE if kind & BASE else STRIDED)
            elif word == b"<" and self.word(at - 2) in (b"(", b";", b"&&"):
                is_lane = scope.values.get(words[at - 1], 0) & LANE and self.is_binary(at)
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

    # --- what `warp_launches` asks -------------------------------------------------------------

    def number(self, at: int) -> int | None:
        """The number that a token is, None for none."""
        return parse_number(self.words[at]) if self.words[at][:1].isdigit() else None

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
        return bool(kind & (WARP | LANE)) and not kind & INDEX

    def is_strided(self, scope: Scope, name: bytes) -> bool:
        """Is a lane added to a name?"""
        return bool(scope.values.get(name, 0) & STRIDED)

    def is_builtin_size(self, place: int) -> bool:
        """Does CUDA's own `warpSize` stand there?"""
        at = self.token_at(place)
        return self.words[at] == b"warpSize" and self.word(at - 1) not in (b".", b"->")

    def code_of(self, scope: Scope) -> bytes:
        return self.text[self.offset(scope.start) : self.offset(scope.end)]

    def is_size(self, name: bytes) -> bool:
        return is_size(name)

    def is_warps(self, name: bytes) -> bool:
        return bool(kind_of_name(name) & WARPS)

    def is_mask(self, word: bytes) -> bool:
        """All lanes, by value or by name."""
        return parse_number(word) in FULL if word[:1].isdigit() else bool(MASK_NAME.search(word))

    def is_ceil(self, name: bytes) -> bool:
        return CEIL.match(name) is not None

    def token_at(self, place: int) -> int:
        at = bisect_left(self.starts, place)
        return at if at < len(self.starts) and self.starts[at] == place else -1

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
