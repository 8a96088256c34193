"""What a diagnosis of a log says."""
import dataclasses

from nvcosim.doctor.messages import NONE
from nvcosim.doctor.operation import Line

CERTAIN, LIKELY, POSSIBLE = range(3)
CERTAINTIES = ("certain", "likely", "possible")


@dataclasses.dataclass
class Cause:
    """evidence: lines of text."""
    cause: str
    certainty: int
    evidence: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Diagnosis:
    """verdict: "hang", "data", "good", "error" or "unknown". mixed_tasks: lines of so many cannot
    be told apart. task: number in the network, or of the log's tasks since the probe; layer:
    operation in its task; NONE: unknown. armed: "SDP 4"; due: events that must come; notes: what
    else the log shows. Clocks: of the layer at least, and by the estimate; 0: unknown."""
    verdict: str = "unknown"
    mixed_tasks: int = 0
    task: int = NONE
    layer: int = NONE
    name: str | None = None
    engine: str | None = None
    armed: list[str] = dataclasses.field(default_factory=list)
    due: list[str] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)
    least_clocks: int = 0
    estimated_clocks: int = 0
    causes: list[Cause] = dataclasses.field(default_factory=list)

    def blame(self, name: str, certainty: int, evidence: str | Line) -> None:
        """Adds a cause, or evidence to one that is there."""
        text = evidence if isinstance(evidence, str) else f"line {evidence.number}: {evidence.text}"
        cause = next((cause for cause in self.causes if cause.cause == name), None)
        if cause is None:
            cause = Cause(name, certainty)
            self.causes.append(cause)
        if cause.evidence[-1:] != [text]:
            cause.evidence.append(text)

    def is_like(self, other: "Diagnosis") -> bool:
        """Whether both have the same cause first."""
        return self.verdict == other.verdict and \
            [c.cause for c in self.causes[:1]] == [c.cause for c in other.causes[:1]]
