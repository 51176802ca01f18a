import { assert } from '../../../core/index.ts';
import type { PayoutOutcome, Millis, SignedPayout } from '../../../core/index.ts';
import { fetchBlock, fetchHead, fetchSolidHead } from './blocks.ts';
import { readTransactionInfo, readTransferLog } from './transaction-info.ts';
import type { TransactionInfo } from './transaction-info.ts';
import { readTransaction } from './transaction.ts';
import type { TronPayment } from './transaction.ts';
import type { TronClient, TronNode } from './tron-client.ts';
import { asObject, inconsistent } from './tron-values.ts';

/** What one node shows of a payout. */
type Sight = PayoutOutcome | { readonly kind: 'absent' };
type MinedOutcome = Extract<PayoutOutcome, { readonly kind: 'mined' }>;

/** An attempt whose bytes were read. */
interface KnownAttempt {
  readonly txid: string;
  readonly payment: TronPayment;
}

/**
 * How far past the expiry the solidified head must be. A block may take a transaction that expires with its parent, and
 * of a balancer's nodes the one that is asked for the transaction may be behind the one that was asked for its head.
 */
const EXPIRY_MARGIN_MS = 60_000;

/**
 * What became of a payment.
 *
 * Tron has no nonces: an expired transaction is the only one that cannot be mined any more, and nothing proves that it was
 * not mined before. So the answers that let money be paid again, `expired` and mined without effect, are given only when
 * every configured node says the same; the others need one node.
 *
 * @param now - a node whose blocks run ahead of it is not believed
 */
export async function paymentOutcome(
  client: TronClient,
  now: Millis,
  { attempts }: SignedPayout,
): Promise<PayoutOutcome> {
  const known = attempts.map(readAttempt);
  const sight = await client.withNode((node) => look(node, known));
  if (sight.kind === 'mined' && !sight.succeeded) return confirmFailure(client, known, sight);
  if (sight.kind !== 'absent') return sight;
  const expiries = attempts.map(({ expiresAt }) => expiresAt ?? Infinity);
  const lastExpiry = Math.max(...expiries) + EXPIRY_MARGIN_MS;
  if (now <= lastExpiry) return { kind: 'missing' };
  const answers = await client.withEveryNode((node) => lookForGood(node, known, lastExpiry));
  if (answers.includes('known')) return { kind: 'pending' };
  return { kind: answers.every((answer) => answer === 'gone') ? 'expired' : 'missing' };
}

function readAttempt({ txid, raw }: SignedPayout['attempts'][number]): KnownAttempt {
  const read = readTransaction(raw);
  assert(read.txid === txid, `the bytes of ${txid} are those of ${read.txid}`);
  return { txid, payment: read.payment };
}

async function look(node: TronNode, attempts: readonly KnownAttempt[]): Promise<Sight> {
  const infos = await Promise.all(attempts.map(({ txid }) => fetchInfo(node, txid)));
  const mined = attempts.flatMap((attempt, at) => {
    const info = infos[at];
    return info == null ? [] : [{ attempt, info }];
  });
  if (mined.length > 1)
    return {
      kind: 'unclear',
      reason: `several transactions of one payment are said to be mined: ${mined.map(({ attempt }) => attempt.txid).join(', ')}`,
    };
  const [only] = mined;
  if (only !== undefined) return minedOutcome(node, only.attempt, only.info);
  const pending = await Promise.all(attempts.map(({ txid }) => isKnown(node, '/wallet/gettransactionbyid', txid)));
  return { kind: pending.includes(true) ? 'pending' : 'absent' };
}

async function fetchInfo(node: TronNode, txid: string): Promise<TransactionInfo | null> {
  const answer = asObject(
    await node.askExactly('/wallet/gettransactioninfobyid', { value: txid }),
    "a transaction's outcome",
  );
  if (answer['id'] === undefined) return null;
  const info = readTransactionInfo(answer);
  if (info.txid !== txid) throw inconsistent(`asked for transaction ${txid}, answered ${info.txid}`);
  return info;
}

async function isKnown(node: TronNode, path: string, txid: string): Promise<boolean> {
  return asObject(await node.ask(path, { value: txid }), 'a transaction')['txID'] !== undefined;
}

async function minedOutcome(
  node: TronNode,
  { txid, payment }: KnownAttempt,
  info: TransactionInfo,
): Promise<PayoutOutcome> {
  const block = await fetchBlock(node, info.height);
  const result = block?.results.get(txid);
  if (block === null || result === undefined || block.ref.time !== info.blockTime)
    throw inconsistent(`block ${info.height} does not hold transaction ${txid}`);
  const head = await fetchHead(node);
  const effective = info.succeeded && result === 'SUCCESS';
  const logged = payment.contractKey === null ? 'exact' : loggedPayment(info, payment);
  // It took effect, but another one than was signed: neither to be booked as paid nor to be paid again.
  if (effective && logged === 'other')
    return { kind: 'unclear', reason: `the token's contract logged another movement in ${txid} than was signed` };
  return {
    kind: 'mined',
    txid,
    block: block.ref,
    // The head may have been another node's of a balancer, a block behind.
    confirmations: Math.max(1, head.height - info.height + 1),
    succeeded: effective && logged === 'exact',
    feeUnits: info.fee,
    change: null,
  };
}

function loggedPayment({ logs }: TransactionInfo, payment: TronPayment): 'exact' | 'other' | 'none' {
  const transfers = logs.map(readTransferLog).filter((log) => log !== null && log.contractKey === payment.contractKey);
  if (transfers.length === 0) return 'none';
  const exact = transfers.some(
    (log) => log?.fromKey === payment.fromKey && log.toKey === payment.toKey && log.units === payment.units,
  );
  return exact ? 'exact' : 'other';
}

/** @throws TillgateError `NODE_FAILED` while another node has not come so far */
async function confirmFailure(
  client: TronClient,
  attempts: readonly KnownAttempt[],
  failure: MinedOutcome,
): Promise<PayoutOutcome> {
  const sights = await client.withEveryNode((node) => look(node, attempts));
  for (const sight of sights) {
    if (sight.kind === 'unclear') return sight;
    if (sight.kind !== 'mined')
      throw inconsistent(
        `one node shows transaction ${failure.txid} in block ${failure.block.height}, another does not`,
      );
    if (sight.succeeded)
      return { kind: 'unclear', reason: `one node says that ${failure.txid} paid, another that it failed` };
    if (sight.block.hash !== failure.block.hash)
      throw inconsistent(`the nodes show ${failure.txid} in different blocks`);
  }
  return failure;
}

/** The head first: what is absent afterwards was absent from all blocks up to it. */
async function lookForGood(
  node: TronNode,
  attempts: readonly KnownAttempt[],
  after: Millis,
): Promise<'known' | 'gone' | 'early'> {
  const solid = await fetchSolidHead(node);
  const paths = [
    '/walletsolidity/gettransactionbyid',
    '/wallet/gettransactionbyid',
    '/wallet/gettransactioninfobyid',
  ] as const;
  for (const { txid } of attempts) {
    const [inSolid, inHead, info] = await Promise.all(
      paths.map(async (path) => asObject(await node.ask(path, { value: txid }), 'a transaction')),
    );
    if (inSolid?.['txID'] !== undefined || inHead?.['txID'] !== undefined || info?.['id'] !== undefined) return 'known';
  }
  return solid.time > after ? 'gone' : 'early';
}
