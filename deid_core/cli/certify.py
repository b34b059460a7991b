"""`deid certify`: draw the notes that people must read, sign what follows from it, and verify what was signed.

plan      draws notes so that the wanted bound holds if readers find no leak in them
sign      writes the dossier: what stays readable at most, how it was measured, and what was not; signed
verify    tells whether a byte of a dossier or of the corpus has changed since
"""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path

from deid_core.cli.existing_lake import existing_lake
from deid_core.cli.local_path import local_path
from deid_core.cli.report import LANGUAGES
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.data_folders import DEFAULT_POLICY
from deid_core.core.errors import ConfigurationError, ExitCode, quoted

WORDS_A_MINUTE = 250
"""How fast one reads with care, for the plan's estimate of time."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `plan`, `sign` and `verify`."""
    commands = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    plan = commands.add_parser("plan", help="draw the notes that people must read")
    plan.add_argument("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    plan.add_argument(
        "--at-most",
        type=int,
        metavar="N",
        default=100,
        help="wanted bound: of 10,000 notes at most N show a patient's name, with 95 %% confidence (default: 100)",
    )
    plan.add_argument(
        "--allowed", type=int, metavar="N", default=0, help="in so many notes a leak may be found (default: 0)"
    )
    plan.add_argument("--simple", action="store_true", help="draw from all notes alike, without strata")
    plan.add_argument("--seed", help="of the draw (default: random)")
    plan.add_argument("--again", action="store_true", help="draw anew although there is a plan; the dossier says so")
    sign = commands.add_parser("sign", help="write the signed dossier")
    sign.add_argument("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    sign.add_argument("--key", type=Path, metavar="FILE", required=True, help="private Ed25519 key, PEM, mode 0400")
    sign.add_argument("--output", type=local_path, metavar="DIR", required=True, help="new folder for the dossier")
    sign.add_argument(
        "--policy",
        default=DEFAULT_POLICY,
        help="of the texts to be certified: a name or a .yaml file (default: thesis)",
    )
    sign.add_argument("--language", choices=LANGUAGES, default="en", help="of the page (default: en)")
    verify = commands.add_parser("verify", help="tell whether a dossier or release is what was signed")
    verify.add_argument("folder", type=Path, metavar="DIR", help="folder of the dossier, or of a release")
    verify.add_argument("--public-key", type=Path, metavar="FILE", help="of who should have signed; else the folder's")
    verify.add_argument("--lake", type=local_path, metavar="DIR", help="compare the texts of a lake with the manifest")


def run(args: argparse.Namespace) -> int:
    """Draw, sign or verify."""
    with spark_extra("certify"):
        return {"plan": _plan, "sign": _sign, "verify": _verify}[args.what](args)


def _plan(args: argparse.Namespace) -> int:
    lake = existing_lake(args.lake)
    import pyarrow as pa
    import pyarrow.compute as pc

    from deid_core.certify import manifest
    from deid_core.certify.bounds import PER, of_10_000, upper_bound
    from deid_core.certify.sampling_plan import PlanChoices, draw, earlier_plans, write_plan
    from deid_core.lake.lock import locked
    from deid_core.lake.tables import delta_reader
    from deid_core.review.doubt import note_doubts

    if not 1 <= args.at_most < PER or args.allowed < 0:
        raise ConfigurationError("--at-most must be from 1 to 9,999, and --allowed not negative")
    earlier = earlier_plans(lake)
    if earlier and not args.again:
        raise ConfigurationError(f"--lake {quoted(args.lake)}: has a plan; --again draws another one in its place")
    choices = PlanChoices(args.at_most, args.allowed, args.seed or secrets.token_hex(8), args.simple)
    with locked(lake):
        texts = list(manifest.note_texts(lake.deidentified))
        plan = draw(note_doubts(lake), {text.note_id: text.sha256 for text in texts}, choices, earlier)
        write_plan(lake, plan, ((text.year, text.sha256) for text in texts))
    drawn = pa.array([note.note_id for note in plan.sample], pa.string())
    tokens = delta_reader.read(lake.deidentified, ["tokens"], where=pc.field("note_id").isin(drawn))["tokens"]
    words = pc.sum(tokens).as_py()
    print(
        f"{len(plan.sample):,} of {plan.notes:,} notes are to be read, {words:,} words: "
        f"{words / WORDS_A_MINUTE / 60:.1f} hours at {WORDS_A_MINUTE} words a minute.\n"
        f"If none of them leaks, at most {of_10_000(upper_bound(plan.best_bound())):,} of 10,000 notes do, with "
        f"{plan.confidence:.0%} confidence.\n"
        f"Next: deid review --lake {quoted(args.lake)} --reader NAME"
    )
    return ExitCode.DONE


def _sign(args: argparse.Namespace) -> int:
    lake = existing_lake(args.lake)
    from deid_core.certify.dossier import make_dossier, reviews_of_plan
    from deid_core.certify.page import html_page
    from deid_core.certify.signed_folder import fingerprint, load_signing_key, write_signed
    from deid_core.cli.reader_agreement import reader_agreement
    from deid_core.policies.settings import load_policy

    if args.output.exists():
        raise ConfigurationError(f"--output {quoted(args.output)}: exists; name a new folder")
    if not args.output.absolute().parent.is_dir():
        raise ConfigurationError(f"--output {quoted(args.output)}: there is no folder {args.output.parent}")
    key = load_signing_key(args.key)
    policy = load_policy(args.policy)
    dossier = make_dossier(lake, policy, reader_agreement(lake, reviews_of_plan(lake)))
    files = {
        "dossier.json": dossier.to_json(),
        "dossier.html": html_page(dossier.content, args.language).encode(),
        "corpus.csv": dossier.corpus(),
    }
    write_signed(args.output, files, key)
    statement = dossier.content["statement"]
    wanted = dossier.content["plan"]["wanted_of_10000"]
    is_met = statement["of_10000"] <= wanted
    missed = "" if is_met else f"The plan was made for at most {wanted:,} of 10,000. That is not met.\n"
    print(
        f"With {statement['confidence']:.0%} confidence at most {statement['of_10000']:,} of 10,000 notes show a "
        f"patient's name.\n{missed}{args.output / 'dossier.html'}\nsigned with the key {fingerprint(key.public_key())}"
    )
    return ExitCode.DONE


def _verify(args: argparse.Namespace) -> int:
    from deid_core.certify.verification import verify_folder

    verified = verify_folder(args.folder, args.public_key, args.lake)
    print(f"{args.folder}: {verified.files:,} files and {verified.texts:,} texts are as they were signed")
    print(f"signed with the key {verified.key}" if verified.key else "nobody signed it: it has checksums alone")
    if verified.key and not args.public_key:
        print("The key is the folder's own: compare this fingerprint with one that you got from who signed.")
    return ExitCode.DONE
