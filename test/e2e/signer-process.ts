import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { SignerClient } from '../../adapters/signer/index.ts';
import { TillProcess, freshDirectory } from '../host/till-process.ts';
import type { Ended } from '../host/till-process.ts';
import { waitFor } from '../support/wait.ts';

const LOADER = import.meta.resolve('tsx');
const DEATH = new URL('./die-after-journal.ts', import.meta.url).href;

/** What happens to a request of a till's on its way to the signer. */
export type OnTheWay = 'before it arrives' | 'after it is answered';

/** `tillgate signer` as a process of its own, with a socket in front of it where requests can be caught. */
export class SignerProcess {
  readonly #directory = freshDirectory();
  #process: TillProcess | null = null;
  #front: Server | null = null;
  #caught: { readonly moment: OnTheWay; readonly act: () => Promise<unknown> } | null = null;
  /** The requests for signatures that came. */
  asked = 0;

  /** @param chains - the setting of that name */
  static async start(words: string, chains: object): Promise<SignerProcess> {
    const signer = new SignerProcess();
    signer.#directory.write('seed', words);
    signer.configure(chains);
    await signer.run();
    await signer.#listenInFront();
    return signer;
  }

  get path(): string {
    return this.#directory.path;
  }

  /** Where the till asks. */
  get url(): string {
    return `unix:${join(this.path, 'front.sock')}`;
  }

  /** Asks the signer as a server does that somebody else has taken over. */
  get client(): SignerClient {
    return new SignerClient({ url: `unix:${join(this.path, 'run', 'signer.sock')}`, tls: null });
  }

  get log(): string {
    return this.#process?.err ?? '';
  }

  configure(chains: object, more: object = {}): void {
    this.#directory.write('signer.json', {
      ...{ listen: { socket: 'run/signer.sock' }, dataDir: 'journal', mnemonicFile: 'seed', chains },
      ...more,
    });
  }

  writeSeed(words: string): void {
    writeFileSync(join(this.path, 'seed'), words);
  }

  /** @param dies - between its journal and the first signature */
  async run(dies = false): Promise<void> {
    const args = ['signer', '--config', 'signer.json'];
    const process = dies
      ? new TillProcess(this.path, args, { NODE_OPTIONS: `--import ${LOADER} --import ${DEATH}` }, 'sources')
      : new TillProcess(this.path, args);
    this.#process = process;
    await waitFor(
      () => {
        if (process.child.exitCode !== null) throw new Error(process.err);
        return process.out.includes('listens on');
      },
      { describe: () => `the signer to listen: ${process.err}` },
    );
  }

  command(...args: readonly string[]): Promise<Ended> {
    return new TillProcess(this.path, ['signer', ...args, '--config', 'signer.json']).ended();
  }

  /** Waits until it has ended. */
  async ended(): Promise<void> {
    await this.#process?.ended();
  }

  async kill(): Promise<void> {
    await this.#process?.signal('SIGKILL');
  }

  /** Acts on the next request for a signature; its reply is lost. */
  catchNext(moment: OnTheWay, act: () => Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const done = async (): Promise<void> => {
        await act();
        resolve();
      };
      this.#caught = { moment, act: done };
    });
  }

  async close(): Promise<void> {
    await this.kill();
    this.#front?.closeAllConnections();
    await new Promise((resolve) => this.#front?.close(resolve));
    this.#directory.remove();
  }

  async #listenInFront(): Promise<void> {
    const front = createServer((incoming, outgoing) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk as Buffer);
        const body = Buffer.concat(chunks);
        const isSigning = body.includes('"ask":"sign"');
        if (isSigning) this.asked += 1;
        const caught = isSigning ? this.#caught : null;
        if (caught !== null) this.#caught = null;
        if (caught?.moment === 'before it arrives') {
          await caught.act();
          incoming.socket.destroy();
          return;
        }
        const { status, text } = await this.#pass(body);
        if (caught !== null) {
          await caught.act();
          incoming.socket.destroy();
          return;
        }
        outgoing.writeHead(status).end(text);
      })().catch(() => incoming.socket.destroy());
    });
    this.#front = front;
    await new Promise<void>((resolve) => front.listen(join(this.path, 'front.sock'), resolve));
  }

  #pass(body: Buffer): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const options = { socketPath: join(this.path, 'run', 'signer.sock'), method: 'POST', path: '/', agent: false };
      const sent = request(options, (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
        reply.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
