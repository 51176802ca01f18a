import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess, stopProcess } from './processes.ts';

export interface AnvilOptions {
  /** EIP-155 chain id; 31337 by default. */
  readonly chainId?: number;
  /** Seconds between blocks; without it a block is mined for each transaction. */
  readonly blockTime?: number;
  /** The address to listen on; loopback by default. */
  readonly host?: string;
  /** Further arguments of the program, such as `['--hardfork', 'london']`. */
  readonly args?: readonly string[];
}

/** A real EVM node for one test. */
export interface Anvil {
  /** The URL of its JSON-RPC over HTTP; WebSocket uses the same address (`http:` → `ws:`). */
  readonly url: string;
  readonly chainId: number;
  stop(): Promise<void>;
  /** One JSON-RPC call. @throws Error with the node's message when it refuses */
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>;
  /** Mines blocks at once; the first contains the transactions in the pool. */
  mine(blocks?: number): Promise<void>;
  /** Sets whether each transaction is mined at once in its own block. */
  setAutomine(on: boolean): Promise<void>;
}

/**
 * Starts anvil on a free port.
 *
 * @throws Error when the program is missing: a test of an EVM chain must never pass without one
 */
export async function startAnvil({
  chainId = 31337,
  host = '127.0.0.1',
  blockTime,
  args = [],
}: AnvilOptions = {}): Promise<Anvil> {
  const every = blockTime === undefined ? [] : ['--block-time', String(blockTime)];
  const child = spawn(
    anvilProgram(),
    ['--host', host, '--port', '0', '--chain-id', String(chainId), ...every, ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  endWithThisProcess(child);
  const url = await new Promise<string>((resolve, reject) => {
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      // Read to the end, because a full pipe would stop the node; kept only until the node listens.
      createInterface(stream).on('line', (line) => {
        const address = /^Listening on (\S+)$/.exec(line)?.[1];
        if (address) resolve(`http://${address}`);
        else if (output.length < 200) output.push(line);
      });
    }
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`anvil ended with ${code ?? 'a signal'} before it listened:\n${output.join('\n')}`)),
    );
  });

  // From here on the node must not keep a finished test process alive.
  for (const handle of [child, child.stdout as unknown as Socket, child.stderr as unknown as Socket]) handle.unref();

  const rpc = caller(url);
  await setClock(rpc);
  return {
    url,
    chainId,
    rpc,
    stop: () => stopProcess(child),
    mine: async (blocks = 1) => {
      await rpc('anvil_mine', [`0x${blocks.toString(16)}`]);
    },
    setAutomine: async (on) => {
      await rpc('evm_setAutomine', [on]);
    },
  };
}

/** Anvil fixes the offset of its clock while it starts: on a busy machine its blocks would be seconds behind for good. */
async function setClock(rpc: Anvil['rpc']): Promise<void> {
  const { timestamp } = await rpc<{ timestamp: string }>('eth_getBlockByNumber', ['pending', false]);
  const lag = Math.floor(Date.now() / 1000) - Number(timestamp);
  if (lag > 0) await rpc('evm_increaseTime', [lag]);
}

/** The program of the optional package, or of the variable `ANVIL`. */
function anvilProgram(): string {
  const given = process.env['ANVIL'];
  if (given) return given;
  try {
    const manifest = fileURLToPath(import.meta.resolve('@foundry-rs/anvil-linux-amd64/package.json'));
    const program = join(dirname(manifest), 'bin', 'anvil');
    if (existsSync(program)) return program;
  } catch {
    // Reported below, together with the remedy.
  }
  throw new Error(
    'anvil is missing: install the optional dependencies (npm ci --include=optional), or set ANVIL to the path of an anvil program',
  );
}

function caller(url: string): Anvil['rpc'] {
  let id = 0;
  return async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
    });
    const answer = (await response.json()) as { result?: T; error?: { code: number; message: string } };
    if (answer.error) throw new Error(`${method}: ${answer.error.message} (${answer.error.code})`);
    return answer.result as T;
  };
}
