import { formatUnits, parseUnits } from '../../../../core/kernel/decimal.ts';

/** More decimals than any amount of the API has. */
const DECIMALS = 40;

/** The exact sum of plain decimals, as a plain decimal. @throws Error for any other text */
export function sumOf(texts: readonly string[]): string {
  let sum = 0n;
  for (const text of texts) {
    const units = parseUnits(text, DECIMALS);
    if (units === null) throw new Error(`${text} is not a plain decimal.`);
    sum += units;
  }
  return formatUnits(sum, DECIMALS);
}
