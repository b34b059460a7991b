"""`deid completion`: a script by which bash, zsh or fish complete commands, options and their values.

The script is made from the parsers themselves, so it knows what `--help` knows.
"""

from __future__ import annotations

import argparse
import importlib
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from deid_core.core.data_folders import pipeline_names, policy_names
from deid_core.core.errors import ExitCode

_NAMES = {"pipeline": pipeline_names, "policy": policy_names, "output_policy": policy_names}
"""Options that take a name or a file: the names."""

_BASH = """\
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


class _Option(NamedTuple):
    """names: with their dashes. values: that are known. may_be_file: other values are files."""

    names: Sequence[str]
    help: str
    takes_value: bool
    values: list[str]
    may_be_file: bool


class _Command(NamedTuple):
    """first: what the word after the command may be, if that is known."""

    name: str
    help: str
    first: list[str]
    options: list[_Option]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell that reads the script")
    parser.epilog = (
        "bash: deid completion bash > ~/.local/share/bash-completion/completions/deid; "
        "fish: deid completion fish > ~/.config/fish/completions/deid.fish; "
        "zsh, and bash without bash-completion: write it to a file, and `source` that file in ~/.zshrc or ~/.bashrc. "
        "Write it again after an upgrade."
    )


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print(script(args.shell), end="")
    return ExitCode.DONE


def script(shell: str) -> str:
    """Return the script for all commands."""
    return _fish(_commands()) if shell == "fish" else _bash(_commands())


def _commands() -> list[_Command]:
    from deid_core.cli import COMMANDS

    found = []
    for name, told in COMMANDS.items():
        parser = argparse.ArgumentParser(prog=name)
        try:
            importlib.import_module(f"deid_core.cli.{name}").add_arguments(parser)
        except ModuleNotFoundError:
            # A part that is not installed has no options.
            continue
        actions = list(actions_of(parser))
        first = [
            str(choice) for action in parser._actions if not action.option_strings for choice in action.choices or ()
        ]
        found.append(_Command(name, told, first, [_option(action) for action in actions if action.option_strings]))
    return found


def actions_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the parser's actions and those of its subcommands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from actions_of(each)


def _option(action: argparse.Action) -> _Option:
    names = _NAMES[action.dest]() if action.dest in _NAMES else []
    told = (action.help or "").replace("%%", "%").partition(";")[0].partition(" (")[0]
    return _Option(
        action.option_strings, told, action.nargs != 0, [*map(str, action.choices or names)], not action.choices
    )


def _bash(commands: Sequence[_Command]) -> str:
    values, options = [], []
    for command in commands:
        for option in command.options:
            if option.values:
                patterns = "|".join(f'"{command.name} {name}"' for name in option.names)
                values.append(f"            {patterns}) known={_listed(option.values)} ;;")
        # Before an option: `deid letters --help`.
        if command.first:
            values.append(f'            "{command.name} {command.name}") known={_listed(command.first)} ;;')
        known = [name for option in command.options for name in option.names if name.startswith("--")]
        options.append(f'                "{command.name} -"*) known={_listed(dict.fromkeys(known))} ;;')
    names = _listed(command.name for command in commands)
    return _BASH % {"commands": names, "values": "\n".join(values), "options": "\n".join(options)}


def _fish(commands: Sequence[_Command]) -> str:
    lines = ["# Completion of `deid` for fish; `deid completion` wrote it."]
    for command in commands:
        lines.append(f"complete -c deid -f -n __fish_use_subcommand -a {command.name} -d {_escaped(command.help)}")
        # Not fish's own __fish_seen_subcommand_from: the word may also be the value of an option.
        after = f"complete -c deid -n 'contains -- {command.name} (commandline -opc)[2]"
        if command.first:
            words = _escaped(" ".join(command.first))
            lines.append(f"{after}; and test (count (commandline -opc)) -eq 2' -f -a {words}")
        after += "'"
        for option in command.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            takes = "" if not option.takes_value else " -r" if option.may_be_file else " -x"
            values = f" -a {_escaped(' '.join(option.values))}" if option.values else ""
            lines.append(f"{after} {names}{takes}{values} -d {_escaped(option.help)}")
    return "\n".join(dict.fromkeys(lines)) + "\n"


def _escaped(text: str) -> str:
    """Return the text as one word of fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _listed(words: Iterable[str]) -> str:
    return shlex.quote(" ".join(words))
