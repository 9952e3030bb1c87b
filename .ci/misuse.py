"""Programs that must not compile: `misuse.py MODULES`, where MODULES is the folder of the built modules.

Each file of Tests/Misuse is compiled on its own, beside Shop.swift with what they share, as a client would: in a
package of its own, once with the settings of a new package and once with those of ours. It says what the compiler
must find, at the end of the wrong line or in lines of their own above it:

    Step("payment", PaymentStep.init)  // error: cannot convert … 'Flow<Order, Receipt>' … 'Flow<Address, Receipt>'

`error`, `warning` and `note` are the compiler's; the text is part of its message, and `…` stands for anything between.
A note belongs to the error or warning at the line. Anything the file does not expect is a failure, and so is a crash.

Last, the compilation of a flow of 60 steps is timed, and that of one with everything that branches against it.
"""

import itertools
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path("Tests/Misuse")
SHOP = FOLDER / "Shop.swift"
STEPS = 60
BRANCHES = 4
SECONDS = 6.0  # of processor time, for the flow of 60 steps in debug from a cold start; the median of three. A type check
# that blows up takes minutes. The time of the clock would be that of whatever else the machine does.
RATIO = 12.0  # times that flow, for the one with everything that branches (7 were measured). No number of seconds: it would
# be too strict for a slow machine, or too lax for a quick one.

EXPECTATION = re.compile(r"// (error|warning|note): (.+?)\s*(?=// (?:error|warning|note): |$)")
DIAGNOSTIC = re.compile(r"^(?:(?P<path>[^:\n]+):(?P<line>\d+):(?:\d+:)? )?(?P<kind>error|warning|note): (?P<text>.*)$")


@dataclass
class Diagnostic:
    path: str
    line: int
    kind: str
    text: str
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n    note: ".join([f"{self.path}:{self.line}: {self.kind}: {self.text}", *self.notes])


@dataclass(frozen=True)
class Expectation:
    line: int
    kind: str
    text: str

    def met_by(self, found: Diagnostic) -> bool:
        if found.line != self.line:
            return False
        pattern = ".*".join(re.escape(part.strip()) for part in self.text.split("…"))
        if self.kind == "note":
            return any(re.search(pattern, note) for note in found.notes)
        return found.kind == self.kind and re.search(pattern, found.text) is not None


def expectations(path: Path) -> list[Expectation]:
    expected, above = [], []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        above += EXPECTATION.findall(line)
        if line.lstrip().startswith("//"):
            continue  # meant for the next line of code
        expected += [Expectation(number, kind, text) for kind, text in above]
        above = []
    return expected


def compile_client(files: list[Path], settings: list[str], modules: str, *mode: str) -> tuple[list[Diagnostic], bool]:
    """What the compiler says of a client's files, and whether it compiled them."""
    command = ["swiftc", "-parse-as-library", "-swift-version", "6", "-diagnostic-style", "llvm", "-module-name",
               "Client", "-I", modules, *settings, *mode, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True)
    found: list[Diagnostic] = []
    for line in done.stderr.split("\n"):
        match = DIAGNOSTIC.match(line)
        if match is None:
            continue
        if match["kind"] == "note":
            if found:
                found[-1].notes.append(match["text"])
        else:
            found.append(Diagnostic(match["path"] or "", int(match["line"] or 0), match["kind"], match["text"]))
    return found, done.returncode == 0


def check(path: Path, settings: list[str], modules: str) -> list[str]:
    """What is wrong with one of the programs."""
    expected = expectations(path)
    if not expected and path != SHOP:
        return [f"{path}: expects nothing of the compiler; say what with `// error: …`"]
    with tempfile.TemporaryDirectory() as folder:
        # Up to SIL: what is wrong with the flow of values between isolations is only found there.
        mode = ["-wmo", "-emit-sil", "-o", f"{folder}/out.sil"]
        found, compiled = compile_client(list({SHOP: None, path: None}), settings, modules, *mode)
    problems = [
        f"{path}:{one.line}: the compiler does not say `{one.kind}: {one.text}`"
        for one in expected if not any(one.met_by(diagnostic) for diagnostic in found)
    ]
    problems += [
        f"{diagnostic}\n    (not expected)"
        for diagnostic in found
        if Path(diagnostic.path) != path or not any(one.met_by(diagnostic) for one in expected if one.kind != "note")
    ]
    if not compiled and not any(diagnostic.kind == "error" for diagnostic in found):
        problems.append(f"{path}: the compiler fails without an error, so it has crashed")
    if compiled and any(one.kind == "error" for one in expected):
        problems.append(f"{path}: compiles")
    return problems


def long_flow() -> str:
    """A flow of actors, each with its own type, that hand A and B to one another."""
    lines = ["import ActorFlow", "struct A: Sendable {}", "struct B: Sendable {}"]
    for number in range(STEPS):
        takes, makes = ("A", "B") if number % 2 == 0 else ("B", "A")
        lines += [
            f"actor S{number}: FlowStep {{",
            f"  func proceed(_ input: {takes}, context: StepContext) async throws -> {makes} {{ {makes}() }}",
            "  func backUp(context: RollbackContext) {}",
            "}",
        ]
    lines.append('let long = Flow("long") {')
    lines += [f'  Step("s{n}") {{ S{n}() }}' if n % 2 else f'  Step("s{n}", S{n}.init)' for n in range(STEPS)]
    return "\n".join([*lines, "}", ""])


def wide_flow() -> str:
    """A flow with branches that run at the same time, each of which chooses, in each of which it is chosen again."""
    case = ['Case("small", where: { (n: Int) in n < 10 }) {', "INNER", "}", "Otherwise {", "INNER", "}"]
    inner = "Switch { " + "; ".join(
        f'Case("c{n}", where: {{ (n: Int) in n == {n} }}) {{ Step("s{n}") {{ (n: Int) in "\\(n)" }} }}'
        for n in range(BRANCHES)) + "; Otherwise { Step(\"other\") { (n: Int) in \"none\" } } }"
    outer = ["  Switch {", *("    " + line.replace("INNER", inner) for line in case), "  }"]
    kinds = ", ".join(f"{name}: String" for name in "abcdefgh"[:BRANCHES])
    return "\n".join([
        "import ActorFlow", 'let wide = Flow("wide") {', '  Step("first") { (text: String) in text.count }', "  Parallel {",
        *outer * BRANCHES, f"  }} join: {{ ({kinds}) in a + b }}", "  Loop {",
        '    Step("again") { (text: String) in Again<String, Int>.done(text.count) }', "  }", "  Race {", *outer * 2, "  }",
        "  ForEach({ (text: String) in Array(text.utf8) }) {", '    Step("byte") { (byte: UInt8) in Int(byte) }', "  }",
        "}", ""])


def seconds_to_compile(what: str, source: str, modules: str) -> tuple[float, list[str]]:
    """The median of three compilations, and what is wrong with the program."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "Timed.swift")
        file.write_text(source)
        took = []
        for _ in range(3):
            began = processor_time()
            found, compiled = compile_client([file], [], modules, "-c", "-Onone", "-o", f"{folder}/Timed.o")
            took.append(processor_time() - began)
            if not compiled or found:
                return 0, [f"{what} does not compile:", *map(str, found)]
    return statistics.median(took), []


def processor_time() -> float:
    """The processor time of all programs that this one has run, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compiles_in_time(modules: str) -> list[str]:
    long, problems = seconds_to_compile(f"a flow of {STEPS} steps", long_flow(), modules)
    wide, more = seconds_to_compile("a flow with everything that branches", wide_flow(), modules)
    if problems or more:
        return problems + more
    print(f"a flow of {STEPS} steps compiles in {long:.2f} s (at most {SECONDS})")
    print(f"a flow with everything that branches compiles in {wide:.2f} s, {wide / long:.1f} times as long (at most {RATIO})")
    if long >= SECONDS:
        problems.append(f"a flow of {STEPS} steps takes {long:.2f} s to compile; at most {SECONDS}")
    if wide / long >= RATIO:
        problems.append(f"a flow with everything that branches takes {wide / long:.1f} times as long; at most {RATIO}")
    return problems


def main() -> int:
    modules = sys.argv[1]
    features = re.findall(r'enableUpcomingFeature\("([^"]+)"', Path("Package.swift").read_text())
    ours = [part for name in features for part in ("-enable-upcoming-feature", name)]
    programs = sorted(FOLDER.glob("*.swift"))
    runs = list(itertools.product(programs, ([], ours)))
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda run: check(*run, modules), runs))
    with_settings: dict[str, list[str]] = {}
    for (_, settings), found in zip(runs, results):
        for problem in found:
            with_settings.setdefault(problem, []).append("our" if settings else "default")
    problems = [f"{problem}\n    (with {' and '.join(names)} settings)" for problem, names in with_settings.items()]
    problems += compiles_in_time(modules)
    expected = sum(len(expectations(path)) for path in programs)
    print("\n".join(problems) or f"{len(programs) - 1} programs, {expected} diagnostics, each where it should be")
    return 1 if problems else 0


sys.exit(main())
