"""Puts load on the shop: `load.py SHOP BARE [FLOWS]`, with the paths of the two programs.

Prints pages and answers per second, as wrk counts them, beside a bare route of the same HTTP server in the same run, the
memory of very many flows that wait, and the memory and the time of an event with very many idle streams. Figures are printed
and judged by hand; what fails is a request that fails.
"""

import asyncio
import json
import os
import re
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from shop import Shop

ROUNDS = 9
SECONDS = 3
CLIENTS = 8


def resident(process):
    """The memory of a process in MiB."""
    with open(f"/proc/{process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024


def processor_time(process):
    """The processor time of a process in seconds."""
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


class Bare:
    """The bare server; a context that ends with its end."""

    def __init__(self, program, size):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [program, "--port", str(self.port), "--bytes", str(size)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("the bare server does not serve") from None
                time.sleep(0.05)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


# The script that a thread of wrk runs. Each thread has one connection and a path of its own. For an answer, the response has the
# question that the next one is for; the bare route takes the same bytes, and says nothing of them.
POSTING = """
local lines, count = {}, 0
for line in io.lines(os.getenv("LOAD_PATHS")) do lines[#lines + 1] = line end

function setup(thread)
  count = count + 1
  thread:set("line", lines[count])
end

function init(args)
  path, question, revision = line:match("(%S+) (%S+) (%S+)")
  headers = {
    ["Accept"] = "application/json", ["Content-Type"] = "application/json", ["Cookie"] = os.getenv("LOAD_COOKIE"),
    ["Origin"] = os.getenv("LOAD_ORIGIN") }
end

function request()
  local body = string.format('{"question":"%s","revision":%s,"answer":%s}', question, revision, os.getenv("LOAD_ANSWER"))
  return wrk.format("POST", path, headers, body)
end

function response(status, headers, body)
  local open = body:match('"questions":%[(.*)')
  if open then
    question, revision = open:match('"question":"([^"]*)"'), open:match('"revision":(%d+)')
  end
end
"""


def wrk(port, path, *options, clients=CLIENTS, threads=1, environment=None):
    """Requests per second, and the median time of one in milliseconds."""
    output = subprocess.run(
        [
            "wrk", "--threads", str(threads), "--connections", str(clients), "--duration", f"{SECONDS}s", "--latency", *options,
            f"http://127.0.0.1:{port}{path}",
        ], capture_output=True, text=True, check=True, env=os.environ | (environment or {})).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        raise SystemExit(f"requests for {path} failed:\n{output}")
    time_each, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)\b", output).groups()
    return (
        float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]),
        float(time_each) * {"us": 0.001, "ms": 1, "s": 1_000}[unit])


def posts(port, lines, cookie, origin, folder):
    """Posts per second of as many clients as there are lines, each with its path, question and revision."""
    script, paths = os.path.join(folder, "posting.lua"), os.path.join(folder, "paths")
    with open(script, "w") as file:
        file.write(POSTING)
    with open(paths, "w") as file:
        file.writelines(" ".join(line) + "\n" for line in lines)
    return wrk(
        port, "/", "--script", script, clients=len(lines), threads=len(lines),
        environment={
            "LOAD_PATHS": paths, "LOAD_COOKIE": cookie, "LOAD_ORIGIN": origin, "LOAD_ANSWER": json.dumps(ANSWER)})


def question(shop, path, cookie):
    """The path of an answer to a cart, the question, and its revision."""
    asked = json.loads(shop.request("GET", path, None, cookie).text)["questions"][0]
    return f"{path}/questions/{asked['number']}", asked["question"], str(asked["revision"])


# Puts a pot into a cart: an answer, which the next question follows.
ANSWER = {"put": {"_0": "teapot", "quantity": 1}}


def answers(shop, bare, cookie, clients, folder):
    """Answers of clients with a cart each, beside posts of the same bytes to the bare route."""
    carts = ["/flows/" + shop.started("checkout", {"customer": "ann"}, cookie) for _ in range(clients)]
    rates, floor = [], []
    for _ in range(ROUNDS):
        lines = [question(shop, cart, cookie) for cart in carts]
        rates.append(posts(shop.port, lines, cookie, shop.address, folder))
        floor.append(posts(bare.port, [("/", *line[1:]) for line in lines], cookie, shop.address, folder))
    rate, floor_rate = (statistics.median(pair[0] for pair in pairs) for pairs in (rates, floor))
    time_each = statistics.median(pair[1] for pair in rates)
    print(
        f"answers of {clients} clients: {rate:.0f} a second, {rate / floor_rate:.3f} of {floor_rate:.0f} posts to a bare route; "
        f"{time_each:.1f} ms at the median")


class Streams:
    """Idle streams of events, each of a flow of its own."""

    def __init__(self, shop, cookie):
        self.shop, self.cookie = shop, cookie
        self.readers, self.writers = {}, []

    async def open(self, flows):
        limit = asyncio.Semaphore(64)

        async def one(flow):
            async with limit:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.shop.port, limit=1 << 14)
                writer.write(
                    f"GET /flows/{flow}/events HTTP/1.1\r\nHost: 127.0.0.1:{self.shop.port}\r\nAccept: text/event-stream\r\n"
                    f"Cookie: {self.cookie}\r\n\r\n".encode())
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
                if b" 200 " not in head.split(b"\r\n")[0]:
                    raise SystemExit(f"a stream was refused: {head[:200]!r}")
                self.readers[flow] = reader
                self.writers.append(writer)

        await asyncio.gather(*(one(flow) for flow in flows))

    async def event(self, flow):
        """Abandons a flow, and returns the milliseconds until its stream says so."""
        reader = self.readers[flow]
        while True:  # what came before
            try:
                await asyncio.wait_for(reader.read(1 << 14), 0.2)
            except TimeoutError:
                break
        began = time.monotonic()
        loop = asyncio.get_running_loop()
        reply = loop.run_in_executor(
            None, lambda: self.shop.request(
                "POST", f"/flows/{flow}/abandon", "{}", self.cookie, **{"Content-Type": "application/json"}))
        text = b""
        while b"abandoned" not in text:
            more = await asyncio.wait_for(reader.read(1 << 14), 60)
            if not more:
                raise SystemExit(f"a stream has ended without its event: {text!r}")
            text += more
        passed = 1_000 * (time.monotonic() - began)
        status = (await reply).status
        if status != 200:
            raise SystemExit(f"a flow was not abandoned: {status}")
        return passed

    def close(self):
        for writer in self.writers:
            writer.close()


async def streams(shop, cookie, flows):
    before = resident(shop.process)
    idle = Streams(shop, cookie)
    began = time.monotonic()
    await idle.open(flows)
    seconds = time.monotonic() - began
    each = 1_024 * (resident(shop.process) - before) / len(flows)
    used = processor_time(shop.process)
    await asyncio.sleep(10)
    used = processor_time(shop.process) - used
    times = [await idle.event(flow) for flow in flows[:: max(1, len(flows) // ROUNDS)][:ROUNDS]]
    idle.close()
    print(
        f"{len(flows)} idle streams: opened in {seconds:.1f} s, {each:.1f} KiB each, {used / 10:.2f} of a core while idle; an "
        f"event arrives after {statistics.median(times):.1f} ms at the median")


def main():
    shop_program, bare_program = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most < count + 1_000:
        raise SystemExit(f"{count} streams need {count + 1_000} open files; the limit is {most}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with Shop(shop_program) as shop:
        cookie = shop.signed_in("ann")
        path = "/flows/" + shop.started("checkout", {"customer": "ann"}, cookie)
        size = len(shop.request("GET", path, None, cookie, Accept="text/html").text.encode())
        with Bare(bare_program, size) as bare:
            pages, floor = [], []
            for _ in range(ROUNDS):
                pages.append(wrk(shop.port, path, "--header", f"Cookie: {cookie}")[0])
                floor.append(wrk(bare.port, "/")[0])
            rate, bare_rate = statistics.median(pages), statistics.median(floor)
            print(f"a page of {size} bytes: {rate:.0f} a second, {rate / bare_rate:.3f} of {bare_rate:.0f} of a bare route")
            with tempfile.TemporaryDirectory() as folder:
                for clients in (1, CLIENTS):
                    answers(shop, bare, cookie, clients, folder)
        before = resident(shop.process)
        began = time.monotonic()
        flows = [shop.started("checkout", {"customer": "ann"}, cookie) for _ in range(count)]
        seconds = time.monotonic() - began
        print(
            f"{count} waiting flows: started in {seconds:.0f} s, {1_024 * (resident(shop.process) - before) / count:.2f} KiB "
            f"each; the process has {resident(shop.process):.0f} MiB")
        asyncio.run(streams(shop, cookie, flows))
        if not shop.is_running():
            raise SystemExit(f"the shop has ended:\n{shop.log()}")


if __name__ == "__main__":
    main()
