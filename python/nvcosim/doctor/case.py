"""A log beside the network that ran, and what the parts of a diagnosis ask of both."""
import dataclasses

from nvcosim.doctor.messages import NONE, UNITS
from nvcosim.doctor.network import Task
from nvcosim.doctor.operation import Operation
from nvcosim.doctor.state import Log
from nvcosim.doctor.verdict import Diagnosis

_MANY_ROUNDS = 20  # empty ones: without end


@dataclasses.dataclass
class Case:
    """small: the hardware has the register map of small, None: unknown. task: None: unknown.
    small_network: the network is made for atoms of 8 bytes. contradiction: why the log is not of
    the network."""
    log: Log
    diagnosis: Diagnosis
    small: bool | None = None
    task: Task | None = None
    small_network: bool = False
    contradiction: str = ""

    def set_layer(self, layer: int, engine: str | None) -> None:
        self.diagnosis.layer = layer
        self.diagnosis.engine = engine

    def unit(self, number: int) -> str:
        """Of an operation, as the driver prints it."""
        operation = self.log.find(number)
        return UNITS[operation.unit] if operation and operation.unit != NONE else "operation"

    def in_flight(self, operation: Operation) -> bool:
        """Whether an operation can run: armed, and so is what feeds it on the fly."""
        feeder = self.log.find(operation.fed_by)
        return operation.is_armed and (feeder is None or bool(feeder.completed) or feeder.armed)

    @property
    def first_in_flight(self) -> int:
        """The lowest operation in flight, NONE: none."""
        return next((number for number, operation in enumerate(self.log.operations)
                     if self.in_flight(operation)), NONE)

    @property
    def is_fresh(self) -> bool:
        """Whether the task is the first one after the driver's probe."""
        return self.log.probed and self.log.begun and self.log.tasks == 1

    @property
    def full_driver(self) -> bool:
        """Whether the driver has the register map of full."""
        return "os_initial" in self.log.compatible

    @property
    def has_too_many_rounds(self) -> bool:
        """Whether there are more rounds than bits explain. A round takes all bits that are there,
        so as many rounds as bits may be empty because their interrupts were served before, also by
        the task before."""
        log = self.log
        return log.earlier_rounds + log.rounds >= \
            log.earlier_events + log.events + _MANY_ROUNDS

    @property
    def is_woken_for_nothing(self) -> bool:
        """Whether the driver is woken without end."""
        return self.log.empty_at_end >= _MANY_ROUNDS and self.has_too_many_rounds
