"""gradcli completion: the script that lets a shell complete options, functions and the names to bind."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from ..arguments import Command

HELP = """\b
$ gradcli completion bash > ~/.local/share/bash-completion/completions/gradcli

Print the completion script for a shell. After NAME= no space is added, so that the value can be typed.

\b
bash   gradcli completion bash > ~/.local/share/bash-completion/completions/gradcli
zsh    gradcli completion zsh > "${fpath[1]}/_gradcli"
fish   gradcli completion fish > ~/.config/fish/completions/gradcli.fish
"""

# Click's own scripts put a space after every word; these know one more type of word, "binding", that takes none.
BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' kind value response
    response=$(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD %(complete_var)s=bash_complete $1)
    for completion in $response; do
        IFS=',' read kind value <<< "$completion"
        case $kind in
            dir) COMPREPLY=(); compopt -o dirnames ;;
            file) COMPREPLY=(); compopt -o default ;;
            binding) COMPREPLY+=("$value"); compopt -o nospace ;;
            *) COMPREPLY+=("$value") ;;
        esac
    done
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

# Found by zsh in its $fpath, the file is run at the first Tab alone: there it registers itself and answers at once.
ZSH = """\
#compdef %(prog_name)s
%(complete_func)s() {
    local -a response words_plain words_binding
    (( ! $+commands[%(prog_name)s] )) && return 1
    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) %(complete_var)s=zsh_complete %(prog_name)s)}")
    for kind key description in ${response}; do
        case $kind in
            binding) words_binding+=("$key") ;;
            dir) _path_files -/ ;;
            file) _path_files -f ;;
            *) words_plain+=("$key") ;;
        esac
    done
    [ -n "$words_binding" ] && compadd -U -S '' -V binding -a words_binding
    [ -n "$words_plain" ] && compadd -U -V plain -a words_plain
    return 0
}
compdef %(complete_func)s %(prog_name)s
[[ $zsh_eval_context[-1] != loadautofunc ]] || %(complete_func)s "$@"
"""

# fish adds no space after a word that ends in = of itself; Click's script for it knows plain words alone.
FISH = """\
function %(complete_func)s
    set -l words (commandline -cp)
    set -l word (commandline -t)
    for line in (env %(complete_var)s=fish_complete COMP_WORDS="$words" COMP_CWORD="$word" %(prog_name)s)
        set -l pair (string split -m 1 , -- $line)
        switch $pair[1]
            case dir
                __fish_complete_directories $pair[2]
            case file
                __fish_complete_path $pair[2]
            case '*'
                echo $pair[2]
        end
    end
end
complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class Bash(BashComplete):
    source_template = BASH

    @staticmethod
    def _check_version() -> None:
        """Any bash with `compopt` will do; Click would start one to ask for its version."""


class Zsh(ZshComplete):
    source_template = ZSH


class Fish(FishComplete):
    source_template = FISH


SHELLS = {"bash": Bash, "zsh": Zsh, "fish": Fish}


@click.command(cls=Command, name="completion", help=HELP)
@click.argument("shell", type=click.Choice(list(SHELLS)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    click.echo(SHELLS[shell](ctx.find_root().command, {}, "gradcli", "_GRADCLI_COMPLETE").source())
