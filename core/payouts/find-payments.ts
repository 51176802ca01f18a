import { eachPage, isTillgateError, LIGHTNING_ASSET, partOf } from '../kernel/index.ts';
import type { ChainRegistry, LightningNode, PayoutOutcome } from '../chain/index.ts';
import type { Storage, TransferId } from '../kernel/index.ts';
import { canPay } from './payout-deps.ts';
import type { PayingChain } from './payout-deps.ts';
import { payoutOutcome } from './payout-outcome.ts';
import { obtainedUnits } from './transfer.ts';
import type { Transfer, TransferKind, TransferStatus } from './transfer.ts';
import { isFromBackup } from './epoch.ts';
import type { PaymentFinding, PaymentReport } from './payment-finding.ts';
import { searchPayments } from './search-payments.ts';

export interface FindPaymentsDeps {
  readonly storage: Pick<Storage, 'epochs' | 'transfers' | 'lightning'>;
  readonly chains: ChainRegistry;
  readonly lightning: LightningNode | null;
}

const PAGE = 100;
const UNFINISHED: readonly TransferStatus[] = ['HELD', 'REQUESTED', 'SIGNED', 'BROADCAST'];
/** The kinds of transfers that pay others; the till's own moves are planned again. */
const PAYS: readonly TransferKind[] = ['withdrawal', 'refund', 'payout', 'return'];

/**
 * The chain's findings on each unfinished payment of a restored backup, oldest first. It changes nothing, and one
 * node's answer is no proof: an operator decides. Empty while no backup was restored.
 *
 * @throws any error of the database; a failure of a node is part of the finding
 */
export async function findPayments(deps: FindPaymentsDeps): Promise<readonly PaymentReport[]> {
  const wanted = await unfinished(deps);
  const reports: PaymentReport[] = [];
  for (const code of new Set(wanted.map(({ chain }) => chain))) {
    const those = wanted.filter(({ chain }) => chain === code);
    try {
      reports.push(...(await ofChain(deps, code, those)));
    } catch (error) {
      if (!isTillgateError(error)) throw error;
      const finding = unclear(`${code} could not be asked: ${error.message}`);
      reports.push(...those.map((transfer) => ({ transfer, finding })));
    }
  }
  const byId = (a: Transfer, b: Transfer): number => (a.id < b.id ? -1 : 1);
  return reports.sort(({ transfer: a }, { transfer: b }) => a.createdAt - b.createdAt || byId(a, b));
}

async function unfinished({ storage }: FindPaymentsDeps): Promise<readonly Transfer[]> {
  const epoch = await storage.epochs.current();
  if (epoch.number === 1) return [];
  const found: Transfer[] = [];
  for (const status of UNFINISHED) {
    const pages = await eachPage(async (before: TransferId | null) =>
      partOf(await storage.transfers.list(status, { before, limit: PAGE + 1 }), PAGE, ({ id }) => id),
    );
    for await (const page of pages) found.push(...page);
  }
  return found.filter(({ kind, createdAt }) => PAYS.includes(kind) && isFromBackup(epoch, createdAt));
}

async function ofChain(
  deps: FindPaymentsDeps,
  code: string,
  wanted: readonly Transfer[],
): Promise<readonly PaymentReport[]> {
  if (code === LIGHTNING_ASSET.chain) return eachOf(wanted, (transfer) => ofLightning(deps, transfer));
  const chain = deps.chains.get(code);
  if (chain === undefined || !canPay(chain)) {
    const finding = unclear(`The settings have no chain ${code} that can pay.`);
    return wanted.map((transfer) => ({ transfer, finding }));
  }
  const followed = await eachOf(wanted, (transfer) => ofPayout(deps, chain, transfer));
  const unsigned = followed.filter(({ finding }) => finding === null).map(({ transfer }) => transfer);
  const searched = unsigned.length === 0 ? null : await searchPayments(chain, deps.storage.transfers, unsigned);
  return followed.map(({ transfer, finding }) => ({
    transfer,
    finding: finding ?? searched?.get(transfer.id) ?? unclear('It was not searched for.'),
  }));
}

async function eachOf<Finding>(
  wanted: readonly Transfer[],
  find: (transfer: Transfer) => Promise<Finding>,
): Promise<{ readonly transfer: Transfer; readonly finding: Finding }[]> {
  const found = [];
  for (const transfer of wanted) found.push({ transfer, finding: await find(transfer) });
  return found;
}

/** Finds a payment by its signed bytes; `null` where there are none, or none of them can be mined any more. */
async function ofPayout(
  { storage }: FindPaymentsDeps,
  chain: PayingChain,
  transfer: Transfer,
): Promise<PaymentFinding | null> {
  const view = await storage.transfers.payoutOf(transfer.id);
  if (view === null || transfer.status === 'HELD') return null;
  const outcome = await payoutOutcome(chain, storage, view);
  return ofOutcome(transfer, outcome, chain.policy.spendableConfirmations);
}

function ofOutcome(transfer: Transfer, outcome: PayoutOutcome, deep: number): PaymentFinding | null {
  const by = (txHash: string, height: number | null): PaymentFinding['transactions'] => [
    { txHash, height, obtainedUnits: obtainedUnits(transfer) },
  ];
  switch (outcome.kind) {
    case 'expired':
      return null;
    case 'unclear':
      return unclear(outcome.reason);
    case 'pending':
    case 'missing':
      return {
        kind: 'open',
        reason: 'It is signed, and may still be mined. It is followed automatically.',
        transactions: [],
      };
    case 'mined': {
      const { txid, block, confirmations, succeeded } = outcome;
      if (!succeeded)
        return {
          kind: 'unpaid',
          reason: `${txid} was mined without effect in block ${block.height}.`,
          transactions: [],
        };
      const reason = `Paid by ${txid} in block ${block.height}, with ${confirmations} confirmations. It is followed automatically.`;
      return { kind: confirmations < deep ? 'open' : 'paid', reason, transactions: by(txid, block.height) };
    }
    case 'conflicted': {
      const { txid, confirmations, rival } = outcome;
      if (rival?.pays !== 'same')
        return unclear(
          `${txid} used its nonce or coins, and pays ${rival ? 'its receiver another amount' : 'others'}.`,
        );
      const reason = `Paid by ${txid}, which this database did not know, with ${confirmations} confirmations. It is followed automatically.`;
      return { kind: confirmations < deep ? 'open' : 'paid', reason, transactions: by(txid, null) };
    }
  }
}

/** Finds a payment by its payment hash, which the node pays at most once. */
async function ofLightning({ storage, lightning }: FindPaymentsDeps, transfer: Transfer): Promise<PaymentFinding> {
  const payment = await storage.lightning.paymentOf(transfer.id);
  if (lightning === null || payment === null) return unclear('No Lightning node is configured.');
  const { paymentHash } = payment;
  const transactions = [{ txHash: paymentHash, height: null, obtainedUnits: obtainedUnits(transfer) }];
  const view = await lightning.payment(paymentHash);
  switch (view?.state) {
    case 'settled':
      return { kind: 'paid', reason: `The node has paid ${paymentHash}.`, transactions };
    case 'in-flight':
      return { kind: 'open', reason: `The node is paying ${paymentHash}.`, transactions };
    case 'failed':
      return { kind: 'unpaid', reason: `The node could not pay ${paymentHash}: ${view.reason}`, transactions: [] };
    case undefined:
      return transfer.status === 'REQUESTED' || transfer.status === 'HELD'
        ? { kind: 'unpaid', reason: `The node has no payment ${paymentHash}.`, transactions: [] }
        : unclear(`The payment ${paymentHash} was sent to the node, which has no record of it any more.`);
  }
}

function unclear(reason: string): PaymentFinding {
  return { kind: 'unclear', reason, transactions: [] };
}
