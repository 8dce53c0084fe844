"""The small changes of the package with which ``tools/mutants.py`` grades the tests, and the draw of some of them.

Operators and their boundaries, constants, ``not``, ``min`` and ``max`` change; in Python also branches are never or
always taken, statements and options left out, arguments swapped. Messages, annotations and imports stay as they are.
"""

import ast
import contextlib
import random
import re
import sys
from typing import NamedTuple

OTHERS = {"<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}
OTHERS |= {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "//": ["*"], "%": ["//"], "+=": ["-="], "-=": ["+="]}
OTHERS |= {"and": ["or"], "or": ["and"], "is": ["is not"], "is not": ["is"], "in": ["not in"], "not in": ["in"]}
OTHERS |= {"True": ["False"], "False": ["True"], "continue": ["break"], "break": ["continue"], "not ": [""]}
PAIRS = {"min": "max", "minimum": "maximum", "fmin": "fmax", "nanmin": "nanmax", "argmin": "argmax", "any": "all"}
PAIRS |= {"floor": "ceil", "cumsum": "cumprod", "log": "log1p", "exp": "expm1"}
OTHERS |= {new: [old] for old, new in PAIRS.items()} | {old: [new] for old, new in PAIRS.items()}
PLACE = re.compile(
    r"(?<= )(?:[<>]=?|[=!+-]=|[-+*%]|//?|and|or|is not|is|not in|in)(?= )|\bnot (?!in\b)"
    r"|\b(?:True|False|continue|break)\b"
    rf"|\b(?:{'|'.join([*PAIRS, *PAIRS.values()])})(?=\()"
    r"|(?<![\w.:\[])(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)(?![\w.])"
)
KERNEL_STAYS = re.compile(
    r' *""".*?"""|^\S[^\n]*|#[^\n]*|^[^\n]*(?:\bcimport\b|\braise\b|\bextern\b|\bexcept\b|\bnoexcept\b|["\'])[^\n]*',
    re.DOTALL | re.MULTILINE,
)
# Options that only say something, only look different, or only guard:
TOLD = {"help", "metavar", "message", "title", "epilog", "description", "stacklevel"}
TOLD |= {"color", "linewidth", "fontsize", "zorder", "strict"}
STAYS = re.compile(
    r' *""".*?"""|^\S[^\n]*|#[^\n]*|^[^\n]*(?:\bcimport\b|\braise\b|\bextern\b|\bexcept\b|\bnoexcept\b|["\'])[^\n]*',
    re.DOTALL | re.MULTILINE,
)
TOLD = {
    "help",
    "metavar",
    "message",
    "title",
    "epilog",
    "description",
    "stacklevel",
}  # options that only say something,
TOLD |= {"color", "linewidth", "fontsize", "zorder", "strict"}  # that only look different, or that only guard
STAYS = re.compile(
    r"__(all|slots|repr|str|dir|match_args)__|warn|\w*(Error|Warning)|cast|TypeVar|TYPE_CHECKING|raise"
).fullmatch


class Mutant(NamedTuple):
    """A change: the text nearest to a line of a file becomes another."""

    file: str
    line: int
    before: str
    after: str

    def __str__(self):
        lines = [f"- {line}" for line in self.before.split("\n")] + [f"+ {line}" for line in self.after.split("\n")]
        return "\n".join([f"{self.file}:{self.line}", *lines])

    def place(self, source):
        """Return where the text stands."""
        places = [place.start() for place in re.finditer(re.escape(self.before), source)]
        if not places:
            sys.exit(f"{self.file} has no {self.before!r}: draw the mutants again, or correct the file of mutants")
        return min(places, key=lambda place: abs(source.count("\n", 0, place) + 1 - self.line))

    def apply(self, source):
        """Return the changed source."""
        place = self.place(source)
        return source[:place] + self.after + source[place + len(self.before) :]


def numbers(text):
    """Return constants near a number: one more and one less, or of a real number twice and a hundredth."""
    if "." not in text and "e" not in text:
        return [str(int(text) + step) for step in (1, -1) if int(text) + step >= 0]
    return ["1.0"] if float(text) == 0 else [repr(2.0 * float(text)), repr(0.01 * float(text))]


class Module:
    """A Python module: ``spans`` are what must stay, and ``found`` changes of whole parts: start, end and new text."""

    def __init__(self, source):
        self.starts, self.spans, self.found, self.lines = [0], [], [], set()
        self.source = source.encode().decode("latin-1")  # a character for each byte, as ast counts
        for line in self.source.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.visit(ast.parse(source))

    def span(self, node):
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node):
        start, end = self.span(node)
        return self.source[start:end]

    def visit(self, node):
        """Note the parts of a node that stay, and the changes of the others."""
        names = [getattr(target, "id", "") for target in getattr(node, "targets", [])] + [getattr(node, "name", "")]
        names += [self.text(node.func).split(".")[-1]] if isinstance(node, ast.Call) else []
        names += [self.text(node.test)] if isinstance(node, ast.If) else []
        names += ["raise"] * isinstance(node, (ast.Import, ast.ImportFrom, ast.Assert, ast.Raise, ast.JoinedStr))
        is_text = isinstance(getattr(node, "value", None), str)
        if is_text or getattr(node, "arg", "") in TOLD or any(STAYS(name or "") for name in names):
            self.spans.append(self.span(node))
            return
        self.lines |= {node.lineno} if isinstance(node, ast.stmt) else set()
        self.change(node)
        for field, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and field in ("annotation", "returns", "decorator_list", "bases"):
                    self.spans.append(self.span(child))
                elif isinstance(child, ast.AST):
                    self.visit(child)

    def change(self, node):
        """Note the changes of a statement or an expression as a whole."""
        news = []
        if isinstance(node, ast.If):
            self.found += [(*self.span(node.test), new) for new in (["False", "True"] if node.orelse else ["False"])]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            news = ["pass"]
        elif isinstance(node, ast.BoolOp):
            news = [f"({self.text(value)})" for value in node.values]
        elif isinstance(node, ast.IfExp):
            news = [f"({self.text(node.body)})", f"({self.text(node.orelse)})"]
        elif isinstance(node, ast.Call):
            self.change_call(node)
        self.found += [(*self.span(node), new) for new in news]

    def change_call(self, node):
        """Swap the first two arguments, and leave out each option."""
        symmetric = self.text(node.func).split(".")[-1] in OTHERS
        if len(node.args) > 1 and not symmetric and not any(isinstance(one, ast.Starred) for one in node.args[:2]):
            (start, middle), (end, last) = map(self.span, node.args[:2])
            self.found.append(
                (start, last, self.source[end:last] + self.source[middle:end] + self.source[start:middle])
            )
        for option in node.keywords:
            start, end = self.span(option)
            after = re.compile(r"\s*,\s*").match(self.source, end)
            before = self.source[:start].rstrip().removesuffix(",")
            if option.arg and option.arg not in TOLD:
                self.found.append((start, after.end(), "") if after else (len(before), end, ""))


def changes(file, source):
    """Return the mutants of a file by their lines, and the number of its lines that run."""
    text = source.encode().decode("latin-1")
    if file.endswith(".py"):
        module = Module(source)
        spans, found, running = module.spans, module.found, len(module.lines)
        spans += [place.span() for place in re.finditer(r"#.*", text)]
    else:
        spans, found, running = [place.span() for place in KERNEL_STAYS.finditer(text)], [], text.count("\n")
    code = list(text)
    for start, end in spans:
        code[start:end] = re.sub(r"[^\n]", "#", text[start:end])
    for place in PLACE.finditer("".join(code)):
        loop = place[0] == "in" and re.search(r"\bfor [\w, ()*]+ $", text[place.start() - 80 : place.start()])
        news = numbers(place[0]) if place["number"] else [] if loop else OTHERS[place[0]]
        found += [(*place.span(), new) for new in news]
    mutants = {}
    for start, end, new in sorted(set(found)):
        first, last, line = text.rfind("\n", 0, start) + 1, text.find("\n", end), text.count("\n", 0, start) + 1
        lines = text[first:last], text[first:start] + new + text[end:last]
        mutants.setdefault(line, []).append(Mutant(file, line, *(part.encode("latin-1").decode() for part in lines)))
    return mutants, running


def differs(mutant, source):
    """Return whether a mutant is another program; in Python, also whether it can be compiled."""
    if not mutant.file.endswith(".py"):
        return mutant.apply(source) != source
    with contextlib.suppress(SyntaxError):
        compile(mutant.apply(source), mutant.file, "exec")
        return ast.dump(ast.parse(mutant.apply(source))) != ast.dump(ast.parse(source))
    return False


def draw(root, count, seed):
    """Draw mutants, at most one of a line: files in proportion to their lines that run, and 15% of kernels."""
    chance, drawn = random.Random(seed), {}
    paths = sorted(path for path in (root / "scorio").rglob("*.p*") if path.suffix in (".py", ".pyx", ".pxd"))
    sources = {path.relative_to(root).as_posix(): path.read_text() for path in paths}
    found = {file: changes(file, source) for file, source in sources.items()}
    groups = [
        [file for file, (some, _) in found.items() if some and file.endswith(".py") is kind] for kind in (True, False)
    ]
    kernels = round(0.15 * count) if groups[1] else 0
    for files, full in zip(groups, (count - kernels, count), strict=True):
        while len(drawn) < full:
            (file,) = chance.choices(files, [found[file][1] for file in files])
            mutant = chance.choice(found[file][0][chance.choice(sorted(found[file][0]))])
            if (file, mutant.line) not in drawn and differs(mutant, sources[file]):
                drawn[file, mutant.line] = mutant
    return list(drawn.values())
