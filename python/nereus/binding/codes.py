# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of nereus.h and errors.h, and what is thrown for those below 0."""

from enum import Enum, EnumType, IntEnum, IntFlag
from typing import TYPE_CHECKING, Any

from nereus.methods import numbers


class Code(IntEnum):
    """`enum nereus_code`: 0 is done, above 0 is done and worth a look, below 0 is an error."""

    OK = 0
    GO_ON = 0
    RESIZED = 1
    LEAVE = 2
    WOKEN = 3
    UNCHANGED = 4
    PENDING = 5
    REDUCED = 6
    NO_TURN = 7
    ERR_ARGUMENT = -1
    ERR_ROOT = -2
    ERR_RANGE = -3
    ERR_NAME = -4
    ERR_MISMATCH = -5
    ERR_MEMORY = -6
    ERR_PROCESS = -7
    ERR_TIMEOUT = -8
    ERR_TRANSFER = -9
    ERR_UNSUPPORTED = -10
    ERR_SETTING = -11
    ERR_MPI = -12
    ERR_STATE = -13


class Layout(IntEnum):
    """`enum nereus_layout`: how an array is cut over the processes."""

    BLOCK = 0
    REPLICATED = 1
    WEIGHTED = 2
    CYCLIC = 3
    GRID = 4


class Kind(IntEnum):
    """`enum nereus_kind`: when an array may be sent."""

    CONSTANT = 0
    VARIABLE = 1


class RedistributionStep(IntEnum):
    """`enum nereus_redistribution_step`: what a redistribution is called for."""

    MOVE = 0
    ADOPT = 1
    DROP = 2


class _OfTable(EnumType):
    """Its members are those of the table of ways to resize, which type checkers cannot read."""

    if TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any: ...


class ProcessMethod(IntEnum, metaclass=_OfTable):
    """`enum nereus_process_method`"""

    vars().update(numbers("process_methods"))


class ProcessStrategy(IntFlag, metaclass=_OfTable):
    """`enum nereus_process_strategy`: they are added."""

    vars().update(numbers("process_strategies"))


class Placement(IntEnum, metaclass=_OfTable):
    """`enum nereus_placement`"""

    vars().update(numbers("placements"))


class ReleaseUnit(IntEnum, metaclass=_OfTable):
    """`enum nereus_release_unit`: JOB is UNIT_JOB and so on."""

    vars().update(numbers("release_units"))


class TransferMethod(IntEnum, metaclass=_OfTable):
    """`enum nereus_transfer_method`: AUTO is TRANSFER_AUTO."""

    vars().update(numbers("transfer_methods"))


class TransferStrategy(IntEnum, metaclass=_OfTable):
    """`enum nereus_transfer_strategy`: AUTO is STRATEGY_AUTO."""

    vars().update(numbers("transfer_strategies"))


class Survivors(IntEnum, metaclass=_OfTable):
    """`enum nereus_survivors`: AUTO is SURVIVORS_AUTO."""

    vars().update(numbers("survivors"))


class Outcome(Enum):
    """What a checkpoint says."""

    GO_ON = Code.GO_ON
    RESIZED = Code.RESIZED
    LEAVE = Code.LEAVE


class Failure(RuntimeError):
    """A call that could not be carried out."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(text)
        #: Which error of nereus_code it is.
        self.code = code
