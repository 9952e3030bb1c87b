"""The other system: workflows that end in each of the ways that a workflow can end. `worker.py ADDRESS QUEUE`."""
import asyncio
import sys
from datetime import timedelta

from temporalio import workflow
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.exceptions import ApplicationError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker


@workflow.defn(name="Ship")
class Ship:
    """Ships an order, in the way that the order's `way` says."""

    @workflow.run
    async def run(self, order: dict) -> dict | None:
        way = order["way"]
        if way == "fail":
            raise ApplicationError("no stock", {"item": order["item"]}, type="OutOfStock", non_retryable=True)
        if way == "nothing":
            return None
        if way == "wait":  # until it is cancelled, terminated or timed out
            await asyncio.Future()
        if way == "again" and order["left"] > 0:
            workflow.continue_as_new({**order, "left": order["left"] - 1})
        return {"parcel": f"parcel of {order['item']}", "run": workflow.info().run_id}


async def main() -> None:
    client = await Client.connect(sys.argv[1])
    async with Worker(client, task_queue=sys.argv[2], workflows=[Ship], workflow_runner=UnsandboxedWorkflowRunner()):
        print("ready", flush=True)
        await asyncio.Future()


asyncio.run(main())
