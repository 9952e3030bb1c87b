"""Lists public symbols without a doc comment of their own: `documented.py GRAPH.symbols.json…`.

Counted is what our sources declare, also a `==` or `description` that serves a protocol. What the compiler makes up (a
synthesised `init(from:)`) stands in no file and is not counted; nor is a comment inherited from a protocol.
"""

import json
import sys
from pathlib import Path

missing: set[str] = set()
counted = 0
for graph in sys.argv[1:]:
    symbols = json.loads(Path(graph).read_text())
    module = symbols["module"]["name"]
    for symbol in symbols["symbols"]:
        if "location" not in symbol or "::SYNTHESIZED::" in symbol["identifier"]["precise"]:
            continue
        counted += 1
        comment = symbol.get("docComment")
        if comment is None or comment.get("module") != module:
            path = Path(symbol["location"]["uri"].removeprefix("file://"))
            line = symbol["location"]["position"]["line"] + 1
            where = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
            missing.add(f"{where}:{line}: {'.'.join(symbol['pathComponents'])} has no doc comment")

print("\n".join(sorted(missing)) or f"{counted} public symbols, each with a doc comment")
if counted == 0:
    print("no public symbol found: the symbol graphs are empty")
sys.exit(1 if missing or counted == 0 else 0)
