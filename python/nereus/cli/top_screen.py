# SPDX-License-Identifier: BSD-3-Clause
"""The screen of `nereus top --jobs`: jobs, the daemon's last decisions, and r to resize a job."""

from typing import Any, ClassVar

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen
from textual.validation import Integer
from textual.widgets import DataTable, Footer, Input, Label, Static
from textual.worker import get_current_worker

from nereus import UserError, printable
from nereus.cli.job_question import ask_job
from nereus.cli.resize import outcome
from nereus.cli.top_jobs import COLUMNS, NUMBERS, cells, decision_text, headline
from nereus.daemon.watch import Look, Watch
from nereus.supervisor import find, shown_name

_MOST_RANKS = 2**31 - 1
_RESIZE_WITHIN = 300.0  # s


def _cell(column: str, text: str) -> Text:
    return Text(printable(text), justify="right" if column in NUMBERS else "left")


class AskRanks(ModalScreen[int | None]):
    """Asks for a number of ranks; None where it is given up."""

    DEFAULT_CSS = """
    AskRanks { align: center middle; }
    AskRanks Vertical { width: 50; height: auto; border: round $primary; background: $surface; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "give up")]

    def __init__(self, job: str, ranks: int) -> None:
        super().__init__()
        self._job, self._ranks = job, ranks

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label(f"ranks for {self._job}, which has {self._ranks}; Escape gives up", markup=False)
            yield Input(type="integer", validators=[Integer(1, _MOST_RANKS)], valid_empty=False)

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        if submitted.validation_result is not None and submitted.validation_result.is_valid:
            self.dismiss(int(submitted.value))


class TopScreen(App[None]):
    """Looks again and again, in a thread, so that keys are heard meanwhile."""

    TITLE = "nereus top"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #daemon { height: auto; padding: 0 1; background: $panel; }
    #jobs { height: 2fr; }
    #heading { height: 1; padding: 0 1; background: $panel; }
    #decisions { height: 1fr; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "quit", "end"), Binding("r", "resize", "resize")]

    def __init__(self, watch: Watch, first: Look, interval: float, samples: int | None) -> None:
        super().__init__()
        self._watch, self._shown, self._interval = watch, first, interval
        self._left = samples
        self._looking = False

    def compose(self) -> ComposeResult:
        yield Static(id="daemon", markup=False)
        yield DataTable[Text](id="jobs", cursor_type="row", zebra_stripes=True)
        yield Static("last decisions", id="heading")
        yield Static(id="decisions", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self._table.add_columns(*map(_cell, COLUMNS, COLUMNS))
        self._show(self._shown)
        self.set_interval(self._interval, self._look_again)

    @property
    def _ground(self) -> Screen[Any]:
        """Below the question for a number, where that is asked."""
        return self.screen_stack[0]

    @property
    def _is_there(self) -> bool:
        """Not before it is mounted, and not any more once the application ends."""
        return bool(self.screen_stack) and bool(self._ground.query("#daemon"))

    @property
    def _table(self) -> DataTable[Text]:
        return self._ground.query_one("#jobs", DataTable)

    def _look_again(self) -> None:
        if not self._looking:
            self._looking = True
            self._look()

    @work(thread=True)
    def _look(self) -> None:
        found = self._watch.look()
        if not get_current_worker().is_cancelled:
            self.call_from_thread(self._take, found)

    def _take(self, found: Look) -> None:
        self._looking = False
        if self._is_there:
            self._show(found)

    def _show(self, found: Look) -> None:
        self._shown = found
        self._ground.query_one("#daemon", Static).update(printable(headline(found)))
        if found.status is not None or found.supervised:
            self._fill([*found.jobs, *found.supervised])
        self._ground.query_one("#decisions", Static).update(
            "\n".join(printable(decision_text(each)) for each in found.decisions)
        )
        if self._left is not None:
            self._left -= 1
            if self._left == 0:
                self.exit()

    def _fill(self, jobs: list[dict[str, Any]]) -> None:
        """The row under the cursor stays, wherever its job is now."""
        chosen = self._chosen
        self._table.clear()
        for job in jobs:
            self._table.add_row(*map(_cell, COLUMNS, cells(job)), key=job["job"])
        if chosen is not None and chosen in self._table.rows:
            self._table.move_cursor(row=self._table.get_row_index(chosen))

    @property
    def _chosen(self) -> str | None:
        table = self._table
        if not table.is_valid_row_index(table.cursor_row):
            return None
        return table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value

    def action_resize(self) -> None:
        chosen = self._chosen
        shown = (*self._shown.jobs, *self._shown.supervised)
        job = next((job for job in shown if job["job"] == chosen and "ranks" in job), None)
        if job is None:
            self.notify("there is no job to resize", severity="warning")
            return

        def resize(ranks: int | None) -> None:
            if ranks is not None:
                self._resize(job, ranks)

        self.push_screen(AskRanks(shown_name(job), job["ranks"]), resize)

    @work(thread=True)
    def _resize(self, job: dict[str, Any], ranks: int) -> None:
        question = {"kind": "resize", "ranks": ranks, "options": {}, "wait": True}
        try:
            good, text = outcome(ask_job(find(job["job"]), question, _RESIZE_WITHIN), ranks)
        except UserError as problem:
            good, text = False, str(problem)
        if not get_current_worker().is_cancelled:
            severity: Any = "information" if good else "error"
            told = printable(f"{shown_name(job)}: {text}")
            self.call_from_thread(self.notify, told, severity=severity, markup=False, timeout=10)
