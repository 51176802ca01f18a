import type { ChainCode } from '../kernel/asset.ts';
import { invalidField, TillgateError } from '../kernel/errors.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { ChainAdapter, ChainRegistry } from '../ports/chain-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import { requirePayableAddress } from '../wallets/destination.ts';
import { addressInForce } from './withdrawal-address.ts';
import type { WithdrawalAddress } from './withdrawal-address.ts';

export interface WithdrawalAddressesDeps {
  readonly storage: Pick<Storage, 'deposits'>;
  readonly chains: ChainRegistry;
  readonly clock: Clock;
  /** How long a changed address waits before withdrawals go there. */
  readonly addressHoldMs: number;
}

/** What a registration found and what it left. */
export interface AddressChange {
  readonly former: WithdrawalAddress | null;
  readonly record: WithdrawalAddress;
}

/** Where the withdrawals of accounts go (decisions, section 5). */
export class WithdrawalAddresses {
  readonly #deps: WithdrawalAddressesDeps;

  constructor(deps: WithdrawalAddressesDeps) {
    this.#deps = deps;
  }

  /**
   * The address in the chain's usual form.
   *
   * @throws TillgateError `UNSUPPORTED` for a chain that is not here; `INVALID_FIELDS` for what is no address of it;
   *   `DESTINATION_UNPAYABLE` for one that cannot be paid for certain, the till's own among them
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
   * Registers an address that {@link read} gave. A new one waits out its hold while the one in force stays in force; the
   * same one again changes nothing, so that its waiting time does not restart.
   *
   * @param atOnce - without the hold: an operator at the machine says so
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
    if (account === null) throw new TillgateError('NOT_FOUND', 'There is no such account.');
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

/** Why an address is refused, in words that complete "address …". */
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
  // Back to the address in force: taking a change back waits for nothing.
  return { ...wanted, formerAddress, activeFrom: formerAddress === wanted.address ? now : activeFrom, updatedAt: now };
}
