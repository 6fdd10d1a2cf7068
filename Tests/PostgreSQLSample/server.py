"""A temporary PostgreSQL server for the samples."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

# How many seconds a program may take to answer on a busy machine.
LIMIT = 120


class Server:
    """A PostgreSQL server in a temporary folder, with the database `stock`."""

    def __init__(self, folder, settings):
        self.folder, self.data, self.log = folder, folder / "data", folder / "log"
        self.settings = {"listen_addresses": "", "fsync": "off", "lc_messages": "C", **settings}
        versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
        initdb = versions[-1] if versions else shutil.which("initdb")
        if not initdb:
            sys.exit("error: no PostgreSQL server is installed (apt-get install postgresql)")
        self.programs = Path(initdb).parent
        self.prefix = []
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root.
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
            self.prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        folder.chmod(0o755)
        self.run("initdb", "-D", self.data, "-U", "sample", "-E", "UTF8", "--locale=C", "--auth=trust", "--no-sync")
        self.start()
        self.run("createdb", "-h", folder, "-U", "sample", "stock")

    def start(self):
        settings = [text for name, value in self.settings.items() for text in ("-c", f"{name}={value}")]
        self.process = subprocess.Popen(
            [*self.prefix, self.programs / "postgres", "-D", self.data, "-k", self.folder, *settings],
            cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log.open("a"))
        self.wait_until_ready()

    def wait_until_ready(self):
        end = time.monotonic() + LIMIT
        while self.call("pg_isready", "-q", "-h", self.folder).returncode != 0:
            if time.monotonic() > end or self.process.poll() is not None:
                self.stop()
                sys.exit(f"error: the server did not start\n{self.log.read_text()[-2000:]}")
            time.sleep(0.1)

    def call(self, program, *arguments):
        return subprocess.run(
            [*self.prefix, self.programs / program, *arguments], cwd="/", text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)

    def run(self, program, *arguments):
        done = self.call(program, *arguments)
        if done.returncode != 0:
            self.stop()
            sys.exit(f"error: {program} failed\n{done.stdout}")
        return done.stdout

    def url(self, program):
        return f"postgresql:///stock?host={self.folder}&user=sample&application_name={program}"

    def stock(self):
        """What is in the database, as the list prints it."""
        return self.run(
            "psql", "-h", self.folder, "-U", "sample", "-At", "stock", "-c",
            """SELECT string_agg(name || ' ' || count, ', ' ORDER BY name COLLATE "C") FROM coredata."Item" """).strip()

    def statements(self, program):
        """How many statements a program has sent."""
        return sum(line.startswith(f"{program}|LOG") for line in self.log.read_text().splitlines())

    def stop(self):
        process = getattr(self, "process", None)
        if process and process.poll() is None:
            # Does not wait for clients.
            process.send_signal(signal.SIGINT)
            process.wait()

    def kill(self):
        """Kills the server and its backends, as a failure of the machine would."""
        # Stopped first, so that it starts no others.
        self.process.send_signal(signal.SIGSTOP)
        children = [process for process, parent in running() if parent == self.process.pid]
        self.process.kill()
        for child in children:
            os.kill(child, signal.SIGKILL)
        self.process.wait()
        end = time.monotonic() + LIMIT
        while {process for process, _ in running()} & set(children) and time.monotonic() < end:
            time.sleep(0.01)


def running():
    """Returns the numbers of the processes that have not ended, with those of their parents."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name of the program, in parentheses, may contain spaces.
            state, parent = path.read_text().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        if state != "Z":
            found.append((int(path.parent.name), int(parent)))
    return found
