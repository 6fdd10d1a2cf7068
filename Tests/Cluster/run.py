#!/usr/bin/env python3
"""Kills the leader of a PostgreSQL cluster again and again while programs save: no confirmed save may be lost.

usage: Tests/Cluster/run.py [--failures N] [--only KIND] [--programs N] [--seed N] [--writer FILE] [--hosts]

Three servers under Patroni in synchronous mode, with etcd and HAProxy (Debian: patroni, python3-etcd, etcd-server, haproxy), in a temporary
folder. As root, each server and its Patroni have a network namespace, linked to the others and to etcd by a bridge; otherwise all are on
loopback. The programs save through HAProxy, or with --hosts through a list of hosts with target_session_attrs,
and one counts on a standby. A failure is one of these, chosen by the seed: the server is killed, the server and Patroni are killed (as when a
machine stops), both are paused for longer than the leader's lease (and Patroni begins again, as after a watchdog), the server's disk is full,
or its network is cut. The cluster must recover from each before the next. Prints what each failure was, for how long nothing was saved, and
the errors that programs saw.
"""

import argparse
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = ["north", "east", "south"]
# Each process below listens on 127.0.0.1, or in a namespace, only.
ETCD, ETCD_PEER, WRITE, READ = 23790, 23800, 55000, 55001
SERVER = {name: 55010 + index for index, name in enumerate(NAMES)}
REST = {name: 55020 + index for index, name in enumerate(NAMES)}
# The leader's lease in seconds, which Patroni does not allow to be shorter.
LEASE = 20

PATRONI = """
scope: modelc
name: {name}
restapi: {{listen: '{address}:{rest}', connect_address: '{address}:{rest}'}}
etcd3: {{host: '{center}:{etcd}'}}
bootstrap:
  dcs:
    ttl: {lease}
    loop_wait: 2
    retry_timeout: 5
    maximum_lag_on_failover: 1048576
    # A commit is confirmed when a standby has it too, and only such a standby becomes the leader.
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters:
        {{wal_log_hints: 'on', max_connections: 60, wal_keep_size: 64MB, max_wal_size: 96MB, min_wal_size: 32MB,
          # A leader whose network is cut would wait for its standbys for a minute when it shuts down, and Patroni starts it meanwhile.
          wal_sender_timeout: 5s}}
  initdb: [{{encoding: UTF8}}, {{locale: C}}, data-checksums]
  pg_hba: ['host all all {center}/24 trust', 'host replication all {center}/24 trust']
postgresql:
  listen: {address}:{server}
  connect_address: {address}:{server}
  data_dir: {folder}/data
  bin_dir: {programs}
  pgpass: {folder}/pgpass
  # A server that has lost its disk or its history begins again as a copy of the leader.
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
  authentication: {{superuser: {{username: postgres}}, replication: {{username: replicator}}, rewind: {{username: postgres}}}}
  parameters: {{unix_socket_directories: '{folder}'}}
watchdog: {{mode: 'off'}}
"""

PROXY = """
global
    maxconn 500
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    timeout check 2s
listen leader
    bind 127.0.0.1:{write}
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
listen standbys
    bind 127.0.0.1:{read}
    option httpchk OPTIONS /replica
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
"""


def fail(text):
    sys.exit(f"error: {text}")


class Network:
    """The addresses of the servers. With namespaces, each is on a link that can be cut."""

    def __init__(self):
        self.names, self.bridge = {}, f"mc{os.getpid() % 100000}"
        self.center, self.addresses = "127.0.0.1", dict.fromkeys(NAMES, "127.0.0.1")

    def open(self):
        if os.geteuid() != 0 or self.run("link", "add", self.bridge, "type", "bridge") != 0:
            return
        net = f"10.{100 + os.getpid() // 250 % 100}.{os.getpid() % 250}"
        self.center = f"{net}.1"
        commands = [["addr", "add", f"{self.center}/24", "dev", self.bridge], ["link", "set", self.bridge, "up"]]
        for index, name in enumerate(NAMES):
            self.names[name], self.addresses[name] = f"{self.bridge}-{name}", f"{net}.{index + 2}"
            space, outer, inner = self.names[name], f"{self.bridge}o{index}", f"{self.bridge}i{index}"
            commands += [
                ["netns", "add", space], ["link", "add", outer, "type", "veth", "peer", "name", inner],
                ["link", "set", outer, "master", self.bridge, "up"], ["link", "set", inner, "netns", space],
                ["-n", space, "addr", "add", f"{self.addresses[name]}/24", "dev", inner],
                ["-n", space, "link", "set", inner, "up"], ["-n", space, "link", "set", "lo", "up"]]
        for command in commands:
            if self.run(*command) != 0:
                fail(f"ip {' '.join(command)} failed")

    def run(self, *arguments):
        return subprocess.run(["ip", *arguments], stderr=subprocess.DEVNULL).returncode

    def set_link(self, name, state):
        """Takes the link of a server up or down. Neither end is told about packets that are lost."""
        index = NAMES.index(name)
        self.run("-n", self.names[name], "link", "set", f"{self.bridge}i{index}", state)

    def inside(self, name):
        """The beginning of a command that runs at a server's end of the link."""
        return ["ip", "netns", "exec", self.names[name]] if name in self.names else []

    def close(self):
        for name in self.names.values():
            self.run("netns", "delete", name)
        if self.names:
            self.run("link", "delete", self.bridge)


class Cluster:
    """Three servers, what decides which of them leads, and the way to it."""

    def __init__(self, folder):
        self.folder = folder
        self.programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self.processes = {}
        self.mounts = []
        self.network = Network()
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []

    def start(self, name, command, **options):
        log = open(self.folder / f"{name}.log", "ab")
        self.processes[name] = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **options)

    def open(self):
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.network.open()
        center = self.network.center
        self.start("etcd", [
            "etcd", "--data-dir", self.folder / "etcd", "--listen-client-urls", f"http://{center}:{ETCD}",
            "--advertise-client-urls", f"http://{center}:{ETCD}", "--listen-peer-urls", f"http://127.0.0.1:{ETCD_PEER}",
            "--initial-advertise-peer-urls", f"http://127.0.0.1:{ETCD_PEER}", "--initial-cluster", f"default=http://127.0.0.1:{ETCD_PEER}",
            "--unsafe-no-fsync"])
        for name in NAMES:
            node = self.folder / name
            node.mkdir()
            # A small disk of its own, which can be filled.
            if os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600m", "tmpfs", node]).returncode == 0:
                self.mounts.append(node)
            if self.user:
                shutil.chown(node, "postgres")
            (node / "patroni.yml").write_text(PATRONI.format(
                name=name, rest=REST[name], server=SERVER[name], etcd=ETCD, folder=node, programs=self.programs, lease=LEASE,
                address=self.network.addresses[name], center=center))
            self.start_node(name)
            self.wait(lambda: self.leader() is not None, "there is no first leader")
        servers = "\n".join(f"    server {name} {self.network.addresses[name]}:{SERVER[name]} check port {REST[name]}" for name in NAMES)
        (self.folder / "haproxy.cfg").write_text(PROXY.format(write=WRITE, read=READ, servers=servers))
        self.start("haproxy", ["haproxy", "-db", "-f", self.folder / "haproxy.cfg"])
        self.wait(self.is_whole, "the cluster does not start")

    def start_node(self, name):
        self.start(name, self.network.inside(name) + self.user + ["patroni", self.folder / name / "patroni.yml"])

    def status(self, name, path="patroni"):
        try:
            with urllib.request.urlopen(f"http://{self.network.addresses[name]}:{REST[name]}/{path}", timeout=2) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            try:
                return json.load(error)
            except ValueError:
                return {}
        except (OSError, ValueError):
            return {}

    def leader(self):
        """The server that accepts changes."""
        for name in NAMES:
            status = self.status(name)
            if status.get("role") == "master" and status.get("state") == "running":
                return name
        return None

    def is_whole(self):
        """Whether there are a leader, a synchronous standby of which etcd knows, and another standby that follows."""
        leader = self.leader()
        if leader is None:
            return False
        followers = [each for each in self.status(leader).get("replication", []) if each.get("state") == "streaming"]
        roles = [each.get("role") for each in self.status(leader, "cluster").get("members", [])]
        return len(followers) == 2 and sorted(roles) == ["leader", "replica", "sync_standby"]

    def wait(self, condition, text, seconds=180):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                states = "".join(f"\n{name}: {json.dumps(self.status(name))}" for name in NAMES)
                fail(f"{text} within {seconds} s; the logs are in {self.folder}{states}")
            time.sleep(0.3)

    def server(self, name):
        """The process ID of a node's PostgreSQL server."""
        try:
            return int((self.folder / name / "data/postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None

    def processes_of(self, name):
        """The IDs of Patroni and of the server with its workers."""
        server = self.server(name)
        result = [self.processes[name].pid]
        if server:
            children = subprocess.run(["pgrep", "-P", str(server)], capture_output=True, text=True).stdout.split()
            result += [server] + [int(child) for child in children]
        return result

    def send(self, name, number, only_server=False):
        for process in self.processes_of(name)[1 if only_server else 0:]:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def query(self, sql):
        result = subprocess.run(
            [self.programs / "psql", "-XAt", "-h", "127.0.0.1", "-p", str(WRITE), "-U", "postgres", "-d", "shop", "-c", sql],
            capture_output=True, text=True)
        if result.returncode != 0:
            raise OSError(result.stderr.strip())
        return result.stdout.split()

    def close(self):
        for name in NAMES:
            if name in self.processes:
                self.send(name, signal.SIGCONT)
        for name, process in self.processes.items():
            process.kill() if name in NAMES else process.terminate()
        for name in NAMES:
            server = self.server(name)
            if server:
                try:
                    os.kill(server, signal.SIGQUIT)
                except ProcessLookupError:
                    pass
        time.sleep(1)
        for mount in self.mounts:
            subprocess.run(["umount", "-l", mount])
        self.network.close()


class Failures:
    """The ways in which a leader fails. Each returns what has to be done afterwards."""

    def __init__(self, cluster):
        self.cluster = cluster

    def kill_server(self, name):
        self.cluster.send(name, signal.SIGKILL, only_server=True)
        return None

    def kill_machine(self, name):
        process = self.cluster.processes[name]
        self.cluster.send(name, signal.SIGKILL)
        process.wait()
        return lambda: self.cluster.start_node(name)

    def pause(self, name):
        """For longer than the leader's lease. The server goes on as the leader that it was; Patroni begins again, as after a watchdog.

        Patroni 3.0.2 that goes on itself may be about to renew its lease. It gets a new one then, and puts its name over that of the
        server that leads by now (`_update_leader` of its etcd3.py does not compare), which makes two histories. Begun again, it either
        sees the other leader and demotes its server, or finds the lock free and keeps it.
        """
        process = self.cluster.processes[name]
        self.cluster.send(name, signal.SIGSTOP)
        time.sleep(LEASE + 5)

        def resume():
            process.kill()
            process.wait()
            self.cluster.send(name, signal.SIGCONT, only_server=True)
            self.cluster.start_node(name)
        return resume

    def cut_network(self, name):
        """For longer than the leader's lease: the server goes on, but neither programs nor other servers reach it."""
        self.cluster.network.set_link(name, "down")
        time.sleep(LEASE + 5)
        return lambda: self.cluster.network.set_link(name, "up")

    def fill_disk(self, name):
        node = self.cluster.folder / name
        # In its own process: the kernel says when there is no space left.
        subprocess.run(["dd", "if=/dev/zero", f"of={node}/filler", "bs=1M"], stderr=subprocess.DEVNULL)
        # Saves fail when a table has to grow, or the server stops when its log has to.
        time.sleep(10)
        (node / "filler").unlink()
        return None


class Program:
    """A program that saves or reads until it is told to stop, and what it said."""

    def __init__(self, writer, *arguments):
        self.confirmed, self.errors, self.times = [], collections.Counter(), []
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [str(writer), *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        for line in self.process.stdout:
            if line.startswith("failed"):
                self.errors[line.strip()] += 1
            else:
                self.confirmed.append(int(line))
                self.times.append(time.monotonic())

    def stop(self):
        """Ends the program. Its exit code must be 0: no failure of a server ends a program."""
        self.process.stdin.close()
        try:
            code = self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = "none, it did not end"
        self.thread.join()
        if code != 0:
            self.log.seek(0)
            fail(f"a program ended with the exit code {code}\n{self.log.read()[-2000:]}")


def longest_gap(programs, start, end):
    """The longest time without a save of any program between two moments."""
    times = sorted(moment for program in programs for moment in program.times if start - 1 <= moment <= end) + [end]
    return max(after - before for before, after in zip([start] + times, times))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--failures", type=int, default=50 if os.environ.get("MODELC_NIGHTLY") else 5)
    parser.add_argument("--only", metavar="KIND", help="the only kind of failure, such as pause")
    parser.add_argument("--programs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--writer", type=Path, default=ROOT / ".build/debug/StoreWriter")
    parser.add_argument("--hosts", action="store_true", help="connect to a list of hosts instead of HAProxy")
    options = parser.parse_args()
    for name in ["patroni", "etcd", "haproxy"]:
        if not shutil.which(name):
            fail(f"{name} is not installed; apt-get install patroni python3-etcd etcd-server haproxy postgresql")
    folder = Path(tempfile.mkdtemp(prefix="modelc-cluster-"))
    cluster = Cluster(folder)
    # Ends what was started, in the `finally` below.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    programs = []
    try:
        cluster.open()
        hosts = ",".join(f"{cluster.network.addresses[name]}:{SERVER[name]}" for name in NAMES)
        address = f"{hosts}/shop?target_session_attrs=read-write&connect_timeout=3&user=postgres" if options.hosts else \
            f"127.0.0.1:{WRITE}/shop?user=postgres"
        subprocess.run([cluster.programs / "createdb", "-h", "127.0.0.1", "-p", str(WRITE), "-U", "postgres", "shop"], check=True)
        programs.append(Program(options.writer, "persist", f"postgresql://{address}", 1))
        cluster.wait(lambda: programs[0].confirmed, "the first program does not save")
        for number in range(2, options.programs + 1):
            programs.append(Program(options.writer, "persist", f"postgresql://{address}", number * 1_000_000))
        reader = Program(options.writer, "read", f"postgresql://127.0.0.1:{READ}/shop?user=postgres")
        choice, failures = random.Random(options.seed), Failures(cluster)
        kinds = [failures.kill_server, failures.kill_machine, failures.pause] + ([failures.fill_disk] if cluster.mounts else []) + \
            ([failures.cut_network] if cluster.network.names else [])
        kinds = [kind for kind in kinds if options.only in (None, kind.__name__)]
        if not kinds:
            fail(f"there is no failure “{options.only}” here")
        order = [kinds[index % len(kinds)] for index in range(options.failures)]
        choice.shuffle(order)
        for index, kind in enumerate(order, 1):
            cluster.wait(cluster.is_whole, "the cluster did not become whole")
            time.sleep(choice.uniform(0.5, 2))
            leader, start, reads = cluster.leader(), time.monotonic(), len(reader.confirmed)
            if leader is None:
                fail("the leader was lost without a failure")
            saved = sum(len(program.confirmed) for program in programs)
            afterwards = kind(leader)
            # All programs save again, whoever leads. A machine that was lost comes back after a minute at the latest.
            counts = [len(program.confirmed) for program in programs]

            def all_save():
                nonlocal afterwards
                result = all(len(one.confirmed) > count + 1 for one, count in zip(programs, counts))
                if afterwards and (result or time.monotonic() - start > 60):
                    afterwards()
                    afterwards = None
                return result
            cluster.wait(all_save, f"seed {options.seed}, failure {index} ({kind.__name__}): some program does not save again")
            gap = longest_gap(programs, start, time.monotonic())
            print(f"{index:3}: {kind.__name__} of {leader} after {saved} saves: {gap:.1f} s without a save, "
                  f"{len(reader.confirmed) - reads} reads meanwhile, now {cluster.leader()} leads", flush=True)
        cluster.wait(cluster.is_whole, "the cluster did not become whole")
        for program in programs + [reader]:
            program.stop()
        rows = [int(row) for row in cluster.query('SELECT "number" FROM coredata."Group"')]
        twice = [number for number, count in collections.Counter(rows).items() if count > 1]
        confirmed = [number for program in programs for number in program.confirmed]
        lost = sorted(set(confirmed) - set(rows))
        print(f"{len(confirmed)} confirmed saves of {len(programs)} programs, {len(order)} failures, seed {options.seed}")
        print(f"errors of saves: {dict(sum((program.errors for program in programs), collections.Counter()))}")
        print(f"{len(reader.confirmed)} reads on standbys; errors: {dict(reader.errors)}")
        if lost or twice:
            fail(f"seed {options.seed}: {len(lost)} confirmed saves are lost ({lost[:10]}), {len(twice)} are twice ({twice[:10]})")
        print("nothing is lost, nothing is twice")
    finally:
        for program in programs:
            program.process.kill()
        cluster.close()
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
