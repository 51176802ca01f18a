import assert from 'node:assert/strict';
import { formatUnits, readDecimal, toUnits } from '../../core/index.ts';

const DECIMALS = 11;

/** Millisatoshi of an amount in bitcoin, as the wire tells it. */
export function readUnits(amount: unknown): bigint {
  const decimal = readDecimal(String(amount));
  const units = decimal === null ? null : toUnits(decimal, DECIMALS);
  assert.ok(units !== null, `an amount in bitcoin: ${String(amount)}`);
  return units;
}

/** An amount in bitcoin of millisatoshi. */
export function writeUnits(msat: bigint): string {
  return formatUnits(msat, DECIMALS);
}
