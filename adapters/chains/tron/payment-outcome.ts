import { assert } from '../../../core/index.ts';
import type { PayoutOutcome, Millis, SignedPayout } from '../../../core/index.ts';
import { isPaid, judgeMovements } from '../logged-movements.ts';
import type { LoggedPayment } from '../logged-movements.ts';
import { fetchBlock, fetchHead, fetchSolidHead } from './blocks.ts';
import { readTransactionInfo, readTransferLog } from './transaction-info.ts';
import type { TransactionInfo } from './transaction-info.ts';
import { readTransaction } from './transaction.ts';
import type { TronPayment } from './transaction.ts';
import type { TronClient, TronNode } from './tron-client.ts';
import { asObject, contradictory, inconsistent } from './tron-values.ts';

/** The outcome of a payout according to one node. */
type Sight = PayoutOutcome | { readonly kind: 'absent' };
type MinedOutcome = Extract<PayoutOutcome, { readonly kind: 'mined' }>;

/** An attempt whose bytes were parsed. */
interface KnownAttempt {
  readonly txid: string;
  readonly payment: TronPayment;
}

/**
 * How far past the expiry the solidified head must be, in milliseconds. A block may include a transaction that expires
 * with its parent, and behind a load balancer the node that is asked for the transaction may be behind the one that was
 * asked for its head.
 */
const EXPIRY_MARGIN_MS = 60_000;

/**
 * Determines the outcome of a payment.
 *
 * Tron has no nonces: only an expired transaction can no longer be mined, and nothing proves that it was not mined
 * before. So the answers after which money may be paid again, `expired` and mined without effect, are given only when
 * every configured node agrees; for the others one node suffices.
 *
 * @param now - a node whose blocks run ahead of this time is not trusted
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
  if (info.txid !== txid) throw contradictory(`asked for transaction ${txid}, answered ${info.txid}`);
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
  const mined = {
    txid,
    block: block.ref,
    // Behind a load balancer the head may have come from another node, a block behind.
    confirmations: Math.max(1, head.height - info.height + 1),
    feeUnits: info.fee,
  };
  // The transaction had another effect than the one that was signed: it is neither booked as paid nor paid again.
  if (effective && logged === 'other')
    return {
      kind: 'unclear',
      reason: `the token's contract logged another movement in ${txid} than was signed`,
      mined,
    };
  return { kind: 'mined', ...mined, succeeded: effective && isPaid(logged), change: null };
}

/** A log of another sender without one of this sender is another movement than the signed one, too. */
function loggedPayment({ logs }: TransactionInfo, { contractKey, fromKey, toKey, units }: TronPayment): LoggedPayment {
  const transfers = logs.map(readTransferLog).filter((log) => log !== null && log.contractKey === contractKey);
  const own = transfers.filter((log) => log?.fromKey === fromKey).filter((log) => log !== null);
  return own.length === 0 && transfers.length > 0 ? 'other' : judgeMovements(own, { toKey, units });
}

/** @throws TillgateError `NODE_FAILED` while another node is not that far yet */
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

/** The head is read first: a transaction that is absent afterwards was absent from all blocks up to it. */
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
