import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { TillOnAnvil } from './till-on-anvil.ts';
import { startChargingTill, unpack } from './x402-payer.ts';
import type { Requirements } from './x402-payer.ts';

/** The JSON-RPC route, as programs reach it. */
export const RPC_HOST = 'localhost';
/** The same node by a route without JSON-RPC. */
export const HTTP_HOST = 'http.gate.example';
/** A route that sells nothing. */
export const CLOSED_HOST = 'closed.gate.example';
/** How many calls the smallest plan has. */
export const UNITS = 50;
/** What it costs, in units of the token. */
export const PRICE = 20_000_000n;

/** What the gate answers. */
export interface GateReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A call of the gate. */
export interface GateCall {
  readonly host?: string;
  readonly key?: string;
  /** The value of `PAYMENT-SIGNATURE`. */
  readonly payment?: string;
  readonly origin?: string;
  /** By default one block number. */
  readonly body?: string;
}

/** A batch of so many calls. */
export const batchOf = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_blockNumber' })));

export const BLOCK_NUMBER = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_blockNumber' });

/** A till that sells plans at its gate, on a node that makes a block each second. */
export async function startPaidGate(engine: 'sqlite' | 'pg'): Promise<{ till: TillOnAnvil; agents: string }> {
  let agents = '';
  const till = await startChargingTill(engine, {
    further: async (starting) => {
      const made = await starting.command(
        ...['account', 'create', '--email', 'agents@example.com', '--password', 'correct horse battery'],
      );
      assert.equal(made.code, 0, made.err);
      agents = (JSON.parse(made.out) as { id: string }).id;
      const node = { chain: 'ETH', network: 'devnet', upstreams: [starting.anvil.url] };
      return {
        gateway: { sales: { account: starting.demo?.account_id, agents, plans: PLANS } },
        gateways: [
          { ...node, host: RPC_HOST, protocol: 'jsonrpc', plans: ['large', 'small'] },
          { ...node, host: HTTP_HOST, protocol: 'http', plans: ['small'] },
          { ...node, host: CLOSED_HOST, protocol: 'jsonrpc' },
        ],
      };
    },
  });
  await till.anvil.rpc('evm_setIntervalMining', [1]);
  return { till, agents };
}

const PLANS = {
  large: { units: 100_000, price: '500.00', currency: 'USD' },
  small: { units: UNITS, price: '20.00', currency: 'USD' },
};

/** Calls the gate; by default a block number without a key. */
export function call(
  url: string,
  { host = RPC_HOST, key, payment, origin, body = BLOCK_NUMBER }: GateCall = {},
): Promise<GateReply> {
  const headers = {
    ...{ Host: host, 'Content-Type': 'application/json', 'Content-Length': String(body.length) },
    ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    ...(payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment }),
    ...(origin === undefined ? {} : { Origin: origin }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => void chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on('error', reject).end(body);
  });
}

/** What a refusal asks for; each has another ticket. */
export function asked({ status, headers, text }: GateReply): GateRequirements {
  assert.equal(status, 402, text);
  const { x402Version, accepts } = unpack(String(headers['payment-required']));
  assert.equal(x402Version, 2);
  const [one] = accepts as readonly GateRequirements[];
  assert(one !== undefined, text);
  return one;
}

/** What the gate asks for. */
export interface GateRequirements extends Requirements {
  readonly extra: Requirements['extra'] & { readonly ticket: string };
}

/** The key that a reply brings. */
export const keyOf = ({ headers }: GateReply): string => String(headers['tillgate-key'] ?? '');

/** Whether the node has answered. */
export const answered = ({ status, text }: GateReply): boolean => status === 200 && /"result":"0x/.test(text);
