import { didYouMean } from '../settings/nearest-name.ts';
import type { Command } from './command.ts';
import { COMMANDS, COMMAND_GROUPS } from './commands.ts';
import type { CommandGroup } from './commands.ts';
import { optionUsage, usageOf } from './usage.ts';

const COLUMN = 28;

/** The help of the program: its commands by group, without their options. */
export function overview(): readonly string[] {
  return [
    'Usage: tillgate COMMAND [options]',
    ...COMMAND_GROUPS.flatMap(linesOfGroup),
    '',
    'tillgate COMMAND --help, or tillgate help COMMAND, shows the options of a command; tillgate --version the version.',
    'Each command accepts --json.',
  ];
}

/** The help for some words: of the command that they name, or of all commands that begin with them; `null` for none. */
export function helpOn(words: readonly string[]): readonly string[] | null {
  const named = COMMANDS.find((command) => command.words.join(' ') === words.join(' '));
  const under = commandsUnder(words);
  if (named === undefined) return under.length === 0 ? null : listed(words, under);
  const further = under.filter((command) => command !== named);
  return [...helpOf(named), ...(further.length === 0 ? [] : ['', ...listed(words, further)])];
}

/** The commands whose names begin with these words. */
export function commandsUnder(words: readonly string[]): readonly Command[] {
  return COMMANDS.filter((command) => words.every((word, index) => command.words[index] === word));
}

/** The message for words that name no command. */
export function unknownCommand(words: readonly string[]): string {
  const written = words.slice(0, 2);
  const names = COMMANDS.map((command) => command.words.join(' '));
  const [first = ''] = written;
  // A first word that is right leaves only the second one to be guessed.
  const near = commandsUnder([first]).map((command) => command.words.join(' '));
  const guess = didYouMean(written.join(' '), near.length > 0 ? near : names) || didYouMean(first, [...names, 'help']);
  return `There is no command "${written.join(' ')}".${guess}`;
}

function linesOfGroup({ title, commands }: CommandGroup): readonly string[] {
  return ['', `${title}:`, ...commands.map(lineOf)];
}

const lineOf = ({ words, operands, summary }: Command): string =>
  `  ${[...words, ...operands].join(' ').padEnd(COLUMN)}  ${summary}`;

function listed(words: readonly string[], commands: readonly Command[]): readonly string[] {
  return [`Commands of tillgate ${words.join(' ')}:`, ...commands.map(lineOf)];
}

function helpOf(command: Command): readonly string[] {
  const options = Object.entries({ ...command.options, json: { flag: true, about: 'prints JSON' } });
  return [
    `Usage: tillgate ${usageOf(command)}`,
    '',
    `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`,
    '',
    'Options:',
    ...options.map(([name, option]) => {
      const about = [option.about, 'required' in option && option.required === true ? 'required' : undefined];
      return `  ${optionUsage(name, option).padEnd(COLUMN)}  ${about.filter((each) => each !== undefined).join('; ')}`.trimEnd();
    }),
  ];
}
