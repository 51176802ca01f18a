import { Transaction } from '@scure/btc-signer';
import { present } from '../../../core/index.ts';
import type { RivalPayment } from '../../../core/index.ts';
import { sumOf } from './coin-selection.ts';
import { writeTerms } from './payment-terms.ts';
import type { SignedTerms } from './payment-terms.ts';

/** Blocks contain transactions of all kinds; they are read without validation. */
export const ANY_KIND = {
  allowUnknownVersion: true,
  allowUnknownInputs: true,
  allowUnknownOutputs: true,
  disableScriptCheck: true,
} as const;

/** An output: the script in hexadecimal digits, and its amount. */
export interface ReadOutput {
  readonly script: string;
  readonly units: bigint;
}

/** The parts of a payout's transaction that are compared with a rival. */
export interface OwnAttempt {
  readonly outputs: readonly ReadOutput[];
  readonly terms: SignedTerms;
}

/** The outputs of a transaction, in order. */
export function outputsOf(transaction: Transaction): readonly ReadOutput[] {
  return Array.from({ length: transaction.outputsLength }, (_, at) => {
    const { script = new Uint8Array(), amount } = transaction.getOutput(at);
    return { script: Buffer.from(script).toString('hex'), units: present(amount, 'an amount') };
  });
}

/**
 * The payment of a foreign transaction that spent a coin of a payout; `null` when it pays none of the payout's
 * receivers. It pays the same only when it spends exactly the payout's coins and makes the payout's outputs, with at
 * most change to the hot wallet besides.
 *
 * @param hotScript - the hot wallet's script
 */
export function rivalPayment(
  { raw }: { readonly raw: Buffer },
  own: OwnAttempt,
  hotScript: Uint8Array,
): RivalPayment | null {
  const rival = Transaction.fromRaw(raw, ANY_KIND);
  const wanted = own.outputs.filter((_, at) => at !== own.terms.changeNumber);
  const outputs = outputsOf(rival);
  // Consolidated coins have no receiver.
  const pays = wanted.length === 0 ? null : ({ pays: 'receiver' } as const);
  if (pays !== null && !outputs.some(({ script }) => wanted.some((one) => one.script === script))) return null;
  const changeNumber = changeBeside(outputs, wanted, Buffer.from(hotScript).toString('hex'));
  const { coins } = own.terms;
  if (changeNumber === 'other' || !spendsExactly(rival, new Set(coins.map(({ ref }) => ref)))) return pays;
  const feeUnits = sumOf(coins) - sumOf(outputs);
  const terms = writeTerms({ height: own.terms.height, feeUnits, coins, changeNumber });
  return { pays: 'same', attempt: { raw: raw.toString('hex'), feeUnits, terms } };
}

/**
 * The index of the change output when the other outputs are exactly the wanted ones; `null` for no change, `other` when
 * they are not.
 */
function changeBeside(
  outputs: readonly ReadOutput[],
  wanted: readonly ReadOutput[],
  hotScript: string,
): number | null | 'other' {
  const unmatched = new Set(outputs.keys());
  for (const { script, units } of wanted) {
    const at = [...unmatched].find((each) => outputs[each]?.script === script && outputs[each]?.units === units);
    if (at === undefined) return 'other';
    unmatched.delete(at);
  }
  const [change, ...more] = unmatched;
  if (change === undefined) return null;
  return more.length === 0 && outputs[change]?.script === hotScript ? change : 'other';
}

function spendsExactly(rival: Transaction, refs: ReadonlySet<string>): boolean {
  const spent = Array.from({ length: rival.inputsLength }, (_, at) => {
    const { txid = new Uint8Array(), index } = rival.getInput(at);
    return `${Buffer.from(txid).toString('hex')}:${index}`;
  });
  return spent.length === refs.size && spent.every((ref) => refs.has(ref));
}
