"""Where code counts on warps of 32 lanes: the literal in its role, told apart by data flow.

A 32 is a warp only by what it is applied to, so the number alone decides nothing: `warp_values`
says what the values in a function can be, `warp_launches` adds what one function is to another.

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
- warp-size: a constant that is named as the warp size, its uses, the built-in `warpSize` and the
  device's property; a block 32 wide of a kernel that works by warps, and what follows from it.
- call: a warp function whose meaning hangs on 32 lanes without a literal: shuffles without width,
  forms without mask, votes, match, reduce, `__activemask`.

Not a role: sides of tiles and blocks (`[32][33]`, `dim3(32, 8)`), columns of a layout in groups of
32 (`(t & ~31) * m + (t & 31)`), bits of a word, factors of unrolling, alignments, hashes,
`case 32:`. A `% 32` of a thread index is one of these where the result is named or used as a bit,
a row or a column and nothing in the function works by warps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sigtrans.passes import Code
from sigtrans.passes.warp_launches import find_launched
from sigtrans.passes.warp_values import (
    BASE,
    CEIL,
    COMPARE,
    COUNT,
    COUNT_NAME,
    FULL,
    GLOBAL,
    INDEX,
    ITEM,
    LANE,
    LANE_ITEM,
    LANE_NAME,
    MASK,
    MASK_NAME,
    NOT_OPERAND,
    PRECEDENCE,
    SHUFFLE,
    STRIDED,
    SYNC,
    THREAD,
    TYPE_WORDS,
    WARP,
    WARPS,
    File,
    Scope,
    is_other,
    is_size,
    kind_of_name,
    parse_number,
    union,
)


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """One place that counts on 32 lanes."""

    start: int
    end: int
    role: str


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
_LOG_NAME = re.compile(rb"(?i)(?:log2?|shift|bits)\w*warp|warp\w*(?:log|shift|bits)")
_CALL = re.compile(
    rb"__(?:shfl(?:_up|_down|_xor)?(?:_sync)?|ballot(?:_sync)?|any(?:_sync)?|all(?:_sync)?|activemask"
    rb"|match_(?:any|all)_sync|reduce_(?:add|min|max|and|or|xor)_sync)\Z"
)
_COLLECTIVE = re.compile(
    rb"(?i)warp_?(?:all_?)?(?:reduce|scan|sum|max|min|shfl|shuffle|prefix|broadcast|bcast)"
    rb"|Shuffle(?:Index|Up|Down)\Z"
)
_TILE_NAME = re.compile(
    rb"tiled_partition|thread_block_tile|Shuffle(?:Index|Up|Down)\Z|Warp(?:Reduce|Scan|Load|Store|Exchange|MergeSort)\Z"
    rb"|(?i:\w*warp\w*)\Z"
)
_COLUMNS = re.compile(rb">>\s?5\s?\)\s?<<\s?5")
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
    return _Sites(code).analyse()


class _Sites(File):
    """The numbers of one file and their roles."""

    # --- sites -------------------------------------------------------------------------------

    def analyse(self) -> Analysis:
        found: list[Site] = []
        lockstep: list[tuple[int, int]] = []
        wanted = [
            at
            for match in _CANDIDATE.finditer(self.text)
            if (at := self.token_at(match.start())) >= 0 and self._may_be_site(at)
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
        for at, role in find_launched(self, wanted, {s.start: s.role for s in found}):
            found.append(Site(self.starts[at], self.starts[at] + len(self.words[at]), role))
        return Analysis(tuple(sorted(found)), tuple(lockstep))

    def _may_be_site(self, at: int) -> bool:
        """Leave out at once what is common and can be no site."""
        word = self.words[at]
        if word[:1].isalpha() or word[:1] == b"_":
            return is_size(word) or _CALL.match(word) is not None
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
            value = parse_number(word)
        return self._role_of_value(scope, lo, hi, value)

    def _role_of_call(self, at: int) -> str:
        word = self.words[at]
        if self.word(at + 1) not in (b"(", b"<") or self.word(at - 1) in (b".", b"->"):
            return ""
        if SHUFFLE.match(word) and word.endswith(b"_sync"):
            return "call" if len(self.arguments(at + 1)) == 3 else ""
        return "call"

    def _role_of_name(self, scope: Scope, at: int) -> str:
        """A constant named as the warp size; its definition is a site at its literal."""
        word = self.words[at]
        if not is_size(word) or self.word(at + 1) in (b"=", b"::"):
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
        if value in FULL:
            return self._role_of_mask(scope, lo, hi)
        if value not in (32, 31, 5, 16, -32):
            return ""
        assert value is not None
        left, right = self.word(lo - 1), self.word(hi)
        role = ""
        if left in PRECEDENCE and self.is_binary(lo - 1):
            role = self._role_beside(scope, lo - 1, lo, hi, value)
        if not role and right in PRECEDENCE and not (right == b"<" and self.angle_right(hi) > 0):
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
                if called and before not in NOT_OPERAND:
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
        precedence = PRECEDENCE[operator]
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
        if operator in COMPARE:
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
            if operator == b"+" and value in (32, 16) and kind & (INDEX | LANE):
                return "fold" if scope.lockstep or self._is_pair_of_warps(scope, start, hi) else ""
        return ""

    def _role_before(self, scope: Scope, at: int, lo: int, hi: int, value: int) -> str:
        """The constant is the left operand of the operator at `at`."""
        operator = self.words[at]
        if self.is_binary(lo - 1) and PRECEDENCE[self.word(lo - 1)] >= PRECEDENCE[operator]:
            return ""  # belongs to what stands before it
        end = self.right_of(at, PRECEDENCE[operator])
        kind = self.kind(scope, at + 1, end)
        if operator == b"*" and value == 32:
            return self._role_of_product(scope, lo, end, kind)
        if operator == b"&" and value in (31, -32) and kind & INDEX:  # 31 & tid
            role = "lane-id" if value == 31 else "warp-id"
            return "" if is_other(self.target(lo, scope)) else role
        if operator in COMPARE:
            return self._role_of_comparison(scope, at + 1, end, lo, hi, kind, value)
        if operator == b"-" and value in (31, 32) and kind & (LANE | MASK):
            return "lane-id"
        if operator == b"-" and value in (31, 32) and any(map(is_size, self.names(at + 1, end))):
            return "warp-size"
        if operator in (b"/", b"%") and value == 32:
            names = b" ".join((*self.names(at + 1, end), self.target(lo, scope)))
            if re.search(rb"(?i)warp|lane|per_?thread\b", names) or kind & COUNT:
                return "warp-size"
            if operator == b"%" and scope.by_warps and self._in_static_assert(at):
                return "warp-size"  # a group that shuffles divides a warp
        if operator == b"+" and value == 32 and kind & (LANE | INDEX):
            return "fold" if scope.lockstep else "lane-id" if kind & LANE else ""
        return ""

    def _role_of_split(self, scope: Scope, lo: int, hi: int, kind: int, role: str) -> str:
        """THREAD % 32 and its like: a lane, or the column of a tile?"""
        target = self.target(lo, scope)
        named = bool(LANE_NAME.search(target) or re.search(rb"(?i)warp|wrp|^wid", target))
        if kind & (COUNT | WARPS) and not kind & (INDEX | ITEM | WARP | LANE):
            if re.match(rb"(?i)block_?[xyz]$", target) and not named:
                return ""
            return "warps-sized"
        if role == "warp-id" and self._is_block_of_warps(scope, lo, hi - 3):
            return "warps-sized"
        if (value := self.value(lo, hi - 2)) is not None:  # a constant, named after warps or not
            is_count = kind_of_name(target) & WARPS and self.words[hi - 1][:1].isdigit()
            return "warps-sized" if is_count and value > 32 and role == "warp-id" else ""
        if kind & (LANE | WARP | BASE) and not kind & INDEX:
            return "lane-id" if named else ""
        if not kind & (INDEX | ITEM | LANE_ITEM):
            return role if named else ""
        score = 1 if kind & THREAD else 0
        score += 3 if named else 0
        score += 3 if scope.by_warps or scope.lockstep else 0
        score -= 3 if kind & (ITEM | LANE_ITEM) and not kind & INDEX else 0
        first, end = lo - 1, hi
        while self.word(first) == b"(" and self.word(end) == b")":
            first, end = first - 1, end + 1
        whole = self.word(first) == b"=" and self.word(end) in (b";", b",")
        score -= 3 if whole and is_other(target) else 0
        operand = self.word(lo) if self.word(lo + 1) == self.word(hi - 2) else b""
        score -= 3 if not named and is_other(operand) else 0
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
        return bool(kind_of_name(target) & COUNT) or re.match(rb"(?i)block$", target) is not None

    def _is_column_layout(self, scope: Scope) -> bool:
        """Does the function lay out columns in groups of 32, a thread to a column?"""
        text = self._text_near(scope, self.offset(scope.start))
        return b"xffffffe0" in text.lower() or _COLUMNS.search(text) is not None

    def _text_near(self, scope: Scope, place: int) -> bytes:
        start = max(self.offset(scope.start), place - _WINDOW)
        return self.text[start : min(self.offset(scope.end), place + _WINDOW)]

    def _role_of_product(self, scope: Scope, lo: int, hi: int, kind: int) -> str:
        if kind & WARP and not kind & INDEX:
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
        if scope.by_warps and not scope.is_host and kind_of_name(self.target(lo, scope)) & COUNT:
            return "warps-sized"
        if scope.is_host and re.match(
            rb"(?i)(?:n_?|num_?)?(?:grid|blocks?$|blocks_|threads)", self.target(lo, scope)
        ):
            # One warp per row: rows * 32 threads, divided by the size of a block.
            around = b" ".join(self._statement(lo))
            if re.search(rb"(?i)div|/", around) and COUNT_NAME.search(around) and self.wide:
                return "warps-sized"
        return ""

    def _is_beside_lane(self, scope: Scope, lo: int, hi: int) -> bool:
        """`lane + i * 32`"""
        if self.primary_left(hi - 3) != lo:
            return False
        at = lo - 1
        while self.word(at) == b"(" and not self.is_operand_end(at - 1):
            at -= 1
        if self.word(at) != b"+" or not self.is_binary(at):
            return False
        start = self.primary_left(at - 1)
        named = at - start > 1 or LANE_NAME.search(self.word(start)) is not None
        kind = self.kind(scope, start, at)
        return named and bool(kind & LANE) and not kind & INDEX

    def _is_product_of_warps(self, lo: int, hi: int) -> bool:
        """`loops * WARPS_PER_BLOCK * rows * 32`"""
        factors, signs = self.words[lo : hi - 1 : 2], self.words[lo + 1 : hi : 2]
        if set(signs) != {b"*"} or any(w[:1].isdigit() for w in factors):
            return False
        return (
            any(kind_of_name(w) & WARPS for w in factors)
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

    def _role_assigned(self, scope: Scope, at: int, value: int) -> str:
        """`i += 32` and the like."""
        name = self.word(at - 1)
        kind = scope.values.get(name, 0)
        if value == 32 and kind & (LANE_ITEM | STRIDED) and self.words[at] in (b"+=", b"-="):
            return "lane-id"
        splits = {b"%=": 32, b"/=": 32, b"&=": 31, b">>=": 5}
        if splits.get(self.words[at]) == value and (kind | kind_of_name(name)) & (INDEX | COUNT):
            return "lane-id" if self.words[at] in (b"%=", b"&=") else "warp-id"
        if self.words[at] == b"*=" and value == 32:
            if kind & (WARP | WARPS):
                return "warp-id"
            return "warps-sized" if kind_of_name(name) & COUNT else ""
        return ""

    def _role_of_definition(self, scope: Scope, lo: int, hi: int, value: int) -> str:
        name = self.word(lo - 2)
        closes = self.word(hi)
        if closes not in (b";", b",", b")", b"}", b">"):
            return ""
        if value == 32 and is_size(name):
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
            if is_first and (name == b"__syncwarp" or SYNC.match(name)):
                return "mask"
            if (lo, hi) in arguments and _COLLECTIVE.search(name):
                return "mask"
        target = self.target(lo, scope)
        plain = self.word(lo) not in (b"-", b"~") or target in self.masks
        if target and target in self.masks and plain:
            return "mask"
        if self.word(lo)[:1] != b"0":
            return ""
        if target and MASK_NAME.search(target) and (self.wide or scope.function is None):
            return "mask"
        define = self.defines(lo)
        if define and (define in self.masks or MASK_NAME.search(define)):
            return "mask"
        if self.word(lo - 1) == b"return" and self.word(hi) == b";" and scope.function is not None:
            return "mask" if MASK_NAME.search(scope.function.name) else ""
        for at, start, end in (
            (lo - 1, self.left_of(lo - 1, 4) if self.is_binary(lo - 1) else lo, lo - 1),
            (hi, hi + 1, self.right_of(hi, 4) if self.word(hi) in PRECEDENCE else hi),
        ):
            operator = self.word(at)
            wanted = MASK if operator in (b"==", b"!=", b"&", b"^") else 0
            if operator in (b"<<", b">>") and at == hi:
                wanted = LANE
            if wanted and self.kind(scope, start, end) & wanted:
                return "mask"
            if wanted == LANE and any(map(is_size, self.names(start, end))):
                return "mask"
        return ""

    def _role_in_brackets(self, scope: Scope, lo: int, hi: int, value: int) -> str:
        """By the bracket around: an argument, the size of an array, a template argument."""
        define = self.defines(lo)
        if define and self.word(hi) not in PRECEDENCE:
            if value == 32 and is_size(define):
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
        if SHUFFLE.match(name) and whole:
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
        if CEIL.match(name) and len(arguments) == 2 and place == 1:
            kind = self.kind(scope, *arguments[0])
            return self._role_of_split(scope, self._callee_start(left), hi, kind, "warp-id")
        limits = name == b"lcm" or (name in (b"min", b"max") and scope.by_warps)
        if limits and kind_of_name(self.target(left, scope)) & COUNT:
            return "warps-sized"
        if name in (b"min", b"max") and not scope.is_host:
            kinds = union([self.kind(scope, *a) for n, a in enumerate(arguments) if n != place])
            return "warps-sized" if kinds & (COUNT | WARPS) and self.wide else ""
        if name == b"static_cast" or name in TYPE_WORDS:
            outer = self.enclosing(left)
            if outer > 0 and self.called(outer) in (b"max", b"min"):
                kinds = union([self.kind(scope, *a) for a in self.arguments(outer)])
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
            named = kind & WARP or inner.by_warps or inner.lockstep or kind_of_name(last) & LANE
            if kind & (WARP | LANE) and not kind & INDEX and named:
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

    def _statement(self, at: int) -> list[bytes]:
        start = at
        while start > 0 and self.words[start - 1] not in (b";", b"{", b"}") and at - start < 60:
            start -= 1
        end = at
        while end < len(self.words) and self.words[end] not in (b";", b"{", b"}") and end - at < 60:
            end += 1
        return self.words[start:end]

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
