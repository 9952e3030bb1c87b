"""Rules of this repository that no compiler checks. Prints each breach as `file:line: what is wrong`."""

import json
import re
import subprocess
import sys
from pathlib import Path

from swift_source import code_lines, repository_files

TOP_LEVEL = {"Package.swift", "Sources", "Tests", "Examples", "README.md", "CONTRIBUTING.md"}
README_LINES = 150
TEST_COMMAND = "swift test"

# The library is portable: no Foundation, no C library. Documents decode dates, URLs and data. A host knows dates, and
# its store on files calls the system: what syncs, locks and renames stands in no portable library, nor do threads.
ALLOWED_IMPORTS = {
    "Sources/ActorFlow": {"Synchronization"},
    "Sources/ActorFlowHosting": {
        "ActorFlow", "Synchronization", "FoundationEssentials", "Foundation", "Dispatch", "Glibc", "Musl", "Darwin",
    },
    "Sources/ActorFlowDocuments": {"ActorFlow", "FoundationEssentials", "Foundation"},
    "Sources/ActorFlowWeb": {"ActorFlow", "ActorFlowHosting", "FoundationEssentials", "Foundation"},
    "Sources/ActorFlowSQLite": {
        "ActorFlow", "ActorFlowHosting", "CSQLite", "Dispatch", "FoundationEssentials", "Foundation",
    },
    "Sources/ActorFlowPostgreSQL": {
        "ActorFlow", "ActorFlowHosting", "CPostgreSQL", "Dispatch", "FoundationEssentials", "Foundation", "Glibc",
        "Musl", "Darwin",
    },
}

# Unstructured tasks live in three files, which say why.
UNSTRUCTURED_TASKS = {
    "Sources/ActorFlow/Coordinator/FlowCoordinator+Tasks.swift",
    "Sources/ActorFlowHosting/Host/FlowHost+Tasks.swift",
    "Sources/ActorFlowHosting/Store/Sharded/ShardedFlowStore+Tasks.swift",
}

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|typealias|func|var|let|actor)\s+)?(\w+)"
)
FORBIDDEN = {  # in Sources: a user's mistake never traps, Sendable is never asserted, a library never prints
    r"\bfatalError\b": "traps; throw a FlowError",
    r"\bprecondition(Failure)?\b": "traps; throw a FlowError",
    r"\btry!": "traps",
    r"\bas!": "traps",
    r"@unchecked\s+Sendable": "is not Sendable by construction",
    r"\bnonisolated\s*\(\s*unsafe\s*\)": "is not Sendable by construction",
    r"\bcatch\s*\{\s*\}": "swallows an error; report it, or say with `try?` and a comment why there is nothing to do",
    r"@preconcurrency\b": "is not Sendable by construction",
    r"(?<![\w.])(debugPrint|print|dump)\s*\(": "prints from a library",
    r"\b_read\b": "is read after it was freed, optimized by Swift 6.3; write `get`, or lend the value to a closure",
}
TASK = re.compile(
    r"\bTask\s*(?:<[^{}()]*>)?\s*(?:\{|\(\s*(?:name|priority|executorPreference|operation)\s*:"
    r"|\.\s*(?:init|detached|immediate|immediateDetached)\b)"
)
# What a doc comment does not open with, and words that no comment has: a reader would look for whom they mean.
OPENING = re.compile(
    r"(What|Who|Whoever|Whose|How|Where|One|It|Its|Somebody|Someone|Nobody|Of|The same|Nil:|As above)\b"
)
PRONOUN = re.compile(r"\b(he|she|his|him|her|somebody|someone|whoever|whomever|nobody|anybody)\b", re.IGNORECASE)

# The rooms of ActorFlow, in the table of CONTRIBUTING.md: a room names only the types of the rooms in its last column.
ROOMS = Path("Sources/ActorFlow")
ROOM = re.compile(r"^\| `(\w+)` \| .* \| (.*) \|$")
DECLARED = re.compile(
    r"^(\s*)(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private|final|indirect|nonisolated)\s+)*"
    r"(?:class|struct|enum|protocol|actor|typealias|associatedtype|extension)\s+(\w+)"
)
GENERIC = re.compile(r"(?:func|init|class|struct|enum|actor|typealias)\b[^(<]*<([^()]*)>")
TYPE_NAME = re.compile(r"(?<![\w.])[A-Z]\w*")
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
DEAD_CODE = re.compile(r"^\s*#if\s+(?:false|0)\b")

problems: list[str] = []


def top_level() -> None:
    names = {path.parts[0] for path in repository_files()}
    for name in sorted(names - TOP_LEVEL):
        if not name.startswith("."):
            problems.append(f"{name}: does not belong on the top level")
    for name in sorted(TOP_LEVEL - names):
        problems.append(f"{name}: is missing")


def readme() -> None:
    path = Path("README.md")
    if not path.is_file():
        return  # said by top_level
    lines = path.read_text().split("\n")
    if len(lines) - 1 > README_LINES:
        problems.append(f"{path}:{README_LINES + 1}: {len(lines) - 1} lines; at most {README_LINES}")
    if not any(line.strip().removeprefix("$ ") == TEST_COMMAND for line in lines):
        problems.append(f"{path}: has no line `{TEST_COMMAND}`, the command that the check calls")


def upcoming_features() -> None:
    """The package manager ignores a feature whose name is mistyped."""
    printed = subprocess.run(["swiftc", "-print-supported-features"], check=True, capture_output=True, text=True)
    features = json.loads(printed.stdout)["features"]
    known = {feature["name"] for kind in features.values() for feature in kind}
    for path in repository_files("Package.swift", "Examples/*/Package.swift"):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            for name in re.findall(r'enable(?:Upcoming|Experimental)Feature\("([^"]*)"', line):
                if name not in known:
                    problems.append(f"{path}:{number}: the compiler knows no feature '{name}'")


def sources() -> None:
    for path in repository_files("Sources/*.swift"):
        allowed = next((names for root, names in ALLOWED_IMPORTS.items() if Path(root) in path.parents), None)
        for number, line in enumerate(code_lines(path.read_text()), 1):
            found = IMPORT.match(line)
            if found and allowed is not None and found[1] not in allowed:
                problems.append(f"{path}:{number}: imports {found[1]}; only {', '.join(sorted(allowed))} may be")
            for pattern, why in FORBIDDEN.items():
                if match := re.search(pattern, line):
                    problems.append(f"{path}:{number}: `{match[0]}` {why}")


def unstructured_tasks() -> None:
    rooms = ("ActorFlow", "ActorFlowHosting", "ActorFlowWeb", "ActorFlowSQLite", "ActorFlowPostgreSQL")
    for path in [path for room in rooms for path in repository_files(f"Sources/{room}/*.swift")]:
        if str(path) in UNSTRUCTURED_TASKS:
            continue
        text = "\n".join(code_lines(path.read_text()))
        for found in TASK.finditer(text):
            number = text.count("\n", 0, found.start()) + 1
            problems.append(
                f"{path}:{number}: makes an unstructured task; only {', '.join(sorted(UNSTRUCTURED_TASKS))} may"
            )


def dead_code() -> None:
    for path in repository_files("*.swift"):
        for number, line in enumerate(code_lines(path.read_text()), 1):
            if DEAD_CODE.match(line):
                problems.append(f"{path}:{number}: code that is never compiled")


def language() -> None:
    for path in repository_files("Sources/*.swift"):
        opens = True
        for number, line in enumerate(path.read_text().split("\n"), 1):
            text = line.strip()
            is_comment = text.startswith("//")
            words = text.lstrip("/").strip()
            if is_comment and opens and (found := OPENING.match(words)):
                problems.append(f"{path}:{number}: a comment opens with '{found[0]}'; open with a noun or a verb")
            if is_comment and (found := PRONOUN.search(words)):
                problems.append(f"{path}:{number}: '{found[0]}' in a comment; name the caller, step, task or host")
            opens = not is_comment


def rooms() -> None:
    allowed: dict[str, set[str]] = {}
    for line in Path("CONTRIBUTING.md").read_text().split("\n"):
        if (found := ROOM.match(line)) and (ROOMS / found[1]).is_dir():
            named = set(re.findall(r"[A-Z]\w+", found[2]))
            allowed[found[1]] = set(allowed) - named if found[2].startswith("all above") else named
    for folder in sorted(path for path in ROOMS.iterdir() if path.is_dir() and path.suffix != ".docc"):
        if folder.name not in allowed:
            problems.append(f"{folder}: is not in the table of rooms in CONTRIBUTING.md")
    files = {path: code_lines(path.read_text()) for path in repository_files(f"{ROOMS}/*.swift")}
    homes: dict[str, set[str]] = {}  # the rooms in which a type of this name stands at the top level
    own: dict[str, set[str]] = {}  # all names that a room declares, nested and generic ones too
    for path, lines in files.items():
        room = path.relative_to(ROOMS).parts[0]
        for line in lines:
            if found := DECLARED.match(line):
                if " extension " not in f" {line}":
                    own.setdefault(room, set()).add(found[2])
                    if not found[1] and "private" not in line[: found.start(2)]:
                        homes.setdefault(found[2], set()).add(room)
            if found := GENERIC.search(line):
                own.setdefault(room, set()).update(re.findall(r"\b[A-Z]\w*", found[1].replace("any ", "")))
    for path, lines in files.items():
        room = path.relative_to(ROOMS).parts[0]
        for number, line in enumerate(lines, 1):
            for name in sorted(set(TYPE_NAME.findall(TEXT.sub("", line)))):
                rooms_of_name = homes.get(name, set())
                if rooms_of_name and name not in own.get(room, set()) and not rooms_of_name & allowed.get(room, set()):
                    problems.append(f"{path}:{number}: names {name} of {', '.join(sorted(rooms_of_name))}")


for rule in (language, rooms, top_level, readme, upcoming_features, sources, unstructured_tasks, dead_code):
    rule()
print("\n".join(problems) or "every rule is kept")
sys.exit(1 if problems else 0)
