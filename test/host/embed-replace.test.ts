import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { PORTS, isTillgateError } from '../../core/index.ts';
import type { ChainAdapter, Plugin, PluginContext, PortReplacements, Ports } from '../../core/index.ts';
import { AesGcmVault, JoseTokenIssuer, CryptoDigest, CryptoRandom, ScryptHasher } from '../../adapters/crypto/index.ts';
import { Eventemitter3Bus } from '../../adapters/events/index.ts';
import { SnowflakeIds, deadline } from '../../adapters/system/index.ts';
import { MnemonicWallet, generateMnemonic } from '../../adapters/wallet/index.ts';
import { createTillgate } from '../../host/embed/index.ts';
import type { Tillgate } from '../../host/embed/index.ts';
import { sandbox } from '../../plugins/sandbox/index.ts';
import { FakeLightning } from '../support/fake-lightning.ts';
import { MemoryLogger, MemoryMetrics } from '../support/fakes.ts';
import { silentLogger, openStorageAlone } from '../support/storage.ts';
import { waitFor } from '../support/wait.ts';

type PortName = keyof Ports;

/** The names of the ports that the till has called. */
const used = new Set<PortName>();

/** The same port; each call of one of its functions is recorded. */
function recording<Port extends object>(name: PortName, port: Port): Port {
  return new Proxy(port, {
    apply: (target, self, args) => {
      used.add(name);
      return Reflect.apply(target as () => unknown, self, args) as unknown;
    },
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        used.add(name);
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}

/** The sandbox's Ethereum, set up without a till. */
async function sandboxChains(
  context: Pick<PluginContext<unknown>, 'logger' | 'clock' | 'wallet' | 'signer' | 'documents'>,
): Promise<Ports['chains']> {
  const chains = new Map<string, ChainAdapter>();
  await sandbox.plugin.setup({
    ...context,
    options: { confirmations: 1, spendableConfirmations: 1, pollIntervalMs: 20 },
    addChain: (chain) => {
      if (chain.code === 'ETH') chains.set(chain.code, chain);
    },
    addLightning: () => undefined,
    addRateSource: () => undefined,
    addNotifier: () => undefined,
    onClose: () => undefined,
  });
  return chains;
}

/** One implementation of each port. A port that is added to the core has no place here yet: it does not compile. */
async function everyPort(): Promise<Required<PortReplacements>> {
  const masterKey = randomBytes(32);
  const clock = { now: () => Date.now() };
  const random = new CryptoRandom();
  const storage = await openStorageAlone({ client: 'sqlite', filename: ':memory:' }, { logger: silentLogger });
  await storage.migrate();
  const wallet = new MnemonicWallet(generateMnemonic());
  const chains = await sandboxChains({
    logger: silentLogger,
    clock,
    wallet,
    signer: wallet,
    documents: storage.documents,
  });
  const priced = (symbols: readonly string[]): { symbol: string; usd: string; at: number }[] =>
    symbols.map((symbol) => ({ symbol, usd: '1', at: clock.now() }));
  return {
    storage: recording('storage', storage),
    clock: recording('clock', clock),
    ids: recording('ids', new SnowflakeIds(clock, 7, random)),
    random: recording('random', random),
    digest: recording('digest', new CryptoDigest()),
    vault: recording('vault', new AesGcmVault({ current: masterKey })),
    passwordHasher: recording('passwordHasher', new ScryptHasher()),
    breachedPasswords: recording('breachedPasswords', { isBreached: () => Promise.resolve(false) }),
    tokenIssuer: recording('tokenIssuer', new JoseTokenIssuer({ current: masterKey })),
    signer: recording('signer', wallet),
    logger: recording('logger', new MemoryLogger()),
    metrics: recording('metrics', new MemoryMetrics()),
    events: recording('events', new Eventemitter3Bus(silentLogger)),
    deadline: recording('deadline', deadline),
    rates: [recording('rates', { name: 'own', fetch: (symbols) => Promise.resolve(priced(symbols)) })],
    callbackTransport: recording('callbackTransport', {
      send: () => Promise.resolve({ kind: 'answered', status: 200, retryAfterSeconds: null, durationMs: 1 }),
    }),
    chains: recording('chains', chains),
    lightning: recording('lightning', new FakeLightning(clock.now)),
    changeFeed: recording('changeFeed', storage.feed),
    keyDirectory: recording('keyDirectory', {
      find: () => null,
      onChange: () => () => undefined,
      used: () => undefined,
    }),
  };
}

/** Asks the wallet and the logger that it is given. */
const curious: Plugin = {
  name: 'curious',
  version: '1.0.0',
  requires: '^1.0.0',
  options: () => ({}),
  setup: async ({ wallet, logger }) => logger.info(await wallet.extendedPublicKey("m/44'/60'/1'")),
};

/** A merchant logs in over HTTP, sells something and is called back. */
async function useEverything(till: Tillgate): Promise<void> {
  const password = 'correct horse battery';
  const { id } = await till.accounts.create({ email: 'shop@example.com', password });
  await till.credentials.create({ account: id });
  const login = await till.fetch(
    new Request('https://shop.example.com/pay/api/plugin/key/service', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'shop@example.com', password }),
    }),
  );
  assert.equal(login.status, 200, await login.text());
  const order = await till.orders.create({
    account: id,
    chain: 'ETH',
    coin: 'ETH',
    price: '25',
    currency: 'USD',
    callbackUrl: 'https://shop.example.com/paid',
  });
  await till.sandbox.pay(order.id);
  await waitFor(() => used.has('callbackTransport') && used.has('lightning'), { describe: 'the callback' });
}

describe('createTillgate({ replace })', () => {
  let ports: Required<PortReplacements>;
  before(async () => {
    ports = await everyPort();
    used.clear();
    const till = await createTillgate({
      masterKey: randomBytes(32),
      baseUrl: 'https://shop.example.com/pay',
      mode: 'sandbox',
      plugins: [{ plugin: curious, options: {} }],
      replace: ports,
    });
    try {
      await useEverything(till);
    } finally {
      await till.close();
      await ports.storage.close();
    }
  });

  for (const name of Object.keys(PORTS) as PortName[]) {
    test(`fault 402: uses the application’s ${name}`, () => assert.ok(used.has(name), 'it was never called'));
  }

  test('needs a database, or a storage of the application’s own', async () => {
    const opening = createTillgate({
      masterKey: randomBytes(32),
      baseUrl: 'https://shop.example.com/pay',
      mode: 'sandbox',
    });
    await assert.rejects(
      opening,
      (error) =>
        isTillgateError(error, 'CONFIG_INVALID') &&
        error.message.includes('database: name one, such as sqlite:./till.db, or give replace.storage'),
    );
  });
});
