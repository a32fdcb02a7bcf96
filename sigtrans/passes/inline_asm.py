"""Inline PTX becomes C++: exactly, or marked for review, or a build-time stop that names it.

Which instruction becomes what is data (rules/ptx). What data cannot say is here: how a statement's
operands, registers and predicates become C++ locals, which 32-bit shared-memory addresses are
really pointers, and what is no PTX at all (the host's assembly, another vendor's).

A statement is translated as a whole or not at all. What is not translated becomes a stop that fails
in the device pass; nothing is dropped, no output is left unset, control flow stays.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from sigtrans.passes import Code, CodeFindings, Finder
from sigtrans.passes.asm_statement import (
    Operand,
    Place,
    Statement,
    Unreadable,
    find_places,
    find_variants,
    parse,
    tidy,
)
from sigtrans.passes.ptx_writer import (
    Stop,
    Translation,
    Writer,
    base_name,
    shared_pointer,
    unreadable,
    untraced,
)
from sigtrans.source import Edit, Safety, Severity, Span, line_starts

# What a host compiler may read as well: PTX in a function that it never emits is no error there,
# but the names of its translation would be.
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inl")
_COPY = re.compile(r"cp\.async\.c[ag]\b")
_MOST_SHARED = 500  # variables with shared-memory addresses in one file
_ROUNDS = 8
_FOREIGN = {"vendor": "another vendor's GPU", "host": "the host's processor"}


@dataclass(slots=True)
class _Found:
    """One statement while the file is looked at."""

    place: Place
    kind: str  # "", or why it is left alone: host, vendor, barrier, alias, unknown
    stop: Stop | None = None
    result: Translation | None = None
    defines: str = ""  # the variable that it gives a shared-memory address
    pointer: str = ""  # the pointer that the address is made of
    statements: tuple[Statement, ...] = ()  # one per branch of an #if inside it

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.statements[0].operands if self.statements else ()


def find(code: Code) -> CodeFindings:
    """Translate every asm statement of one file."""
    return _Pass(code).run()


# --- what is PTX ----------------------------------------------------------------------------------

_OPCODES = frozenset(
    word.decode()
    for word in (
        b"abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk "
        b"bra brev brkpt call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt "
        b"cvta discard div dp2a dp4a elect ex2 exit fence fma fns getctarank griddepcontrol "
        b"isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier "
        b"membar min mma mov movmatrix mul mul24 multimem nanosleep neg not or pmevent popc "
        b"prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp set setmaxnreg setp shf "
        b"shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix sub subc suld suq "
        b"sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff vabsdiff2 "
        b"vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote "
        b"vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma wmma xor"
    ).split()
)
_FIRST = re.compile(
    r"(?:\s|[{;]|//[^\n]*\n|/\*.*?\*/|\.reg\b[^;]*;|@!?%?\w+|\w+:(?!:))*([A-Za-z_]\w*)([\w.:]*)",
    re.DOTALL,
)
# A modifier of two letters or more: MIPS, ARM and RISC-V write one (`add.s`), or these.
_MODIFIED = re.compile(r"\.(?!(?:uw|tso|ps|rl|aq|aqrl)\b)\w{2}")
_VENDOR = re.compile(r"(?:v|s|ds|buffer|global|flat|image|scratch)_\w|;\s*(?:v|s)_\w|llvm\.")


def _opcode(template: str) -> tuple[str, str]:
    match = _FIRST.match(template)
    return (match.group(1), match.group(2)) if match else ("", "")


_IS_DEVICE = re.compile(
    rb"__device__|__global__|__CUDA|__MUSA|threadIdx|\b[A-Z_]*DEVICE(?:_[A-Z]+)*\b"
)


class _Pass(Finder):
    """The assembly of one file."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.definitions: dict[str, list[str]] = {}
        self.shared: list[_Shared] = []
        self.found: list[_Found] = []
        self.lines: list[int] = []

    def run(self) -> CodeFindings:
        for place in find_places(self.code.lexed):
            if not self.code.protected.why(place.start):
                self.found.append(self._look(place))
        self.shared = list(islice(_find_shared(self.code, self.found), _MOST_SHARED))
        self._settle()
        for each in self.found:
            self._write(each)
        self._say_left()
        self._write_pointers()
        return self.findings

    # --- reading ----------------------------------------------------------------------------------

    def _resolve(self, name: str) -> list[str]:
        """What a macro of this file stands for, once per definition."""
        if name not in self.definitions:
            pattern = re.compile(
                rb"^[ \t]*#[ \t]*define[ \t]+" + re.escape(name.encode("latin-1"))
                + rb"[ \t]+((?:[^\\\r\n]|\\[ \t]*(?:\r\n|[\r\n])|\\)+)", re.MULTILINE,
            )  # fmt: skip
            self.definitions[name] = [
                find_variants(match.group(1))[0].strip()
                for match in pattern.finditer(self.data)
                if self.code.lexed.blank_at(match.start()) is None
            ]
        return self.definitions[name]

    def _read(self, place: Place) -> list[Statement]:
        text = self.code.ported(place.open + 1, place.end - 1)
        if place.in_define and b"#" in _no_literals(text):
            raise Unreadable("its text is built from the parameters of a macro")
        return [
            statement
            for variant in find_variants(text)
            for statement in parse(variant, place.head, self._resolve)
        ]

    def _look(self, place: Place) -> _Found:
        function = self.code.function_at(place.start)
        kind = function.kind if function else ""
        if place.open < 0:
            if place.in_define:
                return _Found(place, "alias" if self._has_device() else "host")
            return _Found(place, "host" if kind in ("host", "") else "unknown")
        try:
            statements = self._read(place)
        except Unreadable as why:
            if kind == "host" or not (self.code.is_cuda or _IS_DEVICE.search(self.data)):
                return _Found(place, "host")
            return _Found(place, "", unreadable(str(why)))
        left = self._left(statements, kind, function.head if function else -1, place)
        if left:
            return _Found(place, left)
        each = _Found(place, "", statements=tuple(statements))
        if len(statements) == 1:
            each.defines, each.pointer = _shared_address(statements[0])
        return each

    def _left(self, statements: list[Statement], kind: str, head: int, place: Place) -> str:
        """Why a statement is no PTX of ours, "" when it is."""
        texts = [s.template for s in statements]
        if not any(t.strip() for t in texts):
            return "barrier"
        letters = {c for s in statements for o in s.operands for c in o.letter}
        if any(_VENDOR.match(t.strip()) for t in texts) or "v" in letters:
            return "vendor"
        clear = all(
            (op := _opcode(t))[0] in _OPCODES and _MODIFIED.search(op[1]) is not None for t in texts
        )
        if clear:  # no host has instructions that look like this, wherever they stand
            return ""
        if not all(_opcode(t)[0] in _OPCODES for t in texts):
            both = kind == "device" and b"__host__" in self.data[head : place.start]
            if kind in ("kernel", "device") and not both:
                return ""
            return "host" if kind == "host" or not self._has_device() else "unknown"
        if kind == "host":
            return "host"
        return "" if kind in ("kernel", "device") or self._has_device() else "host"

    def _has_device(self) -> bool:
        return self.code.is_cuda or _IS_DEVICE.search(self.data) is not None

    # --- translating ------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Translate until the variables that hold shared-memory addresses are settled: one becomes
        a pointer only if every use of it is an address in a statement that was translated."""
        open_shared = list(self.shared)
        for left in range(_ROUNDS, -1, -1):
            if not left:  # each round costs a look at every statement
                open_shared = []
            for each in self.found:
                if each.statements:
                    self._translate(each, open_shared)
            kept = [s for s in open_shared if self._is_pointer(s)]
            if len(kept) == len(open_shared):
                self.shared = kept
                return
            open_shared = kept

    def _translate(self, each: _Found, shared: list[_Shared]) -> None:
        each.stop = each.result = None
        if each.defines:
            if any(s.maker is each for s in shared):
                each.result = Translation(
                    (f"{each.defines} = sigtrans::ptx_shared({each.pointer})",), False,
                    ("cvta.to.shared",), Safety.EXACT, (), frozenset(("ptx",)), False,
                )  # fmt: skip
            else:
                each.stop = untraced(each.pointer)
            return
        pointers = frozenset(s.name for s in shared if s.start <= each.place.start < s.end)
        try:
            numbers = partial(self._is_number, each.place)
            results = [Writer(s, pointers, numbers).translate() for s in each.statements]
        except Stop as stop:
            each.stop = stop
            return
        if any(r.lines != results[0].lines for r in results):
            each.stop = unreadable("the branches of an #if inside it mean different things")
            return
        each.result = results[0]

    def _is_number(self, place: Place, text: str) -> bool:
        """Is a variable declared as a number in the function around a statement?"""
        function = self.code.function_at(place.start)
        if function is None or not text.isidentifier():
            return False
        declared = (
            rb"\b" + _INTEGER_TYPE + rb"(?:\w+\s*,\s*)*&?\s*" + text.encode() + rb"\b\s*[;,=)({]"
        )
        head = self.data[function.head : place.start]
        other = rb"\*[\s\w]*\b" + text.encode() + rb"\s*[;,=)({\[]"
        return re.search(declared, head) is not None and re.search(other, head) is None

    def _is_pointer(self, shared: _Shared) -> bool:
        if shared.maker is not None and shared.maker.result is None:
            return False
        inside = [
            f
            for f in self.found
            if f.result is not None
            and shared.start <= f.place.start < shared.end
            and (shared.name in f.result.pointers or f is shared.maker)
        ]
        spans = [(f.place.start, f.place.end) for f in inside]
        if len(spans) == (shared.maker is not None):
            return False  # nothing uses it
        uses = 0
        for match in re.finditer(
            rb"\b%s\b" % re.escape(shared.name.encode()), self.data[shared.after : shared.end]
        ):
            at = shared.after + match.start()
            if self.code.lexed.blank_at(at) is not None:
                continue
            if not any(start <= at < end for start, end in spans):
                return False
            uses += 1
        told = sum(
            len(re.findall(rf"\b{re.escape(shared.name)}\b", o.text))
            for f in inside
            for o in f.operands
            if f is shared.maker or base_name(o.text) == shared.name
        )
        return uses == told  # no use hides in another operand

    # --- writing ----------------------------------------------------------------------------------

    def _write(self, each: _Found) -> None:
        place = each.place
        span = Span(place.start, place.end)
        if each.kind:
            if each.kind not in _FOREIGN:
                self._leave(each.kind, span)
            return
        if each.stop is not None:
            self._stop(each.stop, span)
            return
        result = each.result
        assert result is not None
        names = ", ".join(dict.fromkeys(result.names))
        shown = names if len(names) <= 60 else names[:57] + "..."
        if result.notes:
            self._tell(
                span, "SIG506", Severity.WARNING,
                f"inline PTX '{shown}': {'; '.join(result.notes)}",
                "compare the results with those of the original",
            )  # fmt: skip
        elif result.dropped:
            self._say_dropped(span, shown)
        else:
            self._tell(span, "SIG507", Severity.NOTE, f"inline PTX '{shown}' is written in C++", "")
        self.helpers |= result.helpers
        text = self._layout(result, place)
        named = b"sigtrans::" in text or not place.in_define  # a macro is not read where it stands
        if named and self.code.file.path.endswith(_HEADERS) and text != b"(void)0":
            text = b"SIGTRANS_PTX_DEVICE(" + text + b")"
            self.helpers.add("ptx")
        self.edits.append(Edit(span, text, "asm/translate", result.safety))

    def _say_dropped(self, span: Span, shown: str) -> None:
        """A hint, or a wait: that needs nothing where the copies are those of the port."""
        if "cp.async" not in shown:
            why = "only affects speed and is left out"
        elif any(_COPY.match(n) for f in self.found if f.result for n in f.result.names):
            why = "is left out: copies are done at once in the port"
        else:
            self._tell(
                span, "SIG508", Severity.WARNING,
                f"inline PTX '{shown}' is left out: right where the port wrote the copies, which "
                "are done at once; this file starts none",
                "wait for copies that a library or an intrinsic starts in the way that it tells",
            )  # fmt: skip
            return
        self._tell(span, "SIG508", Severity.NOTE, f"inline PTX '{shown}' {why}", "")

    def _layout(self, result: Translation, place: Place) -> bytes:
        lines = result.lines
        if not result.is_block:
            return lines[0].encode("latin-1")
        if place.in_define:
            body = " ".join(f"{line}" for line in lines)
            return f"do {{ {body} }} while (0)".encode("latin-1")
        line_start = max(self.data.rfind(b"\n", 0, place.start), -1) + 1
        indent = re.match(rb"[ \t]*", self.data[line_start : place.start])
        margin = (indent.group() if indent else b"").decode("latin-1")
        newline = "\r\n" if self.data[line_start - 2 : line_start] == b"\r\n" else "\n"
        step = "\t" if margin.startswith("\t") else "    "
        body = "".join(f"{newline}{margin}{step}{line}" for line in lines)
        return f"do {{{body}{newline}{margin}}} while (0)".encode("latin-1")

    def _stop(self, stop: Stop, span: Span) -> None:
        self._tell(span, stop.code, Severity.ERROR, stop.message, stop.help)
        self.lines = self.lines or line_starts(self.data)
        line = bisect_right(self.lines, span.start)
        where = f"{self.code.file.path}:{line}"
        text = f"{stop.code}: {stop.message} ({where})"
        safe = re.sub(r'[\\"\x00-\x1f\x7f-\xff]', "'", text.replace('"', "'"))
        self.helpers.add("ptx")
        edit = f'SIGTRANS_PTX_STOP("{safe}")'.encode("latin-1", "replace")
        self.edits.append(Edit(span, edit, "asm/stop", Safety.REVIEW))

    def _leave(self, kind: str, span: Span) -> None:
        if kind == "barrier":
            self._tell(
                span, "SIG511", Severity.NOTE,
                "an asm statement without instructions only holds the compiler back; it is left",
                "if mcc refuses it, leave it out or use __threadfence_block()",
            )  # fmt: skip
        elif kind == "alias":
            self._tell(
                span, "SIG501", Severity.ERROR,
                "a macro stands for 'asm': the statements that use it are left as they are",
                "write 'asm' itself where the macro is used, and port again",
            )  # fmt: skip
        else:
            self._tell(
                span, "SIG501", Severity.ERROR,
                "inline assembly is left as it is: it is not known whether host or device runs it",
                "if it is the host's, nothing is to be done; else write it in C++",
            )  # fmt: skip

    def _say_left(self) -> None:
        """Once per file: a header full of another vendor's assembly concerns nobody."""
        for kind, what in _FOREIGN.items():
            places = [f.place for f in self.found if f.kind == kind]
            if places and (kind == "vendor" or self._has_device()):
                more = f" ({len(places)} places in this file)" if len(places) > 1 else ""
                span = Span(places[0].start, places[0].end)
                self._tell(
                    span, "SIG510", Severity.NOTE, f"assembly of {what} is left alone{more}", ""
                )

    def _write_pointers(self) -> None:
        for shared in self.shared:
            self.edits.append(
                Edit(Span(*shared.declaration), shared.text.encode("latin-1"), "asm/shared-address")
            )
            self.helpers.add("ptx")
        spans = sorted(e.span for e in self.edits)
        for match in re.finditer(rb"\b__cvta_generic_to_shared\b", self.data):
            at = match.start()
            n = bisect_right(spans, at, key=lambda span: span.start) - 1
            inside = n >= 0 and at < spans[n].end
            if self.code.is_open(at) and not inside:
                self._tell(
                    Span(*match.span()), "SIG505", Severity.ERROR,
                    "'__cvta_generic_to_shared': 32-bit addresses of shared memory were not seen on"
                    " MUSA",
                    "pass the pointer itself to what uses the address",
                )  # fmt: skip

    def _tell(self, span: Span, code: str, severity: Severity, message: str, help: str) -> None:
        self.say(span.start, span.end, code, severity, message, help, "asm/inline")


def _no_literals(text: bytes) -> bytes:
    return re.sub(rb'"(?:[^"\\\r\n]|\\.)*"', b'""', text)


# --- shared-memory addresses ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shared:
    """A variable that holds the address of shared memory as a number."""

    name: str
    declaration: tuple[int, int]  # bytes to replace, without the ;
    text: str  # by this
    after: int  # uses are looked for from here
    start: int  # the scope
    end: int
    maker: _Found | None = None  # the asm statement that sets it


_INTEGER_TYPE = (
    rb"(?:(?:const|unsigned|signed|int|long|(?:std::)?u?int64_t|(?:std::)?size_t|(?:std::)?u?intptr_t"
    rb"|ulong|ull|u64)\s+)+"
)
_INTEGER = (
    rb"(?:(?:const|unsigned|int|long|uint32_t|std::uint32_t|size_t|uint64_t|uintptr_t|uint|auto)"
    rb"[ \t]+)+"
)
_DECLARED = re.compile(
    rb"\b("
    + _INTEGER
    + rb")([A-Za-z_]\w*)[ \t]*=([^;{}]{0,200}?\b__cvta_generic_to_shared\b[^;{}]{0,400});"
)


def _find_shared(code: Code, found: list[_Found]) -> Iterator[_Shared]:
    data = code.data
    for match in _DECLARED.finditer(data) if b"__cvta_generic_to_shared" in data else ():
        if not code.is_open(match.start()) or b"\\" in match.group():  # or in a macro
            continue
        pointer = shared_pointer(tidy(code.ported(*match.span(3)).decode("latin-1")))
        end = _scope_end(code, match.end())
        if pointer and "," not in match.group(3).decode("latin-1").split("(")[0] and end > 0:
            name = match.group(2).decode("latin-1")
            text = f"unsigned char *{name} = sigtrans::ptx_shared({pointer})"
            yield _Shared(
                name, (match.start(), match.end() - 1), text, match.end(), match.end(), end
            )
    for each in found:
        if each.defines:
            shared = _declared_before(code, each)
            if shared is not None:
                yield shared


def _declared_before(code: Code, each: _Found) -> _Shared | None:
    """The declaration `unsigned addr;` of the variable that an asm statement sets."""
    function = code.function_at(each.place.start)
    if function is None or not each.defines.isidentifier():
        return None
    declared = re.compile(rb"\b" + _INTEGER + re.escape(each.defines.encode()) + rb"[ \t]*;")
    last: re.Match[bytes] | None = None
    for match in declared.finditer(code.data, function.body[0], each.place.start):
        if code.is_open(match.start()):
            last = match
    if last is None:
        return None
    end = _scope_end(code, last.end())
    if end <= each.place.end:
        return None
    text = f"unsigned char *{each.defines}"
    return _Shared(
        each.defines, (last.start(), last.end() - 1), text, last.end(), last.end(), end, each
    )


_BRACE = re.compile(rb"[{}]")


def _scope_end(code: Code, at: int) -> int:
    """Where the block around `at` ends; -1 when that is not found."""
    depth = 0
    for match in _BRACE.finditer(code.data, at):
        if code.lexed.blank_at(match.start()) is None:
            depth += 1 if match.group() == b"{" else -1
            if depth < 0:
                return match.start()
    return -1


_SHARED_TEXT = re.compile(
    r"cvta\.to\.shared\.u64\s+(%?\w+)\s*,\s*%1\s*;\s*cvt\.u32\.u64\s+%0\s*,\s*\1\s*;"
)


def _shared_address(statement: Statement) -> tuple[str, str]:
    """(variable, pointer) of a statement that does nothing but make a shared-memory address."""
    text = re.sub(r"^\s*\{|\}\s*$|\.reg\s*\.[ub]64\s+%?\w+\s*;", " ", statement.template.strip())
    match = _SHARED_TEXT.fullmatch(text.strip())
    if match is None or len(statement.outputs) != 1 or len(statement.inputs) != 1:
        return "", ""
    return statement.outputs[0].text, statement.inputs[0].text
