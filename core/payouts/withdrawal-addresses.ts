import { accountNotFound } from '../access/index.ts';
import type { AccountId, ChainCode, Clock, Millis, Storage, Transaction } from '../kernel/index.ts';
import { invalidField, TillgateError } from '../kernel/index.ts';
import type { ChainAdapter, ChainRegistry } from '../chain/index.ts';
import { requirePayableAddress } from '../chain/index.ts';
import { addressInForce } from './withdrawal-address.ts';
import type { WithdrawalAddress } from './withdrawal-address.ts';

export interface WithdrawalAddressesDeps {
  readonly storage: Pick<Storage, 'deposits'>;
  readonly chains: ChainRegistry;
  readonly clock: Clock;
  /** The delay before withdrawals go to a changed address, in milliseconds. */
  readonly addressHoldMs: number;
}

/** The records before and after a registration. */
export interface AddressChange {
  readonly former: WithdrawalAddress | null;
  readonly record: WithdrawalAddress;
}

/** The withdrawal addresses of accounts. */
export class WithdrawalAddresses {
  readonly #deps: WithdrawalAddressesDeps;

  constructor(deps: WithdrawalAddressesDeps) {
    this.#deps = deps;
  }

  /**
   * The address in the chain's usual form.
   *
   * @throws TillgateError `UNSUPPORTED` for a chain that is not configured; `INVALID_FIELDS` for text that is no
   *   address of it; `DESTINATION_UNPAYABLE` for an address that certainly cannot be paid, such as the till's own
   */
  async read(chainCode: ChainCode, text: string): Promise<string> {
    const chain = this.#deps.chains.get(chainCode);
    if (chain === undefined)
      throw new TillgateError(
        'UNSUPPORTED',
        `The chain ${chainCode} is not supported; see the list of crypto currencies.`,
      );
    const address = chain.normaliseAddress(text);
    if (address === null) throw invalidField('address', wrongAddress(chain, text));
    await requirePayableAddress(chain, address, 'address', this.#deps.storage);
    return address;
  }

  /**
   * Registers an address that {@link read} returned. During the delay of a new address the present one stays in force.
   * Registering the same address again changes nothing and does not restart its delay.
   *
   * @param atOnce - true for no delay, at the request of an operator at the machine
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` for an archived account
   */
  async set(
    tx: Pick<Transaction, 'accounts' | 'wallets'>,
    accountId: AccountId,
    chain: ChainCode,
    address: string,
    atOnce: boolean,
  ): Promise<AddressChange> {
    const account = await tx.accounts.lock(accountId);
    if (account === null) throw accountNotFound();
    if (account.status === 'archived')
      throw new TillgateError('STATE_CONFLICT', 'The account is archived; that is final.');
    const { clock, addressHoldMs } = this.#deps;
    const now = clock.now();
    const former = await tx.wallets.lockWithdrawalAddress(accountId, chain);
    const record = nextRecord(former, { accountId, chain, address }, now, atOnce ? now : now + addressHoldMs);
    if (record !== former) await tx.wallets.saveWithdrawalAddress(record);
    return { former, record };
  }
}

/** Why an address is refused, worded to complete "address …". */
export function wrongAddress(chain: ChainAdapter, text: string): string {
  const problem = chain.addressProblem?.(text) ?? null;
  return `must be an address on ${chain.name}${problem === null ? '' : `; this one ${problem}`}`;
}

function nextRecord(
  former: WithdrawalAddress | null,
  wanted: Pick<WithdrawalAddress, 'accountId' | 'chain' | 'address'>,
  now: Millis,
  activeFrom: Millis,
): WithdrawalAddress {
  if (former?.address === wanted.address) {
    const sooner = activeFrom === now && former.activeFrom > now;
    return sooner ? { ...former, activeFrom: now, updatedAt: now } : former;
  }
  const formerAddress = addressInForce(former, now);
  // A return to the address in force needs no delay.
  return { ...wanted, formerAddress, activeFrom: formerAddress === wanted.address ? now : activeFrom, updatedAt: now };
}
