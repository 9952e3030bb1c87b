"""Prints `compileFlow40`, the compiler's CPU time for a flow: `compile_flow.py MODULES [BEFORE]`.

The figure is the CPU time of `swiftc -O -wmo` for a file with 40 actor steps and their flow, less that for the same file
without the flow; the median of five. MODULES is the folder of the built modules, `.build/release/Modules` after
`swift build -c release`. BEFORE is that of an older state, which is compiled in turn with the first; then the ratio is
printed as well, of which the goal is at most a half. It is a time, so it is judged by hand on a quiet machine.
"""

import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

STEPS = 40
ROUNDS = 5
GOAL = 0.5


def source(with_flow: bool) -> str:
    """A file of actors, each with its own type."""
    lines = ["import ActorFlow"]
    for number in range(STEPS):
        lines += [
            f"actor S{number}: FlowStep {{",
            "  func proceed(_ input: Int, context: StepContext) async throws -> Int { input + 1 }",
            "  func backUp(context: RollbackContext) {}",
            "}",
        ]
    if with_flow:  # public, or the optimizer would remove it
        lines += ["public func makeFlow() -> Flow<Int, Int> {", '  Flow("flow") {',
                  *(f'    Step("s{n}") {{ S{n}() }}' for n in range(STEPS)), "  }", "}"]
    return "\n".join([*lines, ""])


def cpu_seconds(modules: str, with_flow: bool) -> float:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "Flow.swift")
        file.write_text(source(with_flow))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["swiftc", "-parse-as-library", "-swift-version", "6", "-module-name", "Client", "-I", modules,
                        "-O", "-wmo", "-c", str(file), "-o", f"{folder}/Flow.o"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main() -> int:
    folders = sys.argv[1:]
    if len(folders) not in (1, 2) or not all(Path(folder, "ActorFlow.swiftmodule").exists() for folder in folders):
        print(__doc__)
        return 64
    times: dict[str, list[float]] = {folder: [] for folder in folders}
    for _ in range(ROUNDS):
        for folder in folders:
            times[folder].append(cpu_seconds(folder, with_flow=True) - cpu_seconds(folder, with_flow=False))
    medians = [statistics.median(times[folder]) for folder in folders]
    for folder, median in zip(folders, medians):
        print(f"compileFlow40: {median:.3f} s of CPU, {median / STEPS * 1000:.1f} ms a step ({folder})")
    if len(folders) == 2:
        print(f"ratio: {medians[0] / medians[1]:.2f} (goal: at most {GOAL})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
