import { amountInWords, assert, stateConflict, TillgateError } from '../kernel/index.ts';
import type { EntryId, Transaction } from '../kernel/index.ts';
import { merchantAccount, operatorAccount, postEntry } from '../ledger/index.ts';
import { writeOffEntry } from './write-off-entry.ts';
import type { FrozenCoin } from './transfer-store.ts';
import type { PayingChain } from './payout-deps.ts';
import type { WriteOffDeps } from './write-off-coins.ts';

/** A frozen coin that was written off, and the part that its owner paid; the operator's float paid the rest. */
export interface WrittenOffCoin {
  readonly coin: FrozenCoin;
  readonly borne: bigint;
}

/**
 * Writes off the frozen coins at an address at an operator's request, because their issuer keeps them or has destroyed
 * them. Each is written off in one transaction, with its audit row; afterwards it is no coin of the till any more.
 *
 * @param address - the deposit address
 * @param record - records the operator's audit row, in the same transaction
 * @throws TillgateError `STATE_CONFLICT` when nothing is frozen there, a restored backup waits for a decision, or a
 *   reorganisation could still remove the deposit; `INSUFFICIENT_BALANCE` when owner and float together do not cover a
 *   coin
 */
export async function writeOffFrozen(
  chain: PayingChain,
  deps: WriteOffDeps,
  address: string,
  record: (tx: Transaction, written: WrittenOffCoin) => void,
): Promise<readonly WrittenOffCoin[]> {
  const { storage } = deps;
  if ((await storage.epochs.current()).status === 'pending')
    throw stateConflict('The database may be a restored backup: decide about that first.');
  const coins = (await storage.transfers.frozenCoins(chain.code)).filter((coin) => coin.address === address);
  if (coins.length === 0) throw stateConflict(`No coin at ${address} on ${chain.code} is frozen.`);
  const written: WrittenOffCoin[] = [];
  for (const coin of coins) {
    await requireFinal(chain, deps, coin);
    written.push(await storage.transaction((tx) => writeOff(tx, chain, deps, coin, record)));
  }
  return written;
}

/** The reversal of a written-off deposit would take it from its owner a second time. */
async function requireFinal(
  { code, policy }: PayingChain,
  { storage }: WriteOffDeps,
  { ref }: FrozenCoin,
): Promise<void> {
  const cursor = (await storage.chains.state(code))?.cursor?.height ?? 0;
  const depositHeight = await storage.transfers.coinHeight(code, ref);
  if (depositHeight !== null && cursor - depositHeight >= policy.finalityBlocks) return;
  throw stateConflict(
    `The deposit ${ref} can still be taken away by a reorganisation; try again once it is ${policy.finalityBlocks} blocks deep.`,
  );
}

async function writeOff(
  tx: Transaction,
  chain: PayingChain,
  { clock, ids }: WriteOffDeps,
  coin: FrozenCoin,
  record: (tx: Transaction, written: WrittenOffCoin) => void,
): Promise<WrittenOffCoin> {
  const { code, assets, payments } = chain;
  const { accountId, currency, units, ref } = coin;
  const available =
    accountId === null ? 0n : await tx.ledger.lockBalance(merchantAccount(accountId, 'available'), currency);
  const borne = available < units ? available : units;
  const float = await tx.ledger.lockBalance(operatorAccount(code), currency);
  const rest = units - borne;
  if (rest > float)
    throw new TillgateError(
      'INSUFFICIENT_BALANCE',
      `Its owner's balance covers ${amountInWords(assets, currency, borne)} of ${amountInWords(assets, currency, units)}, and the operator's float ${amountInWords(assets, currency, float)}: send at least ${amountInWords(assets, currency, rest - float)} to ${payments.hotAddress}, and try again once that is booked.`,
    );
  if (!(await tx.transfers.dropFrozen(code, ref))) throw stateConflict(`The coin ${ref} is not frozen any more.`);
  const entry = writeOffEntry(ids.next() as EntryId, clock.now(), code, coin, borne);
  assert(await postEntry(tx, entry), `coin ${ref} is written off twice`);
  const written = { coin, borne };
  record(tx, written);
  return written;
}
