import type { World } from '../world/world.ts';

interface PullRow {
  readonly id: string;
  readonly currency: string;
  readonly amount: string;
  readonly claimed: string;
  readonly aside_units: string;
}

interface ClaimRow {
  readonly pull_payment_id: string;
  readonly amount: string;
  readonly status: string;
  readonly transfer: string | null;
}

/** A pull payment counts exactly its claims that are neither rejected nor failed, and never more than was promised. */
export function claimProblems({ driver }: World): readonly string[] {
  const counted = new Map<string, bigint>();
  const claims = driver.all<ClaimRow>(
    `SELECT c.pull_payment_id, c.amount, c.status, t.status AS transfer FROM claims c LEFT JOIN transfers t ON t.id = c.transfer_id`,
  );
  for (const { pull_payment_id: id, amount, status, transfer } of claims)
    if (status !== 'REJECTED' && transfer !== 'FAILED') counted.set(id, (counted.get(id) ?? 0n) + BigInt(amount));
  return driver
    .all<PullRow>('SELECT id, currency, amount, claimed, aside_units FROM pull_payments')
    .flatMap(({ id, currency, amount, claimed, aside_units: aside }) => {
      const sum = counted.get(id) ?? 0n;
      const left = BigInt(amount) - BigInt(claimed);
      return [
        ...(sum === BigInt(claimed) ? [] : [`pull payment ${id} counts ${claimed}, its claims make ${sum}`]),
        ...(left >= 0n ? [] : [`of pull payment ${id} more is claimed than was promised`]),
        ...(BigInt(aside) >= 0n && (currency === 'USD' ? BigInt(aside) === 0n : BigInt(aside) <= left)
          ? []
          : [`of pull payment ${id} ${aside} are set aside, and ${left} are left`]),
      ];
    });
}
