"""Compares the shop with its description: `contract.py SHOP [EXAMPLES]`, with the path of the program and, for a longer run,
the greatest number of random requests for an operation.

Schemathesis makes requests from `/openapi.json`, also ones that the description forbids. No response may have the status
500 or above, nor one that the description of its operation does not list. About one request in six is one that the shop has
to take: `contract_hooks.py` makes them. Each operation has to be taken once at least.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from shop import Shop

CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
    "listed_status",
]
# The operations that this script does not send, or that the shop never takes, each with the reason.
LEFT_OUT = {
    "GET /flows/{id}/events": "a stream ends when its client does: it is left to the tests",
}


def exported(program, count):
    """Returns the lines of this many flows that a server made, and the tool exported from its store."""
    with Shop(program) as shop:
        cookie = shop.signed_in("ann")
        for _ in range(count):
            shop.started("checkout", {}, cookie)
        shop.kill()
        tool = Path(program).with_name("actorflow")
        return subprocess.check_output([tool, "export", "--store", os.path.join(shop.data, "flows")], text=True)


def main():
    program = sys.argv[1]
    examples = sys.argv[2] if len(sys.argv) > 2 else "4"
    # Each is imported once. Four operations need one, and each of them gets some fifty requests beside the random ones.
    lines = exported(program, 80 + 8 * int(examples))
    with Shop(program) as shop, tempfile.TemporaryDirectory() as folder:
        imported, outcomes, described = (Path(folder, name) for name in ["imported", "outcomes", "openapi.json"])
        imported.write_text(lines)
        outcomes.touch()
        described.write_text(shop.request("GET", "/openapi.json", cookie=shop.signed_in("ann")).text)
        environment = os.environ | {
            "SCHEMATHESIS_HOOKS": "contract_hooks", "PYTHONPATH": str(Path(__file__).resolve().parent),
            "SHOP_PORT": str(shop.port), "SHOP_DATA": shop.data, "SHOP_IMPORTED": str(imported),
            "SHOP_OUTCOMES": str(outcomes)}
        status = subprocess.call(
            [
                str(Path(sys.executable).with_name("st")), "run", str(described), "--url", shop.address, "--checks",
                ",".join(CHECKS), "--max-examples", examples, "--seed", "1", "--request-timeout", "20",
                "--exclude-path-regex", "events$", "--no-color", "--warnings", "off",
            ], env=environment, cwd=folder)
        records = [json.loads(line) for line in outcomes.read_text().splitlines()]
        if status or not shop.is_running():
            sys.exit(f"the shop is not what it says:\n{shop.log()}")
        judge(records, operations(json.loads(described.read_text())))


def operations(description):
    return {f"{method.upper()} {path}" for path, methods in description["paths"].items() for method in methods}


def judge(records, described):
    """Prints how many requests and operations were taken, and fails if one was not that had to be."""
    taken = {record["operation"] for record in records if record["status"] < 400}
    arranged = [record for record in records if record["arranged"]]
    print(
        f"{len(taken & described)} of {len(described)} operations were taken, in {sum(r['status'] < 400 for r in records)} of "
        f"{len(records)} requests; {len(arranged)} of them had to be taken")
    for operation, reason in LEFT_OUT.items():
        print(f"left out: {operation}: {reason}")
    refused = [record for record in arranged if record["status"] >= 400]
    for record in refused:
        print(f"refused: {record['operation']}: {record['status']} {record['text']}")
    missing = sorted(described - taken - LEFT_OUT.keys())
    if missing:
        print(f"never taken: {', '.join(missing)}")
    outdated = sorted(LEFT_OUT.keys() - described | LEFT_OUT.keys() & taken)
    if outdated:
        print(f"left out for nothing: {', '.join(outdated)}")
    if refused or missing or outdated:
        sys.exit("the shop refused what it has to take, or was not asked")


if __name__ == "__main__":
    main()
