"""`deid release`: a numbered copy of a clean table that never changes, for whoever receives the corpus."""

from __future__ import annotations

import argparse

from deid_core.cli.existing_lake import existing_lake
from deid_core.cli.local_path import local_path
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.data_folders import DEFAULT_POLICY
from deid_core.core.errors import DeidError, ExitCode, SecretMissingError
from deid_core.core.files import protect_process


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    parser.add_argument("--name", required=True, help="of the release, as 2026.1; used once")
    parser.add_argument(
        "--output", type=local_path, metavar="DIR", required=True, help="folder of all releases, outside of the lake"
    )
    parser.add_argument("--policy", default=DEFAULT_POLICY, metavar="NAME", help="of the texts (default: thesis)")
    dossier = parser.add_mutually_exclusive_group(required=True)
    dossier.add_argument(
        "--dossier", type=local_path, metavar="DIR", help="of `deid certify sign`; only what it covers goes in"
    )
    dossier.add_argument("--without-dossier", action="store_true", help="release texts that nobody signed for")
    parser.add_argument(
        "--other-recipients",
        action="store_true",
        help="although there are releases of these notes under another policy: nobody gets both",
    )
    parser.add_argument("--key", type=local_path, metavar="FILE", help="private Ed25519 key that signs the checksums")
    parser.add_argument("--licence", default="", help="for the data card")
    parser.add_argument("--creator", default="", help="for the data card")
    parser.add_argument("--url", default="", help="for the data card")


def run(args: argparse.Namespace) -> int:
    """Make the release and print what is in it."""
    protect_process()
    lake = existing_lake(args.lake)
    with spark_extra("release"):
        from deid_core.certify.release import ReleaseChoices, make_release
        from deid_core.certify.signed_folder import load_signing_key
        from deid_core.lake.lock import locked
    key, errors = None, list[DeidError]()
    try:
        key = load_signing_key(args.key) if args.key else None
    except SecretMissingError as error:
        errors.append(error)
    choices = ReleaseChoices(
        args.name,
        args.output,
        args.policy,
        args.dossier,
        key,
        args.licence,
        args.creator,
        args.url,
        args.other_recipients,
    )
    with locked(lake):
        folder, notes, changes = make_release(lake, choices, errors)
    print(f"{folder}: {notes:,} notes")
    if changes.previous:
        print(
            f"since {changes.previous}: {len(changes.added):,} added, {len(changes.changed):,} changed, "
            f"{len(changes.removed):,} removed"
        )
    if changes.others:
        print(f"not for whoever has {', '.join(changes.others)}: of another policy, so both together can be undone")
    if changes.withdrawn:
        print(
            f"{len(changes.withdrawn):,} notes of withdrawn patients were in earlier releases: changes.csv lists them; "
            "whoever has such a release must delete them"
        )
    return ExitCode.DONE
