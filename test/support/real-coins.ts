import { TillgateError } from '../../core/index.ts';
import type { PricedPayment, PriceRequest } from '../../core/index.ts';
import type { FeeRates } from '../../adapters/chains/utxo/fee-rates.ts';
import { MAX_INPUTS, Pricing } from '../../adapters/chains/utxo/price-payment.ts';
import type { UtxoAddresses } from '../../adapters/chains/utxo/utxo-addresses.ts';
import type { UtxoNode } from '../../adapters/chains/utxo/utxo-node.ts';
import type { FakeChain } from './fake-chain.ts';
import { FakePayments } from './fake-payments.ts';
import { MemoryLogger } from './fakes.ts';

const OWN_DUST = 294n;
/** Coins are consolidated at this rate or less. */
const LOW = 3_000n;
const SCRIPT = '00'.repeat(22);

/** A {@link FakePayments} that selects and prices coins as Bitcoin's adapter does, on a node that has all of them. */
export class RealCoins extends FakePayments {
  override readonly maxCoins = MAX_INPUTS;
  /** In units for 1,000 virtual bytes. */
  rate = 25_000n;

  constructor(chain: FakeChain) {
    super(chain, 'utxo');
  }

  override dust(): bigint {
    return 546n;
  }

  override async price(request: PriceRequest): Promise<PricedPayment> {
    const units = new Map([...request.coins, ...(request.required ?? [])].map((coin) => [coin.ref, coin.units]));
    const node = {
      height: async () => 1,
      waiting: async () => null,
      unspent: async (refs: readonly string[]) => refs.map((ref) => ({ units: units.get(ref), script: SCRIPT })),
    } as unknown as UtxoNode;
    const rates = {
      now: async () => ({ rate: this.rate, increment: 1_000n }),
      checkBound: () => undefined,
      checkLow: (rate: bigint) => {
        if (rate > LOW) throw new TillgateError('STATE_CONFLICT', 'Fees are not low.');
      },
    } as unknown as FeeRates;
    const addresses = { read: () => ({ key: SCRIPT }) } as unknown as UtxoAddresses;
    const logger = new MemoryLogger();
    return new Pricing({ node, rates, addresses, logger, ownDust: OWN_DUST, ownScriptBytes: 22 }).price(request);
  }
}
