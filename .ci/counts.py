"""Counts instructions, allocations and bytes of the main figures: `counts.py [--write] [--floors] [--repeat N] [FIGURE …]`.

The figures are those of `Examples/Benchmarks`, which `.ci/run counts` builds into `.build-release`. Each is done two different numbers of
times under callgrind; the difference between the two runs, divided by the difference in numbers, is the count of one
operation. Bytes are the resident growth per flow, as the program prints it. Unlike times, none of these depends on what
else the machine does.

Fails if a count is more than 10 % above the accepted one in `.ci/counts.json`. A count that fails narrowly is taken up to
twice more, and the least totals are judged. `--write` accepts the counts of three runs. Counts accepted for another machine or compiler are not compared.
The column `start` has the counts of the core that had a lock, before an actor owned the run: the ones to come back to.

    --floors     counts the plain programs beside the figures, too, and prints the ratios
    --repeat N   takes each count N times, and prints the scatter: (largest - least) / median
"""

import argparse
import json
import os
import platform
import queue
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

PROGRAM = Path(".build-release/release/benchmarks")
ACCEPTED = Path(".ci/counts.json")
TOLERANCE = 0.10
TRIES = 3
NARROW = 0.20  # above this a count is not taken again, because the scatter is far smaller
LIMIT = 600  # seconds for one run, on a machine that is ten times as busy as usual

# The numbers of operations of the two runs.
OPERATIONS = {
    "step": (500, 4_000),
    "run8": (200, 600),
    "question": (500, 1_500),
    "backUp": (200, 600),
    "abandon5": (200, 800),
    "stepOfAnOutsideCall": (500, 1_500),
    "timeoutArmed": (500, 4_000),
    "switch": (500, 4_000),
    "loop": (500, 4_000),
    "parallel2": (200, 600),
    "action": (500, 1_500),
    "action8": (100, 300),
    # A flow with 8 questions, from its start to its end.
    "hostedAnswerMemory": (20, 80),
    "hostedAnswerHot": (20, 80),
}
FLOORS = {"step", "run8", "question", "backUp", "abandon5", "stepOfAnOutsideCall", "parallel2"}
BYTES = ["bytesPerWaitingFlow", "bytesPerRendered", "bytesPerRendered8"]
BYTES_FLOORS = {"bytesPerWaitingFlow"}
PROCESSES = 3  # for bytes; the median counts

ALLOCATIONS = re.compile(r"(?:malloc|calloc|realloc|memalign|posix_memalign|aligned_alloc)$")
CALLED = re.compile(r"cfn=\((\d+)\)(?: (.*))?$")
DEFINED = re.compile(r"fn=\((\d+)\) (.*)$")


@dataclass(frozen=True)
class Counts:
    instructions: float
    allocations: float


CORES: queue.Queue[int] = queue.Queue()
for core in sorted(os.sched_getaffinity(0)):
    CORES.put(core)


def run(command: list[str]) -> str:
    """What a command prints, pinned to a core of its own.

    Pinned, the concurrency runtime has one thread, and does not spin; and hashes are the same in each run.
    """
    core = CORES.get()
    try:
        done = subprocess.run(["taskset", "-c", str(core), *command], capture_output=True, text=True, timeout=LIMIT,
                              env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"})
    finally:
        CORES.put(core)
    if done.returncode != 0:
        raise SystemExit(f"`{' '.join(command)}` has failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def totals(figure: str, times: int, floor: bool) -> Counts:
    """The counts of a whole process."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "callgrind.out")
        run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", str(PROGRAM), "--only", figure, "--times",
             str(times), *(["--floor"] if floor else [])])
        instructions, allocations = 0, 0
        names: dict[str, str] = {}  # written where a function is named first, as caller or as callee
        callee = ""
        with out.open() as lines:
            for line in lines:
                if line.startswith("cfn="):
                    if match := CALLED.match(line):
                        callee = names.setdefault(match[1], match[2] or "")
                elif line.startswith("fn="):
                    if match := DEFINED.match(line):
                        names[match[1]] = match[2]
                elif line.startswith("calls="):
                    if ALLOCATIONS.match(callee):
                        allocations += int(line[6:].split()[0])
                elif line.startswith(("summary:", "totals:")):
                    instructions = int(line.split()[1])
    if not instructions or not allocations:
        raise SystemExit(f"callgrind has counted {instructions} instructions and {allocations} allocations of {figure}")
    return Counts(instructions, allocations)


def count(figure: str, runs: list[tuple[Counts, Counts]]) -> dict[str, float]:
    """The counts of one operation, from the least totals of both lengths.

    In some runs two threads do one of the runtime's lookups at the same time, which adds half a million instructions.
    """
    few, many = OPERATIONS[figure]

    def each(kind: str) -> float:
        return (min(getattr(more, kind) for _, more in runs) - min(getattr(less, kind) for less, _ in runs)) / (many - few)

    return {"instructions": round(each("instructions")), "allocations": round(each("allocations"), 2)}


def resident(figure: str, floor: bool = False) -> float:
    """The bytes of one flow."""
    command = [str(PROGRAM), "--only", figure, "--worker", *(["--floor"] if floor else [])]
    key = figure + (".floor" if floor else "")
    return statistics.median(json.loads(run(command))[key] for _ in range(PROCESSES))


class Sampling:
    """All samples of a figure, or of its floor."""

    def __init__(self, figure: str, floor: bool = False):
        self.figure, self.floor = figure, floor
        self.samples: list[dict[str, float]] = []
        self.runs: list[tuple[Counts, Counts]] = []

    def take(self, times: int = 1) -> "Sampling":
        for _ in range(times):
            if self.figure in BYTES:
                self.samples.append({"bytes": round(resident(self.figure, self.floor))})
            else:
                less, more = (totals(self.figure, times, self.floor) for times in OPERATIONS[self.figure])
                self.runs.append((less, more))
                self.samples.append(count(self.figure, [(less, more)]))
        return self

    @property
    def best(self) -> dict[str, float]:
        if self.figure in BYTES:
            return {"bytes": min(sample["bytes"] for sample in self.samples)}
        return count(self.figure, self.runs)


def scatter(values: list[float]) -> float:
    return (max(values) - min(values)) / statistics.median(values) if statistics.median(values) else 0.0


def exceeded(taken: dict[str, float], accepted: dict[str, float], by: float = TOLERANCE) -> list[str]:
    """The kinds of counts that are above the accepted ones by more than a tolerance."""
    return [kind for kind, value in taken.items() if kind in accepted and value > accepted[kind] * (1 + by) + 0.05]


def setting() -> dict[str, str]:
    """What the counts depend on besides the code."""
    version = re.search(r"Swift version (\S+)", run(["swiftc", "--version"]))
    return {"machine": platform.machine(), "swift": version[1] if version else "unknown"}


def main() -> int:
    parser = argparse.ArgumentParser(description="Counts instructions, allocations and bytes of the main figures.")
    parser.add_argument("figures", nargs="*", metavar="FIGURE")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--floors", action="store_true")
    parser.add_argument("--repeat", type=int, default=1, metavar="N")
    options = parser.parse_args()
    figures = options.figures or [*OPERATIONS, *BYTES]
    if unknown := [figure for figure in figures if figure not in OPERATIONS and figure not in BYTES]:
        parser.error(f"no count is called {', '.join(unknown)}")
    if not shutil.which("valgrind"):
        raise SystemExit("valgrind is needed")
    if not PROGRAM.is_file():
        raise SystemExit(
            f"{PROGRAM} is missing: swift build -c release --scratch-path .build-release --package-path Examples/Benchmarks")

    here = setting()
    stored = json.loads(ACCEPTED.read_text()) if ACCEPTED.is_file() else {"setting": here, "counts": {}}
    accepted = stored["counts"] if stored["setting"] == here else {}
    if stored["setting"] != here:
        print(f"{ACCEPTED} was written for {stored['setting']}, and this is {here}: nothing is compared")

    def sample(figure: str) -> Sampling:
        taken = Sampling(figure).take(max(options.repeat, TRIES if options.write else 1))
        before = {} if options.write else accepted.get(figure, {})
        while exceeded(taken.best, before) and not exceeded(taken.best, before, NARROW) and len(taken.samples) < TRIES:
            taken.take()
        return taken

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = dict(zip(figures, pool.map(sample, figures)))
        with_floor = [figure for figure in figures if options.floors and figure in FLOORS | BYTES_FLOORS]
        floors = dict(zip(with_floor, pool.map(lambda figure: Sampling(figure, floor=True).take().best, with_floor)))

    problems = []
    start = stored.get("start", {}) if stored["setting"] == here else {}
    print(f"{'figure':22}{'count':14}{'start':>10}{'accepted':>10}{'value':>10}{'change':>9}{'scatter':>9}{'floor':>9}{'ratio':>7}")
    for figure, taken in results.items():
        for kind, value in taken.best.items():
            before = accepted.get(figure, {}).get(kind)
            change = f"{value / before - 1:+.1%}" if before else "-"
            spread = f"{scatter([one[kind] for one in taken.samples]):.1%}" if len(taken.samples) > 1 else "-"
            floor = floors.get(figure, {}).get(kind)
            ratio = f"{value / floor:.2f}" if floor else "-"
            first = start.get(figure, {}).get(kind, "-")
            print(f"{figure:22}{kind:14}{first:>10}{before or '-':>10}{value:>10}{change:>9}{spread:>9}{floor or '-':>9}"
                  f"{ratio:>7}")
            if before is None and accepted and not options.write:
                problems.append(f"{figure}: no accepted number of {kind}; accept one with --write")
        problems += [f"{figure}: more than 10 % above the accepted number of {kind}"
                     for kind in exceeded(taken.best, accepted.get(figure, {}))]
    if options.write:
        counts = {**accepted, **{figure: taken.best for figure, taken in results.items()}}
        ACCEPTED.write_text(json.dumps({"setting": here, "start": start, "counts": counts}, indent=2) + "\n")
        return 0
    print("\n".join(problems) or "no count is above its accepted number by more than 10 %")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
