"""The server of Examples/Shop, for the checks of the stage `shop`: started on a free port, killed, and started again."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse


class Client:
    """Sends requests to a server on this machine."""

    def __init__(self, port):
        self.port = port
        self.address = f"http://127.0.0.1:{port}"

    def request(self, method, path, body=None, cookie=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Origin": self.address, "Accept": "application/json"} | headers
        if cookie:
            headers["Cookie"] = cookie
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        response.text = response.read().decode()
        connection.close()
        return response

    def signed_in(self, name):
        """Signs a person in, and returns the cookie."""
        form = urllib.parse.urlencode({"name": name, "password": "demo"})
        response = self.request("POST", "/login", form, **{"Content-Type": "application/x-www-form-urlencoded"})
        return response.headers["Set-Cookie"].partition(";")[0]

    def started(self, definition, value, cookie):
        """Starts a flow, and returns its id."""
        response = self.request("POST", f"/flows/{definition}", json.dumps(value), cookie, **{"Content-Type": "application/json"})
        if response.status != 201:
            raise SystemExit(f"{definition} was not started: {response.status} {response.text}")
        return json.loads(response.text)["id"]


class Shop(Client):
    """A server with a folder of its own; a context that ends with the server's end."""

    def __init__(self, program):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            super().__init__(free.getsockname()[1])
        self.program = program
        self.folder = tempfile.mkdtemp()
        self.data = os.path.join(self.folder, "data")
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder)

    def start(self):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "--port", str(self.port), "--data", self.data, "--prices-every", "0"],
                stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while True:
            try:
                if self.request("GET", "/health").status == 200:
                    return
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise SystemExit(f"the shop does not serve:\n{self.log()}")
            time.sleep(0.05)

    def kill(self):
        """Ends the server as a crash does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def is_running(self):
        return self.process.poll() is None

    def log(self):
        with open(os.path.join(self.folder, "log"), errors="replace") as log:
            return log.read()[-4_000:]
