"""The timeline of a run as trace events, the format of Chrome's tracing.

usage: python3 -m nvcosim.timeline FILE
FILE has what csrc/report/events.h makes. Output: the events; docs/timeline.md describes tracks and
arguments. A microsecond of the output is a core clock."""
import dataclasses
import itertools
import json
import operator
import pathlib
import sys
import typing

# Groups of tracks, in their order on the screen.
FINDINGS, LAYERS, ENGINES, OCCUPANCY, GROUPS, HOST, MEMORY = _GROUPS = range(1, 8)
_NAMES = ("Findings", "Layers", "Launches by engine", "Busy and waiting", "Register groups",
          "Register bus and interrupt", "Memory and MACs")
_BURST_MOST, _BURST_GAP = 128, 64  # writes, clocks

# Streams between engines of a layer.
_STREAMS = (("CDMA", "CSC"), ("CSC", "CMAC_A"), ("CSC", "CMAC_B"), ("CMAC_A", "CACC"),
            ("CMAC_B", "CACC"), ("CACC", "SDP"), ("SDP_RDMA", "SDP"), ("SDP", "PDP"),
            ("PDP_RDMA", "PDP"), ("CDP_RDMA", "CDP"))

# Counters: name, series of a client in the timeline, scale, whether of clients that write.
_COUNTERS = (("read bytes a clock", "bytes", 1, False), ("write bytes a clock", "bytes", 1, True),
             ("reads outstanding", "outstanding", 1, False),
             ("writes outstanding", "outstanding", 1, True),
             ("read: % of clocks refused", "refused", 100, False),
             ("write: % of clocks refused", "refused", 100, True))

Json = dict[str, typing.Any]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@dataclasses.dataclass
class Writer:
    """Events so far; value: the run."""
    value: Json
    events: list[str] = dataclasses.field(default_factory=list)
    flows: int = 0

    def __post_init__(self) -> None:
        self.timeline: Json = self.value["timeline"]
        self.cycles: int = self.timeline["cycles"]
        self.spans = {(launch["unit"], launch["launch"]): (launch["start"], launch["end"])
                      for launch in self.timeline["launches"]}

    def add(self, phase: str, process: int, track: int, clock: int, members: str) -> None:
        """An event; members: the rest of it, without the last brace."""
        self.events.append(
            f'{{"ph":"{phase}","pid":{process},"tid":{track},"ts":{clock}{members}}}')

    def slice(self, process: int, track: int, start: int, end: int, category: str, name: str,
              arguments: str = "") -> None:
        """arguments: members, each after a comma."""
        clocks = max(0, end - start)
        self.add("X", process, track, start,
                 f',"dur":{clocks},"cat":"{category}","name":"{name}",'
                 f'"args":{{"cycle":{start},"clocks":{clocks}{arguments}}}')

    def track(self, process: int, track: int, name: str) -> None:
        """Names a track."""
        self.events += [
            f'{{"ph":"M","pid":{process},"tid":{track},"name":"thread_name",'
            f'"args":{{"name":"{name}"}}}}',
            f'{{"ph":"M","pid":{process},"tid":{track},"name":"thread_sort_index",'
            f'"args":{{"sort_index":{track}}}}}']

    def flow(self, name: str, process: int, start: tuple[int, int], end: tuple[int, int]) -> None:
        """An arrow between two slices by track and clock: both are open at these, the second also
        in the clock after it."""
        self.flows += 1
        more = f'"id":{self.flows},"cat":"flow","name":"{name}"'
        self.add("s", process, *start, f",{more}")
        self.add("f", process, *end, f',"bp":"e",{more}')

    def shown_end(self, end: int) -> int:
        """What has not ended lasts until the end of the run."""
        return end or self.cycles

    def unit(self, name: str) -> int:
        """Track of a unit."""
        return int(self.value["units"].index(name)) + 1

    def clocks(self, bucket: int) -> int:
        """Counted clocks of a bucket."""
        length: int = self.timeline["bucket"]
        return max(0, min(length, self.cycles - self._start(bucket)))

    def bucket_start(self, bucket: int) -> int:
        """Its first clock, at most the end of the run."""
        return min(self._start(bucket), self.cycles)

    def _start(self, bucket: int) -> int:
        return int(self.timeline["origin"] + bucket * self.timeline["bucket"])


def _traffic(traffic: list[list[typing.Any]]) -> str:
    return "".join(
        f',"{name}":{{"bytes":{moved},"beats":{beats},"waits for an answer":{pending},'
        f'"refused by the memory":{refused},"answer not taken":{untaken}}}'
        for name, moved, beats, pending, refused, untaken in traffic)


def _findings(writer: Writer) -> None:
    writer.track(FINDINGS, 1, "where it went wrong")
    writer.track(FINDINGS, 2, "findings")
    for track, clock, category, text in writer.value["marks"]:
        writer.add("i", FINDINGS, track, clock,
                   f',"s":"p","cat":"{category}","name":{_quoted(text)}')


# ---- layers, and who feeds whom ----

def _layer(writer: Writer, layer: Json) -> None:
    unit = writer.value["units"][layer["unit"]]
    parts = [f',"layer of the network":"{layer["network"]}"'] if "network" in layer else []
    parts += [f',"{name}":{_quoted(size) if isinstance(size, str) else size}'
              for name, size in layer["sizes"].items()]
    if layer["macs"]:
        parts.append(f',"macs":{layer["macs"]},'
                     f'"utilisation %":{100 * layer["utilisation"]:.2f}')
    parts.append(f',"read bytes":{layer["read"]},"write bytes":{layer["write"]}')
    if layer["wrong"]:
        parts.append(f',"wrong bytes":{layer["wrong"]}')
    writer.slice(LAYERS, layer["unit"] + 1, layer["start"], writer.shown_end(layer["end"]),
                 "layer" if layer["end"] else "unfinished",
                 f'{unit} #{layer["launch"]} {layer["kind"]}',
                 "".join(parts) + _traffic(layer["traffic"]))
    for producer, clock, to in layer["producers"]:
        writer.flow("memory", LAYERS, (producer + 1, clock), (layer["unit"] + 1, to))


def _streams(writer: Writer, layer: Json) -> None:
    units = writer.value["units"]
    spans: dict[str, tuple[int, int] | None] = {}
    for unit, ordinal in layer["parts"]:
        spans.setdefault(units[unit], writer.spans.get((units[unit], ordinal)))
    for source, target in _STREAMS:
        start, end = spans.get(source), spans.get(target)
        if not start or not end:
            continue
        clock = max(start[0], end[0])
        if clock < writer.shown_end(start[1]) and clock + 1 < writer.shown_end(end[1]):
            writer.flow("stream", ENGINES, (writer.unit(source), clock),
                        (writer.unit(target), clock + 1))


def _layers(writer: Writer) -> None:
    named = set()
    for layer in writer.value["layers"]:
        if layer["unit"] not in named:
            writer.track(LAYERS, layer["unit"] + 1,
                         f'{writer.value["units"][layer["unit"]]} layers')
        named.add(layer["unit"])
        _layer(writer, layer)
        _streams(writer, layer)


# ---- launches ----

def _launch(writer: Writer, launch: Json, traffic: str, next_armed: int) -> None:
    """In its engine, from its start, and in its register group, from its arming until the group is
    armed again."""
    unit, name = writer.unit(launch["unit"]), f'{launch["unit"]} #{launch["launch"]}'
    end, armed = writer.shown_end(launch["end"]), launch["armed"]
    beats = (f',"first beat":{launch["first_beat"]},"last beat":{launch["last_beat"]}'
             if launch["first_beat"] else "")
    writer.slice(ENGINES, unit, launch["start"], end, "launch" if launch["end"] else "unfinished",
                 name, f',"group":{launch["group"]}{beats}{traffic}')
    end = min(end, next_armed or end)
    track = 2 * (unit - 1) + launch["group"] + 1
    writer.slice(GROUPS, track, armed, end, "armed", name)
    start = min(launch["start"], end)
    if start > armed:
        writer.slice(GROUPS, track, armed, start, "wait", "waits for the other group")


def _launches(writer: Writer) -> None:
    counted = list(zip(writer.timeline["launches"], map(_traffic, writer.value["traffic"])))
    for unit, name in enumerate(writer.value["units"]):
        own = [(launch, traffic) for launch, traffic in counted if launch["unit"] == name]
        if own:
            writer.track(ENGINES, unit + 1, name)
        named = set()
        for i, (launch, traffic) in enumerate(own):
            group = launch["group"]
            if group not in named:
                writer.track(GROUPS, 2 * unit + group + 1, f"{name} group {group}")
            named.add(group)
            after = next((later["armed"] for later, _ in own[i + 1:]
                          if later["group"] == group and later["armed"]), 0)
            _launch(writer, launch, traffic, after)


# ---- what engines do in each step of time, and counters ----

def _states(writer: Writer, lane: Json) -> typing.Iterator[tuple[str, int, int, int]]:
    """Of an engine in each bucket: what it mostly does ("": nothing), clocks in which it is busy,
    in which it waits, and clocks in all."""
    none = [0] * writer.timeline["count"]
    series = (lane.get(name, none) for name in ("busy", "waits", "waits_for_memory"))
    for bucket, (busy, before, memory) in enumerate(zip(*series)):
        waits = before + memory
        state = ("" if busy == 0 and waits == 0 else "busy" if waits <= busy
                 else "waits for the memory" if memory else f'waits for {lane["before"]}')
        yield state, busy, waits, writer.clocks(bucket)


def _occupancy(writer: Writer) -> None:
    """A slice for each run of buckets with the same state."""
    for lane in writer.timeline["engines"]:
        track = writer.value["lanes"][lane["engine"]] + 1
        writer.track(OCCUPANCY, track, lane["engine"])
        first = 0
        for state, run in itertools.groupby(_states(writer, lane), key=lambda step: step[0]):
            steps = list(run)
            busy, waits, clocks = (sum(counts) for counts in list(zip(*steps))[1:])
            if state and clocks:
                writer.slice(OCCUPANCY, track, writer.bucket_start(first),
                             writer.bucket_start(first + len(steps)),
                             "busy" if state == "busy" else "wait", state,
                             f',"busy %":{100 * busy / clocks:.1f},'
                             f'"waits %":{100 * waits / clocks:.1f}')
            first += len(steps)


def _counter(writer: Writer, name: str, series: dict[str, list[int]], scale: float) -> None:
    """An event for each bucket in which a value changes, with those that do."""
    last = dict.fromkeys(series, 0.0)
    for bucket in range(writer.timeline["count"] + 1):
        clocks = writer.clocks(bucket) if bucket < writer.timeline["count"] else 0
        values = {client: scale * sums[bucket] / clocks if clocks else 0.0
                  for client, sums in series.items()}
        changed = [f'"{client}":{value:.4g}' for client, value in values.items()
                   if value != last[client]]
        last = values
        if changed:
            writer.add("C", MEMORY, 0, writer.bucket_start(bucket),
                       f',"name":"{name}","args":{{{",".join(changed)}}}')


def _counters(writer: Writer) -> None:
    for name, member, scale, write in _COUNTERS:
        _counter(writer, name, {client["client"]: client[member]
                                for client in writer.timeline["clients"]
                                if client["write"] == write and member in client}, scale)
    link = writer.timeline["links"].get(writer.value["macs_link"])
    if link:
        _counter(writer, "MACs in use", {"%": link}, 100)


# ---- register accesses and interrupts ----

def _split(register: str) -> tuple[str, str]:
    """ "SDP.D_OP_ENABLE" into unit and name."""
    unit, _, name = register.rpartition(".")
    return unit, name


def _burst_end(accesses: list[list[typing.Any]], first: int) -> int:
    """The end of the writes from `first` on that make one slice: to one unit, without a long pause,
    without repeating a register unless at once (the contents of a table)."""
    seen = {accesses[first][2]}
    end = first + 1
    while end < len(accesses) and accesses[end][5] and len(seen) < _BURST_MOST:
        register = accesses[end][2]
        if accesses[end][0] - accesses[end - 1][0] > _BURST_GAP:
            break
        if register != accesses[end - 1][2]:
            if register in seen or _split(register)[0] != _split(accesses[first][2])[0]:
                break
            seen.add(register)
        end += 1
    return end


def _burst(writer: Writer, burst: list[list[typing.Any]]) -> None:
    unit, name = _split(burst[0][2])
    title = (f"{unit}.{name} = 0x{burst[0][3]:x}" if len(burst) == 1
             else f"{unit}: {len(burst)} writes")
    values = []
    for register, run in itertools.groupby(burst, key=operator.itemgetter(2)):
        same = list(run)
        more = f" (the last of {len(same)})" if len(same) > 1 else ""
        values.append(f',"{_split(register)[1]}":"0x{same[-1][3]:x}{more}"')
    writer.slice(HOST, 1, burst[0][0], burst[-1][0] + 1, "write", title, "".join(values))


def _dropped(writer: Writer, track: int, what: str) -> None:
    """A mark on a track for what was too much to be kept."""
    if writer.value[f"{what}_dropped"]:
        writer.add("i", HOST, track, writer.cycles,
                   f',"s":"t","cat":"note","name":"{writer.value[f"{what}_dropped"]} further '
                   f'{what} are not shown"')


def _host(writer: Writer) -> None:
    accesses = writer.value["accesses"]
    writer.track(HOST, 1, "register bus")
    writer.track(HOST, 2, "interrupt")
    at = 0
    while at < len(accesses):
        first, last, register, value, count, write = accesses[at]
        if write:
            end = _burst_end(accesses, at)
            _burst(writer, accesses[at:end])
        else:
            end = at + 1
            writer.slice(HOST, 1, first, last + 1, "poll" if count > 1 else "read",
                         f"read {'.'.join(_split(register))}: 0x{value:x}", f',"reads":{count}')
        at = end
    for rise, fall, bits, names in writer.value["interrupts"]:
        writer.slice(HOST, 2, rise, writer.shown_end(fall), "interrupt",
                     " ".join(["dla_intr", *names]), f',"cleared":"0x{bits:08x}"')
    _dropped(writer, 1, "accesses")
    _dropped(writer, 2, "interrupts")


def text(value: Json) -> str:
    """The file of events."""
    writer = Writer(value)
    for process, name in zip(_GROUPS, _NAMES):
        writer.events += [
            f'{{"ph":"M","pid":{process},"name":"process_name","args":{{"name":"{name}"}}}}',
            f'{{"ph":"M","pid":{process},"name":"process_sort_index",'
            f'"args":{{"sort_index":{process}}}}}']
    for part in (_findings, _layers, _launches, _occupancy, _counters, _host):
        part(writer)
    return (f'{{"displayTimeUnit":"ns","otherData":{{"trace":{_quoted(value["trace"])},'
            f'"configuration":"{value["configuration"]}","device":{_quoted(value["device"])},'
            f'"status":"{value["status"]}","unit of ts and dur":"core clock",'
            f'"cycles":{writer.cycles}}},\n"traceEvents":[\n' + ",\n".join(writer.events)
            + "\n]}\n")


if __name__ == "__main__":
    sys.stdout.write(text(json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))))
