import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { TillgateError, passwordProblem } from '../../core/index.ts';
import type { CommandCall } from './command.ts';

const MOST_TRIES = 5;
const LONGEST = 64 * 1024;

/**
 * Reads a new password: from standard input with `--password-stdin`, from a prompt that does not echo it, or from
 * `--password`, which other users of the machine can read in the process list.
 *
 * @throws TillgateError `CONFIG_INVALID` when there is none
 */
export async function readNewPassword({ values, terminal }: Pick<CommandCall, 'values' | 'terminal'>): Promise<string> {
  const given = values['password'];
  if (values['password-stdin'] === true) {
    if (given !== undefined) throw new TillgateError('CONFIG_INVALID', 'Give either --password or --password-stdin.');
    return readStandardInput();
  }
  if (typeof given === 'string') {
    terminal.err('--password is visible in the process list and the shell history: use --password-stdin.');
    return given;
  }
  if (!process.stdin.isTTY) throw new TillgateError('CONFIG_INVALID', 'Give the password with --password-stdin.');
  for (let tries = 1; ; tries++) {
    const [first, again] = [await ask('Password (12 characters or more): '), await ask('Once more: ')];
    const problem = first === again ? passwordProblem(first, '') : 'The two passwords differ';
    if (problem === null) return first;
    if (tries === MOST_TRIES) throw new TillgateError('CONFIG_INVALID', `The password: ${problem}.`);
    terminal.err(`${problem}. Try again.`);
  }
}

/** All of standard input without its final line break; every other byte counts. */
async function readStandardInput(): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    if (length > LONGEST) throw new TillgateError('CONFIG_INVALID', 'Standard input is too long for a password.');
  }
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** Prompts at the terminal without echoing the input. */
function ask(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  return new Promise((resolve) => {
    reader.question('', (answer) => {
      reader.close();
      process.stderr.write('\n');
      resolve(answer);
    });
  });
}
