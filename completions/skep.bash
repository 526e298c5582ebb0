# SPDX-License-Identifier: Apache-2.0
# Bash completion of the command skep. Sourced by bash-completion; needs nothing of it but bash.

_skep() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(skep --help 2>/dev/null | sed -n '/^Subcommands:/,$s/^  \([a-z][a-z-]*\) .*/\1/p')
      --help --version" -- "$word")
    return
  fi
  case ${COMP_WORDS[1]} in
    filter) _skep_filter ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}

_skep_filter() {
  case $before in
    -i | --interface)
      mapfile -t COMPREPLY < <(compgen -W "$(skep filter -D 2>/dev/null | sed 's/^[0-9]*\.\([^ ]*\).*/\1/')" -- "$word")
      return ;;
    --engine) mapfile -t COMPREPLY < <(compgen -W "threaded switch libpcap" -- "$word"); return ;;
    --output-format) mapfile -t COMPREPLY < <(compgen -W "pcap pcapng" -- "$word"); return ;;
    --time-stamp-precision) mapfile -t COMPREPLY < <(compgen -W "micro nano" -- "$word"); return ;;
    -c | -C | -G | -W | -s | --snapshot-length | -y | --linktype) return ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "-r -V -i --interface -p --no-promiscuous-mode -s --snapshot-length
      -y --linktype -D --list-interfaces -L --list-data-link-types -F --program -O --no-optimize -d -dd -ddd --engine
      -w --to --rest --count -c -U --packet-buffered -C -G -W --output-format --time-stamp-precision --micro --nano
      --json -n --help" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

complete -o filenames -F _skep skep
