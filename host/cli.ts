import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import type { Command, Terminal } from './cli/command.ts';
import { COMMANDS } from './cli/commands.ts';
import { failureText } from './cli/failure.ts';
import { usageOf } from './cli/usage.ts';

/**
 * Runs one command line.
 *
 * @returns the exit code: 0 for success, 1 for a failed command or a problem found, 2 for a wrong command line
 */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  const command = COMMANDS.find(({ words }) => words.every((word, index) => args[index] === word));
  if (command === undefined) return usage(args, terminal);
  const parsed = readArguments(command, args.slice(command.words.length));
  if (typeof parsed === 'string') {
    terminal.err(`${parsed}\nusage: tillgate ${usageOf(command)}`);
    return 2;
  }
  try {
    return await command.run({ ...parsed, terminal });
  } catch (error) {
    terminal.err(failureText(error, command.words.join(' '), parsed.json));
    return 1;
  }
}

interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly operands: readonly string[];
  readonly json: boolean;
}

function readArguments({ options, operands: wanted }: Command, args: readonly string[]): Arguments | string {
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
    if (missing !== undefined) return `--${missing[0]} is missing.`;
    const needed = wanted.filter((operand) => !operand.startsWith('['));
    if (positionals.length < needed.length || positionals.length > wanted.length)
      return needed.length === 0 ? `Unexpected argument "${positionals[0] ?? ''}".` : `${needed.join(' ')} is missing.`;
    return { values: values as Arguments['values'], operands: positionals, json: values['json'] === true };
  } catch (error) {
    return (error as Error).message;
  }
}

function usage(args: readonly string[], { out, err }: Terminal): number {
  const asked = args.length === 0 || args[0] === 'help' || args[0] === '--help' || args[0] === '-h';
  const say = asked ? out : err;
  if (!asked) say(`There is no command "${args.slice(0, 2).join(' ')}".`);
  say('Commands of tillgate; each accepts --json:');
  for (const command of COMMANDS) say(`  ${usageOf(command).padEnd(72)} ${command.summary}`);
  return asked ? 0 : 2;
}
