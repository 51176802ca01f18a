import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { openStorage } from '../../../adapters/storage/knex/index.ts';
import { startReceiver } from '../../host/merchant.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { silentLogger } from '../../support/storage.ts';
import { buildTill } from '../../support/till-program.ts';
import { DATABASE_URL, DatabaseServer } from './database.ts';
import { Load, LOGIN } from './load.ts';
import { MIDDLE, makeNetwork, moveDatabase } from './network.ts';
import { settle } from './rules.ts';
import type { Machines, Row } from './step.ts';
import { STEPS } from './steps.ts';

import { GATE, TillHost } from './till-host.ts';

const PROGRAM = `tillgate-drill-${process.ppid}-${randomBytes(4).toString('hex')}`;
/** A vector of BIP-39. */
const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const PAYEE = '0xd00d00000000000000000000000000000000beef';

/** Plays the steps, all without words, and prints what came of each. @returns the exit code */
export async function drill(words: readonly string[]): Promise<number> {
  await makeNetwork();
  const program = await buildTill(PROGRAM);
  try {
    const machines = await open(program);
    const rows: Row[] = [];
    for (const [name, step] of Object.entries(STEPS)) {
      if (words.length > 0 && !words.includes(name)) continue;
      console.log(`\n== ${name}`);
      rows.push(await step(machines));
      console.table([rows.at(-1)]);
    }
    console.table(rows);
    const held = rows.every(({ broken }) => broken === 0);
    console.log(held ? 'PASS' : 'FAIL');
    return held ? 0 : 1;
  } finally {
    rmSync(dirname(program), { recursive: true, force: true });
  }
}

async function open(program: string): Promise<Machines> {
  const [first, second] = DatabaseServer.pair(['db1', 'db2']);
  await first.create();
  await second.follow(first, 'synchronous');
  await moveDatabase(null, 'db1');
  const [anvil, receiver] = await Promise.all([startAnvil({ host: MIDDLE, blockTime: 1 }), startReceiver(MIDDLE)]);
  const environment = { TILLGATE_MASTER_KEY: randomBytes(32).toString('base64'), TILLGATE_MNEMONIC: MNEMONIC };
  const make = (machine: 'till1' | 'till2' | 'till3' | 'till4', way: 'direct' | 'relay'): TillHost =>
    new TillHost(machine, program, settings(anvil), environment, way);
  const hosts = [make('till1', 'direct'), make('till2', 'direct'), make('till3', 'direct'), make('till4', 'relay')];
  const setup = hosts[0]!;
  const login = ['--email', LOGIN.email, '--password', LOGIN.password, '--verified', '*'];
  const account = String((await setup.command('account', 'create', ...login))['id']);
  const made = await setup.command('credential', 'create', '--account', account);
  const chosen = ['--account', account, '--chain', 'ETH', '--address', PAYEE, '--now'];
  await setup.command('withdrawal-address', 'set', ...chosen);
  const { addresses } = (await setup.command('wallet', 'show')) as { addresses: { chain: string; address: string }[] };
  const hot = addresses.find(({ chain }) => chain === 'ETH')?.address ?? '';
  const [payer, funder] = await anvil.rpc<string[]>('eth_accounts');
  await anvil.rpc('eth_sendTransaction', [{ from: funder, to: hot, value: `0x${(10n ** 20n).toString(16)}` }]);
  for (const host of hosts) await host.start();
  const storage = await openStorage({ client: 'pg', connection: DATABASE_URL }, { logger: silentLogger });
  const credentials = { apiToken: String(made['api_token']), signingSecret: String(made['signing_secret']) };
  const load = new Load(hosts, credentials, anvil, payer!, `${receiver.url}/paid`);
  const world = { storage, anvil, load, received: receiver.received, hot, payee: PAYEE };
  await load.fund();
  await settle(world);
  return { hosts, world, primary: first, standby: second };
}

function settings(anvil: Anvil): object {
  const tokens = {};
  return {
    mode: 'production',
    auth: { breachedPasswords: null },
    database: { client: 'pg', insecure: true },
    orders: { timeoutSeconds: 3600, watchSeconds: 86_400 },
    callbacks: { allowPrivateNetworks: true, timeoutSeconds: 2, schedule: [1, 1, 2, 2, 5, 5, 10, 10, 30, 30] },
    limits: { requestsPerMinute: 100_000, loginsPerMinute: 10_000 },
    rates: { sources: [{ use: 'static', prices: { ETH: '2500' } }] },
    plugins: [
      {
        use: 'ethereum',
        options: {
          rpcUrls: [anvil.url],
          insecureNodes: true,
          chainId: anvil.chainId,
          confirmations: 1,
          spendableConfirmations: 2,
          finalityBlocks: 12,
          pollIntervalMs: 500,
          tokens,
        },
      },
    ],
    gateways: [{ host: GATE, chain: 'ETH', network: 'devnet', protocol: 'jsonrpc', upstreams: [anvil.url] }],
  };
}
