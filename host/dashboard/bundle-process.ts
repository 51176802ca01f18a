import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Bundle } from './bundle.ts';

/** What the process answers, once. */
export type Bundled = { readonly bundle: Bundle } | { readonly error: string };

/**
 * Bundles the application from its sources in a process that ends then: what the bundler and the compression leave behind
 * would stay with the server, 35 MB.
 *
 * @param home - the folder of `package.json`
 * @throws Error when development packages are missing, or a source has an error
 */
export function bundleInProcess(home: string): Promise<Bundle> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('bundle-main.ts', import.meta.url)), [home], {
      execArgv: ['--import', import.meta.resolve('tsx')],
      // Keeps the bytes of the files as bytes.
      serialization: 'advanced',
      // A Ctrl-C ends the server alone, and with its connection this process: nothing has failed then.
      detached: true,
    });
    child.once('error', reject);
    child.once('message', (answer: Bundled) => {
      // It ends then, and not before its answer was read.
      child.disconnect();
      if ('bundle' in answer) resolve(answer.bundle);
      else reject(new Error(answer.error));
    });
    child.once('exit', (code, signal) => reject(new Error(`the bundler ended with ${signal ?? code}`)));
  });
}
