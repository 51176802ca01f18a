import type { Clock, IdGenerator, Logger, Random, Storage, Vault } from '../core/index.ts';
import { AesGcmVault, NodeRandom } from '../adapters/crypto/index.ts';
import { SystemClock } from '../adapters/system/index.ts';
import { configError } from './config.ts';
import type { TillConfig } from './config.ts';
import { bindPlugins, bindWallet, createContainer, resolveAccounts, resolveTill } from './container.ts';
import type { Accounts, Till, TillContainer } from './container.ts';
import { checkMasterKey } from './master-key.ts';
import { moneyProblems } from './money-settings.ts';
import { NodeNumber } from './node-number.ts';
import { setUpPlugins } from './plugins.ts';
import type { LoadedPlugin } from './plugins.ts';
import type { BaseUrl, ReadableMetrics } from './tokens.ts';
import { openWallet } from './wallet.ts';

/** What a till stands on, in whatever process it runs. */
export interface Ground<Config extends TillConfig = TillConfig> {
  readonly config: Config;
  /** 32 bytes. */
  readonly masterKey: Uint8Array;
  /** The wallet's seed words; `null` for the stored wallet, or none. */
  readonly mnemonic: string | null;
  readonly logger: Logger;
  readonly metrics: ReadableMetrics;
  /** Opened; {@link layBase} brings its schema up to date. */
  readonly storage: Storage;
  /** Who holds this instance's leases. */
  readonly owner: string;
  /** How long this instance's leases outlive it, in milliseconds. */
  readonly leaseTtlMs: number;
}

/** An open database and what needs nothing else: enough for most commands. */
export interface TillBase<Config extends TillConfig = TillConfig> extends Omit<Ground<Config>, 'masterKey' | 'metrics'> {
  readonly clock: Clock;
  readonly vault: Vault;
  readonly random: Random;
  readonly ids: IdGenerator;
  readonly accounts: Accounts;
  readonly container: TillContainer;
  /** Runs `close` when the till is closed, before all that was opened earlier. */
  onClose(name: string, close: () => void | Promise<void>): void;
  /** Gives everything back, the last opened first. */
  close(): Promise<void>;
}

/** With several instances, others take over soon after one died. */
export const SHARED_TTL_MS = 15_000;

/**
 * Brings the schema up to date and makes the container, plugins aside.
 *
 * @throws TillgateError `CONFIG_INVALID` for a wrong master key or a database that a newer release has migrated
 */
export async function layBase<Config extends TillConfig>(ground: Ground<Config>, closers: Closers): Promise<TillBase<Config>> {
  const { masterKey, metrics, ...rest } = ground;
  const { config, logger, storage, owner, leaseTtlMs } = rest;
  const clock = systemClock(logger);
  const random = new NodeRandom();
  const vault = new AesGcmVault({ current: masterKey });
  await storage.migrate();
  await checkMasterKey(storage.documents, vault);
  const nodeNumber = await NodeNumber.take({ leases: storage.leases, owner, ttlMs: leaseTtlMs, clock, random });
  closers.add('node number', () => nodeNumber.release());
  const container = createContainer({ config, masterKey, clock, logger, metrics, random, vault, storage, nodeNumber });
  return {
    ...rest,
    clock,
    vault,
    random,
    ids: nodeNumber,
    accounts: resolveAccounts(container),
    container,
    onClose: (name, close) => closers.add(name, close),
    close: () => closers.close(),
  };
}

/** Sets the plugins up and takes the whole till out of the container. */
export async function openTill(base: TillBase, plugins: readonly LoadedPlugin[], baseUrl: BaseUrl): Promise<Till> {
  const { config, container, storage, vault, logger, mnemonic } = base;
  const tools = { documents: storage.documents, vault };
  bindWallet(container, await openWallet(tools, mnemonic, config.mode === 'sandbox', logger));
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

/** What has to be given back, in the order in which it was opened. */
export class Closers {
  readonly #logger: Logger;
  readonly #open: { readonly name: string; readonly close: () => void | Promise<void> }[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(name: string, close: () => void | Promise<void>): void {
    this.#open.push({ name, close });
  }

  /** Closes the last opened first; an error of one keeps none of the others open. */
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
