"""Every public symbol is found from the documentation's pages: `topics.py GRAPH.symbols.json…`.

1. A type, also one inside another, and a function of a module stand in a `## Topics` list of the module's catalog,
   `Sources/MODULE/MODULE.docc`.
2. The members of a type with more than MANY functions and initializers stand in such a list, grouped by what they are
   for: on the type's own page in `Symbols`, or by their paths. DocC lists the members of a smaller type by itself.
3. A page of a type that lists members lists all of them.

Not counted are operators, what serves a protocol of the standard library, defaults of requirements, which stand at these,
and the members of result builders, which the compiler calls. An entry that names nothing is found by the stage `docs`.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

MANY = 7
TYPES = {"swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.typealias", "swift.actor"}
VERBS = {"swift.method", "swift.type.method", "swift.init", "swift.func", "swift.subscript"}
LINK = re.compile(r"^\s*[-*] ``(.+)``\s*$")
TITLE = re.compile(r"^# ``(.+)``\s*$")
SUFFIX = re.compile(r"-(?:\(|->|[0-9a-z]{4,6}$|swift\.|method$|property$|init$|type\.).*$")  # tells overloads apart
SERVING = {"description", "hash(into:)", "init(from:)", "encode(to:)"}

Path_ = tuple[str, ...]


def pages(module: str) -> set[Path_]:
    """The types that have a page of their own."""
    titles = (TITLE.match(page.read_text().split("\n", 1)[0]) for page in
              sorted(Path(f"Sources/{module}/{module}.docc").rglob("*.md")))
    return {tuple(title[1].split("/")) for title in titles if title}


def listed(catalog: Path, module: str) -> Counter[Path_]:
    """How often a symbol's path stands in the catalog's lists; overloads have one path and an entry each."""
    found: set[tuple[Path_, str]] = set()
    for page in sorted(catalog.rglob("*.md")):
        here: Path_ = ()
        in_topics = False
        for line in page.read_text().split("\n"):
            if (title := TITLE.match(line)) and title[1] != module:
                here = tuple(title[1].split("/"))
            elif line.startswith("## "):
                in_topics = line.strip() == "## Topics"
            elif in_topics and (link := LINK.match(line)):
                # A suffix may hold slashes of no path, so it goes first.
                name = SUFFIX.sub("", link[1])
                path = tuple(name.split("/"))
                found.add((path if path[: len(here)] == here and here else here + path, link[1]))
    return Counter(path for path, _ in found)


def symbols(graph: Path) -> tuple[str, list[tuple[Path_, str, str]]]:
    """The module, and of each symbol its path, its kind and where it is declared."""
    content = json.loads(graph.read_text())
    kept = []
    builders = {
        tuple(symbol["pathComponents"]) for symbol in content["symbols"]
        if any(part["spelling"] == "@resultBuilder" for part in symbol.get("declarationFragments", []))
    }
    defaults = {link["source"] for link in content["relationships"] if link["kind"] == "defaultImplementationOf"}
    for symbol in content["symbols"]:
        path, kind = tuple(symbol["pathComponents"]), symbol["kind"]["identifier"]
        precise = symbol["identifier"]["precise"]
        if "location" not in symbol or "::SYNTHESIZED::" in precise or precise in defaults:
            continue
        if kind == "swift.func.op" or path[-1] in SERVING or path[:-1] in builders:
            continue
        source = Path(symbol["location"]["uri"].removeprefix("file://"))
        where = source.relative_to(Path.cwd()) if source.is_relative_to(Path.cwd()) else source
        kept.append((path, kind, f"{where}:{symbol['location']['position']['line'] + 1}"))
    return content["module"]["name"], kept


def main() -> int:
    problems, counted = [], 0
    for graph in map(Path, sys.argv[1:]):
        module, declared = symbols(graph)
        lists = listed(Path(f"Sources/{module}/{module}.docc"), module)
        verbs = Counter(path[:-1] for path, kind, _ in declared if kind in VERBS)
        grouped = {path[:-1] for path, kind, _ in declared if lists[path] and kind not in TYPES}
        places: dict[Path_, list[str]] = defaultdict(list)
        for path, kind, where in declared:
            outer = path[:-1]
            if not outer or kind in TYPES or verbs[outer] > MANY or (outer in grouped and outer in pages(module)):
                places[path].append(where)
        counted += sum(map(len, places.values()))
        for path, wheres in places.items():
            if lists[path] < len(wheres):
                overloads = f" ({len(wheres)} overloads, {lists[path]} listed)" if len(wheres) > 1 else ""
                problems.append(f"{min(wheres)}: {module} has {'/'.join(path)} under no Topics{overloads}")
    print("\n".join(sorted(problems)) or f"{counted} symbols that a reader looks for, each under Topics")
    if counted == 0:
        print("no public symbol found: the symbol graphs are empty")
    return 1 if problems or counted == 0 else 0


sys.exit(main())
