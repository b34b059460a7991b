"""What somebody can do about a note that could not be read or processed.

Apart from errors.py, since the engine imports that: other words here must not change its fingerprint.
"""

from __future__ import annotations

from deid_core.core.errors import Reason

REMEDIES = {
    Reason.ENCRYPTED: "open the file in Word, remove its password, save it at the same path; the next run reads it",
    Reason.CORRUPT: "repair the file in Word or restore it from a backup; the next run reads it if it changed",
    Reason.TOO_LARGE: "make the file smaller (pictures), or raise the setting that the ledger's `detail` names",
    Reason.UNSUPPORTED: "save the file as .docx, or move it out of the input folder if it is no letter",
    Reason.TIMEOUT: "retried automatically for three days; then raise the setting that the `detail` names, use --retry",
    Reason.EMPTY: "nothing if the file has no text (a scan), else restore it from a backup",
    Reason.UNSAFE: "do not open the file before somebody has checked it; then save it again in Word",
    Reason.VANISHED: "make the file readable for this account, or restore it; the next run reads it",
    Reason.AMBIGUOUS: "give each row of the table an id of its own; the next run reads them",
    Reason.CONVERTER_FAILED: "retried automatically for three days; then save the file as .docx in Word",
    Reason.ENGINE_TIMEOUT: "retried automatically for three days; then raise the limit that it ran into, use --retry",
    Reason.KILLED: "retried automatically for three days; then report it as a bug, after an update run with --retry",
    Reason.LEAK: "report the ledger's `detail` as a bug (it quotes no text); after an update run with --retry",
    Reason.INTERNAL: "report the ledger's `detail` as a bug (it quotes no text); after an update run with --retry",
}
"""One line for each reason of the ledger, as a run and `deid show` print it."""

_REPORT = "report the line above as a bug (it quotes no text)"
REMEDIES_OF_ONE_FILE = REMEDIES | {
    Reason.ENCRYPTED: "open the file in Word, remove its password and save it",
    Reason.CORRUPT: "repair the file in Word or restore it from a backup",
    Reason.TOO_LARGE: "make the file smaller (pictures), or raise the setting that the line above names (--settings)",
    Reason.UNSUPPORTED: "save the file as .docx",
    Reason.TIMEOUT: "try again; then raise the setting that the line above names (--settings)",
    Reason.VANISHED: "make the file readable for this account, or restore it",
    Reason.CONVERTER_FAILED: "try again; then save the file as .docx in Word",
    Reason.ENGINE_TIMEOUT: "try again; then raise engine.note_time_limit_s or engine.note_wall_limit_s (--settings)",
    Reason.LEAK: _REPORT,
    Reason.INTERNAL: _REPORT,
}
"""The same for `deid text`, which knows no ledger and no next run. Reasons that are not named
keep their line: EMPTY and UNSAFE fit both, AMBIGUOUS (rows of a table) and KILLED (a process that a run watches) come
from a run alone."""
