import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from '../../support/processes.ts';
import { whatIsMissing } from './clients.ts';
import type { Client } from './clients.ts';
import type { World } from './world.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
/** A program that takes longer waits for something that does not come. */
const LIMIT_MS = 120_000;

/** What a client's program printed. */
export interface Run {
  /** `version`, and a line for each feature that it went through. */
  readonly said: ReadonlyMap<string, string>;
  /** Why it stopped before its end; `null` when it did not. */
  readonly failure: string | null;
}

/** Runs a client's program, which finds what it has to know in its environment. */
export async function runClient(client: Client, world: Pick<World, 'environment'>): Promise<Run> {
  const missing = whatIsMissing(client);
  if (missing !== null) return { said: new Map(), failure: missing };
  const [program, ...args] = client.command;
  const child = spawn(program, args, {
    cwd: REPOSITORY,
    env: { ...process.env, ...(await world.environment()) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-8_000)));
  const overdue = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const failure = await new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(code === 0 ? null : `${client.name} ended with ${code ?? signal ?? 'nothing'}\n${stdout}\n${stderr}`),
    );
  });
  clearTimeout(overdue);
  return { said: linesOf(stdout), failure };
}

function linesOf(text: string): Map<string, string> {
  const said = text.split('\n').filter((line) => line.includes(' '));
  return new Map(said.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()]));
}
