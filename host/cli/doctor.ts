import {
  FIATS,
  LIGHTNING_ASSET,
  TillBudget,
  amountInWords,
  canPay,
  epochHold,
  findExcesses,
  formatUnits,
  hotSurplus,
  lastReadAt,
  present,
  reconcile,
  SettingsAgreement,
  UNREAD_ALERT_MS,
} from '../../core/index.ts';
import type { ChainAdapter, ChainState, FrozenCoin, Millis, PayingChain } from '../../core/index.ts';
import { SignerClient } from '../../adapters/signer/index.ts';
import { boundingSettings } from '../settings/bounding-settings.ts';
import { configError, loadConfig } from '../settings/config.ts';
import type { HostConfig } from '../settings/config.ts';
import type { Till } from '../boot/container.ts';
import { openHostRuntime } from '../boot/open.ts';
import type { HostRuntime } from '../boot/open.ts';
import { importPlugins } from '../boot/plugins.ts';
import { openTill } from '../boot/runtime.ts';
import type { Runtime } from '../boot/runtime.ts';
import type { CommandCall } from './command.ts';
import { FINDINGS, Problem } from './findings.ts';
import type { FindingName } from './findings.ts';
import { seedFilesIn } from '../init/seed-words.ts';
import { weakSettings } from '../settings/weak-settings.ts';
import { CollectingLogger, withCause } from './node-error-hints.ts';

/** The outcome of one check. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** True for something that works but is weak. */
  readonly warning?: true;
  readonly words: string;
  /** The name of the problem or weakness; absent when there is none. */
  readonly finding?: FindingName;
}

/** `doctor`: checks everything that a till needs and describes each problem. */
export async function doctor({ json, terminal }: CommandCall): Promise<number> {
  const findings: Finding[] = [];
  const look: Look = async (check, usual, work) => {
    try {
      const [words, found, weakness] = await work();
      findings.push(
        weakness === undefined
          ? { check, ok: true, words }
          : { check, ok: true, warning: true, words, finding: weakness },
      );
      return found;
    } catch (error) {
      const finding = error instanceof Problem ? error.finding : usual;
      findings.push({ check, ok: false, words: (error as Error).message, finding });
      return null;
    }
  };
  const config = await look('configuration', 'configuration-wrong', readConfiguration);
  if (config !== null) {
    for (const words of weakSettings(config))
      findings.push({ check: 'settings', ok: true, warning: true, words, finding: 'setting-weak' });
    for (const file of seedFilesIn([config.directory, config.dataDir]))
      findings.push({
        check: 'seed',
        ok: true,
        warning: true,
        words: `${file} has the words of a seed`,
        finding: 'seed-file-left',
      });
    await lookAtTill(config, look);
  }
  const ok = findings.every((finding) => finding.ok);
  if (json) terminal.out(JSON.stringify({ ok, findings: findings.map(explained) }));
  else for (const line of findings.flatMap((each, index) => linesOf(each, findings[index + 1]))) terminal.out(line);
  return ok ? 0 : 1;
}

function explained({ finding, ...rest }: Finding): object {
  return finding === undefined ? rest : { ...rest, finding, ...FINDINGS[finding] };
}

/** Neighbours of one name share the explanation, below the last of them. */
export function linesOf({ check, ok, warning, words, finding }: Finding, next?: Finding): readonly string[] {
  const line = `${warning === true ? 'weak ' : ok ? 'ok   ' : 'WRONG'} ${check}: ${words}`;
  if (finding === undefined || finding === next?.finding) return [line];
  const { means, advice } = FINDINGS[finding];
  return [line, `        ${means}`, `        ${advice}`];
}

/** @param usual - the finding when the work fails for a reason that has no name of its own */
type Look = <T>(
  check: string,
  usual: FindingName,
  work: () => Promise<readonly [words: string, found: T, weakness?: FindingName]>,
) => Promise<T | null>;

async function readConfiguration(): Promise<readonly [string, HostConfig]> {
  const config = await loadConfig();
  const { problems } = await importPlugins(config.plugins, config.mode, config.directory);
  if (problems.length > 0) throw configError(problems);
  return [`${config.mode} mode, ${config.plugins.length} plugin(s), data in ${config.dataDir}`, config];
}

async function lookAtTill(config: HostConfig, look: Look): Promise<void> {
  const problems = new CollectingLogger();
  const runtime = await look('database', 'database-unusable', async () => {
    const opened = await openHostRuntime(config, problems, 'command');
    return [`${config.database.client} answers and is up to date`, opened];
  });
  if (runtime === null) return;
  try {
    await look('clock', 'clock-wrong', () => lookAtClock(runtime));
    if (config.signer !== null) await look('signer', 'signer-unreachable', () => lookAtSigner(config.signer));
    const till = await look('plugins', 'plugins-unusable', async () => {
      const { plugins } = await importPlugins(config.plugins, config.mode, config.directory);
      const opened = await openTill(runtime, plugins, { url: '' });
      const chains = [...opened.chains.keys()];
      return chains.length === 0
        ? ['no plugin adds a chain, so no order can be created', opened, 'chain-missing']
        : [`chains ${chains.join(', ')}`, opened];
    });
    if (till === null) return;
    const running = await look('settings', 'settings-differ', () => lookAtAgreement(config, till, runtime));
    // `null` is a running instance with other settings.
    const isRun = running !== 0;
    for (const chain of till.chains.values()) {
      const isUsable = await look(`chain ${chain.code}`, 'node-unusable', () =>
        lookAtChain(chain, till, { isRun, problems }),
      );
      if (isUsable === true && canPay(chain))
        await look(`coins ${chain.code}`, 'node-unusable', () => lookAtCoins(chain, till));
    }
    if (till.lightningWork !== null) await look('lightning', 'lightning-unusable', () => lookAtLightning(till));
    await look('rates', 'price-missing', () => lookAtRates(till));
    await lookAtNotifiers(till, config, look);
  } finally {
    await runtime.close();
  }
}

async function lookAtSigner(address: HostConfig['signer']): Promise<readonly [string, null]> {
  const { stopped, chains } = await new SignerClient(present(address, 'the signer')).status();
  if (stopped !== null) throw new Problem('signer-stopped', `stopped, so payments wait: ${stopped}`);
  return [`answers at ${address?.url ?? ''} and signs for ${chains.join(', ')}`, null];
}

/** Compares the settings with those of the database's other instances. Returns how many run. */
async function lookAtAgreement(config: HostConfig, till: Till, runtime: Runtime): Promise<readonly [string, number]> {
  const { documents } = runtime.storage;
  const settings = boundingSettings(config, till);
  const running = await new SettingsAgreement({ ...till, documents, instance: runtime.owner, settings }).check();
  return [running === 0 ? 'no other instance runs' : `the same as in ${running} running instances`, running];
}

async function lookAtClock({ clockWatch, config }: HostRuntime): Promise<readonly [string, null]> {
  if (clockWatch.problem !== null) throw new Problem('clock-wrong', clockWatch.problem);
  return config.database.client === 'sqlite'
    ? ['not compared: SQLite has this machine’s clock; keep its time service (NTP) running', null]
    : ["agrees with the database's", null];
}

async function lookAtChain(
  chain: ChainAdapter,
  { storage, clock }: Till,
  { isRun, problems }: { readonly isRun: boolean; readonly problems: CollectingLogger },
): Promise<readonly [string, true]> {
  problems.take();
  const { identity, height } = await askNode(chain);
  const state = await storage.chains.state(chain.code);
  if (state?.identity != null && state.identity !== identity) {
    throw new Problem(
      'node-of-another-network',
      `the node is on ${identity}, but the till has followed ${state.identity}; correct the node's address`,
    );
  }
  for (const { currency } of chain.assets) await chain.verifyAsset?.(currency);
  await refuseFeeTokens(chain);
  if (state?.haltedReason != null) throw new Problem('chain-stopped', `stopped: ${state.haltedReason}`);
  const behindNetwork = (await chain.status?.())?.behind ?? null;
  if (behindNetwork !== null)
    throw new Problem('node-behind', `the node ${behindNetwork}; orders do not expire until it has caught up`);
  if (state?.trouble != null) throw new Problem('chain-not-read', `not read to its head: ${state.trouble.text}`);
  // While no instance runs, nothing reads the chain.
  if (isRun && state !== null) requireRead(state, clock.now());
  const payoutStop = await storage.transfers.payoutStop(chain.code);
  if (payoutStop !== null) throw new Problem('payouts-stopped', `payouts are stopped: ${payoutStop}`);
  const stops = await storage.transfers.currencyStops(chain.code);
  if (stops.length > 0)
    throw new Problem('currency-stopped', stops.map(({ currency, reason }) => `${currency}: ${reason}`).join(' '));
  const frozen = await storage.transfers.frozenCoins(chain.code);
  if (frozen.length > 0) throw new Problem('coins-frozen', frozen.map((coin) => frozenWords(chain, coin)).join(' '));
  const hold = epochHold(await storage.epochs.current(), state?.caughtUpAt ?? null);
  if (state !== null && hold !== null) throw new Problem('payouts-wait', `payouts wait: ${hold}`);
  const behind =
    state?.cursor == null ? 'not followed yet' : `${Math.max(0, height - state.cursor.height)} block(s) behind`;
  const pays = chain.payments === null ? 'watch-only: pays nothing out' : `pays out from ${chain.payments.hotAddress}`;
  const float = canPay(chain) ? await floatWords(chain, storage) : '';
  const others = problems.take().map((words) => `; another of its nodes does not answer: ${words}`);
  return [`${identity}, height ${height}, ${behind}, ${pays}${others.join('')}${float}${trustWords(chain)}`, true];
}

/** @throws Problem when no pass over the chain has succeeded for long */
function requireRead(state: ChainState, now: Millis): void {
  const unreadMs = now - (lastReadAt(state) ?? 0);
  if (unreadMs < UNREAD_ALERT_MS) return;
  const since = state.cursor === null ? 'never read' : `not read for ${Math.floor(unreadMs / 1_000)} s`;
  throw new Problem(
    'chain-not-read',
    `${since}, although an instance runs or ended a short while ago; its log has the reason`,
  );
}

/** Coins that the ledger does not have; what is missing stops payouts, which the chain's own check reports. */
async function lookAtCoins(chain: PayingChain, { storage }: Till): Promise<readonly [string, null, FindingName?]> {
  const excesses = await findExcesses(chain, await reconcile(chain, { storage }), { storage });
  if (excesses.length === 0) return ['the ledger has all coins of the till', null];
  const words = excesses.map(
    ({ address, currency, units }) => `${address} holds ${amountInWords(chain.assets, currency, units)}`,
  );
  return [`more than the ledger has: ${words.join(', ')}`, null, 'coins-beyond-ledger'];
}

/** A token that keeps a part of each transfer: what is swept arrives short, so that its payments stop. */
async function refuseFeeTokens({ assets, payments, code }: ChainAdapter): Promise<void> {
  for (const { currency } of assets) {
    const fee = currency === payments?.feeAsset.currency ? null : await payments?.transferFee?.(currency);
    if (fee == null || fee <= 0n) continue;
    throw new Problem(
      'token-takes-fee',
      `${currency} keeps ${amountInWords(assets, currency, fee)} of a transfer of all that the hot wallet has; remove it from the tokens of ${code}`,
    );
  }
}

function frozenWords({ assets }: ChainAdapter, { currency, units, address, reason }: FrozenCoin): string {
  return `${amountInWords(assets, currency, units)} at ${address} cannot be moved: ${reason}`;
}

/** Describes what a single dishonest node could do. */
function trustWords({ nodes }: ChainAdapter): string {
  if (nodes === undefined) return '';
  const { hosts, quorum } = nodes;
  return quorum > 1
    ? `; ${quorum} of ${hosts.length} nodes must agree`
    : `; the answers of ${hosts.join(', ')} are not checked against another node: it could invent deposits, balances and fees. Configure two or more nodes and a quorum`;
}

/** Token payments and sweeps need coins of the till's own for fees. */
async function floatWords(chain: PayingChain, storage: Till['storage']): Promise<string> {
  const { assets, payments } = chain;
  const { currency } = payments.feeAsset;
  if (payments.model === 'utxo' || assets.every((asset) => asset.currency === currency)) return '';
  const budget = await TillBudget.open(chain, storage);
  budget.spend(-((await hotSurplus(chain, storage)).get(currency) ?? 0n));
  return budget.covers(1n)
    ? ''
    : `; the hot wallet has no ${currency} for fees, so tokens are neither swept nor paid out: send some to ${payments.hotAddress}`;
}

async function lookAtLightning({ storage, lightningWork }: Till): Promise<readonly [string, null]> {
  const { node } = present(lightningWork, 'Lightning node');
  const [identity, { localMsat, remoteMsat }] = [await node.identify(), await node.balance()];
  const state = await storage.chains.state(LIGHTNING_ASSET.chain);
  if (state?.identity != null && state.identity !== identity) {
    throw new Problem(
      'node-of-another-network',
      `the node is ${identity}, but the till has used ${state.identity}; correct the node's address`,
    );
  }
  const sats = (msat: bigint): string => `${formatUnits(msat, 3)} sat`;
  return [`${identity}, can send ${sats(localMsat)} and receive ${sats(remoteMsat)}`, null];
}

/** The longest that a mail server may take. */
const NOTIFIER_MS = 15_000;

async function lookAtNotifiers(
  { deliverNotices: { notifiers } }: Till,
  { mode }: HostConfig,
  look: Look,
): Promise<void> {
  if (notifiers.length === 0)
    await look('notices', 'notifier-unusable', async () => {
      const words = 'nobody is told of alerts, security changes and held withdrawals: add the plugin smtp or chat';
      return mode === 'production' ? [words, null, 'nobody-told'] : [words, null];
    });
  for (const notifier of notifiers)
    await look(`notices by ${notifier.name}`, 'notifier-unusable', async () => {
      const words = await notifier.verify?.(AbortSignal.timeout(NOTIFIER_MS));
      return [words ?? 'configured; it is first contacted when there is something to send', null];
    });
}

async function askNode(chain: ChainAdapter): Promise<{ readonly identity: string; readonly height: number }> {
  try {
    const identity = await chain.identify();
    return { identity, height: (await chain.head()).height };
  } catch (error) {
    throw new Problem('node-unusable', withCause((error as Error).message), { cause: error });
  }
}

async function lookAtRates({ rateBook, assets }: Till): Promise<readonly [string, null, FindingName?]> {
  await rateBook.refresh();
  const symbols = new Set([...assets.enabled().map(({ symbol }) => symbol), ...FIATS.map(({ code }) => code)]);
  const missing = [...symbols].filter((symbol) => !hasPrice(rateBook, symbol));
  const coins = assets.enabled().filter(({ symbol }) => missing.includes(symbol));
  if (coins.length > 0)
    throw new Problem('price-missing', `no usable price of ${missing.join(', ')}; add another source to rates.sources`);
  return missing.length === 0
    ? ['every coin and fiat has a price', null]
    : [`every coin has a price; no price of ${missing.join(', ')}`, null, 'fiat-price-missing'];
}

function hasPrice(rateBook: Till['rateBook'], symbol: string): boolean {
  try {
    rateBook.price(symbol);
    return true;
  } catch {
    // Missing prices are reported by name.
    return false;
  }
}
