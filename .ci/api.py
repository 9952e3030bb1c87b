"""Compares what is public with the listing in `.ci/api`: `api.py [--write] GRAPH.symbols.json…`.

`.ci/api/MODULE.txt` has a line for each public symbol and for each conformance of a public type:

    FlowCoordinator.backUp(to:): func backUp(to: StepID? = nil) async throws
    StepID: conforms to Sendable

The check passes if and only if listing and code agree. It does not know the commit before: a reader of a commit sees
the lines that it removes. A break changes the listing in its own commit and has an entry on the page Changes.

A line has the path, attributes, `async`, `throws`, defaults, generic constraints, and `requirement` if a protocol
requires the symbol. It does not depend on doc comments, places in files, internal parameter names, nor on additions of
the compiler (a synthesized `init(from:)`, `Copyable`). Symbols that are unavailable have no line, nor have attributes
that symbol graphs do not know (`@inlinable`, `@_disfavoredOverload`, `nonisolated` of an async member).

An added line can be a break, too: a case of an enum that is not `@nonexhaustive`, or a requirement without a default.
"""

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

LISTING = Path(".ci/api")
CHANGES = "Sources/ActorFlow/ActorFlow.docc/Changes.md"
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}  # every type conforms, or every type that is Sendable
OPERATORS = {"conformance": ":", "superclass": ":", "sameType": "=="}
SAID_BY_SOME = re.compile(r"\(some .+>\)\.\w+")  # `some P<A>` says already what A is


def constraints(listed: list[dict], known: str) -> list[str]:
    """The constraints that `known` does not say already."""
    found = set()
    for one in listed:
        left, right = one["lhs"], one["rhs"]
        said = {f"{left} {OPERATORS[one['kind']]} {right}", f"{right} {OPERATORS[one['kind']]} {left}"}
        if right in IMPLIED or left.startswith("some "):
            continue
        if any(map(SAID_BY_SOME.fullmatch, (left, right))):
            continue
        if not any(re.search(rf"(?<![\w.]){re.escape(form)}(?![\w.])", known) for form in said):
            found.add(f"{left} {OPERATORS[one['kind']]} {right}")
    return sorted(found)


def where(text: str, more: list[str]) -> str:
    return text + (", " if " where " in text else " where ") * bool(more) + ", ".join(more)


def declaration(symbol: dict, outer: str, required: bool) -> str:
    """The declaration without internal parameter names. `outer` is what the types around it say about generics."""
    parts, is_named = [], False  # named by the label in front, which is not so in an operator
    for part in symbol["declarationFragments"]:
        if part["kind"] == "internalParam":
            parts[-1:] = [parts[-1].rstrip()] if is_named else [parts[-1], "_"]
        else:
            parts.append(part["spelling"])
        is_named = part["kind"] == "externalParam" or (is_named and not part["spelling"].strip())
    text = " ".join("".join(parts).split())
    listed = symbol.get("swiftGenerics", {}).get("constraints", [])
    listed = listed + symbol.get("swiftExtension", {}).get("constraints", [])
    text = where(text, constraints(listed, f"{outer} {text}"))
    available = [
        " ".join([version["domain"]] + sorted(key for key in version if key not in ("domain", "message")))
        for version in symbol.get("availability", [])
    ]
    words = [f"@available({one})" for one in sorted(available)]
    words += ["open"] * (symbol["accessLevel"] == "open") + ["requirement"] * required
    return " ".join([*words, text])


def lines(graph: dict) -> set[str]:
    """A graph's part of the listing."""
    symbols = [
        one for one in graph["symbols"]
        if "location" in one and "::SYNTHESIZED::" not in one["identifier"]["precise"]
    ]
    if not symbols:
        return set()
    paths = {one["identifier"]["precise"]: ".".join(one["pathComponents"]) for one in symbols}
    required = {link["source"] for link in graph["relationships"] if "equirementOf" in link["kind"]}
    generics = {
        path: ", ".join(constraints(one.get("swiftGenerics", {}).get("constraints", []), ""))
        for one in symbols if (path := paths[one["identifier"]["precise"]])
    }

    def outer(path: list[str]) -> str:
        return ", ".join(generics.get(".".join(path[:depth]), "") for depth in range(1, len(path) + 1))

    found = set()
    for one in symbols:
        precise = one["identifier"]["precise"]
        found.add(f"{paths[precise]}: {declaration(one, outer(one['pathComponents'][:-1]), precise in required)}")

    conditions: dict[tuple[str, str], set[str]] = defaultdict(set)
    for link in graph["relationships"]:
        protocol = paths.get(link["target"]) or link.get("targetFallback", link["target"]).split(".", 1)[-1]
        if link["kind"] in ("conformsTo", "inheritsFrom") and protocol not in IMPLIED:
            path = paths.get(link["source"], link["source"])
            more = constraints(link.get("swiftConstraints", []), outer(path.split(".")))
            conditions[path, protocol].add(where(f"{path}: conforms to {protocol}", more))
    for alternatives in conditions.values():
        always = {line for line in alternatives if " where " not in line}
        found |= always or alternatives
    return found


def order(line: str) -> tuple[list[str], bool, str]:
    """A type, its conformances, its members."""
    path, text = line.split(": ", 1)
    return path.split("."), text.startswith("conforms to "), text


def difference(module: str, committed: list[str], found: list[str]) -> tuple[int, int]:
    """Prints what differs. Returns the number of breaks, and the number of additions."""
    changed: dict[tuple[list[str], bool], list[str]] = defaultdict(list)
    for sign, here, there in (("-", committed, found), ("+", found, committed)):
        for line in sorted(set(here) - set(there), key=order):
            path, text = line.split(": ", 1)
            changed[path, text.startswith("conforms to ")].append(f"  {sign} {text}")
    breaks = 0
    for (path, is_conformance), texts in sorted(changed.items()):
        signs = {text[2] for text in texts}
        is_break = "-" in signs
        breaks += is_break
        what = "changed" if signs == {"-", "+"} else "removed" if is_break else "added"
        subject = f"{module}: {path}{', its conformances' * is_conformance}"
        print(f"{subject}: {what}{', a break' * is_break}", *texts, sep="\n")
    return breaks, len(changed) - breaks


def main() -> int:
    arguments = sys.argv[1:]
    write = "--write" in arguments
    modules: dict[str, set[str]] = defaultdict(set)
    for graph in arguments:
        if graph != "--write":
            content = json.loads(Path(graph).read_text())
            modules[content["module"]["name"]] |= lines(content)
    if not modules or not all(modules.values()):
        print("no public symbol found: the symbol graphs are empty")
        return 1

    breaks = additions = 0
    for module, found in sorted(modules.items()):
        file = LISTING / f"{module}.txt"
        if write:
            file.parent.mkdir(exist_ok=True)
            file.write_text("".join(f"{line}\n" for line in sorted(found, key=order)))
            continue
        committed = file.read_text().splitlines() if file.exists() else []
        more = difference(module, committed, sorted(found, key=order))
        breaks, additions = breaks + more[0], additions + more[1]
        if not any(more) and committed != sorted(found, key=order):
            print(f"{file}: the lines are not in order, or stand there twice")
            additions += 1
    left_over = sorted({file.stem for file in LISTING.glob("*.txt")} - set(modules))
    for module in left_over:
        print(f"{LISTING / module}.txt: no symbol graph is called {module}")

    if breaks:
        print(f"breaks: {breaks}; list each in {CHANGES} with its remedy, in the commit of the new listing")
    if additions:
        print(f"additions: {additions}; commit the new listing with them; a new case or requirement can be a break")
    if breaks or additions:
        print("`ACTORFLOW_API=write .ci/run api` writes the listing")
    elif not left_over:
        count = sum(map(len, modules.values()))
        print(f"{count} public symbols and conformances, {'written' if write else 'as listed'} in {LISTING}")
    return 1 if breaks or additions or left_over else 0


sys.exit(main())
