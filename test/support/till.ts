import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CryptoRandom, ScryptHasher } from '../../adapters/crypto/index.ts';
import { PromMetrics } from '../../adapters/metrics/index.ts';
import type {
  Account,
  ChainCode,
  Lease,
  Logger,
  PasswordHasher,
  Plugin,
  PortReplacements,
  Vault,
} from '../../core/index.ts';
import { DEFAULT_FEED_LEASE_MS, present, setDataSecurity } from '../../core/index.ts';
import { resolveConfig } from '../../host/settings/config.ts';
import type { HostConfig } from '../../host/settings/config.ts';
import { createContainer, openingPorts, pluginPorts, provide, resolveTill } from '../../host/boot/container.ts';
import type { Till } from '../../host/boot/container.ts';
import { DisposeStack } from '../../host/boot/dispose-stack.ts';
import { setUpPlugins } from '../../host/boot/plugin-registry.ts';
import { importPlugins } from '../../host/boot/plugins.ts';
import { createListener } from '../../host/http/server.ts';
import type { SettingsInput } from '../../host/settings/settings.ts';
import { openWallet } from '../../host/wallet/wallet.ts';
import { SnowflakeWorkerId } from '../../host/workers/worker-id.ts';
import { FakeClock, MemoryLogger } from './fakes.ts';
import { HttpClient } from './http.ts';
import type { SigningKeys } from './http.ts';
import type { TestStorage } from './storage.ts';

/** Longer than any test's clock runs, so that the worker id of a test is never lost. */
const FOREVER_MS = 1e12;
const MAX_STEPS = 1000;
/** Cheaper than the host's hashing by a factor of a hundred; hashing would otherwise take half of a test's time. */
const QUICK_HASHES = { cost: { N: 2 ** 10, r: 8, p: 1 } };

/** A merchant with credentials. */
export interface TestMerchant {
  readonly account: Account;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly keys: SigningKeys;
  /** Sends the API key with each request. */
  readonly client: HttpClient;
  /** The options of a request that is signed at the till's present time. */
  signed(): { readonly keys: SigningKeys; readonly at: number };
  setDataSecurity(on: boolean): Promise<void>;
}

/** Options of a {@link TestTill}. */
export interface TestTillOptions {
  /** Settings as in `tillgate.config.json`; sandbox mode with its simulated chains by default. */
  readonly settings?: SettingsInput;
  /** Plugins with their options, in addition to those of the settings. */
  readonly plugins?: readonly { readonly plugin: Plugin; readonly options: unknown }[];
  readonly clock?: FakeClock;
  readonly logger?: Logger;
  /** scrypt with little work by default. */
  readonly hasher?: PasswordHasher;
  /** Random by default. */
  readonly masterKey?: Uint8Array;
  /** Replacements of the till's ports. */
  readonly replace?: PortReplacements;
  /** The prefix of the merchants' e-mail addresses; `shop` by default. */
  readonly merchants?: string;
}

/** The parts that tests create merchants with. */
interface TestAccounts extends Pick<Till, 'createAccount' | 'createCredential'> {
  readonly hasher: Till['passwordHasher'];
}

/** The whole till in this process, wired as by the host: the test advances the time and runs the work. */
export interface TestTill {
  readonly url: string;
  readonly port: number;
  readonly till: Till;
  readonly config: HostConfig;
  readonly clock: FakeClock;
  readonly accounts: TestAccounts;
  readonly vault: Vault;
  /** All logged lines, unless another logger was given. */
  readonly logger: MemoryLogger;
  /** The first merchant. */
  readonly merchant: TestMerchant;
  /** Without credentials. */
  readonly client: HttpClient;
  newMerchant(): Promise<TestMerchant>;
  /** Does all due work: follows every chain to its head, expires orders, sends callbacks. */
  work(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a till with its server on a free port, on an open storage that outlives it. */
export async function startTestTill(
  { storage }: Pick<TestStorage, 'storage'>,
  options: TestTillOptions = {},
): Promise<TestTill> {
  const directory = mkdtempSync(join(tmpdir(), 'tillgate-till-'));
  const logger = new MemoryLogger();
  const clock = options.clock ?? new FakeClock();
  const settings: SettingsInput = {
    mode: 'sandbox',
    ...options.settings,
    listen: { host: '127.0.0.1', port: 0, ...options.settings?.listen },
  };
  const masterKey = options.masterKey ?? new CryptoRandom().bytes(32);
  const environment = { TILLGATE_MASTER_KEY: Buffer.from(masterKey).toString('base64') };
  const config = resolveConfig(settings, { directory, environment });
  const disposables = new DisposeStack(logger);
  const infrastructure = {
    config,
    masterKeys: { current: masterKey },
    feedLeaseMs: DEFAULT_FEED_LEASE_MS,
    disposables,
    storage,
    logger: options.logger ?? logger,
    metrics: new PromMetrics(logger),
    tracing: null,
  };
  const container = createContainer(infrastructure, {
    replace: {
      clock,
      passwordHasher: options.hasher ?? new ScryptHasher(QUICK_HASHES),
      // In production the default is a public service on the internet.
      breachedPasswords: { isBreached: () => Promise.resolve(false) },
      ...options.replace,
    },
  });
  const { vault, random } = openingPorts(container);
  const workerId = await SnowflakeWorkerId.take({
    leases: storage.leases,
    owner: 'test',
    ttlMs: FOREVER_MS,
    clock,
    random,
  });
  const wallet = await openWallet({ documents: storage.documents, vault }, null, 'sandbox', logger);
  const base = { url: 'http://till.invalid' };
  provide(container, { workerId, wallet, baseUrl: base });
  const { plugins, problems } = await importPlugins(config.plugins, config.mode, directory);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const registry = await setUpPlugins(
    { ...pluginPorts(container), documents: storage.documents, wallet: wallet.wallet },
    [...plugins, ...(options.plugins ?? [])],
  );
  provide(container, { plugins: registry });
  const till = resolveTill(container);
  const accounts = {
    hasher: till.passwordHasher,
    createAccount: till.createAccount,
    createCredential: till.createCredential,
  };
  const listener = createListener(till, config);
  const port = await listener.listen();
  const url = `http://127.0.0.1:${port}`;
  base.url = config.baseUrl ?? url;
  const client = new HttpClient(url);
  const merchants = new Merchants(till, accounts, client, options.merchants ?? 'shop');
  // Chains are followed from their head at the first read.
  await workOnce(till);
  return {
    url,
    port,
    till,
    config,
    clock,
    accounts,
    vault,
    logger,
    merchant: await merchants.create(),
    client,
    newMerchant: () => merchants.create(),
    work: () => workOnce(till),
    async close() {
      listener.cut();
      await listener.drain();
      merchants.close();
      await disposables.close();
      await registry.close();
      await workerId.release();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

class Merchants {
  readonly #till: Till;
  readonly #accounts: TestAccounts;
  readonly #client: HttpClient;
  readonly #clients: HttpClient[] = [];
  readonly #name: string;

  constructor(till: Till, accounts: TestAccounts, client: HttpClient, name: string) {
    this.#name = name;
    this.#till = till;
    this.#accounts = accounts;
    this.#client = client;
    this.#clients.push(client);
  }

  async create(): Promise<TestMerchant> {
    const { storage, clock } = this.#till;
    const email = `${this.#name}-${this.#clients.length}@example.com`;
    const password = `correct horse ${this.#clients.length}`;
    const account = await this.#accounts.createAccount.run({ email, password });
    const { apiKey, apiToken, signingSecret } = await this.#accounts.createCredential.run(account.id);
    const client = this.#client.with({ 'API-Key': apiKey });
    this.#clients.push(client);
    const keys = { apiToken, signingSecret };
    return {
      account,
      email,
      password,
      apiKey,
      keys,
      client,
      signed: () => ({ keys, at: clock.now() }),
      setDataSecurity: (on) => setDataSecurity({ storage, clock }, account.id, on),
    };
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}

async function workOnce(till: Till): Promise<void> {
  for (const code of till.followers.keys()) await follow(till, code);
  while ((await till.expireOrders.run()) > 0);
  while ((await till.deliverCallbacks.run()) > 0);
  await till.deliverCallbacks.drain();
}

const started = new WeakSet<object>();

async function follow({ followers, storage }: Till, code: ChainCode): Promise<void> {
  const follower = present(followers.get(code), `follower of ${code}`);
  if (!started.has(follower)) await follower.start();
  started.add(follower);
  const lease: Lease = present(await storage.leases.acquire(`follow:${code}`, 'test', FOREVER_MS), `lease of ${code}`);
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    if ((await follower.step(lease)) !== 'advanced') return;
  }
  throw new Error(`the follower of ${code} never came to rest`);
}
