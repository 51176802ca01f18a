import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';
import { freshDirectory } from '../host/till-process.ts';
import { freePort } from '../support/free-port.ts';
import { endWithThisProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';

/** An example that runs as its reader runs it: a process of its own. */
export interface RunningExample {
  readonly url: string;
  readonly out: () => string;
  /** Ends it as a service manager does; answers with its exit code. */
  terminate(): Promise<number | null>;
}

/** Starts an example in a folder of its own and waits until it has said that it listens. */
export async function startExample(t: TestContext, name: string): Promise<RunningExample> {
  const directory = freshDirectory();
  const port = await freePort();
  const main = fileURLToPath(new URL(`../../examples/${name}/main.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), main], {
    cwd: directory.path,
    env: { ...process.env, PORT: String(port), DATABASE: join(directory.path, 'app.db') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(child);
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
    directory.remove();
  });
  await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${out}`);
      return / on http:/.test(out);
    },
    { timeoutMs: 60_000, describe: () => `${name} to listen; it said:\n${out}` },
  );
  const terminate = (): Promise<number | null> => {
    child.kill('SIGTERM');
    return ended;
  };
  return { url: `http://127.0.0.1:${port}`, out: () => out, terminate };
}
