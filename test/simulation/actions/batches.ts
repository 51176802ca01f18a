import { OPERATOR } from '../../../core/index.ts';
import type { BatchRowInput, PayoutBatchId } from '../../../core/index.ts';
import { inside, NOTHING } from './action.ts';
import type { Action, Scene } from './action.ts';
import { COINS, merchantOf } from './merchants.ts';

const AMOUNTS: Readonly<Record<string, readonly string[]>> = {
  ETH: ['0.002', '0.01', '0.15'],
  'USDT-ERC20': ['1.5', '7', '60'],
  BTC: ['0.0003', '0.001', '0.005'],
};
const MOST_ROWS = 4;
/** References that may be used again, because their payments may have failed. */
const RECENT = 6;

/** A row with a reference of its own, or mostly refused with a former one; each merchant's reference has one address. */
function rowOf({ world, random }: Scene, merchant: number): BatchRowInput {
  const isFormer = world.references > 0 && random.chance(0.2);
  const number = isFormer
    ? random.int(Math.max(0, world.references - RECENT), world.references - 1)
    : world.references++;
  const [chain, currency] = random.pick(COINS) ?? COINS[0];
  const amount = random.pick(AMOUNTS[currency] ?? []) ?? '1';
  const address = `${chain.toLowerCase()}-payee-${merchant}-${number}`;
  return { reference: `row-${number}`, address, coin: currency, amount, fiatAmount: '', fiatCurrency: '' };
}

async function create(scene: Scene): Promise<string> {
  const { random, instance } = scene;
  const { number, principal } = merchantOf(scene);
  const rows = Array.from({ length: random.int(1, MOST_ROWS) }, () => rowOf(scene, number));
  const { batch } = await instance.batches.create(
    { ...OPERATOR, accountId: principal.accountId, role: 'user' },
    { rows },
  );
  if (random.chance(0.7)) await instance.batches.approve(OPERATOR, batch.id);
  return `${batch.id} ${rows.length} rows`;
}

function batchIn({ world, random }: Scene, ...statuses: readonly string[]): PayoutBatchId | null {
  const rows = world.driver.all<{ id: PayoutBatchId; status: string }>(
    'SELECT id, status FROM payout_batches ORDER BY id',
  );
  return random.pick(rows.filter(({ status }) => statuses.includes(status)))?.id ?? null;
}

async function approve(scene: Scene): Promise<string> {
  const id = batchIn(scene, 'DRAFT');
  return id === null ? NOTHING : (await scene.instance.batches.approve(OPERATOR, id)).batch.status;
}

async function cancel(scene: Scene): Promise<string> {
  const id = batchIn(scene, 'DRAFT', 'APPROVED');
  return id === null ? NOTHING : (await scene.instance.batches.cancel(OPERATOR, id)).batch.status;
}

/** Payments to many receivers. */
export const BATCHES: readonly Action[] = [
  inside('batch', 2, create),
  inside('batch-approve', 1, approve),
  inside('batch-cancel', 0.4, cancel),
];
