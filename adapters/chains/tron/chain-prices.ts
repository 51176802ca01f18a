import type { TronClient } from './tron-client.ts';
import { asArray, asObject, asUnits, malformed } from './tron-values.ts';

/** The network's current prices in sun, which its producers vote on. */
export interface ChainPrices {
  /** The price of a unit of energy. */
  readonly energy: bigint;
  /** The price of a byte. */
  readonly bandwidth: bigint;
  /** The fee for creating an account. */
  readonly newAccount: bigint;
  /** The fee for the bandwidth of creating an account. */
  readonly newAccountBandwidth: bigint;
  /** The highest fee limit that a transaction may have. */
  readonly maxFeeLimit: bigint;
}

const PARAMETERS = {
  energy: 'getEnergyFee',
  bandwidth: 'getTransactionFee',
  newAccount: 'getCreateNewAccountFeeInSystemContract',
  newAccountBandwidth: 'getCreateAccountFee',
  maxFeeLimit: 'getMaxFeeLimit',
} as const satisfies Record<keyof ChainPrices, string>;

/** @throws TillgateError `NODE_FAILED` */
export async function fetchPrices(client: TronClient): Promise<ChainPrices> {
  const answer = asObject(await client.askExactly('/wallet/getchainparameters', {}), 'the parameters of the chain');
  const values = new Map<unknown, unknown>();
  for (const entry of asArray(answer['chainParameter'], 'the parameters of the chain')) {
    const { key, value } = asObject(entry, 'a parameter of the chain');
    values.set(key, value);
  }
  const read = (name: string): bigint => {
    // Nodes omit a zero value, but not its name.
    if (!values.has(name)) throw malformed(`the parameters of the chain lack ${name}`);
    return asUnits(values.get(name), name);
  };
  const { energy, bandwidth, newAccount, newAccountBandwidth, maxFeeLimit } = PARAMETERS;
  return {
    energy: read(energy),
    bandwidth: read(bandwidth),
    newAccount: read(newAccount),
    newAccountBandwidth: read(newAccountBandwidth),
    maxFeeLimit: read(maxFeeLimit),
  };
}
