"""Make: nvcc becomes mcc, its options and libraries follow, and file names follow the port.

A table of words cannot do it: whether `-G` is nvcc's depends on the command or the variable it
stands in, an architecture list becomes the targets' once, and a link step that relied on nvcc
needs the runtime library by name.

Make is a language of lines, so this pass reads logical lines by the rules of GNU make's manual.
(tree-sitter-make gives up on every fifth public Makefile tried, takes trailing comments into
values and does not look into `define`.)
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sigtrans.passes import BuildContext, Draft, nvcc_flags
from sigtrans.source import Diagnostic, Edit, Findings, Safety, Severity, SourceFile, Span

VERSION = "SIG701"
ARCHITECTURES = "SIG702"
SOURCE_NAME = "SIG706"
LEFT = "SIG712"
ALREADY_MUSA = "SIG714"
RUNTIME = "SIG721"
ROOT = "SIG722"
DEVICE_FILE = "SIG723"
CLANG = "SIG724"
DEFAULT_ARCHITECTURE = "SIG725"

_SEVERITY: Mapping[str, Severity] = {
    **nvcc_flags.SEVERITY,
    VERSION: Severity.WARNING,
    ARCHITECTURES: Severity.NOTE,
    SOURCE_NAME: Severity.WARNING,
    LEFT: Severity.WARNING,
    ALREADY_MUSA: Severity.NOTE,
    RUNTIME: Severity.NOTE,
    ROOT: Severity.NOTE,
    DEVICE_FILE: Severity.ERROR,
    CLANG: Severity.ERROR,
    DEFAULT_ARCHITECTURE: Severity.NOTE,
}
_HELP: Mapping[str, str] = {
    VERSION: "Decide what the test is for and compare MUSA's own version, or drop the test.",
    ARCHITECTURES: "The architectures come from --target now, as --offload-arch options.",
    SOURCE_NAME: "mcc takes a .cu file for CUDA: rename it to .mu or give -x musa before it.",
    LEFT: "Look at this line: it was left as it is.",
    ALREADY_MUSA: "Nothing; lines for CUDA beside it were not touched.",
    RUNTIME: "Check that the folder is the MUSA SDK's lib folder.",
    ROOT: "It must name the MUSA SDK when make runs; unset it, or set it to the SDK's folder.",
    DEVICE_FILE: (
        "MUSA loads fat binaries (muModuleLoadData): rework how this file is made and loaded."
    ),
    DEFAULT_ARCHITECTURE: "Nothing, unless another file of the build gives the architecture.",
    CLANG: "Call mcc with --offload-arch instead of clang with a CUDA architecture.",
}

_MAYBE = re.compile(nvcc_flags.CUDA_WORDS)
_ALREADY = re.compile(r"(?<![\w.-])mcc(?![\w.-])")
_NVCC = re.compile(r"(?:(?<=/)|(?<![\w./$\\-]))nvcc(?![\w.-])")
_ASSIGNMENT = re.compile(
    r"[ \t]*(?:(?:export|override|private)[ \t]+)*(?:(?P<targets>[^\s:#=$][^:#=\n]*?):[ \t]*)?"
    r"(?P<name>[^\s:#=?+!]+)[ \t]*(?P<operator>\?=|:{1,3}=|\+=|!=|=)[ \t]*"
)
_CONDITION = re.compile(r"[ \t]*(?:ifn?eq|ifn?def|else|endif)\b")
_DIRECTIVE = re.compile(r"[ \t]*(?:-?include|sinclude|vpath|undefine|unexport|endef)\b")
_DEFINE = re.compile(r"[ \t]*(?:override[ \t]+)?define\b")
_ABOUT = re.compile(r"(?i)\w*(?:nvcc|cuda\w*(?:flag|opt|arg)|gencode|ptxas)\w*")
_REFERENCE = re.compile(r"\$[({](\w+)[)}]")
_STRONG = re.compile(r"['\"\\]*(?:" + nvcc_flags.OPTION + r"|-lcu|-lnv|-lnccl|-lnpp)")
_TALK = frozenset(("info", "warning", "error"))
_NO_LINK = re.compile(
    r"(?<![^\s,])(?:-c|-dc|-dw|--compile|--device-c|-cuda|--cuda|-ptx|--ptx|-cubin|--cubin"
    r"|-fatbin|--fatbin|-dlink|--device-link|-E|-M|-MM|-lib|--lib|--version|-V|--help|-S|-fsyntax-only)(?=$|[\s,)])"
)
_ROOT_NAME = re.compile(r"\w*CUDA\w*(?:PATH|HOME|ROOT|DIR|INSTALL\w*|PREFIX)|CUDA|CUDA_TOOLKIT")
_TOOLS = re.compile(
    r"(?<![\w./-])(?:nvidia-smi|cuobjdump|nvdisasm|nvprof|nsys|ncu|cuda-gdb|cuda-memcheck|ptxas"
    r"|fatbinary|nvlink|bin2c|nvprune)(?![\w.-])"
)
_ARCH = re.compile(r"(?<![\w])(?:sm|compute)_\d\d")
_CU_FILE = re.compile(
    r"(?P<path>(?:\$[({][^)}\s]*[)}]|[\w./%*+@~-]|\$[<@*^])*?)(?P<ext>\.cuh?)(?![\w-])"
    r"(?=$|[^.\w]|\.(?:o|d|obj|lo|dep|ptx|cubin|fatbin)(?!\w)|\.\s)"
)
_OUTSIDE = re.compile(r"/usr/local/cuda(?:-[\d.]+)?/(?:samples|extras|nvvm|compat|gds)")


@dataclass(frozen=True, slots=True)
class _Line:
    """A logical line: `text` is Latin-1 with its continuations, so offsets in it are bytes."""

    start: int
    text: str
    kind: str  # assignment, recipe, rule, condition, other
    name: str = ""  # of the variable
    operator: str = ""
    value: int = 0  # offset of the value in text
    depth: int = 0  # conditionals it stands in

    @property
    def body(self) -> str:
        """What may be looked at: the value of an assignment, without comments."""
        return self.text[self.value :]

    @property
    def span(self) -> Span:
        """The line without the blanks around it."""
        lead = len(self.text) - len(self.text.lstrip())
        return Span(self.start + lead, self.start + max(lead, len(self.text.rstrip())))


@dataclass(frozen=True, slots=True)
class _Job:
    """One file on its way through this pass."""

    file: SourceFile
    context: BuildContext
    folder: str
    lines: tuple[_Line, ...]
    values: Mapping[str, str]  # every variable's values in this file, one after the other
    compilers: frozenset[str]  # variables that hold nvcc
    about: frozenset[str]  # variables whose options go to nvcc
    root: str  # the variable that holds the toolkit's folder, or ""
    has_architecture: frozenset[str]  # variables that hold an architecture, whatever the conditions


def find(file: SourceFile, context: BuildContext) -> Findings:
    """Edits and diagnostics for one Makefile or .mk file."""
    if not _MAYBE.search(file.data.lower()):
        return Findings()
    lines = tuple(_lines(file.data.decode("latin-1")))
    for line in lines:
        if line.kind in ("assignment", "recipe") and _ALREADY.search(line.body):
            span = Span(line.start, line.start + len(line.text))
            message = "this file calls mcc already, so it was left alone"
            help_ = _HELP[ALREADY_MUSA]
            note = Diagnostic(span, ALREADY_MUSA, Severity.NOTE, message, help_, "build/make")
            return Findings((), (note,))
    return port_lines(make_job(file, context, lines))


def make_job(
    file: SourceFile, context: BuildContext, lines: tuple[_Line, ...] | None = None
) -> _Job:
    """What this pass has to know about a file before it looks at any one line."""
    if lines is None:
        lines = tuple(_lines(file.data.decode("latin-1")))
    values: dict[str, str] = {}
    for line in lines:
        if line.kind == "assignment":
            values[line.name] = f"{values.get(line.name, '')} {line.body}"
    compilers = {name for name, value in values.items() if _NVCC.search(value)} | {"NVCC"}
    root = next(
        (
            name
            for name, value in values.items()
            if re.fullmatch(r"\w+", name)
            and not _OPENCL.search(name)
            and re.match(r"\s*/usr/local/cuda[\d.-]*\s*$", value)
        ),
        "",
    )
    return _Job(
        file=file,
        context=context,
        folder=posixpath.dirname(file.path),
        lines=lines,
        values=values,
        compilers=frozenset(compilers),
        about=_about(lines, values, compilers),
        root=root,
        has_architecture=frozenset(
            line.name
            for line in lines
            if line.depth == 0 and line.kind == "assignment" and _ANY_ARCH.search(line.body)
        ),
    )


def port_lines(job: _Job) -> Findings:
    """Findings for every logical line, whether or not the file knows MUSA already."""
    edits: list[Edit] = []
    diagnostics: list[Diagnostic] = []
    for line in job.lines:
        draft = _port(job, line)
        data = job.file.data
        edits += [e for e in draft.edits if data[e.span.start : e.span.end] != e.text]
        diagnostics += draft.diagnose(line.span, _SEVERITY, _HELP)
    return Findings(tuple(edits), tuple(diagnostics))


# --- reading ---------------------------------------------------------------------------------

_LOGICAL = re.compile(r"(?:[^\\\n]+|\\(?:\r?\n|.|\Z))*(?:\n|\Z)", re.DOTALL)


def _lines(text: str) -> Iterator[_Line]:
    """Logical lines that can matter, told apart as GNU make does."""
    at, depth, in_rule, in_define = 0, 0, False, False
    while at < len(text):
        match = _LOGICAL.match(text, at)
        end = match.end() if match and match.end() > at else at + 1
        raw = text[at:end]
        start, at = at, end
        stripped = raw.strip()
        if not stripped or (stripped.startswith("#") and not raw.startswith("\t")):
            continue
        if raw.startswith("\t") and (in_rule or in_define):
            yield _Line(start, raw.rstrip("\r\n"), "recipe")
            continue
        code = _without_comment(raw.rstrip("\r\n"))
        if _DEFINE.match(code):
            in_define = True
        elif _DIRECTIVE.match(code):
            in_define = in_define and not code.strip().startswith("endef")
            yield _Line(start, code, "other")
        elif (condition := _CONDITION.match(code)) is not None:
            word = condition[0].strip()
            depth = max(0, depth + (-1 if word == "endif" else 0 if word == "else" else 1))
            yield _Line(start, code, "condition")
        elif (found := _ASSIGNMENT.match(code)) is not None:
            in_rule = False
            yield _Line(
                start, code, "assignment", found["name"], found["operator"], found.end(), depth
            )
        elif _is_rule(code):
            in_rule = True
            yield from _rule(start, code)
        else:
            yield _Line(start, code, "recipe" if in_define else "other")


def _without_comment(text: str) -> str:
    """A line of make without what stands behind a `#` that nothing protects."""
    for match in re.finditer("#", text):
        if not text[: match.start()].endswith("\\"):
            return text[: match.start()]
    return text


def _is_rule(code: str) -> bool:
    depth = 0
    for at, char in enumerate(code):
        if char in "({" and at and code[at - 1] in "$({":
            depth += 1
        elif char in ")}" and depth:
            depth -= 1
        elif char == ":" and depth == 0:
            return True
    return False


def _rule(start: int, code: str) -> Iterator[_Line]:
    """A rule's line; a recipe behind a semicolon is a line of its own."""
    head, semicolon, recipe = code.partition(";")
    yield _Line(start, head, "rule")
    if semicolon and recipe.strip():
        yield _Line(start + len(head) + 1, recipe, "recipe")


def _about(
    lines: Sequence[_Line], values: Mapping[str, str], compilers: set[str]
) -> frozenset[str]:
    """Variables that reach nvcc's command line, directly or through one another."""
    found = {name for name in values if _ABOUT.fullmatch(name)}
    for line in lines:
        if line.kind == "recipe" and _calls_nvcc(line.text, compilers):
            found |= set(_REFERENCE.findall(line.text))
    queue = list(found)
    while queue:
        for name in _REFERENCE.findall(values.get(queue.pop(), "")):
            if name not in found:
                found.add(name)
                queue.append(name)
    return frozenset(found)


def _calls_nvcc(text: str, compilers: set[str] | frozenset[str]) -> bool:
    if _NVCC.search(text):
        return True
    return any(name in compilers for name in _REFERENCE.findall(text))


# --- one line --------------------------------------------------------------------------------


def _port(job: _Job, line: _Line) -> Draft:
    draft = Draft("build/make")
    if _is_open(line.text):
        if _MAYBE.search(line.text.encode("latin-1").lower()):
            draft.remark(LEFT, "a reference to a variable does not end on this line")
    elif line.kind == "recipe":
        _port_recipe(job, line, draft)
    elif line.kind == "assignment":
        _port_assignment(job, line, draft)
    elif line.kind == "rule":
        _port_rule(job, line, draft)
    elif line.kind == "condition":
        _port_condition(job, line, draft)
    else:
        about = re.search(r"NVCC|CUDA_?FLAGS|GENCODE", line.text) is not None
        _port_text(job, line, line.value, len(line.text), about, draft)
        _port_files(job, line, draft)
    if variable := _VARIABLE.search(line.text):
        draft.remark(LEFT, f"{variable[0]} is a variable that only CUDA or NCCL reads")
    return draft


def _is_open(text: str) -> bool:
    """Whether a reference is still open at the end, so that nothing here can be told for sure."""
    if "$(" not in text and "${" not in text:
        return False
    depth = 0
    for match in re.finditer(r"\$[({]|[)}]", text):
        depth = depth + 1 if match[0][0] == "$" else max(0, depth - 1)
    return depth > 0


def _port_assignment(job: _Job, line: _Line, draft: Draft) -> None:
    about = line.name in job.about or line.name in job.compilers or "nvcc" in line.body
    if line.operator == "?=" and _ROOT_NAME.fullmatch(line.name):
        draft.remark(ROOT, f"{line.name} from the environment wins over the value given here")
    if _OUTSIDE.search(line.body):
        draft.remark(LEFT, "a folder of the CUDA toolkit that the MUSA SDK does not have")
        return
    _port_text(job, line, line.value, len(line.text), about, draft)
    _port_files(job, line, draft)
    words = line.body.replace("-Wl,", " -Wl,").split()
    names = [word.removeprefix("-Wl,-l") for word in words]
    if names and not draft.edits and all(nvcc_flags.find_library(name) for name in names):
        draft.remark(LEFT, f"{line.name} names CUDA libraries: {' '.join(names)}")
    elif any(
        word.startswith("-Wl,-l") and nvcc_flags.find_library(name)
        for word, name in zip(words, names, strict=True)
    ):
        draft.remark(LEFT, "a CUDA library is handed to the linker by -Wl")
    if _ARCH.search(line.body) and not draft.edits and not line.body.lstrip().startswith("-"):
        draft.remark(ARCHITECTURES, f"{line.name} no longer selects architectures")


_VARIABLE = re.compile(r"\b(?:CUDA_VISIBLE_DEVICES|CUDA_LAUNCH_BLOCKING|NCCL_\w+)\b(?==)")


def _port_rule(job: _Job, line: _Line, draft: Draft) -> None:
    targets = line.text.partition(":")[0]
    if re.search(r"\.(?:ptx|cubin|fatbin)(?!\w)", targets):
        draft.remark(DEVICE_FILE, "the rule makes PTX or cubin, which mcc does not write")
    _port_paths(job, line, 0, len(line.text), draft)
    _port_files(job, line, draft)


def _port_condition(job: _Job, line: _Line, draft: Draft) -> None:
    if re.search(r"(?i)nvcc\w*ver|cuda\w*ver", line.text):
        draft.remark(VERSION, "the condition tests a version of nvcc or CUDA")
    _port_text(job, line, 0, len(line.text), False, draft)
    _port_files(job, line, draft)


def _port_recipe(job: _Job, line: _Line, draft: Draft) -> None:
    """A recipe is shell text: each command in it is judged on its own."""
    for start, end in _shell_commands(line.text):
        text = line.text[start:end]
        if re.match(r"[\s@+-]*(?:echo|printf)\b", text):
            _port_paths(job, line, start, end, draft)
            continue
        calls = _calls_nvcc(text, job.compilers)
        if calls and (compiler := _lacks_architecture(job, text)):
            options = "".join(f" --offload-arch={target}" for target in job.context.targets)
            where = line.start + start + compiler
            draft.edit(where, where, options, Safety.REVIEW)
            draft.remark(
                DEFAULT_ARCHITECTURE,
                "nvcc chose the architecture here; --offload-arch was added from --target",
            )
        if re.search(r"(?<![\w.-])clang(?:\+\+)?(?![\w.-])", text) and re.search(
            r"--cuda-gpu-arch=sm_|\.cu(?!\w)", text
        ):
            draft.remark(CLANG, "clang compiles CUDA here")
        _port_text(job, line, start, end, calls, draft)
        if calls and _needs_runtime(job, _ported(line, start, end, draft)):
            _add_runtime(job, line, start + len(text.rstrip(" \t\r\n\\")), draft)
    _port_files(job, line, draft)


def _shell_commands(text: str) -> Iterator[tuple[int, int]]:
    """Commands between separators that stand outside quotes and references."""
    start, at, quote, depth = 0, 0, "", 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 2
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"" and text.find(char, at + 1) > 0:
            quote = char
        elif char in "({" and text[at - 1 : at] == "$":
            depth += 1
        elif char in ")}" and depth:
            depth -= 1
        elif depth == 0 and char == "#" and text[at - 1 : at] in (" ", "\t", ""):
            break
        elif depth == 0 and char in ";|&" and text[at - 1 : at] != ">":
            yield start, at
            start = at + 1
        at += 1
    yield start, min(at, len(text))


def _ported(line: _Line, start: int, end: int, draft: Draft) -> str:
    """A piece of the line with the edits so far, so that a second run judges the same text."""
    out, at = "", start
    for edit in sorted(draft.edits):
        first, last = edit.span.start - line.start, edit.span.end - line.start
        if at <= first and last <= end:
            out += line.text[at:first] + edit.text.decode("latin-1")
            at = last
    return out + line.text[at:end]


def _needs_runtime(job: _Job, text: str) -> bool:
    """Whether this command links and leaves the runtime library to nvcc."""
    whole = _expand(job, text)
    if _NO_LINK.search(whole) or re.search(r"-l(?:cudart|musart)|--?cudart", whole):
        return False
    asks = re.search(r"\b(?:which|command|where|test)\s", text)
    return asks is None and re.search(r"\s\S", text.strip()) is not None


_ANY_ARCH = re.compile(r"-gencode|--?generate-code|-arch\b|--gpu-|--offload-arch|--cuda-gpu-arch")
_SOURCE = re.compile(
    r"(?<![\w-])-d?c(?![\w-])|\.(?:cu|mu|cpp|cc)(?!\w)|\$[<^+?]|\$[({]\w*(?i:src|source)\w*"
)


def _lacks_architecture(job: _Job, text: str) -> int:
    """Behind the compiler's name where a compilation names no architecture for sure; else 0."""
    if _ANY_ARCH.search(text) or not _SOURCE.search(text):
        return 0
    if any(name in job.has_architecture for name in _names(job, text)):
        return 0
    for match in re.finditer(r"(?:\$[({](\w+)[)}]|(?:[\w./$(){}-]*/)?nvcc)['\"]?(?=\s)", text):
        if match[1] is None or match[1] in job.compilers:
            after = match.end()
            return 0 if _VERSION_OPTION.match(text, after) else after
    return 0


_VERSION_OPTION = re.compile(r"\s+(?:--version|-V|--help|-h)\b")


def _names(job: _Job, text: str) -> set[str]:
    """The variables a text refers to, through one another, as far as this file knows them."""
    seen: set[str] = set()
    queue = _REFERENCE.findall(text)
    while queue:
        name = queue.pop()
        if name not in seen:
            seen.add(name)
            queue += _REFERENCE.findall(job.values.get(name, ""))
    return seen


def _expand(job: _Job, text: str) -> str:
    """The text with the values of this file's variables behind it, as far as they are known."""
    return " ".join([text, *(job.values.get(name, "") for name in sorted(_names(job, text)))])


def _add_runtime(job: _Job, line: _Line, at: int, draft: Draft) -> None:
    folder = f"$({job.root})/lib" if job.root else "/usr/local/musa/lib"
    place = line.start + at
    for edit in draft.edits:  # not into the middle of something that goes
        if edit.span.start < place < edit.span.end:
            place = edit.span.end
    draft.edit(place, place, f" -L{folder} -lmusart", Safety.REVIEW)
    draft.remark(RUNTIME, "nvcc links the runtime by itself, mcc does not: -lmusart was added")


# --- words -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Word:
    start: int  # in the line's text
    end: int
    text: str


_SPLIT_AT = {
    "if": 9,
    "or": 9,
    "and": 9,
    "call": 9,
    "addprefix": 1,
    "addsuffix": 1,
    "patsubst": 2,
    "subst": 2,
    "filter": 1,
    "filter-out": 1,
    "findstring": 1,
    "foreach": 2,
}
_FUNCTION = re.compile(r"\$[({]([a-z-]+)[ \t]")
_ADDPREFIX = re.compile(r"\$[({]addprefix[ \t]+(?:-Xcompiler|--compiler-options)[ =]?[ \t]*,")


def _port_text(job: _Job, line: _Line, start: int, end: int, about: bool, draft: Draft) -> None:
    """Options, the compiler's name, libraries and paths in one piece of text."""
    for words in _word_lists(line.text, start, end, line, draft):
        _port_words(job, line, words, about, draft)
    _port_compiler(line, start, end, about, draft)
    _port_paths(job, line, start, end, draft)
    if tool := _TOOLS.search(line.text, start, end):
        draft.remark(LEFT, f"{tool[0]} is a tool of CUDA's")


def _word_lists(
    text: str, start: int, end: int, line: _Line, draft: Draft
) -> Iterator[list[_Word]]:
    """Words that stand side by side; the arguments of make's functions are lists of their own."""
    words: list[_Word] = []
    at = start
    while at < end:
        char = text[at]
        if char.isspace():
            at += 1
        elif char == "\\" and text[at + 1 : at + 3].startswith(("\n", "\r\n")):
            at += 2
        else:
            stop = _word_end(text, at, end)
            words.append(_Word(at, stop, text[at:stop]))
            at = max(stop, at + 1)
    if words:
        yield words
    for word in words:
        looked = 0  # end of what a function before this one holds
        for match in re.finditer(r"\$[({]", word.text):
            begin = word.start + match.start()
            if (function := _FUNCTION.match(text, begin, word.end)) is None:
                continue
            close = _close(text, begin + 1, word.end)
            if (prefix := _ADDPREFIX.match(text, begin, close)) is not None and close < word.end:
                draft.edit(line.start + begin, line.start + prefix.end(), "")
                draft.edit(line.start + close, line.start + close + 1, "")
            held, looked = begin < looked, max(looked, close)
            if function[1] in _TALK or held:
                continue
            for piece in _pieces(text, function.end(), close, _SPLIT_AT.get(function[1], 0)):
                yield from _word_lists(text, *piece, line, draft)


def _word_end(text: str, at: int, end: int) -> int:
    quote, depth = "", 0
    while at < end:
        char = text[at]
        if char == "\\" and at + 1 < end:
            if depth == 0 and not quote and text[at + 1] in "\r\n":
                break
            at += 2
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "({" and text[at - 1 : at] == "$":
            depth += 1
        elif char in ")}" and depth:
            depth -= 1
        elif depth == 0 and char in "'\"" and text.find(char, at + 1, end) > 0:
            quote = char
        elif depth == 0 and char.isspace():
            break
        at += 1
    return min(at, end)


def _close(text: str, at: int, end: int) -> int:
    """Where the bracket opened at `at` closes; `end` when it does not."""
    depth = 0
    while at < end:
        if text[at] in "({":
            depth += 1
        elif text[at] in ")}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return end


def _pieces(text: str, start: int, end: int, splits: int) -> Iterator[tuple[int, int]]:
    depth, at = 0, start
    while at < end:
        if text[at] in "({":
            depth += 1
        elif text[at] in ")}":
            depth -= 1
        elif text[at] == "," and depth == 0 and splits > 0:
            yield start, at
            start, splits = at + 1, splits - 1
        at += 1
    yield start, end


def _port_words(job: _Job, line: _Line, words: Sequence[_Word], about: bool, draft: Draft) -> None:
    if not any("-" in word.text for word in words):
        return
    for change in nvcc_flags.translate([word.text for word in words], job.context.targets):
        first, last = words[change.first], words[change.last - 1]
        if not about and not _STRONG.match(first.text):
            continue
        start, end = line.start + first.start, line.start + last.end
        whole = line.text[first.start : last.end]
        if draft.touched(start, end) or whole.count('"') % 2 or whole.count("'") % 2:
            continue
        if change.code:
            draft.remark(change.code, change.message, change.help)
        before = [word.text for word in words[change.first : change.last]]
        if [*change.words] in (before, [nvcc_flags.translate_path(before[0])]):
            continue  # nothing new, or only a folder, which _port_paths sees to
        if change.words:
            text = _NVCC.sub("mcc", nvcc_flags.translate_path(" ".join(change.words)))
            draft.edit(start, end, _CU_FILE.sub(lambda match: _new_name(job, match), text))
        else:
            _cut(job.file.data, start, end, draft)


def _cut(data: bytes, start: int, end: int, draft: Draft) -> None:
    """Take a word out with the blank before it; a continuation line left empty goes too."""
    before = start
    while before > 0 and data[before - 1 : before] in (b" ", b"\t"):
        if draft.touched(before - 1, before):  # the word before went with this blank
            break
        before -= 1
    after = end
    while data[after : after + 1] in (b" ", b"\t"):
        after += 1
    if (wrap := re.search(rb"[ \t]*\\\r?\n\Z", data[max(0, before - 64) : before])) is None:
        bare = data[before - 1 : before] in (b"\n", b"")
        draft.edit(start if bare else before, after if bare else end, "")
    elif following := re.match(rb"\\\r?\n", data[after : after + 3]):
        draft.edit(before, after + following.end(), "")
    elif data[after : after + 1] in (b"\n", b"\r", b""):
        draft.edit(before - len(wrap[0]), end, "")
    else:
        draft.edit(start, after, "")


def _port_compiler(line: _Line, start: int, end: int, about: bool, draft: Draft) -> None:
    """nvcc by name: as the compiler, or where something looks for it or asks for its version."""
    for match in _NVCC.finditer(line.text, start, end):
        at = line.start + match.start()
        if _in_talk(line.text, match.start()) or draft.touched(at, at + 4):
            continue
        if not about and line.kind not in ("condition", "other"):
            continue
        draft.edit(at, at + 4, "mcc")
        if re.match(r"['\")]?\s+(?:--version|-V)\b", line.text[match.end() :]):
            draft.remark(VERSION, "nvcc's version is read here; mcc prints another form")


def _in_talk(text: str, at: int) -> bool:
    """Whether a place is in a message: quoted words, $(info …) and its kin."""
    head = text[:at]
    talk = re.search(r"\$[({](?:info|warning|error)[ \t](?:(?!\$[({])[^)}])*$", head)
    quoted = head.count('"') % 2 == 1 and re.search(r"\b(?:echo|printf)\b", head)
    return talk is not None or bool(quoted)


_LIB64 = re.compile(
    r"(?P<root>/usr/local/cuda(?:-\d[\d.]*)?|/opt/cuda|\$[({](?P<name>\w*CUDA\w*)[)}])"
    r"(?P<lib>/(?:lib64|targets/[\w-]+/(?:lib|include)|lib/x64)(?:/stubs)?)?(?=$|[/\s\"';:,)])"
)


_OPENCL = re.compile(r"opencl|ocl", re.IGNORECASE)  # CUDA's folder, but for another interface


def _port_paths(job: _Job, line: _Line, start: int, end: int, draft: Draft) -> None:
    if _OPENCL.search(line.name):
        if _LIB64.search(line.text, start, end):
            draft.remark(LEFT, f"{line.name} is a folder for OpenCL, left as it is")
        return
    for match in _LIB64.finditer(line.text, start, end):
        if match["name"]:
            if match["lib"] and _ROOT_NAME.fullmatch(match["name"]):
                at = line.start + match.start("lib")
                new = nvcc_flags.translate_path(match[0])[match.start("lib") - match.start() :]
                draft.edit(at, line.start + match.end("lib"), new)
            continue
        text = nvcc_flags.translate_path(match[0])
        draft.edit(line.start + match.start(), line.start + match.end(), text)


# --- file names ------------------------------------------------------------------------------


def _port_files(job: _Job, line: _Line, draft: Draft) -> None:
    if ".cu" not in line.body:
        return
    for match in _CU_FILE.finditer(line.text, line.value):
        start, end = line.start + match.start("ext"), line.start + match.end("ext")
        if draft.touched(start, end):
            continue
        new, safety = _renamed(job, match["path"], match["ext"])
        if new:
            draft.edit(start, end, new, safety)
        elif match["ext"] == ".cu" and line.kind != "condition":
            draft.remark(SOURCE_NAME, f"{match[0].strip()} keeps its name")


def _new_name(job: _Job, match: re.Match[str]) -> str:
    return match["path"] + (_renamed(job, match["path"], match["ext"])[0] or match["ext"])


def _renamed(job: _Job, path: str, extension: str) -> tuple[str, Safety]:
    """The extension a file or a pattern has in the port; "" when it keeps its own."""
    renamed = job.context.renamed
    name = path + extension
    if not renamed:
        return "", Safety.EXACT
    if not re.search(r"[%*$]", path) and path not in ("", "."):
        exact = renamed.get(posixpath.normpath(posixpath.join(job.folder, name)))
        if exact:
            return posixpath.splitext(exact)[1], Safety.EXACT
        tail = "/" + posixpath.basename(name)
        for before, after in renamed.items():
            if before.endswith(tail):
                return posixpath.splitext(after)[1], Safety.REVIEW
        return "", Safety.EXACT
    for before, after in renamed.items():
        if before.endswith(extension) and not after.endswith(extension):
            return posixpath.splitext(after)[1], Safety.REVIEW
    return "", Safety.EXACT
