import { contractRefusal } from '../../core/index.ts';
import type { Account, AccountId, CurrencyCode, PriceRequest } from '../../core/index.ts';
import type { MoneyDomain } from './money.ts';

/** The issuer of a token of the fake chain `ETH`, who freezes addresses: its contract moves nothing from or to them. */
export class TokenIssuer {
  readonly frozen = new Set<string>();

  constructor({ ethPayments }: Pick<MoneyDomain, 'ethPayments'>, currency: CurrencyCode = 'USDT-ERC20') {
    const { price } = ethPayments;
    ethPayments.price = async (request: PriceRequest) => {
      const [line] = request.lines;
      if (line?.currency === currency && [request.source.address, line.to].some((address) => this.frozen.has(address)))
        throw contractRefusal('The network would revert the payment: blocked.');
      return price.call(ethPayments, request);
    };
    ethPayments.reverts = (line) => line.currency === currency && this.frozen.has(line.to);
  }
}

/** Adds a second merchant to the domain, who may withdraw on `ETH` to an address of its own. */
export async function anotherMerchant({ storage, principal, clock, ids }: MoneyDomain): Promise<AccountId> {
  const former = (await storage.accounts.find(principal.accountId)) as Account;
  const id = ids.next() as AccountId;
  const now = clock.now();
  await storage.accounts.create({ ...former, id, email: `other-${id}@example.com` });
  const address = { accountId: id, chain: 'ETH', formerAddress: null, address: 'eth-other' };
  await storage.transaction((tx) => tx.wallets.saveWithdrawalAddress({ ...address, activeFrom: now, updatedAt: now }));
  return id;
}

/** Runs `work` as another merchant. */
export async function asMerchant<T>(
  { principal }: MoneyDomain,
  accountId: AccountId,
  work: () => Promise<T>,
): Promise<T> {
  const former = principal.accountId;
  Object.assign(principal, { accountId });
  try {
    return await work();
  } finally {
    Object.assign(principal, { accountId: former });
  }
}
