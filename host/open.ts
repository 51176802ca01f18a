import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Clock, IdGenerator, Logger, Random, Storage, Vault } from '../core/index.ts';
import { AesGcmVault, NodeRandom } from '../adapters/crypto/index.ts';
import { SystemClock } from '../adapters/system/index.ts';
import { acquireServerLock, openStorage } from '../adapters/storage/knex/index.ts';
import { configError } from './config.ts';
import type { HostConfig } from './config.ts';
import { bindPlugins, bindWallet, createContainer, resolveAccounts, resolveTill } from './container.ts';
import type { Accounts, Till, TillContainer } from './container.ts';
import { checkMasterKey, obtainMasterKey } from './master-key.ts';
import { moneyProblems } from './money-settings.ts';
import { NodeNumber } from './node-number.ts';
import { setUpPlugins } from './plugins.ts';
import type { LoadedPlugin } from './plugins.ts';
import type { BaseUrl } from './tokens.ts';
import { openWallet } from './wallet.ts';

/** Who opens a till: the one server of a database file, or a command that runs beside it. */
export type Role = 'server' | 'command';

/** An open database and what needs nothing else: enough for most commands. */
export interface Base {
  readonly config: HostConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly vault: Vault;
  readonly random: Random;
  readonly ids: IdGenerator;
  readonly storage: Storage;
  readonly accounts: Accounts;
  readonly owner: string;
  /** How long this instance's leases outlive it, in milliseconds. */
  readonly leaseTtlMs: number;
  readonly container: TillContainer;
  /** Runs `close` when the till is closed, before all that was opened earlier. */
  onClose(name: string, close: () => void | Promise<void>): void;
  /** Gives everything back, the last opened first. */
  close(): Promise<void>;
}

/** With several instances, others take over soon after one died. */
const SHARED_TTL_MS = 15_000;
/** The one server of a file takes its own leases again at once; nobody else wants them. */
const ALONE_TTL_MS = 600_000;

/**
 * Opens the database and brings its schema up to date.
 *
 * @throws TillgateError `CONFIG_INVALID` for a wrong master key, a database of another server, a version too old
 */
export async function openBase(config: HostConfig, logger: Logger, role: Role): Promise<Base> {
  const closers = new Closers(logger);
  try {
    return await assemble(config, logger, role, closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function assemble(config: HostConfig, logger: Logger, role: Role, closers: Closers): Promise<Base> {
  const masterKey = obtainMasterKey(config);
  const clock = systemClock(logger);
  const random = new NodeRandom();
  const vault = new AesGcmVault({ current: masterKey });
  const { database } = config;
  const alone = database.client === 'sqlite' && role === 'server';
  if (database.client === 'sqlite') mkdirSync(dirname(database.filename), { recursive: true, mode: 0o700 });
  if (alone) {
    const lock = await acquireServerLock(database);
    closers.add('server lock', () => lock.release());
  }
  const storage = await openStorage(database, { logger });
  closers.add('storage', () => storage.close());
  await storage.migrate();
  await checkMasterKey(storage.documents, vault);
  const owner = alone ? 'server' : `${hostname()}:${process.pid}:${randomUUID()}`;
  const leaseTtlMs = alone || role === 'command' ? ALONE_TTL_MS : SHARED_TTL_MS;
  const nodeNumber = await NodeNumber.take({ leases: storage.leases, owner, ttlMs: leaseTtlMs, clock, random });
  closers.add('node number', () => nodeNumber.release());
  const container = createContainer({ config, masterKey, clock, logger, random, vault, storage, nodeNumber });
  return {
    config,
    clock,
    logger,
    vault,
    random,
    ids: nodeNumber,
    storage,
    accounts: resolveAccounts(container),
    owner,
    leaseTtlMs,
    container,
    onClose: (name, close) => closers.add(name, close),
    close: () => closers.close(),
  };
}

/** Sets the plugins up and takes the whole till out of the container. */
export async function openTill(base: Base, plugins: readonly LoadedPlugin[], baseUrl: BaseUrl): Promise<Till> {
  const { config, container, storage, vault, logger } = base;
  const tools = { documents: storage.documents, vault };
  bindWallet(container, await openWallet(tools, config.secrets.mnemonic, config.mode === 'sandbox', logger));
  const harvest = await setUpPlugins(container, plugins);
  base.onClose('plugins', () => harvest.close());
  bindPlugins(container, harvest, baseUrl);
  const till = resolveTill(container);
  const problems = moneyProblems(config, till.assets, till.chains);
  if (problems.length > 0) throw configError(problems);
  return till;
}

function systemClock(logger: Logger): Clock {
  return new SystemClock({
    onJump: ({ differenceMs }) => logger.warn('the wall clock jumped and is not followed; restart to accept its time', { differenceMs }),
  });
}

class Closers {
  readonly #logger: Logger;
  readonly #open: { readonly name: string; readonly close: () => void | Promise<void> }[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(name: string, close: () => void | Promise<void>): void {
    this.#open.push({ name, close });
  }

  async close(): Promise<void> {
    for (const { name, close } of this.#open.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        this.#logger.error('could not be closed in order', { part: name, error });
      }
    }
  }
}
