"""Hooks of Schemathesis for `contract.py`: who sends a request, and requests that the shop has to take.

The first two requests of each operation, and about one in six of the others, are replaced by one that is prepared for it: with
a flow in the state that the operation needs, made over HTTP a moment before. The other requests stay as Schemathesis made
them, but most name flows that exist, and half of the answers have the secret digits of an open question.
"""

import hashlib
import hmac
import json
import os
import random
import time
from contextlib import contextmanager
from urllib.parse import quote

import schemathesis

from shop import Client

shop = Client(int(os.environ["SHOP_PORT"]))
data = os.environ["SHOP_DATA"]
chance = random.Random(1)
cookies = {name: shop.signed_in(name) for name in ["ann", "bob", "tom", "mia", "fay", "oli"]}
with open(os.environ["SHOP_IMPORTED"]) as file:
    imported = file.read().splitlines()

# The ids of flows that random requests name: the latest ones, because a flow that has ended refuses most.
flows = []
# Orders that may hold goods, with their customers.
reserved = []
counts = {}
arranged_cases = set()


# --- flows in the states that operations need ------------------------------------------------------------------------


def send(who, method, path, body=None, **headers):
    """Sends a request that must be taken, and returns the JSON of its response."""
    text = None if body is None else json.dumps(body)
    response = shop.request(method, path, text, cookies[who], **{"Content-Type": "application/json"}, **headers)
    if response.status >= 400:
        raise AssertionError(f"{method} {path} by {who}: {response.status} {response.text[:300]}")
    return json.loads(response.text)


def known(flow):
    flows.append(flow)
    del flows[:-40]
    return flow


def path(flow):
    return f"/flows/{quote(flow, safe='')}"


def answer_to(flow, who, value):
    """Returns the number of the question that is open for a person, and an answer to it as the site takes it."""
    question = send(who, "GET", path(flow))["questions"][0]
    return question["number"], {"question": question["question"], "revision": question["revision"], "answer": value}


def answered(flow, who, value):
    number, body = answer_to(flow, who, value)
    send(who, "POST", f"{path(flow)}/questions/{number}", body)
    return flow


POT = {"put": {"_0": "teapot", "quantity": 1}}
CART = {"customer": "ann", "lines": [{"article": "teapot", "quantity": 1, "price": 2400}]}
FETCHED = {"shipping": "pickup"}


def cart(who="ann"):
    return known(shop.started("checkout", {}, cookies[who]))


def delivery(who="ann"):
    return answered(answered(cart(who), who, POT), who, {"order": {}})


def payment(who="ann"):
    """An order that holds goods. Early ones are given up, for the shop has forty pots."""
    while len(reserved) > 12:
        early, customer = reserved.pop(0)
        shop.request("POST", f"{path(early)}/abandon", "{}", cookies[customer], **{"Content-Type": "application/json"})
    flow = answered(delivery(who), who, FETCHED)
    reserved.append((flow, who))
    return flow


def ordered():
    """A flow that asks for the delivery, and holds goods when that is answered."""
    flow = delivery()
    reserved.append((flow, "ann"))
    return flow


def expense():
    return known(shop.started("expense", {"purpose": "a train", "euros": 12}, cookies["tom"]))


def approved():
    return answered(expense(), "mia", {"isApproved": True, "comment": "fine"})


def ended(who="ann"):
    flow = cart(who)
    send(who, "POST", f"{path(flow)}/abandon", {"reason": "changed my mind"})
    return flow


def suspended():
    """A flow that comes from another store waits for an operator."""
    return known(send("oli", "POST", "/admin/import", {"flow": json.loads(imported.pop()), "reason": "moved"})["id"])


@contextmanager
def broken_warehouse():
    """The warehouse cannot write its file meanwhile, so no reservation is given back."""
    file = os.path.join(data, "warehouse.json")
    os.rename(file, file + ".aside")
    os.mkdir(file)
    try:
        yield
    finally:
        os.rmdir(file)
        os.rename(file + ".aside", file)


def half_rolled_back():
    """A flow that was abandoned, and whose reservation could not be given back."""
    flow = payment()
    with broken_warehouse():
        send("ann", "POST", f"{path(flow)}/abandon", {"reason": "too dear"})
    return flow


# --- requests that the shop has to take ------------------------------------------------------------------------------


class Order:
    """A request: by a person, about a flow."""

    def __init__(self, who, flow=None, body=None, query=None, headers=None, **parameters):
        self.who, self.body, self.query, self.headers = who, body, query or {}, headers or {}
        self.parameters = ({} if flow is None else {"id": flow}) | parameters


def answer():
    flow, who, value = chance.choice(
        [
            lambda: (cart(), "ann", POT), lambda: (answered(cart(), "ann", POT), "ann", {"order": {}}),
            lambda: (ordered(), "ann", {"shipping": "express", "street": "Main St 1", "city": "Bern"}),
            lambda: (payment(), "ann", "cancel"), lambda: (expense(), "mia", {"isApproved": False, "comment": "by bus"}),
            lambda: (approved(), "fay", {"account": "travel"}),
        ])()
    number, body = answer_to(flow, who, value)
    return Order(who, flow, body, number=str(number))


def back():
    flow = delivery()
    question = send("ann", "GET", path(flow))["questions"][0]["question"]
    return Order("ann", flow, {"question": question, "reason": "more tea"})


def signal():
    """The bank's word about the payment of an order, with its signature."""
    flow = payment()
    with open(os.path.join(data, "bank.json")) as file:
        books = json.load(file)
    bill = next(bill["id"] for bill in books["payments"].values() if bill["order"] == flow)
    body = json.dumps({"payment": bill, "order": flow, "isPaid": chance.random() < 0.3}).encode()
    now = int(time.time())
    code = hmac.new(books["secret"].encode(), f"{now}.".encode() + body, hashlib.sha256).hexdigest()
    return Order("ann", body=body, headers={"Bank-Signature": f"t={now},v1={code}"})


def of_bob(operation, make, **values):
    """A request for all flows of bob, one of which is in the state that the operation needs."""
    make("bob")
    body = {"query": {"label": "owner=bob"}, "limit": 20, "apply": chance.random() < 0.8} | values
    return Order("oli", body=body if operation == "note" else body | {"reason": "asked for"})


def operate(make, **values):
    return lambda: Order("oli", make(), {"reason": "asked for"} | values)


ORDERS = {
    "POST /flows/checkout": lambda: Order("ann", body={}),
    "POST /flows/expense": lambda: Order("tom", body={"purpose": "a room", "euros": 99.5}),
    "GET /flows/{id}": lambda: Order("ann", chance.choice([cart, delivery, payment, ended])()),
    "POST /flows/{id}/questions/{number}": answer,
    "POST /flows/{id}/back": back,
    "POST /flows/{id}/abandon": lambda: Order("ann", chance.choice([cart, payment])(), {"reason": "no longer"}),
    "GET /flows/{id}/history": lambda: Order("mia", approved()),
    "GET /flows/{id}/diagram": lambda: Order("ann", delivery()),
    "GET /tasks": lambda: Order("mia", query={}),
    "GET /health": lambda: Order("ann"),
    "POST /signals/payments": signal,
    "GET /admin/flows": lambda: Order("oli", query={"status": "waiting,suspended", "limit": "5"}),
    "GET /admin/flows/{id}": lambda: Order("oli", chance.choice([payment, suspended, ended, half_rolled_back])()),
    "GET /admin/flows/{id}/history": lambda: Order("oli", approved(), query={"after": "1", "limit": "3"}),
    "GET /admin/flows/{id}/diagram": lambda: Order("oli", delivery()),
    "GET /admin/tasks": lambda: Order("oli", query={"assignee": "managers"}),
    "GET /admin/plan": lambda: Order("oli"),
    "GET /admin/counts": lambda: Order("oli", query={"definition": "checkout"}),
    "GET /admin/export": lambda: Order("oli", query={"limit": "5"}),
    "POST /admin/import": lambda: Order("oli", body={"flow": json.loads(imported.pop()), "reason": "moved"}),
    "POST /admin/flows/{id}/retry": operate(suspended),
    "POST /admin/flows/{id}/abandon": operate(payment, rollingBack=True),
    "POST /admin/flows/{id}/note": lambda: Order("oli", expense(), {"text": "called tom"}),
    "POST /admin/flows/{id}/reassign": operate(expense, question=1, assignees=["fay"]),
    "POST /admin/flows/{id}/complete": operate(ordered, step="delivery", output={"cart": CART, "delivery": FETCHED}),
    "POST /admin/flows/{id}/enter": operate(delivery, step="delivery", input=CART),
    "POST /admin/flows/{id}/refresh": operate(expense),
    "POST /admin/flows/{id}/move": operate(suspended),
    "POST /admin/flows/{id}/compensate": operate(half_rolled_back),
    "POST /admin/flows/{id}/redact": operate(ended, labels=["owner"], principals=["ann"]),
    "POST /admin/retry": lambda: of_bob("retry", cart),
    "POST /admin/abandon": lambda: of_bob("abandon", cart),
    "POST /admin/note": lambda: of_bob("note", cart, text="a kind customer"),
    "POST /admin/refresh": lambda: of_bob("refresh", cart),
    "POST /admin/move": lambda: of_bob("move", cart),
    "POST /admin/redact": lambda: of_bob("redact", ended),
    "POST /admin/purge": lambda: of_bob("purge", ended, endedBefore="2100-01-01T00:00:00Z"),
}


# --- hooks -----------------------------------------------------------------------------------------------------------


@schemathesis.hook
def map_path_parameters(context, values):
    if values and "id" in values and flows and chance.random() < 0.9:
        values = dict(values) | {"id": chance.choice(flows)}
        if "number" in values and chance.random() < 0.8:
            values["number"] = chance.choice(["1", "2", "3"])
    return values


@schemathesis.hook
def before_call(context, case, kwargs):
    label = context.operation.label
    # Requests with a method that the description does not name stay as they are.
    is_described = case.method.upper() == context.operation.method.upper()
    counts[label] = counts.get(label, 0) + is_described
    if is_described and label in ORDERS and (counts[label] <= 2 or chance.random() < 1 / 6):
        arrange(case, kwargs, ORDERS[label]())
        return
    who = "oli" if "/admin" in case.path and chance.random() < 0.9 else chance.choice(["ann", "tom", "mia"])
    case.headers = dict(case.headers or {}) | {"Cookie": cookies[who], "Origin": shop.address}
    if isinstance(case.body, dict) and "question" in case.body and flows and chance.random() < 0.5:
        show_question(case)


def arrange(case, kwargs, order):
    """Makes a request that the shop has to take of a random one."""
    case.headers = {"Cookie": cookies[order.who], "Origin": shop.address, "Accept": "application/json"} | order.headers
    case.query = order.query
    case.path_parameters = order.parameters
    case.cookies = {}
    if order.body is not None:
        kwargs["data"] = order.body if isinstance(order.body, bytes) else json.dumps(order.body).encode()
        case.headers["Content-Type"] = "application/json"
    arranged_cases.add(case.id)


def show_question(case):
    """Gives a random answer the secret digits of a question that is open."""
    flow = case.path_parameters.get("id")
    for who in ["ann", "mia"]:
        response = shop.request("GET", path(str(flow)), None, cookies[who])
        questions = json.loads(response.text).get("questions", []) if response.status == 200 else []
        for question in questions:
            if "question" in question and "number" in case.path_parameters:
                case.path_parameters["number"] = str(question["number"])
                case.body["question"], case.headers["Cookie"] = question["question"], cookies[who]
                return


@schemathesis.hook
def after_call(context, case, response):
    record = {
        "operation": context.operation.label, "status": response.status_code, "arranged": case.id in arranged_cases,
        "text": response.text[:300]}
    with open(os.environ["SHOP_OUTCOMES"], "a") as file:
        file.write(json.dumps(record) + "\n")


@schemathesis.check
def listed_status(context, response, case):
    listed = case.operation.definition.raw["responses"]
    # A method that the description does not name is refused with the methods that there are.
    if response.status_code != 405 and str(response.status_code) not in listed:
        raise AssertionError(f"the status {response.status_code} is not listed: {response.text[:300]}")
