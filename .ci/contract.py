"""Compares the shop with its description: `contract.py SHOP`, with the path of the program.

Schemathesis makes requests from `/openapi.json`, also ones that the description forbids. No response may have the status
500 or above, nor one that the description of its operation does not list. Most requests name flows that exist.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from shop import Shop

HOOKS = '''
import os, random, schemathesis

flows = os.environ["FLOWS"].split()
chance = random.Random(1)

@schemathesis.hook
def map_path_parameters(context, values):
    if values and "id" in values and chance.random() < 0.9:
        values = dict(values) | {"id": chance.choice(flows)}
        if "number" in values and chance.random() < 0.8:
            values["number"] = chance.choice([1, 2, 3])
    return values

@schemathesis.check
def listed_status(context, response, case):
    listed = case.operation.definition.raw["responses"]
    # A method that the description does not name is refused with the methods that there are.
    if response.status_code != 405 and str(response.status_code) not in listed:
        raise AssertionError(f"the status {response.status_code} is not listed: {response.text[:300]}")
'''

CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
    "listed_status",
]


def main():
    with Shop(sys.argv[1]) as shop, tempfile.TemporaryDirectory() as folder:
        Path(folder, "shop_hooks.py").write_text(HOOKS)
        for name, definition, value in [
            ("ann", "checkout", {"customer": "ann"}), ("tom", "expense", {"purpose": "a train", "euros": 12})]:
            cookie = shop.signed_in(name)
            flows = [shop.started(definition, value, cookie) for _ in range(5)]
            environment = os.environ | {
                "SCHEMATHESIS_HOOKS": "shop_hooks", "PYTHONPATH": folder, "FLOWS": " ".join(flows)}
            # A stream of events ends when the client does, so it is left to the tests.
            status = subprocess.call(
                [
                    str(Path(sys.executable).with_name("st")), "run", f"{shop.address}/openapi.json", "--header",
                    f"Cookie: {cookie}", "--header", f"Origin: {shop.address}", "--checks", ",".join(CHECKS),
                    "--max-examples", "20", "--seed", "1", "--request-timeout", "10", "--exclude-path-regex", "events$",
                    "--no-color",
                ], env=environment, cwd=folder)
            if status or not shop.is_running():
                sys.exit(f"the shop is not what it says to {name}:\n{shop.log()}")


main()
