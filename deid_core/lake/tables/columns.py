"""The columns of the lake's Delta tables, each with a comment that the table carries; lake_table.py writes them."""

from __future__ import annotations

import pyarrow as pa

TEXT, INT, LONG, DOUBLE = pa.string(), pa.int32(), pa.int64(), pa.float64()
DAY, TIME = pa.date32(), pa.timestamp("us", "UTC")


def _column(name: str, kind: pa.DataType, comment: str, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable, {"comment": comment})


_NOTE_ID = _column(
    "note_id", TEXT, "Names the note, also in later releases: keyed hash of the file's path or the row's id."
)
_YEAR = _column("year", INT, "The note's year, four digits.")
_RUN_ID = _column("run_id", TEXT, "The run that wrote the row.")

LEDGER = pa.schema(
    [
        _NOTE_ID,
        _column(
            "path",
            TEXT,
            "The file, below the input folder, or the row's id; empty if withdrawn. File names hold names.",
        ),
        _column("size_bytes", LONG, "Size of the file when it was listed."),
        _column("mtime_ns", LONG, "Date of the file when it was listed, nanoseconds since 1970."),
        _column(
            "sha256",
            TEXT,
            "Of the file's bytes or the row's content, hexadecimal; a keyed hash of it if withdrawn; empty if they "
            "could not be read.",
        ),
        _column("state", TEXT, "converted, quarantined, deleted or withdrawn."),
        _column("reason", TEXT, "Why it is quarantined: a word of a closed list.", nullable=True),
        _column("detail", TEXT, "Details of the reason, never a note's text.", nullable=True),
        _column("batch", TEXT, "The batch in restricted/notes that holds its text; null if none does.", nullable=True),
        _column("year", INT, "The note's year.", nullable=True),
        _column("year_source", TEXT, "Source of the year: column, path, header or file.", nullable=True),
        _column("reader", TEXT, "Fingerprint of the settings and code that read it."),
        _column("pipeline", TEXT, "Fingerprint of the pipeline that failed on the note.", nullable=True),
        _RUN_ID,
    ]
)

_PATIENT = [
    _column("patient_key", TEXT, "Keyed hash of the patient; of the note where its patient is not known."),
    _column("patient_key_id", TEXT, "Names the key of patient_key; another one after `deid rekey`."),
    _column(
        "patient_source",
        TEXT,
        "Source of the patient: table or id (safest), name (and birth date), or note: not known, so the note counts as "
        "a patient of its own.",
    ),
]

_NOTE_DATE = _column(
    "note_date",
    DAY,
    "The latest date of the letterhead that is no birth date, as the policy leaves it: exact, moved, or the first day "
    "of the month or year that is left; null if the policy removes it or there is none. Later dates in a text are "
    "mostly appointments.",
    nullable=True,
)

DEIDENTIFIED = pa.schema(
    [
        _NOTE_ID,
        _YEAR,
        _NOTE_DATE,
        *_PATIENT,
        _column("batch", TEXT, "Opaque: the batch of raw notes that this text was made from."),
        _column("text", TEXT, "The note with placeholders in place of identifying text."),
        _column("tokens", INT, "Tokens of the note before redaction."),
        _column(
            "languages",
            TEXT,
            "Of lines that are not German, as in `en fr`; more errors there. Null: none.",
            nullable=True,
        ),
        _column(
            "fingerprint",
            TEXT,
            "Of the pipeline: configuration, lists, models, code version. After a hyphen a keyed hash of what the "
            "hospital's table of identities knew of the note, if anything.",
        ),
        _RUN_ID,
    ]
)

OUTPUT = pa.schema(
    [
        _NOTE_ID,
        _YEAR,
        _NOTE_DATE,
        *_PATIENT,
        _column("text", TEXT, "The note after the policy."),
        _column("fingerprint", TEXT, "Of the policy: operators, settings, key."),
        _column("key_id", TEXT, "Names the policy's key; empty if it needs none."),
        _column("run_id", TEXT, "The run that de-identified the note."),
    ]
)


def text_columns(table: str) -> pa.Schema:
    """Return the columns of a table of texts, by its name: with the pipeline's placeholders, or of another policy."""
    return DEIDENTIFIED if table == "deidentified" else OUTPUT


_FOUND = [
    _column("label", TEXT, "Label of the span or detection."),
    _column("type", TEXT, "Subtype of the label."),
    _column("recogniser", TEXT, "Recogniser that found it."),
    _column("rule", TEXT, "Rule or list of the recogniser that matched."),
    _column("score", DOUBLE, "Confidence of the rule, 0 to 1; compares within one rule only."),
]

PHI_AUDIT = pa.schema(
    [
        _NOTE_ID,
        _YEAR,
        _column("output_start", INT, "Start of the placeholder in the redacted text, in code points."),
        _column("output_end", INT, "End of the placeholder, exclusive."),
        *_FOUND,
    ]
)

DETECTIONS = pa.schema(
    [
        _NOTE_ID,
        _YEAR,
        _column("start", INT, "Start of the span in the note's raw text, in code points."),
        _column("end", INT, "End of the span, exclusive."),
        *_FOUND,
    ]
)
"""As PHI_AUDIT, with places in the raw text: these give away how long each name is."""

DROPPED = pa.schema(
    [
        _NOTE_ID,
        _YEAR,
        _column("start", INT, "Start of the detection in the note's raw text, in code points."),
        _column("end", INT, "End of the detection, exclusive."),
        *_FOUND,
        _column("reason", TEXT, "Why it was dropped: a word of a closed list."),
        _RUN_ID,
    ]
)

PATIENT_EVIDENCE = pa.schema(
    [
        _NOTE_ID,
        _YEAR,
        _column("kind", TEXT, "id; person: a name and a birth date; name; birth_date."),
        _column("value", TEXT, "What the note says, in its normal form."),
    ]
)

PATIENT_CONFLICTS = pa.schema(
    [
        _NOTE_ID,
        _column("reason", TEXT, "Why the note stands alone: a word of a closed list."),
        _column("candidate", TEXT, "A patient that the note could be of: an id, or name and birth date."),
    ]
)

WITHDRAWN_PATIENTS = pa.schema(
    [
        _column(
            "patient_key",
            TEXT,
            "As it was when the patient was withdrawn; null if a later run found the alias.",
            nullable=True,
        ),
        _column("alias", TEXT, "Keyed hash of an id, of name and birth date, or of a note_id of the patient."),
        _RUN_ID,
    ]
)

OUTPUT_FAILURES = pa.schema(
    [
        _column("policy", TEXT, "The output that lacks a text of the note."),
        _NOTE_ID,
        _column("made_by", TEXT, "The run that de-identified the note."),
        _column("fingerprint", TEXT, "Of the policy and its key."),
        _column("code", TEXT, "Fingerprint of this program."),
        _column("place", TEXT, "The exception's class, file and line; never a note's text."),
    ]
)

PHI_COUNTS = pa.schema(
    [
        _YEAR,
        _column("label", TEXT, "Label of the spans."),
        _column("recogniser", TEXT, "Recogniser that found them."),
        _column("notes", LONG, "Notes of the year with at least one such span."),
        _column("spans", LONG, "Such spans in the year."),
        _column("tokens", LONG, "Tokens of all notes of the year, before redaction."),
        _column("per_1000_tokens", DOUBLE, "Spans per 1,000 tokens of the year, to three decimals."),
    ]
)

DROPPED_COUNTS = pa.schema(
    [
        _YEAR,
        _column("label", TEXT, "Label of the detections."),
        _column("recogniser", TEXT, "Recogniser that found them."),
        _column("rule", TEXT, "Rule or list of the recogniser that matched."),
        _column("reason", TEXT, "Why they were dropped: a word of a closed list."),
        _column("notes", LONG, "Notes of the year with at least one such detection."),
        _column("detections", LONG, "Such detections in the year."),
    ]
)

LEAK_SWEEP = pa.schema(
    [
        _YEAR,
        _column("source", TEXT, "Who knew the term: header, patient (another note of the patient) or hospital."),
        _column("kind", TEXT, "What the term is: name, address, postcode, birth_date, number or electronic."),
        _column("outcome", TEXT, "redacted, common, quarantined; or searched: a row for all notes that were searched."),
        _column("recogniser", TEXT, "Which part of the pipeline should have removed it."),
        _column("notes", LONG, "Notes of the year with at least one such term."),
        _column("places", LONG, "Such terms in the texts of the year; of quarantined notes each kind once."),
    ]
)

RUNS = pa.schema(
    [
        _RUN_ID,
        _column("started", TIME, "When the run began."),
        _column("finished", TIME, "When it wrote this row."),
        _column("pipeline", TEXT, "The pipeline's name."),
        _column("fingerprint", TEXT, "The pipeline's fingerprint."),
        _column("reader", TEXT, "Fingerprint of the settings and code that read files."),
        _column("versions", pa.map_(TEXT, TEXT), "Of the programs involved."),
        _column("counts", pa.map_(TEXT, LONG), "Notes in and out of each stage, spans, tokens."),
        _column("seconds", pa.map_(TEXT, DOUBLE), "Wall time of each stage."),
        _column("tokens_per_second", DOUBLE, "Tokens de-identified per second of the engine's time; 0 if none."),
    ]
)

RUN_PROFILES = pa.schema(
    [
        _RUN_ID,
        _column("measure", TEXT, "What is counted in a note: names, label, type, recogniser and others."),
        _column("value", TEXT, "Which name, label, type, recogniser or reason; empty if the measure has one figure."),
        _column("bounds", pa.list_(DOUBLE), "Where each bin of the measure begins; it ends where the next begins."),
        _column("notes", pa.list_(LONG), "Notes of the run in each bin; of no run with fewer than 20 notes."),
    ]
)
