import type { Drill, DrillOrder, DrillWithdrawal } from '../e2e/restore-drill.ts';
import { LightningTill } from './lightning-till.ts';
import { readUnits } from './lightning-units.ts';

const MSAT: Readonly<Record<DrillWithdrawal, bigint>> = {
  signed: 1_111_000n,
  waiting: 2_222_000n,
  lost: 3_333_000n,
  next: 4_444_000n,
};

/** The node is asked by the payment hash, so that a restored backup learns of each payment by itself. */
export async function openLightningDrill(engine: 'sqlite' | 'pg'): Promise<Drill> {
  const till = await LightningTill.start({ engine });
  let lostInvoice = '';
  const order = async (price: string): Promise<DrillOrder> => {
    const { id, paymentRequest: place } = await till.order(price);
    return { id, place };
  };
  const pay = ({ place }: DrillOrder): Promise<void> => till.fixture.pay(place);
  const nothing = (): Promise<void> => Promise.resolve();
  return {
    ...{ till, chain: null, coins: false },
    order: () => order('2'),
    pay,
    earn: async () => {
      const earned = await order('250');
      await pay(earned);
      await till.becomes(earned.id, 'SUCCESS');
      return earned;
    },
    withdraw: async (which) => {
      const { paymentRequest } = await till.fixture.invoice(MSAT[which]);
      if (which === 'lost') lostInvoice = paymentRequest;
      return String((await till.withdraw(paymentRequest))['tx_id']);
    },
    hold: () => till.door.stop('before'),
    payOtherwise: async () => {
      till.door.open();
      await till.startServer();
    },
    isStopped: () => Promise.resolve(false),
    until: (condition, what) => till.until(condition, what),
    settle: nothing,
    received: async () => {
      const made = (await till.fixture.payments()).filter(({ status }) => status === 'SUCCEEDED');
      return made.reduce((sum, { msat }) => sum + msat, 0n);
    },
    units: (amount) => readUnits(amount),
    feeOf: () => Promise.resolve('0'),
    lostOptions: () => [
      ...['--account', till.account, '--chain', 'BLN', '--currency', 'BTC-LN'],
      ...['--to', lostInvoice],
    ],
  };
}
