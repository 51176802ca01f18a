import type { AccountId, Claim, ClaimId, PullPayment, PullPaymentId, Storage } from '../../../core/index.ts';
import { nextId, NOW } from './fixtures.ts';

/** A pull payment in a fiat currency, of which nothing is set aside. */
export function pullPayment(accountId: AccountId, given: Partial<PullPayment> = {}): PullPayment {
  const id = nextId() as PullPaymentId;
  return {
    id,
    accountId,
    token: id.padStart(32, '0'),
    name: 'Prize',
    currency: 'EUR',
    amount: 10_000n,
    coins: null,
    expiresAt: null,
    autoApprove: false,
    reference: null,
    metadata: {},
    orderId: null,
    requestedBy: null,
    claimed: 0n,
    asideUnits: 0n,
    archivedAt: null,
    releasedAt: null,
    createdAt: NOW,
    ...given,
  };
}

/** A claim that waits for approval. */
export function claim(pull: PullPayment, given: Partial<Claim> = {}): Claim {
  const id = nextId() as ClaimId;
  return {
    id,
    pullPaymentId: pull.id,
    accountId: pull.accountId,
    key: `key-${id}`,
    chain: 'ETH',
    currency: 'ETH',
    toAddress: '0xpayee',
    amount: 100n,
    units: 1_000n,
    rate: null,
    status: 'AWAITING_APPROVAL',
    reason: null,
    transferId: null,
    createdAt: NOW,
    decidedAt: null,
    ...given,
  };
}

/** A stored pull payment with a claim that waits for approval. */
export async function storedClaim(
  storage: Pick<Storage, 'transaction'>,
  accountId: AccountId,
  given: Partial<Claim> = {},
): Promise<Claim> {
  const pull = pullPayment(accountId);
  const made = claim(pull, given);
  await storage.transaction(async (tx) => {
    await tx.pullPayments.add(pull);
    await tx.pullPayments.addClaim(made);
  });
  return made;
}
