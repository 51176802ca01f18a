import { describeLightning } from '../../adapters/testing/index.ts';
import type { LightningTricks } from '../../adapters/testing/index.ts';
import { part } from '../../adapters/lightning/replies.ts';
import type { LightningNode } from '../../core/index.ts';
import { FakeLightningNode } from '../support/lightning/fake-node.ts';
import { openNode } from '../support/lightning/harness.ts';
import { LightningFixture } from './lightning-fixture.ts';

const LONG_AGO_MS = 7_200_000;

describeLightning('lnd, the real one', {
  lacks: {
    routeFee: 'between two nodes nobody charges; the fake has fees',
    outage: 'it is stopped and started again; the server of the fake goes away alone',
    losses: 'nothing stands between; the fake loses requests and replies',
  },
  open: async () => {
    const fixture = await LightningFixture.start();
    const opened: LightningNode[] = [];
    const open = async (network: string): Promise<LightningNode> => {
      const node = await openNode({ ...fixture.options, network });
      opened.push(node);
      return node;
    };
    return {
      node: await open('regtest'),
      reopen: () => open('regtest'),
      pay: (paymentRequest) => fixture.pay(paymentRequest),
      invoice: (msat) => fixture.invoice(msat),
      received: (paymentHash) => received(fixture, paymentHash),
      tricks: tricksOf(fixture, () => open('main')),
      close: async () => {
        await Promise.all(opened.map((node) => node.close()));
        await fixture.stop();
      },
    };
  },
});

function tricksOf(fixture: LightningFixture, otherNetwork: LightningTricks['otherNetwork']): Partial<LightningTricks> {
  const { till, customer } = fixture;
  return {
    otherNetwork,
    heldHere: async (msat) => {
      const held = await fixture.holdInvoice(msat, till);
      await fixture.beginPayment(held.paymentRequest, held.paymentHash);
      await fixture.invoiceIs(held.paymentHash, 'ACCEPTED', till);
      return {
        ...held,
        take: () => fixture.takeHeld(held.preimage, till),
        giveBack: () => fixture.cancelInvoice(held.paymentHash, till),
      };
    },
    heldThere: async (msat) => {
      const held = await fixture.holdInvoice(msat);
      return {
        ...held,
        take: () => fixture.takeHeld(held.preimage, customer),
        giveBack: () => fixture.cancelInvoice(held.paymentHash, customer),
      };
    },
    cancel: (paymentHash) => fixture.cancelInvoice(paymentHash, till),
    // Signed here, by nodes that the network has never heard of: what lnd makes of it is a test of our own writing, too.
    expired: async (msat) =>
      new FakeLightningNode(new Map()).addInvoice({ msat, expirySeconds: 600, ageMs: LONG_AGO_MS }),
    unroutable: async (msat) => new FakeLightningNode(new Map()).addInvoice({ msat }),
    foreign: async (msat) => new FakeLightningNode(new Map(), 'mainnet').addInvoice({ msat }),
    restart: async () => {
      await till.restart();
      await fixture.connected();
    },
  };
}

/** What the customer's node has for an invoice of its own, taken or held. */
async function received(
  fixture: LightningFixture,
  paymentHash: string,
): Promise<{ readonly msat: bigint; readonly times: number }> {
  const { invoices } = (await fixture.customer.rest('GET', '/v1/invoices?num_max_invoices=1000')) as {
    readonly invoices: readonly Record<string, unknown>[];
  };
  const invoice = invoices.find((one) => Buffer.from(String(one['r_hash']), 'base64').toString('hex') === paymentHash);
  const parts = ((invoice?.['htlcs'] ?? []) as readonly unknown[]).filter((one) => part(one, 'state') !== 'CANCELED');
  return { msat: BigInt((invoice?.['amt_paid_msat'] as string | undefined) ?? '0'), times: parts.length };
}
