import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LightningRestClient } from '../../adapters/lightning/lightning-rest-client.ts';
import { part } from '../../adapters/lightning/replies.ts';
import { freePort } from '../support/free-port.ts';
import { endWithThisProcess, stopProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { programOf } from './daemons.ts';
import type { Daemon } from './daemons.ts';

/** Where bitcoind tells lnd of blocks and transactions. */
export interface ZmqPorts {
  readonly block: number;
  readonly transaction: number;
}

interface Ports {
  readonly peer: number;
  readonly rpc: number;
  readonly rest: number;
}

const START_MS = 120_000;

/** An lnd on regtest, which can be stopped and started again with all that it knows. */
export class LndDaemon {
  readonly folder = mkdtempSync(join(tmpdir(), 'tillgate-lnd-'));
  readonly #ports: Ports;
  readonly #arguments: readonly string[];
  #child: ChildProcess | null = null;
  #client: LightningRestClient | null = null;

  private constructor(bitcoind: Daemon, zmq: ZmqPorts, ports: Ports, alias: string) {
    this.#ports = ports;
    this.#arguments = [
      `--lnddir=${this.folder}`,
      `--alias=${alias}`,
      `--listen=127.0.0.1:${ports.peer}`,
      `--rpclisten=127.0.0.1:${ports.rpc}`,
      `--restlisten=127.0.0.1:${ports.rest}`,
      '--noseedbackup',
      '--nobootstrap',
      '--debuglevel=error',
      '--trickledelay=50',
      '--minbackoff=200ms',
      '--maxbackoff=1s',
      '--bitcoin.regtest',
      '--bitcoin.node=bitcoind',
      '--bitcoin.defaultchanconfs=1',
      `--bitcoind.rpchost=127.0.0.1:${new URL(bitcoind.url).port}`,
      `--bitcoind.rpcuser=${bitcoind.user}`,
      `--bitcoind.rpcpass=${bitcoind.password}`,
      `--bitcoind.zmqpubrawblock=tcp://127.0.0.1:${zmq.block}`,
      `--bitcoind.zmqpubrawtx=tcp://127.0.0.1:${zmq.transaction}`,
    ];
  }

  /** @throws Error when the program is missing: a test against a daemon must never pass without one */
  static async start(bitcoind: Daemon, zmq: ZmqPorts, alias: string): Promise<LndDaemon> {
    const ports = { peer: await freePort(), rpc: await freePort(), rest: await freePort() };
    const daemon = new LndDaemon(bitcoind, zmq, ports, alias);
    await daemon.start();
    return daemon;
  }

  get restUrl(): string {
    return `https://127.0.0.1:${this.#ports.rest}`;
  }

  get peerPort(): number {
    return this.#ports.peer;
  }

  get macaroonFile(): string {
    return join(this.folder, 'data/chain/bitcoin/regtest/admin.macaroon');
  }

  get tlsCertFile(): string {
    return join(this.folder, 'tls.cert');
  }

  /** Starts it, the first time or again, and waits until it is in step with the chain. */
  async start(): Promise<void> {
    const child = spawn(programOf('lnd', 'LND'), this.#arguments, {
      env: { ...process.env, HOME: this.folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    endWithThisProcess(child, () => {
      child.kill('SIGKILL');
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    });
    let words = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-2_000)));
    await waitFor(
      async () => {
        if (child.exitCode !== null) throw new Error(`lnd ended with ${child.exitCode}`);
        if (
          !existsSync(this.macaroonFile) ||
          !existsSync(this.tlsCertFile) ||
          part(await this.rest('GET', '/v1/state'), 'state') !== 'SERVER_ACTIVE'
        )
          return false;
        return part(await this.rest('GET', '/v1/getinfo'), 'synced_to_chain') === true;
      },
      { timeoutMs: START_MS, intervalMs: 100, describe: () => `lnd to be in step with the chain; it said: ${words}` },
    );
    child.unref();
    for (const stream of [child.stdout, child.stderr]) (stream as unknown as { unref?: () => void }).unref?.();
  }

  /** @param signal - SIGKILL for a node that falls over */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.#client?.close();
    this.#client = null;
    if (this.#child !== null) await stopProcess(this.#child, signal);
    this.#child = null;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Starts it with its keys alone, as one that is made again from its seed: no invoice, payment or channel is left. */
  async beginAnew(): Promise<void> {
    await this.stop();
    rmSync(join(this.folder, 'data/graph'), { recursive: true, maxRetries: 5, retryDelay: 50 });
    await this.start();
  }

  /** Ends it for good. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }

  /** One call of its REST interface, numbers as text. @throws AssertionError with the node's answer when it refuses */
  async rest(method: 'GET' | 'POST', path: string, body?: unknown, timeoutMs = 30_000): Promise<unknown> {
    this.#client ??= new LightningRestClient({
      url: this.restUrl,
      headers: { 'grpc-metadata-macaroon': readFileSync(this.macaroonFile).toString('hex') },
      certificate: readFileSync(this.tlsCertFile, 'utf8'),
    });
    const reply = await this.#client.request({ method, path, timeoutMs, ...(body === undefined ? {} : { body }) });
    assert.equal(reply.status, 200, `${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }
}
