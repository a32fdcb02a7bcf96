from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from porting import scan

from sigtrans.names import load
from sigtrans.syntax import find_blanks, find_words, lex, make_pattern, parse, walk


def words(source: str | bytes) -> list[str]:
    data = source.encode() if isinstance(source, str) else source
    return [w[2].decode("latin-1") for w in lex(data).words]


def quoted(source: str) -> list[str]:
    return [w[2].decode() for w in lex(source.encode()).quoted]


# --- what is code ---------------------------------------------------------------------------------

M, F = "cudaMalloc", "cudaFree"

CODE = [
    # whole files
    pytest.param(M, [M], id="name-is-the-file"),
    pytest.param(f"x {M}", [M], id="at-file-end"),
    pytest.param(f"{M}\n", [M], id="at-file-start"),
    pytest.param("", [], id="empty"),
    pytest.param("\n", [], id="newline-only"),
    # longer names
    pytest.param(f"my_{M}", [], id="suffix-of-longer"),
    pytest.param(f"{M}_mine", [f"{M}_mine"], id="prefix-of-longer-is-one-word"),
    pytest.param(f"_{M}", [f"_{M}"], id="underscore-before"),
    pytest.param(f"${M}", [], id="dollar-before"),
    pytest.param(f"{M}$", [f"{M}$"], id="dollar-after"),
    pytest.param(f"变{M}", [], id="chinese-before"),
    pytest.param(f"{M}量", [f"{M}量".encode().decode("latin-1")], id="chinese-after"),
    pytest.param(f"变 {M} 量", [M], id="chinese-apart"),
    pytest.param(f"1{M}", [], id="digit-before"),
    pytest.param(f"0x{M}", [], id="hex-before"),
    pytest.param(f"@{M}#", [M], id="odd-bytes-around"),
    # comments
    pytest.param(f"// {M}\n{F}", [F], id="line-comment"),
    pytest.param(f"// {M}\r\n{F}", [F], id="line-comment-crlf"),
    pytest.param(f"// {M}\r{F}", [F], id="line-comment-lone-cr"),
    pytest.param(f"// {M}", [], id="line-comment-no-newline"),
    pytest.param(f"// a \\\n{M}\n{F}", [F], id="line-comment-spliced"),
    pytest.param(f"// a \\\r\n{M}\r\n{F}", [F], id="line-comment-spliced-crlf"),
    pytest.param(f"// a \\\n\\\n{M}\n{F}", [F], id="line-comment-spliced-twice"),
    pytest.param(f"// a \\\\\n{M}\n{F}", [F], id="line-comment-two-backslashes-splice-too"),
    pytest.param(f"// \" {M}\n{F} // '\n{M}", [F, M], id="line-comment-with-quotes"),
    pytest.param(f"/* {M} */{F}", [F], id="block-comment"),
    pytest.param(f"/* {M}\n{M} */{F}", [F], id="block-comment-lines"),
    pytest.param(f"/*/ {M} */{F}", [F], id="block-comment-not-closed-by-its-opener"),
    pytest.param(f"/** {M} **/{F}", [F], id="block-comment-stars"),
    pytest.param(f"/* // */{F}", [F], id="line-in-block"),
    pytest.param(f"// /*\n{F}/* {M} */", [F], id="block-opener-in-line"),
    pytest.param(f"/* {M} *\\\n/{F}", [], id="spliced-closer-stays-comment"),
    pytest.param(f"/* {M}", [], id="block-comment-unclosed"),
    pytest.param(f"/**/{M}/**/", [M], id="between-comments"),
    pytest.param(f"a / b * {M}", [M], id="slash-is-no-comment"),
    pytest.param(f"a /b/ {M}", [M], id="two-divisions"),
    pytest.param(f"/\\\n/ {M}\n{F}", [F], id="spliced-line-opener"),
    pytest.param(f"/\\\n* {M} */{F}", [F], id="spliced-block-opener"),
    # strings
    pytest.param(f'"{M}" {F}', [F], id="string"),
    pytest.param(f'"a" {F} "b"', [F], id="between-strings"),
    pytest.param(f'"\\"{M}" {F}', [F], id="escaped-quote"),
    pytest.param(f'"\\\\" {F} "{M}"', [F], id="escaped-backslash"),
    pytest.param(f'"a\\\n{M}" {F}', [F], id="string-spliced"),
    pytest.param(f'"a\\\r\n{M}" {F}', [F], id="string-spliced-crlf"),
    pytest.param(f'"{M}\n{F}', [F], id="string-unclosed-ends-with-the-line"),
    pytest.param(f'"{M}', [], id="string-unclosed-at-end"),
    pytest.param(f'"//" {M}', [M], id="comment-in-string"),
    pytest.param(f'"/*" {M} "*/"', [M], id="block-in-string"),
    pytest.param(f'"{M}"_x {F}', [F], id="literal-suffix"),
    pytest.param(f'L"{M}" u8"{M}" u"{M}" U"{M}" {F}', [F], id="string-prefixes"),
    pytest.param(f'R"({M})" {F}', [F], id="raw"),
    pytest.param(f'R"({M}\n"{M}")" {F}', [F], id="raw-with-quotes-and-lines"),
    pytest.param(f'R"x({M})" )x" {F}', [F], id="raw-delimiter"),
    pytest.param(f'R"-*({M})")-*" {F}', [F], id="raw-odd-delimiter"),
    pytest.param(f'LR"(")" {F} uR"(")" {F} UR"(")" {F} u8R"(")" {F}', [F] * 4, id="raw-prefixes"),
    pytest.param(f'R"(\\)" {F}', [F], id="raw-has-no-escape"),
    pytest.param(f'R"({M}', [], id="raw-unclosed"),
    pytest.param(f'fooR"({M}" {F}', [F], id="raw-needs-a-prefix-of-its-own"),
    pytest.param(f'foo_u8R"({M}" {F} ")"', [F], id="raw-prefix-inside-a-name"),
    pytest.param(f'R"0123456789abcdef({M})0123456789abcdef" {F}', [F], id="raw-16-delimiter"),
    # characters
    pytest.param(f"'\"' {M} '\"'", [M], id="quote-character"),
    pytest.param(f"'\\'' {M} '\\''", [M], id="escaped-character"),
    pytest.param(f"'\\\\' {M}", [M], id="backslash-character"),
    pytest.param(f"L'\"' {M} u'\"' u8'\"' U'\"' {F}", [M, F], id="character-prefixes"),
    pytest.param(f"'/*' {M} '*/'", [M], id="multi-character"),
    pytest.param(f"x = 1'000'000; {M}; y = 0x1'ff;", [M], id="digit-separator"),
    pytest.param(f"x = 1'0; {M}; c = '\"'; {F}", [M, F], id="one-separator-then-character"),
    pytest.param(f"#error don't\n{M}; c = 'x'; {F}", [M, F], id="apostrophe-in-error"),
    pytest.param(f"#error it is ' {M}\n{F}", None, id="lone-apostrophe-costs-no-later-line"),
    pytest.param(f"#if 0\nisn't\n#endif\n{M}; // it's\n{F}", [M, F], id="prose-under-if-0"),
    # directives, splices, bytes
    pytest.param(f"#define A \\\n {M} \\\n {F}\n", [M, F], id="continued-macro"),
    pytest.param(f"%:define A {M}", [M], id="digraph"),
    pytest.param(f"{M}\\\n(p)", [M], id="splice-after-the-name"),
    pytest.param(f"x\\\n;{M}", [M], id="splice-before"),
    pytest.param(f"{M};\r{F};\r", [M, F], id="lone-cr-lines"),
    pytest.param(f"\ufeff{M}", [M], id="bom-directly-before"),
    pytest.param(f"\ufeff\n{M}", [M], id="bom-line-before"),
    pytest.param(f"\0{M}\0{F}", [M, F], id="nul-bytes"),
    pytest.param(f"变量 {M}".encode("gbk"), [M], id="gbk-text"),
    pytest.param(f"// 注释 {M}\n{F}".encode("gbk"), [F], id="gbk-comment"),
    pytest.param(f'"嘢" {M}'.encode("gbk"), [M], id="gbk-string"),
    pytest.param(b"caf\xe9 " + M.encode(), [M], id="latin-1"),
    pytest.param("__shfl_sync asm warpSize wmma tex2D", None, id="flagged-families"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), CODE)
def test_names_in_code(source: str | bytes, expected: list[str] | None) -> None:
    if expected is None:  # at least what stands on later, clean lines
        expected = [w for w in (F, "warpSize", "asm") if w in str(source)]
        assert set(expected) <= set(words(source))
        return
    assert words(source) == expected


GB18030_TAIL = "乗".encode("gb18030")  # its second byte is a backslash


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(b"// " + GB18030_TAIL + b"\n" + M.encode(), None, id="comment"),
        pytest.param(b'"' + GB18030_TAIL + b'" ' + M.encode(), None, id="string"),
    ],
)
def test_a_gbk_trail_byte_that_is_a_backslash_is_read_as_compilers_do(
    source: bytes, expected: None
) -> None:
    # Compilers read bytes: the trail byte continues the comment and escapes the quote.
    assert GB18030_TAIL.endswith(b"\\")
    assert words(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(f'"{M}"', [M], id="plain"),
        pytest.param(f'R"({M} {F})"', [M, F], id="raw"),
        pytest.param(f"// {M}", [], id="comment"),
        pytest.param(f"'{M}'", [], id="character"),
        pytest.param(f'f({M}, "{F}")', [F], id="mixed"),
        pytest.param(f'"my_{M}"', [], id="longer-name"),
    ],
)
def test_names_in_strings(source: str, expected: list[str]) -> None:
    assert quoted(source) == expected


# --- looking around -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("a /* x */ @", "a", id="comment"),
        pytest.param("a // x\n @", "a", id="line-comment"),
        pytest.param("a \\\n @", "a", id="splice"),
        pytest.param('"s" @', '"', id="string-counts"),
        pytest.param(" @", "", id="nothing"),
        pytest.param("/* a */@", "", id="only-a-comment"),
        pytest.param("a /* x */ // y\n /* z */ @", "a", id="several"),
    ],
)
def test_before_skips_space_and_comments(source: str, expected: str) -> None:
    lexed = lex(f"{source} {M}".encode())
    at = lexed.before(source.index("@"))
    assert (source[at] if at >= 0 else "") == expected


@pytest.mark.parametrize(
    ("source", "start", "commas"),
    [
        pytest.param("f(@", "(", 0, id="first"),
        pytest.param("f(a, b,@", "(", 2, id="flat"),
        pytest.param("f(g(a, b), c,@", "(", 2, id="a-call-inside"),
        pytest.param("f(g(a), {b, c},@", "(", 2, id="braces-inside"),
        pytest.param("f(a, x[b,@", "[", 1, id="an-index"),
        pytest.param('f(a, "(,",@', "(", 2, id="a-string-with-a-bracket"),
        pytest.param("f(a, /* (, */ b,@", "(", 2, id="a-comment-with-a-bracket"),
        pytest.param("f(a); b,@", ";", 1, id="a-statement-before"),
        pytest.param("a,@", "", 0, id="no-list"),
    ],
)
def test_a_list_starts_at_its_bracket(source: str, start: str, commas: int) -> None:
    at, count = lex(f"{source} {M}".encode()).list_start(source.index("@") - 1)
    assert (source[at] if at >= 0 else "", count) == (start, commas)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("@/* x */ a", "a", id="comment"),
        pytest.param("@ // x\n a", "a", id="line-comment"),
        pytest.param("@ \\\n a", "a", id="splice"),
        pytest.param("@ / a", "/", id="division"),
        pytest.param("@ ", "", id="nothing"),
    ],
)
def test_after_skips_space_and_comments(source: str, expected: str) -> None:
    data = f"{M} {source}".encode()
    at = lex(data).after(data.index(b"@") + 1)
    assert data[at : at + 1].decode() == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("a\n@\nb", "@", id="one-line"),
        pytest.param("a\r\n@\r\nb", "@", id="crlf"),
        pytest.param("a\r@\rb", "@", id="lone-cr"),
        pytest.param("@", "@", id="whole-file"),
        pytest.param("a \\\n@ \\\nb\nc", "a \\\n@ \\\nb", id="middle-of-three"),
        pytest.param("a \\\r\n@ \\\r\nb\r\nc", "a \\\r\n@ \\\r\nb", id="crlf-splices"),
        pytest.param("a\n@ \\\n", "@ \\\n", id="splice-at-the-end"),
        pytest.param("a \\ \n@ \\\t\nb\nc", "a \\ \n@ \\\t\nb", id="blanks-after-the-backslash"),
    ],
)
def test_logical_line(source: str, expected: str) -> None:
    data = source.encode()
    start, end = lex(data).logical_line(data.index(b"@"))
    assert data[start:end].decode() == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("f()", [""], id="none"),
        pytest.param("f(a)", ["a"], id="one"),
        pytest.param("f(a, b)", ["a", " b"], id="two"),
        pytest.param("f(g(a, b), {c, d}, [e, f])", ["g(a, b)", " {c, d}", " [e, f]"], id="nested"),
        pytest.param("f(\"(,\", ')', x)", ['"(,"', " ')'", " x"], id="literals"),
        pytest.param("f(a /* , */, b)", ["a /* , */", " b"], id="comment"),
        pytest.param("f(a", [], id="unbalanced"),
        pytest.param("f(a,\n  b\n)", ["a", "\n  b\n"], id="lines"),
    ],
)
def test_arguments(source: str, expected: list[str]) -> None:
    data = f"{source} {M}".encode() if expected else source.encode()
    found = lex(data + b" cudaFree").arguments(source.index("("))
    assert [data[a:b].decode() for a, b in found] == expected


def test_more_names_can_be_looked_for() -> None:
    pattern = make_pattern((b"kCUDA", b"OptionalCUDAGuard"))
    assert find_words(b"at::kCUDA OptionalCUDAGuard kCUDAx kCUDA$ my_kCUDA", pattern) == [
        b"kCUDA",
        b"OptionalCUDAGuard",
    ]
    assert make_pattern((b"kCUDA", b"OptionalCUDAGuard")) is pattern, "compiled once"


def test_walk_is_not_recursive() -> None:
    deep = b"int x = " + b"(" * 3000 + b"1" + b")" * 3000 + b";"
    assert sum(1 for _ in walk(parse("cuda", deep).root_node)) > 6000


@pytest.mark.parametrize("language", ["cuda", "python"])
def test_every_language_parses_anything(language: str) -> None:
    root = parse(language, b"\x00\xff{(\n").root_node
    assert (root.start_byte, root.end_byte >= 0) == (root.start_byte, True)
    assert parse(language, b"").root_node.child_count == 0


# --- laws -----------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [M, F, "cuInit", " ", "\n", "\r", "\r\n", "\\", "\\\n", "\\\r\n", '"', "'", "R\"(", ')"',
     'R"x(', ')x"', "//", "/*", "*/", "/", "*", "#define A ", "#", "##", "(", ")", "1'0", "u8",
     "L", "x", "变", "\0", "\ufeff", "$", ".", "->", "::", "<<<", ">>>", "@", "%:"]
)  # fmt: skip
SOUP = st.lists(PIECES, max_size=40).map(lambda parts: "".join(parts).encode())


@given(st.one_of(st.binary(max_size=200), SOUP))
@settings(max_examples=300, deadline=None)
def test_lex_never_fails_and_what_it_finds_is_there(data: bytes) -> None:
    lexed = lex(data)
    last = 0
    for start, end in lexed.blanks:
        assert last <= start < end <= len(data), "in order, apart, not empty"
        assert data[start : start + 1] in (b'"', b"'", b"/")
        last = end
    ends = 0
    for start, end, name in lexed.words:
        assert data[start:end] == name
        assert ends <= start and lexed.blank_at(start) is None
        ends = end
    for start, end, name in lexed.quoted:
        blank = lexed.blank_at(start)
        assert blank is not None and data[start:end] == name
        assert data[blank[0] : blank[0] + 1] == b'"'


@given(SOUP)
@settings(max_examples=300, deadline=None)
def test_blanks_are_found_with_and_without_names(data: bytes) -> None:
    assert lex(data).blanks in ([], find_blanks(data))


@given(SOUP)
@settings(max_examples=300, deadline=None)
def test_before_a_word_stands_the_last_byte_that_is_neither_space_nor_comment(data: bytes) -> None:
    lexed = lex(data)
    comments = [range(*blank) for blank in lexed.blanks if lexed.is_comment(blank)]
    for start, _, _ in lexed.words:
        code = (
            at
            for at in range(start - 1, -1, -1)
            if data[at] not in b" \t\r\n\f\v\\" and not any(at in each for each in comments)
        )
        assert lexed.before(start) == next(code, -1)


CLEAN = st.lists(
    st.sampled_from(
        [M, F, f"// {M}\n", f"/* {M} */", f'"{M}"', "'\"'", f'R"x({M}")x"', "1'000", " ", "\n",
         "\\\n", ";", "(", "a.", "/ 2", f"#define A \\\n {M}\n", f'L"{F}\\""', "x_", "#error no\n"]
    ),
    max_size=30,
).map(lambda parts: " ".join(parts).encode())  # fmt: skip


@given(CLEAN)
@settings(max_examples=300, deadline=None)
def test_the_lexer_agrees_with_a_plain_scanner(data: bytes) -> None:
    seen = [(at, name) for at, name in scan(data) if re.fullmatch(rb"cuda\w+", name)]
    assert [(w[0], w[2]) for w in lex(data).words] == seen


@pytest.mark.parametrize("piece", [b"a\\\n", b"a\\ \t\n", b"a\\\r\n", b"\\\\", b"\\a"])
def test_an_open_quote_before_many_backslashes_is_left_at_once(piece: bytes) -> None:
    data = b"'" + piece * 500  # two ways to read a piece would be 2**500 ways to read them all
    assert find_blanks(data) == []


@given(st.text(alphabet="ab\\\r\n/", max_size=40), st.integers(0, 40))
@settings(max_examples=300, deadline=None)
def test_a_logical_line_holds_its_place_and_ends_at_a_line_end(text: str, at: int) -> None:
    data = text.encode()
    at = min(at, len(data))
    start, end = lex(data).logical_line(at)
    assert 0 <= start <= end <= len(data)
    assert end == len(data) or data[end : end + 1] in (b"\r", b"\n")
    assert start == 0 or data[start - 1 : start] in (b"\r", b"\n")


def test_every_name_of_the_tables_is_one_that_the_lexer_stops_at() -> None:
    """A name that the pattern passes by would be left in silence."""
    table = load()
    plain = make_pattern()
    torch = set(table.torch_words)
    for names in (table.targets, table.absent, table.guards, table.flags):
        missed = [name for name in names if name not in torch and not plain.fullmatch(name)]
        assert missed == []
    assert all(make_pattern(table.torch_words).fullmatch(name) for name in torch)


@pytest.mark.parametrize("word", ["cute", "cutlass", "CUTE_DEVICE", "custom", "current", "cursor"])
def test_words_that_only_begin_alike_are_passed_by(word: str) -> None:
    assert lex(f"int {word}::x;".encode()).words == []


def test_literals_of_a_range() -> None:
    data = b'a "bc" /* "x" */ \'d\' "e"'
    lexed = lex(data).with_blanks()
    whole = [data[slice(*span)] for span in lexed.literals(0, len(data))]
    assert whole == [b'"bc"', b"'d'", b'"e"']
    assert [data[slice(*span)] for span in lexed.literals(3, 19)] == [b'bc"', b"'d"]
    assert lexed.literals(6, 17) == []
