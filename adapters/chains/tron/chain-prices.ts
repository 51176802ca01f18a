import type { TronClient } from './tron-client.ts';
import { asArray, asObject, asUnits, malformed } from './tron-values.ts';

/** What the network charges now, in sun; its producers vote on it. */
export interface ChainPrices {
  /** For a unit of energy. */
  readonly energy: bigint;
  /** For a byte. */
  readonly bandwidth: bigint;
  /** For making an account. */
  readonly newAccount: bigint;
  /** For the bandwidth of making an account. */
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
    // A zero is left out, a name is not.
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
