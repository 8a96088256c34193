# Completion of nvcosim for bash. Options and commands come from the program's own --help, names of configurations from its message about an
# unknown one, so this file repeats nothing that the program knows.
#
# usage: . scripts/completion.bash      bash-completion sources the installed file

_nvcosim_words() { # options of a command, "" for nvcosim itself
    # shellcheck disable=SC2086 # no command is no argument
    "${COMP_WORDS[0]}" $1 --help 2>/dev/null | grep -oE -- '^ +(-[a-zA-Z?], +)?--[a-z][a-z-]*=?' | grep -oE -- '--[a-z-]+=?'
}

_nvcosim() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command="" i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} != -* ]]; then
            command=${COMP_WORDS[i]}
            break
        fi
    done
    if [[ $cur == = ]]; then
        cur=""
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $prev in
    --config)
        mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" info --config=? x 2>&1 | sed -n 's/.*expected one of //p' | tr -d ,)" -- "$cur")
        return
        ;;
    --dut)
        mapfile -t COMPREPLY < <(compgen -W "rtl model both rtl:" -- "$cur")
        return
        ;;
    --engine)
        if [[ $command == regress ]]; then
            mapfile -t COMPREPLY < <(compgen -W "local slurm" -- "$cur")
            return
        fi
        ;;
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_nvcosim_words "$command")" -- "$cur")
        [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
        return 0
    fi
    if [ -z "$command" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n '/^Commands:/,/^$/p' | sed -nE 's/^  ([a-z-]+) .*/\1/p')" -- "$cur")
        return
    fi
    compopt -o default 2>/dev/null # files
}
complete -F _nvcosim nvcosim
