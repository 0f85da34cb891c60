/** `vise completions`: scripts for bash, zsh and fish, made from the definitions. */

import { ConfigError } from "../config/setting.ts";
import type { CliScene } from "./command.ts";
import { type CommandFlag, COMMANDS } from "./commands.ts";
import { ALL_CLIENTS } from "./setup/all_clients.ts";
import { ALL_FLAGS } from "./flags/all_flags.ts";
import { TOOLS } from "../catalog/tool_loaders.ts";

/** Prints the script of the named shell. @throws ConfigError for any other word */
export async function completionsCommand(scene: CliScene): Promise<number> {
  const [shell] = scene.args;
  const make = shell === undefined ? undefined : SHELLS[shell];
  if (make === undefined || scene.args.length > 1) {
    throw new ConfigError(`vise completions needs one of ${Object.keys(SHELLS).join(", ")}`);
  }
  await scene.out(make());
  return 0;
}

const SHELLS: Readonly<Record<string, () => string>> = { bash: bashScript, zsh: zshScript, fish: fishScript };

const COMMAND_NAMES = COMMANDS.map((command) => command.name).join(" ");
const TOOL_NAMES = TOOLS.map((tool) => tool.name).join(" ");
const FLAG_NAMES = [...ALL_FLAGS.map((flag) => `--${flag.name}`), "--help", "--version"].join(" ");
const CLIENT_NAMES = ALL_CLIENTS.map((client) => client.name).join(" ");
/** Subcommands with flags of their own. */
const OWN_FLAGS = COMMANDS.flatMap(({ name, flags }) => flags === undefined ? [] : [{ name, flags }]);
const CHOICES = [...ALL_FLAGS, ...OWN_FLAGS.flatMap(({ flags }) => flags)].filter((flag) => flag.choices !== undefined);

function spelled(flags: readonly { readonly name: string }[]): string {
  return flags.map((flag) => `--${flag.name}`).join(" ");
}

function bashScript(): string {
  const cases = CHOICES.map((flag) => `    --${flag.name}) words="${flag.choices?.join(" ")}" ;;`).join("\n");
  const own = OWN_FLAGS.map(({ name, flags }) => `        ${name}) words="${spelled(flags)} $words" ;;`).join("\n");
  return `_vise() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words
  case "$previous" in
${cases}
    --workspace|--cache-dir|--write-path) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --shell|--tls-cert|--tls-key|--file) COMPREPLY=($(compgen -f -- "$current")); return ;;
    call) words="${TOOL_NAMES}" ;;
    setup) words="${CLIENT_NAMES}" ;;
    completions) words="${Object.keys(SHELLS).join(" ")}" ;;
    *)
      words="${FLAG_NAMES}"
      [ "$COMP_CWORD" -eq 1 ] && words="${COMMAND_NAMES} $words"
      case "\${COMP_WORDS[1]}" in
${own}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _vise vise
`;
}

function zshScript(): string {
  const flags = ALL_FLAGS.map((flag) => {
    const about = flag.about.replaceAll(/['[\]:]/g, " ");
    const value = flag.value === null
      ? ""
      : `:${flag.value}:${flag.choices === undefined ? "_files" : `(${flag.choices.join(" ")})`}`;
    return `    '--${flag.name}[${about}]${value}' \\`;
  }).join("\n");
  const own = OWN_FLAGS.map(({ name, flags }) => `  [[ $words[2] == ${name} ]] && compadd -- ${spelled(flags)}`).join(
    "\n",
  );
  return `#compdef vise
_vise() {
  if (( CURRENT == 3 )) && [[ $words[2] == call ]]; then
    compadd ${TOOL_NAMES}
    return
  fi
  if (( CURRENT == 3 )) && [[ $words[2] == setup ]]; then
    compadd ${CLIENT_NAMES}
    return
  fi
${own}
  _arguments \\
${flags}
    '1:command:(${COMMAND_NAMES})'
}
_vise "$@"
`;
}

function fishScript(): string {
  const commands = COMMANDS.map((command) =>
    `complete -c vise -n __fish_use_subcommand -f -a ${command.name} -d '${command.about.replaceAll("'", " ")}'`
  );
  const flags = ALL_FLAGS.map((flag) => `complete -c vise ${fishFlag(flag)}`);
  const own = OWN_FLAGS.flatMap(({ name, flags }) =>
    flags.map((flag) => `complete -c vise -n '__fish_seen_subcommand_from ${name}' ${fishFlag(flag)}`)
  );
  return [
    ...commands,
    `complete -c vise -n '__fish_seen_subcommand_from call' -f -a '${TOOL_NAMES}'`,
    `complete -c vise -n '__fish_seen_subcommand_from setup' -f -a '${CLIENT_NAMES}'`,
    ...own,
    ...flags,
    "",
  ].join("\n");
}

function fishFlag(flag: CommandFlag): string {
  let values = "";
  if (flag.choices !== undefined && flag.value !== null) values = ` -x -a '${flag.choices.join(" ")}'`;
  else if (flag.value !== null) values = " -r";
  return `-l ${flag.name}${values} -d '${flag.about.replaceAll("'", " ")}'`;
}
