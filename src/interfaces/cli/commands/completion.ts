/** colophon completion bash|zsh|fish */
import { Argument, type Command } from 'commander';
import type { RegisterCommand } from '../cli.js';

/** The bare question has a verb of its own, which nobody types. */
const HIDDEN = 'ask';

type Shell = 'bash' | 'zsh' | 'fish';

export const completionCommand: RegisterCommand = (program, cli) => {
  program
    .command('completion')
    .description('print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) => {
      cli.terminal.write(SCRIPTS[shell](wordsOf(await cli.wholeProgram())));
    });
};

interface Words {
  readonly global: readonly string[];
  readonly verbs: readonly { readonly verb: string; readonly about: string; readonly words: readonly string[] }[];
}

function wordsOf(program: Command): Words {
  const longs = (command: Command) => command.options.flatMap((each) => (each.hidden || each.long == null ? [] : [each.long]));
  return {
    global: longs(program),
    verbs: program.commands
      .filter((command) => command.name() !== HIDDEN)
      .map((command) => ({
        verb: command.name(),
        about: (command.summary() || command.description()).replace(/['":]/g, ''),
        words: [...command.commands.map((child) => child.name()), ...longs(command)],
      })),
  };
}

const SCRIPTS: Readonly<Record<Shell, (words: Words) => string>> = { bash, zsh, fish };

function bash({ global, verbs }: Words): string {
  const cases = verbs.map(({ verb, words }) => `    ${verb}) words="${words.join(' ')}" ;;`).join('\n');
  return `# colophon completion for bash: eval "$(colophon completion bash)"
_colophon() {
  local current="\${COMP_WORDS[COMP_CWORD]}" verb="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) verb="$word"; break ;; esac
  done
  case "$verb" in
    "") words="${verbs.map(({ verb }) => verb).join(' ')}" ;;
${cases}
  esac
  COMPREPLY=( $(compgen -W "$words ${global.join(' ')}" -- "$current") $(compgen -f -- "$current") )
}
complete -o filenames -F _colophon colophon
`;
}

function zsh({ global, verbs }: Words): string {
  const described = verbs.map(({ verb, about }) => `    '${verb}:${about}'`).join('\n');
  const cases = verbs.map(({ verb, words }) => `    ${verb}) compadd -- ${words.join(' ')} ;;`).join('\n');
  return `#compdef colophon
# colophon completion for zsh: eval "$(colophon completion zsh)"
_colophon() {
  local -a verbs
  verbs=(
${described}
  )
  if (( CURRENT == 2 )); then _describe verb verbs; _files -/; return; fi
  case "\${words[2]}" in
${cases}
  esac
  compadd -- ${global.join(' ')}
  _files
}
compdef _colophon colophon
`;
}

function fish({ global, verbs }: Words): string {
  const lines = verbs.flatMap(({ verb, about, words }) => [
    `complete -c colophon -n __fish_use_subcommand -a ${verb} -d '${about}'`,
    ...words.map((word) =>
      word.startsWith('--')
        ? `complete -c colophon -n '__fish_seen_subcommand_from ${verb}' -l ${word.slice(2)}`
        : `complete -c colophon -n '__fish_seen_subcommand_from ${verb}' -a ${word}`,
    ),
  ]);
  return `# colophon completion for fish: colophon completion fish | source\n${lines.join('\n')}\n${global.map((word) => `complete -c colophon -l ${word.slice(2)}`).join('\n')}\n`;
}
