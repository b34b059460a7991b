"""`deid completion`: a script by which bash and zsh complete commands, options and their values.

The script is made from the parsers themselves, so it knows what `--help` knows.
"""

from __future__ import annotations

import argparse
import importlib
import shlex
from collections.abc import Iterator

from deid_core.core.errors import ExitCode
from deid_core.core.resources import pipeline_names, policy_names

_NAMES = {"pipeline": pipeline_names, "policy": policy_names, "output_policy": policy_names}
"""Options that take a name or a file: the names."""

_SCRIPT = """\
# Completion of `deid` for bash and zsh; `deid completion` wrote it.
[ -z "$ZSH_VERSION" ] || autoload -Uz bashcompinit && bashcompinit 2>/dev/null
_deid() {
    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" known=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        known=%(commands)s
    else
        case "${COMP_WORDS[1]} $before" in
%(values)s
            *) case "${COMP_WORDS[1]} $word" in
%(options)s
            esac ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$known" -- "$word"))
}
complete -o default -F _deid deid
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = (
        "bash with bash-completion: deid completion > ~/.local/share/bash-completion/completions/deid; other shells: "
        "write it to a file, and `source` that file in ~/.bashrc or ~/.zshrc. Write it again after an upgrade."
    )


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print(script(), end="")
    return ExitCode.DONE


def script() -> str:
    """Return the script for all commands."""
    from deid_core.cli import COMMANDS

    values: list[str] = []
    options: list[str] = []
    for name in COMMANDS:
        parser = argparse.ArgumentParser(prog=name)
        try:
            importlib.import_module(f"deid_core.cli.{name}").add_arguments(parser)
        except ModuleNotFoundError:
            # A part that is not installed has no options.
            continue
        parsers = list(_with_subparsers(parser))
        actions = [action for each in parsers for action in each._actions]
        for action in actions:
            choices = action.choices or (_NAMES[action.dest]() if action.dest in _NAMES else [])
            if action.option_strings and choices:
                patterns = "|".join(f'"{name} {option}"' for option in action.option_strings)
                values.append(f"            {patterns}) known={_listed(choices)} ;;")
        if len(parsers) > 1:
            subcommands = [choice for action in actions if not action.option_strings for choice in action.choices or ()]
            values.append(f'            "{name} {name}") known={_listed(subcommands)} ;;')
        known = [option for action in actions for option in action.option_strings if option.startswith("--")]
        options.append(f'                "{name} -"*) known={_listed(dict.fromkeys(known))} ;;')
    filled = {"commands": _listed(COMMANDS), "values": "\n".join(values), "options": "\n".join(options)}
    return _SCRIPT % filled


def _with_subparsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


def _listed(words: object) -> str:
    return shlex.quote(" ".join(map(str, words)))  # type: ignore[call-overload]
