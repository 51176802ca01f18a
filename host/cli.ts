import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import type { Command, Terminal } from './cli/command.ts';
import { COMMANDS } from './cli/commands.ts';
import { failureText } from './cli/failure.ts';
import { helpOn, overview, unknownCommand } from './cli/help.ts';
import { usageOf } from './cli/usage.ts';
import { didYouMean } from './settings/nearest-name.ts';

/**
 * Runs one command line.
 *
 * @returns the exit code: 0 for success, 1 for a failed command or a problem found, 2 for a wrong command line
 */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  const information = await informationFor(args);
  if (information !== null) {
    for (const line of information) terminal.out(line);
    return 0;
  }
  const command = COMMANDS.find(({ words }) => words.every((word, index) => args[index] === word));
  if (command === undefined) return withoutCommand(wordsOf(args), terminal);
  const parsed = readArguments(command, args.slice(command.words.length));
  if (typeof parsed === 'string') {
    terminal.err(parsed);
    return 2;
  }
  try {
    return await command.run({ ...parsed, terminal });
  } catch (error) {
    terminal.err(failureText(error, command.words.join(' '), parsed.json));
    return 1;
  }
}

/** The words before the first option, which name a command. */
function wordsOf(args: readonly string[]): readonly string[] {
  const first = args.findIndex((word) => word.startsWith('-'));
  return first === -1 ? args : args.slice(0, first);
}

/** What was asked about the program or a command instead of running one; `null` for nothing. */
async function informationFor(args: readonly string[]): Promise<readonly string[] | null> {
  const [first] = args;
  if (args.includes('--version') || (args.length === 1 && (first === '-v' || first === 'version'))) {
    const { packageVersion } = await import('./support/machine-facts.ts');
    return [packageVersion()];
  }
  const help = first === 'help' || args.includes('--help') || args.includes('-h');
  if (args.length === 0 || (help && wordsOf(args).filter((word) => word !== 'help').length === 0)) return overview();
  if (!help) return null;
  const words = wordsOf(args).slice(first === 'help' ? 1 : 0);
  // Operands may follow the name of a command.
  for (let count = words.length; count > 0; count--) {
    const found = helpOn(words.slice(0, count));
    if (found !== null && (count === words.length || isCommand(words.slice(0, count)))) return found;
  }
  return null;
}

const isCommand = (words: readonly string[]): boolean =>
  COMMANDS.some((command) => command.words.join(' ') === words.join(' '));

/** Words that name no command: those of several commands list them. */
function withoutCommand(words: readonly string[], { err }: Terminal): number {
  const asked = words[0] === 'help' ? words.slice(1) : words;
  const lines = words.length === asked.length ? helpOn(asked) : null;
  for (const line of lines ?? [unknownCommand(asked), 'tillgate help lists all commands.']) err(line);
  return 2;
}

interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly operands: readonly string[];
  readonly json: boolean;
}

function readArguments(command: Command, args: readonly string[]): Arguments | string {
  const { options, operands: wanted } = command;
  const config: NonNullable<ParseArgsConfig['options']> = { json: { type: 'boolean' } };
  for (const [name, { flag }] of Object.entries(options)) config[name] = { type: flag === true ? 'boolean' : 'string' };
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: config,
      allowPositionals: true,
      strict: true,
    });
    const missing = Object.entries(options).find(
      ([name, { required }]) => required === true && values[name] === undefined,
    );
    if (missing !== undefined) return `--${missing[0]} is missing.\nusage: tillgate ${usageOf(command)}`;
    const needed = wanted.filter((operand) => !operand.startsWith('['));
    if (positionals.length < needed.length || positionals.length > wanted.length)
      return positionals.length > wanted.length
        ? `Unexpected argument "${positionals[wanted.length] ?? ''}".\n${moreOn(command)}`
        : `${needed.slice(positionals.length).join(' ')} is missing.\nusage: tillgate ${usageOf(command)}`;
    return { values: values as Arguments['values'], operands: positionals, json: values['json'] === true };
  } catch (error) {
    return `${wrongOption(error, Object.keys(config))}\n${moreOn(command)}`;
  }
}

const moreOn = ({ words }: Command): string => `tillgate ${words.join(' ')} --help shows its options.`;

/** The message of Node's parser in the words of this program. */
function wrongOption(error: unknown, known: readonly string[]): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, name = ''] = /'(?:-\w, )?(-[^' ]*)/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return `There is no option ${name}.${didYouMean(
      name,
      [...known, 'help', 'version'].map((each) => `--${each}`),
    )}`;
  return code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE'
    ? `${name} ${/does not take/.test(message) ? 'takes no value' : 'needs a value'}.`
    : message;
}
