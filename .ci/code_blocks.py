"""Every Swift block in the documentation is compiled code.

Looked at are the fenced blocks in Markdown files and in doc comments of Sources and Examples. A block must stand in a
Swift file that is compiled: in Sources, Examples or Tests, most easily in Tests/ActorFlowTests/Snippets. Indentation
may differ, and the file may have other lines where the block has an empty one, so that a block can show two types and
a line that uses them without the function around it. Comments count: they are part of what a reader believes.

A block that shows what does *not* compile stands in Tests/Misuse, with the `// error: …` that the misuse stage checks.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from swift_source import code_lines, repository_files

FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*([\w+-]*)")
DOC_COMMENT = re.compile(r"^\s*///( ?)")
SAID_BY_THE_COMPILER = re.compile(r"// (error|warning): ")
MISUSE = Path("Tests/Misuse")

Line = tuple[int, str]  # indentation, and the text without it


@dataclass
class Block:
    path: Path
    number: int  # of the line after the fence
    language: str
    lines: list[str]

    def paragraphs(self) -> list[tuple[int, list[Line]]]:
        """What stands between empty lines, each with the number of its first line."""
        found: list[tuple[int, list[Line]]] = []
        fresh = True
        for number, line in enumerate(self.lines, self.number):
            if not line.strip():
                fresh = True
                continue
            if fresh:
                found.append((number, []))
                fresh = False
            found[-1][1].append(split(line))
        return found


def split(line: str) -> Line:
    text = line.strip()
    return len(line) - len(line.lstrip()), text


def blocks(path: Path, lines: list[str]) -> list[Block]:
    """The fenced blocks of a text. `None` for a line that does not belong to the text ends it, and any open block."""
    found: list[Block] = []
    fence = None
    for number, line in enumerate(lines, 1):
        match = FENCE.match(line or "")
        if fence is None and match:
            fence = match[1]
            found.append(Block(path, number + 1, match[2].lower(), []))
        elif fence is not None and (line is None or line.strip() == fence):
            fence = None
        elif fence is not None:
            found[-1].lines.append(line)
    return found


def doc_comments(text: str) -> list[str | None]:
    return [DOC_COMMENT.sub("", line) if DOC_COMMENT.match(line) else None for line in text.split("\n")]


def compiled_lines(path: Path) -> list[Line]:
    """A file's lines, without those inside a block comment or a string: nothing there was compiled."""
    text = path.read_text()
    kept = []
    for raw, code in zip(text.split("\n"), code_lines(text)):
        is_text = raw.strip() and not code.strip() and not raw.lstrip().startswith("//")
        kept.append((0, "") if is_text else split(raw))
    return kept


def agreement(paragraph: list[Line], lines: list[Line], begin: int) -> int:
    """How many lines of the paragraph stand from `begin` on."""
    for count, (indent, text) in enumerate(paragraph):
        shift = lines[begin][0] - paragraph[0][0] if begin < len(lines) else 0
        if lines[begin + count:begin + count + 1] != [(indent + shift, text)]:
            return count
    return len(paragraph)


def missing(block: Block, files: dict[Path, list[Line]]) -> str | None:
    """None if the block stands in one of the files, else where it first differs from the nearest one."""
    nearest, where = (0, 0), f"no compiled file has its first line, `{block.paragraphs()[0][1][0][1]}`"
    for path, lines in files.items():
        begin = 0
        for count, (number, paragraph) in enumerate(block.paragraphs()):
            at = max(range(begin, len(lines) + 1), key=lambda at: agreement(paragraph, lines, at))  # the first such
            agreed = agreement(paragraph, lines, at)
            if agreed < len(paragraph):
                if (count, agreed) > nearest:
                    nearest = (count, agreed)
                    where = f"line {number + agreed}, `{paragraph[agreed][1]}`, is not in {path}"
                    if agreed:
                        where += f" at line {at + agreed + 1}"
                break
            begin = at + agreed
        else:
            return None
    return where


def main() -> int:
    swift = repository_files("Sources/*.swift", "Examples/*.swift", "Tests/*.swift", "Package.swift")
    compiled = {path: compiled_lines(path) for path in swift if MISUSE not in path.parents}
    misuse = {path: compiled_lines(path) for path in swift if MISUSE in path.parents}

    found: list[Block] = []
    for path in repository_files("*.md"):
        found += blocks(path, path.read_text().split("\n"))
    for path in repository_files("Sources/*.swift", "Examples/*.swift"):
        found += blocks(path, doc_comments(path.read_text()))

    problems = []
    checked = 0
    for block in found:
        where = f"{block.path}:{block.number}"
        if not block.language:
            problems.append(f"{where}: say the block's language: swift, console, text…")
        if block.language != "swift" or not block.paragraphs():
            continue
        checked += 1
        why = missing(block, compiled)
        if why and missing(block, misuse) is None:
            why = None
            if not any(SAID_BY_THE_COMPILER.search(line) for line in block.lines):
                why = "it does not compile, and does not show what the compiler says"
        if why:
            problems.append(f"{where}: this block is not compiled: {why}")
    print("\n".join(problems) or f"{checked} Swift blocks, all compiled")
    return 1 if problems else 0


sys.exit(main())
