import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Deposit, EntryId, LedgerEntry, Transfer } from '../../../core/index.ts';
import { creditEntry, reversalLoss, reverseEntry, spendableEntry } from '../../../core/chain/deposit-entries.ts';
import {
  cheaperPaidEntry,
  failedEntry,
  paidEntry,
  releaseEntry,
  reserveEntry,
} from '../../../core/payouts/transfer-entries.ts';

const ID = '9' as EntryId;
const AT = 1_780_000_000_000;

/** A payment of 1,000 units whose receiver gets 990. */
const transfer = (given: Partial<Transfer> = {}): Transfer => ({
  id: '5' as Transfer['id'],
  kind: 'withdrawal',
  accountId: '7' as NonNullable<Transfer['accountId']>,
  orderId: null,
  chain: 'ETH',
  currency: 'USDT',
  units: 1_000n,
  feeUnits: 10n,
  maxFeeUnits: 100n,
  sourceAddress: '0xhot',
  sourceIndex: null,
  toAddress: '0xmerchant',
  status: 'SIGNED',
  payoutId: null,
  reason: null,
  deferredAt: null,
  createdAt: AT,
  updatedAt: AT,
  finishedAt: null,
  ...given,
});

/** A credited deposit of 500 units. */
const deposit = (given: Partial<Deposit> = {}): Deposit =>
  ({
    id: '3',
    accountId: '7',
    chain: 'ETH',
    currency: 'USDT',
    units: 500n,
    lossUnits: 0n,
    returnCostUnits: 0n,
    credits: 1,
    status: 'CREDITED',
    ...given,
  }) as Deposit;

/** What an entry adds to each account, by account and currency. */
function moved({ postings }: LedgerEntry): Readonly<Record<string, bigint>> {
  const sums = new Map<string, bigint>();
  for (const { account, currency, units } of postings) {
    const key = `${account} ${currency}`;
    sums.set(key, (sums.get(key) ?? 0n) + units);
  }
  return Object.fromEntries([...sums].filter(([, units]) => units !== 0n));
}

// Custody is what the chains hold for the till, booked as a debt: it falls with each deposit and rises with each payment.
describe('what a transfer books', () => {
  const AVAILABLE = 'merchant:7:available USDT';
  const RESERVED = 'merchant:7:reserved USDT';
  const CUSTODY = 'custody:ETH';
  const FEES = 'fees:network';

  test('a reserve takes the amount from what is available, a release gives it back', () => {
    assert.deepEqual(moved(reserveEntry(ID, AT, transfer())), { [AVAILABLE]: -1_000n, [RESERVED]: 1_000n });
    assert.deepEqual(moved(releaseEntry(ID, AT, transfer())), { [AVAILABLE]: 1_000n, [RESERVED]: -1_000n });
  });

  test("a payment takes the receiver's part and the network's fee out of custody, and the till keeps the charge", () => {
    assert.deepEqual(moved(paidEntry(ID, AT, transfer(), { currency: 'ETH', units: 4n })), {
      [RESERVED]: -1_000n,
      [`${CUSTODY} USDT`]: 990n,
      [`${FEES} USDT`]: 10n,
      [`${CUSTODY} ETH`]: 4n,
      [`${FEES} ETH`]: -4n,
    });
  });

  test('a payment in the coin of its fee costs the till what the fee is more than the charge', () => {
    assert.deepEqual(moved(paidEntry(ID, AT, transfer({ currency: 'ETH' }), { currency: 'ETH', units: 14n })), {
      'merchant:7:reserved ETH': -1_000n,
      [`${CUSTODY} ETH`]: 1_004n,
      [`${FEES} ETH`]: -4n,
    });
  });

  test('a payment that cost less gives the rest of its reserve back', () => {
    const entry = cheaperPaidEntry(ID, AT, transfer(), { units: 993n, feeUnits: 3n }, { currency: 'USDT', units: 2n });
    assert.deepEqual(moved(entry), {
      [RESERVED]: -1_000n,
      [AVAILABLE]: 7n,
      [`${CUSTODY} USDT`]: 992n,
      [`${FEES} USDT`]: 1n,
    });
  });

  test('a payment that failed gives back all but its charge', () => {
    assert.deepEqual(moved(failedEntry(ID, AT, transfer(), { currency: 'ETH', units: 4n })), {
      [RESERVED]: -1_000n,
      [AVAILABLE]: 990n,
      [`${FEES} USDT`]: 10n,
      [`${CUSTODY} ETH`]: 4n,
      [`${FEES} ETH`]: -4n,
    });
  });

  test('a sweep costs the till its fee, and what gas it leaves behind is booked beside custody', () => {
    const sweep = transfer({ kind: 'sweep', accountId: null });
    const fee = { [`${CUSTODY} ETH`]: 4n, [`${FEES} ETH`]: -4n };
    assert.deepEqual(moved(paidEntry(ID, AT, sweep, { currency: 'ETH', units: 4n })), fee);
    assert.deepEqual(moved(failedEntry(ID, AT, sweep, { currency: 'ETH', units: 4n })), fee);
    assert.deepEqual(moved(paidEntry(ID, AT, sweep, { currency: 'ETH', units: 4n, gasUnits: 3n })), {
      [`${CUSTODY} ETH`]: 7n,
      'gas:ETH ETH': -3n,
      [`${FEES} ETH`]: -4n,
    });
  });

  test('what goes to cold storage leaves custody', () => {
    const cold = transfer({ kind: 'cold', accountId: null, feeUnits: 0n });
    assert.deepEqual(moved(paidEntry(ID, AT, cold, { currency: 'ETH', units: 4n })), {
      [`${CUSTODY} USDT`]: 1_000n,
      'cold:ETH USDT': -1_000n,
      [`${CUSTODY} ETH`]: 4n,
      [`${FEES} ETH`]: -4n,
    });
  });

  test('each of them once for each transfer: its reference says which', () => {
    const cost = { currency: 'ETH', units: 4n };
    const entries = [
      reserveEntry(ID, AT, transfer()),
      releaseEntry(ID, AT, transfer()),
      paidEntry(ID, AT, transfer(), cost),
      failedEntry(ID, AT, transfer(), cost),
    ];
    assert.deepEqual(
      entries.map(({ kind, reference }) => [kind, reference]),
      [
        ['transfer-reserved', 'transfer:5:reserved'],
        ['transfer-released', 'transfer:5:released'],
        ['transfer-paid', 'transfer:5:paid'],
        ['transfer-failed', 'transfer:5:failed'],
      ],
    );
  });
});

describe('what a deposit books', () => {
  const PENDING = 'merchant:7:pending USDT';
  const AVAILABLE = 'merchant:7:available USDT';
  const CUSTODY = 'custody:ETH USDT';
  const LOSS = 'loss:reorganisation USDT';
  const spendable = deposit({ status: 'SPENDABLE' });

  test('a credit is owed to the merchant, after a former loss of this deposit was repaid', () => {
    assert.deepEqual(moved(creditEntry(ID, AT, deposit(), 1)), { [CUSTODY]: -500n, [PENDING]: 500n });
    assert.deepEqual(moved(creditEntry(ID, AT, deposit({ lossUnits: 200n }), 2)), {
      [CUSTODY]: -500n,
      [LOSS]: 200n,
      [PENDING]: 300n,
    });
  });

  test('what was pending becomes available, and nothing where all of it repaid a loss', () => {
    assert.deepEqual(moved(spendableEntry(ID, AT, deposit({ lossUnits: 200n })) ?? assert.fail()), {
      [PENDING]: -300n,
      [AVAILABLE]: 300n,
    });
    assert.equal(spendableEntry(ID, AT, deposit({ lossUnits: 500n })), null);
  });

  test('a reversal takes what the balance has, and the loss account the rest', () => {
    assert.deepEqual(
      [600n, 500n, 499n, 0n].map((available) => reversalLoss(spendable, available)),
      [0n, 0n, 1n, 500n],
    );
    assert.equal(reversalLoss(deposit({ lossUnits: 200n }), 0n), 200n);
    // What a failed return has cost was never the merchant's, whatever else is in the balance.
    assert.deepEqual(
      [600n, 450n, 400n, 399n, 0n].map((available) => reversalLoss({ ...spendable, returnCostUnits: 100n }, available)),
      [100n, 100n, 100n, 101n, 500n],
    );
    assert.deepEqual(moved(reverseEntry(ID, AT, spendable, 120n)), {
      [CUSTODY]: 500n,
      [LOSS]: -120n,
      [AVAILABLE]: -380n,
    });
    assert.deepEqual(moved(reverseEntry(ID, AT, deposit(), 0n)), { [CUSTODY]: 500n, [PENDING]: -500n });
  });
});
