import assert from 'node:assert/strict';
import type { Address } from 'viem';
import type { EngineName } from '../support/storage.ts';
import { Seeded } from '../fuzz/seeded.ts';
import { CrashTill } from './crash-till.ts';
import { fund, mineUntil, mineWhenRead, PaidOrder, payments, Withdrawal } from './scenarios.ts';
import type { Run } from './scenarios.ts';
import { openFixture } from './fixture.ts';

const AT_ONCE = 6;
/** Within this many kills some work must end; otherwise the till makes no progress between them. */
const KILLS_LOOKED_AT = 50;
/** US dollars. A sweep must cost less than a hundredth of its value, so smaller orders would never be swept. */
const LEAST_PRICE = 100;
const LONGEST_LIFE_MS = 4_000;
const MINUTE_MS = 60_000;
/** After an hour hundreds of sweeps are pending, and they run one after the other. */
const SETTLED_MS = 600_000;
const PAYEE: Address = '0x00000000000000000000000000000000d00dfeed';

/** The results of a random run. */
export interface RandomReport {
  readonly seed: number;
  readonly kills: number;
  readonly finished: Readonly<Record<string, number>>;
}

interface Business {
  readonly kind: string;
  readonly run: Run;
}

/** An order that is refunded once it is paid. */
function refundedOrder(till: CrashTill, order: PaidOrder): Run {
  let asked = false;
  const status = async (): Promise<string | undefined> => (await till.order(order.id))?.status;
  return {
    push: async () => {
      await order.push();
      if (asked || !(await order.done())) return;
      const reply = await till.ask('POST', `/api/v2/order/refund/${order.id}`, undefined, `refund-${order.id}`);
      asked = reply?.code === 0;
    },
    done: async () => asked && (await status()) === 'REFUNDED',
    verify: () => order.verify(),
  };
}

/** Runs random business with random kills, and finally compares the outgoing payments with the chain. */
export async function killAtRandom(
  engine: EngineName,
  minutes: number,
  seed: number,
  say: (line: string) => void,
): Promise<RandomReport> {
  const random = new Seeded(seed);
  const fixture = await openFixture(`random-${process.pid}`);
  const till = await CrashTill.start(engine, fixture);
  const finished: Record<string, number> = {};
  let active: Business[] = [];
  let kills = 0;
  let endedBefore = 0;
  const accounts = await fixture.anvil.rpc<Address[]>('eth_accounts');

  const begin = (): Business => {
    const kind = random.pick(['order', 'order', 'token order', 'invoice', 'withdrawal', 'withdrawal', 'refund']);
    if (kind === 'withdrawal') return { kind, run: new Withdrawal(till, PAYEE, `0.0${1 + random.below(9)}`) };
    const currency = kind === 'token order' ? 'USDT-ERC20' : kind === 'invoice' ? 'BTC-LN' : 'ETH';
    const order = new PaidOrder(
      till,
      kind === 'token order' ? accounts[1]! : random.pick(accounts.slice(2, 8)),
      String(LEAST_PRICE + random.below(500)),
      currency,
    );
    return { kind, run: kind === 'refund' ? refundedOrder(till, order) : order };
  };
  const look = async (): Promise<void> => {
    const left: Business[] = [];
    for (const each of active) {
      await each.run.push();
      if (!till.alive || !(await each.run.done())) {
        left.push(each);
        continue;
      }
      if (each.kind !== 'withdrawal') await each.run.verify();
      finished[each.kind] = (finished[each.kind] ?? 0) + 1;
    }
    active = left;
    await mineWhenRead(till);
  };
  const lookAtHeadway = (): void => {
    say(`${kills} kills, ${JSON.stringify(finished)}`);
    const ended = Object.values(finished).reduce((sum, count) => sum + count, 0);
    assert(
      ended > endedBefore,
      `seed ${seed}: nothing was finished during the last ${KILLS_LOOKED_AT} kills; under way are ${active.map(({ kind }) => kind).join(', ')}`,
    );
    endedBefore = ended;
  };

  try {
    await till.registerPayee(PAYEE);
    await fund(till);
    const until = performance.now() + minutes * MINUTE_MS;
    while (performance.now() < until) {
      const dies = setTimeout(() => void till.kill(), 50 + random.below(LONGEST_LIFE_MS));
      while (till.alive) {
        while (active.length < AT_ONCE) active.push(begin());
        await look();
      }
      clearTimeout(dies);
      kills += 1;
      await till.checkBooks(`seed ${seed}, after kill ${kills}`);
      await till.startServer();
      if (kills % KILLS_LOOKED_AT === 0) lookAtHeadway();
    }
    let left = '';
    const settled = async (): Promise<boolean> => {
      await look();
      left = [...active.map(({ kind }) => kind), ...(await till.unquiet())].join(', ');
      return left === '';
    };
    await mineUntil(till, settled, () => `seed ${seed}: everything to settle; left are ${left}`, SETTLED_MS);
    await till.checkBooks('at the end');
    await till.checkByCommand();
    assert.equal(
      (await payments(till, till.hot, PAYEE)).length,
      finished['withdrawal'] ?? 0,
      `seed ${seed}: one payment for each withdrawal`,
    );
    return { seed, kills, finished };
  } finally {
    await till.close();
    await fixture.close();
  }
}
