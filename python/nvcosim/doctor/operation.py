"""Operations of a task as a log shows them, lines that are evidence, and what a driver did last."""
import dataclasses
import enum

from nvcosim.doctor.messages import Message, NONE, shown

_LINE_TEXT = 199
_BLANKS = b" \t\r\v\f"


class Last(enum.Enum):
    """What the driver did last, as far as it matters."""
    NOTHING = 0
    PREPARING = 1  # registers of an operation are about to be read
    PROGRAM = 2    # or written
    ENABLE = 3     # or armed
    REST = 4       # it waits for interrupts
    BUSY = 5       # it does something else: the log is cut here


@dataclasses.dataclass(slots=True)
class Operation:
    """unit: NONE: the log does not name it. weights, data: CDMA's events since it was armed.
    completed: times. feeds: the operation that is armed after it because it feeds it on the fly;
    fed_by: the reverse. edge: counter that the next released edge prints. arming: ordinal, from
    1."""
    unit: int = NONE
    prepared: bool = False
    programmed: bool = False
    enabling: bool = False
    armed: bool = False
    weights: bool = False
    data: bool = False
    completed: int = 0
    group: int = NONE
    feeds: int = NONE
    fed_by: int = NONE
    edge: int = NONE
    arming: int = 0

    @property
    def is_armed(self) -> bool:
        """And has not completed."""
        return self.armed and not self.completed

    def key(self) -> tuple[int, ...]:
        """Of what decides which messages may follow, and the diagnosis."""
        return (self.prepared << 6 | self.programmed << 5 | self.enabling << 4 | self.armed << 3
                | self.weights << 2 | self.data << 1 | (self.completed > 0), self.unit, self.edge,
                self.group, self.feeds, self.fed_by)


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """A line that is evidence."""
    number: int
    text: str

    @classmethod
    def of(cls, message: Message) -> "Line":
        """Without the time stamp of the kernel."""
        line = message.line.strip(_BLANKS)
        stamp, close, rest = line.partition(b"]")
        if stamp.startswith(b"[") and close and message.time >= 0:
            line = rest.strip(_BLANKS)
        return cls(message.number, shown(line, _LINE_TEXT))
