import type { Clock, IdGenerator, Logger, Metrics, Random, Storage, Vault } from '../../core/index.ts';
import { NoWallet } from '../../adapters/wallet/index.ts';
import type { MasterKeys } from '../../adapters/crypto/index.ts';
import { admitMasterKeys, DEFAULT_FEED_LEASE_MS } from '../../core/index.ts';
import { ClockWatch } from './clock-watch.ts';
import { beginCountersAtZero } from '../http/counters-at-zero.ts';
import { configError } from '../settings/config.ts';
import type { TillConfig } from '../settings/settings.ts';
import { createContainer, openingPorts, pluginPorts, provide, resolveTill } from './container.ts';
import type { PortOverrides, Till, TillContainer } from './container.ts';
import type { DisposeStack } from './dispose-stack.ts';
import type { EpochMarkerFile } from './epoch-marker.ts';
import { checkCachePeer } from './cache-store.ts';
import { loadTracing } from './load-tracing.ts';
import { instanceName, warnOfRotation } from '../wallet/master-key.ts';
import { moneyProblems } from '../settings/money-settings.ts';
import { noteNoticeChannels } from './notice-channels.ts';
import type { BaseUrl } from './own-hosts.ts';
import { requireSecureNodes, requireTestNetworks, setUpPlugins } from './plugin-registry.ts';
import type { LoadedPlugin } from './plugins.ts';
import { openWallet } from '../wallet/wallet.ts';
import type { OpenWallet, WalletCreation } from '../wallet/wallet.ts';
import type { SignerAddress } from '../../adapters/signer/index.ts';
import { SnowflakeWorkerId } from '../workers/worker-id.ts';

/** Options of a till besides its settings. */
export interface RuntimeOptions extends PortOverrides {
  /** The time by which a lease outlives a killed process, in milliseconds; 15 seconds by default. */
  readonly leaseTtlMs?: number;
}

/** The dependencies with which a till is opened, in any kind of process. */
export interface RuntimeDeps<Config extends TillConfig = TillConfig> extends PortOverrides {
  readonly config: Config;
  readonly masterKeys: MasterKeys;
  /** The wallet's seed words; `null` to use the stored wallet, if there is one. */
  readonly mnemonic: string | null;
  /** Whether a wallet is created when none is stored, and why; by default only in the sandbox. */
  readonly createWallet?: WalletCreation | null;
  /** The address of the process that holds the seed; none by default. */
  readonly signer?: SignerAddress | null;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** An open database; {@link openRuntime} brings its schema up to date. */
  readonly storage: Storage;
  /** The name under which this instance takes its leases. */
  readonly owner: string;
  /** The time by which this instance's leases outlive it, in milliseconds. */
  readonly leaseTtlMs: number;
  /** The file outside the database that records its progress; `null` for none. */
  readonly marker?: EpochMarkerFile | null;
  /** As {@link leaseTtlMs}, for this instance's view of the gateway keys. */
  readonly feedLeaseMs?: number;
}

/** An open database with the ports that need nothing else: enough for most commands. */
export interface Runtime<Config extends TillConfig = TillConfig> extends Omit<
  RuntimeDeps<Config>,
  'metrics' | 'feedLeaseMs' | 'wrap'
> {
  readonly clock: Clock;
  readonly clockWatch: ClockWatch;
  readonly vault: Vault;
  readonly random: Random;
  readonly ids: IdGenerator;
  readonly container: TillContainer;
  /** Registers `close` to run when the till is closed, before the resources that were opened earlier are closed. */
  onClose(name: string, close: () => void | Promise<void>): void;
  /** Closes everything, the last opened first. */
  close(): Promise<void>;
}

/** Several instances share a database: others take over this long after an instance died. */
export const SHARED_TTL_MS = 15_000;

/**
 * Brings the schema up to date and creates the container, without plugins.
 *
 * @throws TillgateError `CONFIG_INVALID` for a wrong master key or a database that a newer release has migrated
 */
export async function openRuntime<Config extends TillConfig>(
  deps: RuntimeDeps<Config>,
  disposables: DisposeStack,
): Promise<Runtime<Config>> {
  const { metrics, feedLeaseMs = DEFAULT_FEED_LEASE_MS, wrap = {}, ...rest } = deps;
  const { config, masterKeys, logger, replace = {}, owner, leaseTtlMs } = rest;
  const tracing = await loadTracing(config.tracing);
  await checkCachePeer(config.gateway.cache);
  const infrastructure = {
    config,
    masterKeys,
    feedLeaseMs,
    disposables,
    storage: rest.storage,
    logger,
    metrics,
    tracing,
  };
  const container = createContainer(infrastructure, { replace, wrap: { ...tracing?.wrap, ...wrap } });
  const { storage, clock, vault, random, events } = openingPorts(container);
  await storage.migrate();
  const clockWatch = new ClockWatch({ clock, leases: storage.leases, owner, logger, metrics, events });
  await clockWatch.measure();
  warnOfRotation(await admitMasterKeys(storage.documents, vault), masterKeys, logger);
  const workerId = await SnowflakeWorkerId.take({
    leases: storage.leases,
    owner: instanceName(owner, masterKeys),
    ttlMs: leaseTtlMs,
    clock,
    random,
  });
  disposables.add('worker id', () => workerId.release());
  provide(container, { workerId });
  return {
    ...rest,
    storage,
    clock,
    clockWatch,
    vault,
    random,
    ids: replace.ids ?? workerId,
    container,
    onClose: (name, close) => disposables.add(name, close),
    close: () => disposables.close(),
  };
}

/** Sets up the plugins and resolves the whole till. */
export async function openTill(runtime: Runtime, plugins: readonly LoadedPlugin[], baseUrl: BaseUrl): Promise<Till> {
  const { config, container } = runtime;
  const wallet = await walletOf(runtime);
  provide(container, { wallet, baseUrl });
  const { storage, ...ports } = pluginPorts(container);
  const registry = await setUpPlugins({ ...ports, documents: storage.documents, wallet: wallet.wallet }, plugins);
  runtime.onClose('plugins', () => registry.close());
  const requireFit = config.mode === 'production' ? requireSecureNodes : requireTestNetworks;
  requireFit(registry);
  provide(container, { plugins: registry });
  await noteNoticeChannels(storage.documents, registry.notifiers);
  const till = resolveTill(container);
  beginCountersAtZero(
    till,
    till.rateBook.sources.map(({ name }) => name),
  );
  till.storeAlerts.start();
  runtime.onClose('alerts', () => till.storeAlerts.stop());
  const problems = moneyProblems(config, till.assets, till.chains);
  if (problems.length > 0) throw configError(problems);
  return till;
}

/** Addresses must belong to the keys that sign, so with an embedder's own signer they come from that signer. */
async function walletOf(runtime: Runtime): Promise<OpenWallet> {
  const signer = runtime.replace?.signer;
  const { config, createWallet = config.mode === 'sandbox' ? 'sandbox' : null } = runtime;
  if (signer === undefined) return openStoredWallet(runtime, createWallet);
  return { wallet: signer ?? new NoWallet(), signer };
}

/** Opens the configured wallet. @param create - why a new seed is stored when there is none */
export function openStoredWallet(
  { storage, vault, mnemonic, signer = null, logger }: Runtime,
  create: WalletCreation | null = null,
): Promise<OpenWallet> {
  return openWallet({ documents: storage.documents, vault, signer }, mnemonic, create, logger);
}
