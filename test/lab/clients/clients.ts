import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Feature } from './features.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Where install.sh puts what it brings. */
const TOOLS = resolve(
  process.env['TEST_CLIENTS_DIR'] ?? fileURLToPath(new URL('../../../temp/clients', import.meta.url)),
);

/** A client library or program, and the small program here that uses it. */
export interface Client {
  readonly name: string;
  /** The program with its arguments. */
  readonly command: readonly [string, ...string[]];
  /** What install.sh leaves when the client is complete. */
  readonly installed: string;
  /** What this client cannot do, and why. */
  readonly without: Readonly<Partial<Record<Feature, string>>>;
  /** What it does in another way than by itself. */
  readonly notes: Readonly<Partial<Record<Feature, string>>>;
}

type Details = Partial<Pick<Client, 'without' | 'notes'>>;

const here = (path: string): string => join(HERE, path);
const tool = (path: string): string => join(TOOLS, path);
const client = (name: string, command: Client['command'], { without = {}, notes = {} }: Details = {}): Client => ({
  name,
  command,
  installed: tool(`installed/${name}`),
  without,
  notes,
});
const typescript = (path: string): Client['command'] => [process.execPath, '--import', 'tsx', here(path)];

const NEW_CONNECTION = 'does not connect again by itself: the program opens a new connection';
const NEW_SUBSCRIPTION = 'connects again by itself; the program subscribes again';
const PREPARED = 'does not sign: the program sends a transaction that was signed elsewhere';
const NO_HEADER = 'sets no header on a WebSocket';
const NO_WEBSOCKET = 'has no WebSocket';

export const CLIENTS: readonly Client[] = [
  client('viem', typescript('viem/main.ts'), {
    without: { 'ws-header': NO_HEADER },
  }),
  client('ethers', [process.execPath, here('ethers/main.mjs')], { notes: { 'ws-restart': NEW_CONNECTION } }),
  client('curl', ['bash', here('curl/main.sh')], {
    without: {
      'http-restart': 'has no connection left between two runs',
      'ws-header': NO_WEBSOCKET,
      'ws-path': NO_WEBSOCKET,
      subscription: NO_WEBSOCKET,
      'ws-restart': NO_WEBSOCKET,
    },
    notes: { transaction: PREPARED },
  }),
  client('jdk', ['java', here('jdk/Main.java')], { notes: { transaction: PREPARED, 'ws-restart': NEW_CONNECTION } }),
  client('web3py', [tool('web3py/bin/python'), here('web3py/main.py')], {
    notes: { 'ws-restart': NEW_SUBSCRIPTION },
  }),
  client('browser', typescript('browser/main.ts'), {
    without: { 'ws-header': NO_HEADER },
    notes: { transaction: PREPARED, 'ws-restart': NEW_CONNECTION },
  }),
  client('web3j', ['java', '-cp', `${tool('web3j/classes')}:${tool('web3j/libraries/*')}`, 'Main'], {
    notes: { 'ws-restart': NEW_CONNECTION },
  }),
  client('alloy', [tool('alloy/debug/alloy-client')]),
  client('geth', [tool('bin/geth')], {
    notes: { 'ws-restart': NEW_SUBSCRIPTION },
  }),
];

/** Those whose subscriptions are followed over the end of a node. */
export const SUBSCRIBING_CLIENTS: readonly Client[] = [
  client('viem', typescript('viem/subscriptions.ts')),
  client('ethers', [process.execPath, here('ethers/subscriptions.mjs')]),
  client('web3py', [tool('web3py/bin/python'), here('web3py/subscriptions.py')]),
];

/** A client of x402, which pays orders. */
export interface PayingClient extends Client {
  /** The HTTP libraries that it pays with. */
  readonly ways: readonly string[];
}

export const PAYING_CLIENTS: readonly PayingClient[] = [
  { ...client('x402-fetch', typescript('x402-fetch/main.ts')), ways: ['fetch'] },
  {
    ...client('x402-python', [tool('x402-python/bin/python'), here('x402-python/main.py')]),
    ways: ['httpx', 'requests'],
  },
];

/** A call that a shop makes, by the line that a client's program prints of it. */
export const SHOP_CALLS = [
  'server',
  'made',
  'got',
  'listed',
  'coins',
  'marked',
  'hook',
  'hooks',
  'removed',
  'pull',
  'pulls',
  'refused',
] as const;
export type ShopCall = (typeof SHOP_CALLS)[number];

/** Packages for BTCPay Server's Greenfield API. */
export interface ShopClient extends Client {
  /** Each package with the calls for which it has no function, or none that works, and why. */
  readonly packages: Readonly<Record<string, Readonly<Partial<Record<ShopCall, string>>>>>;
}

const NO_FUNCTION = 'has no function for it';

export const SHOP_CLIENTS: readonly ShopClient[] = [
  {
    ...client('greenfield-node', [process.execPath, here('greenfield/node/main.mjs')]),
    packages: { 'btcpay-greenfield-node-client': {} },
  },
  {
    ...client('greenfield-python', [tool('greenfield-python/bin/python'), here('greenfield/python/main.py')]),
    packages: {
      'btcpay-python-sdk': { server: NO_FUNCTION, hook: NO_FUNCTION, hooks: NO_FUNCTION, removed: NO_FUNCTION },
      'btcpay-rest-client': {
        ...{ listed: NO_FUNCTION, marked: NO_FUNCTION, pull: NO_FUNCTION, pulls: NO_FUNCTION },
        hook: 'sends the address of the API in place of that of the webhook',
        hooks: 'makes no webhook',
        removed: 'makes no webhook',
        refused: 'does not say the status',
      },
      'btcpay-mcp': { marked: NO_FUNCTION, removed: NO_FUNCTION },
      pygreenfield: {},
    },
  },
];

const ALL = [...CLIENTS, ...PAYING_CLIENTS, ...SHOP_CLIENTS];

/** Those of a list that the variable `CLIENTS` names, or all. @throws Error for a name that no list has */
export function chosenClients<C extends Client>(
  clients: readonly C[],
  names = process.env['CLIENTS'] ?? '',
): readonly C[] {
  const wanted = names.split(',').filter((name) => name !== '');
  const unknown = wanted.find((name) => ALL.every((each) => each.name !== name));
  if (unknown !== undefined)
    throw new Error(`CLIENTS names ${unknown}; there are ${ALL.map(({ name }) => name).join(', ')}`);
  return clients.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
}

/** What is to be done before the client can run; `null` when nothing is. */
export function whatIsMissing({ name, installed }: Client): string | null {
  if (existsSync(installed)) return null;
  const reason = tool(`missing/${name}`);
  const why = existsSync(reason) ? readFileSync(reason, 'utf8').trim() : 'test/lab/clients/install.sh has not run';
  return `${name} is missing: ${why}. Or choose the others: CLIENTS=${ALL.map((each) => each.name)
    .filter((each) => each !== name)
    .join(',')}`;
}
