# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of nereus.h and errors.h, and what is thrown for those below 0."""

from enum import Enum, IntEnum, IntFlag


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


class ProcessMethod(IntEnum):
    """`enum nereus_process_method`"""

    MERGE = 0
    BASELINE_INTER = 1
    BASELINE_INTRA = 2


class ProcessStrategy(IntFlag):
    """`enum nereus_process_strategy`: they are added."""

    ASYNCHRONOUS = 1
    SINGLE = 2
    MULTIPLE = 4
    PARALLEL = 8
    JOIN = 16
    AUTO = 32


class Placement(IntEnum):
    """`enum nereus_placement`"""

    COMPACT = 0
    SPREAD = 1
    MEASURED = 2


class ReleaseUnit(IntEnum):
    """`enum nereus_release_unit`: UNIT_JOB and so on."""

    JOB = 0
    HOST = 1
    RANK = 2


class TransferMethod(IntEnum):
    """`enum nereus_transfer_method`: AUTO is TRANSFER_AUTO."""

    P2P = 0
    COL = 1
    RMA_LOCK = 2
    RMA_LOCKALL = 3
    AUTO = 4


class TransferStrategy(IntEnum):
    """`enum nereus_transfer_strategy`: AUTO is STRATEGY_AUTO."""

    BLOCKING = 0
    NONBLOCKING = 1
    WAIT_DRAINS = 2
    THREAD = 3
    AUTO = 4


class Survivors(IntEnum):
    """`enum nereus_survivors`: AUTO is SURVIVORS_AUTO."""

    FIRST = 0
    LEAST_MOVEMENT = 1
    AUTO = 2


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
