#!/usr/bin/env python3
"""Checks that the Parity page and the tests agree.

Every id stands in one row of the page; a row that names a test file is backed by a test of that id in that file; an id
in the name of a test stands on the page, in a row that does not deny the test.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "Sources/ActorFlow/ActorFlow.docc/Parity.md"
TESTS = ROOT / "Tests"

ID = re.compile(r"\b(?:SC|FS|FL|RX|SF|TC|WS|WF)-\d+\b")
ROW = re.compile(rf"^\|\s*({ID.pattern})\s*\|(.*)\|\s*$")
TEST = re.compile(r"@Test\(\s*\"([^\"]*)\"")
FILE = re.compile(r"^\w+$")


def rows(text):
    """The rows of the page: the line, the id, the other cells."""
    for number, line in enumerate(text.splitlines(), start=1):
        if match := ROW.match(line):
            cells = [cell.strip() for cell in match.group(2).split("|")]
            yield number, match.group(1), cells


def tested():
    """The ids in names of tests, each with the names of its files."""
    files = {}
    for path in sorted(TESTS.rglob("*.swift")):
        for name in TEST.findall(path.read_text()):
            for found in ID.findall(name):
                files.setdefault(found, set()).add(path.stem)
    return files


def main():
    page, tests, problems, seen = PAGE.name, tested(), [], {}
    for number, scenario, cells in rows(PAGE.read_text()):
        where = f"{page}:{number}: {scenario}"
        if scenario in seen:
            problems.append(f"{where} stands in line {seen[scenario]} already")
        seen[scenario] = number
        if len(cells) != 3:
            problems.append(f"{where} has {len(cells) + 1} columns instead of 4")
        elif FILE.match(cells[2]):
            if cells[2] not in tests.get(scenario, ()):
                problems.append(f"{where} is claimed for {cells[2]}, which has no test of that name")
        elif not cells[2].startswith("— "):
            problems.append(f"{where} names neither a test file nor, after a dash, the reason why there is none")
        elif scenario in tests:
            problems.append(f"{where} gives a reason for no test, but {', '.join(sorted(tests[scenario]))} has one")
    for scenario in sorted(tests.keys() - seen.keys()):
        problems.append(f"{', '.join(sorted(tests[scenario]))}: {scenario} is tested, but has no row in {page}")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(seen)} scenarios on the page, {len(tests.keys() & seen.keys())} of them tested")
    return 1 if problems or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
