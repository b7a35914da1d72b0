# SPDX-License-Identifier: BSD-3-Clause
"""Epochs that jobs have saved, as programs beside the job see them: which there are, and what they say.

In:  a folder that a job's setting `save` named, or one epoch in it (docs/formats/epochs.md).
Out: complete epochs and what each says of itself; checked, since files may be anybody's. No data is read.
"""

from nereus.epochs.epoch import Epoch, EpochOnHosts, SavedArray
from nereus.epochs.folder import (
    EpochsError,
    chosen_epoch,
    complete_epochs,
    is_folder_of_epochs,
    newest_number,
)

__all__ = [
    "Epoch",
    "EpochOnHosts",
    "EpochsError",
    "SavedArray",
    "chosen_epoch",
    "complete_epochs",
    "is_folder_of_epochs",
    "newest_number",
]
