import { present } from '../../core/index.ts';
import { tronKey } from '../../adapters/chains/index.ts';
import { USDT } from '../support/tron/tron-fixture.ts';
import type { DrillFixture } from './chain-drill.ts';
import { openTronFixture } from './tron-fixture.ts';

const FLOAT = 400_000_000n;

/**
 * The faithful fake of a Tron network, where nothing but an operator keeps a payment from being signed twice: there are no nonces.
 * What is signed is sent as it is; that it expires takes minutes of the real clock, and is shown with a simulated one.
 */
export async function openTronDrill(): Promise<DrillFixture> {
  const fixture = await openTronFixture();
  return {
    ...fixture,
    ...{ currency: USDT, decimals: 6, feeDecimals: 6, price: '1000', coins: false },
    amounts: { signed: '100', waiting: '200', lost: '50', next: '70' },
    provide: async (hot) => {
      await fixture.provide(hot);
      // The operator's, so that no sweep has to come first.
      await fixture.pay(hot, USDT, FLOAT);
      await fixture.mine(1);
    },
    hold: (to) => {
      const key = present(tronKey(to), to);
      return new Promise((reached) => {
        for (const node of fixture.nodes)
          node.intercept = (path, body) => {
            if (path !== '/wallet/broadcasthex' || !String(body['transaction']).includes(key)) return null;
            for (const each of fixture.nodes) each.intercept = () => null;
            reached();
            return new Promise(() => undefined);
          };
      });
    },
    payOtherwise: async (till) => {
      await till.startServer();
    },
  };
}
