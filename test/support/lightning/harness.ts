import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HeldPayment, LightningHarness, LightningTricks } from '../../../adapters/testing/index.ts';
import { setUpPlugin } from '../../../adapters/testing/index.ts';
import { present } from '../../../core/index.ts';
import type { LightningNode } from '../../../core/index.ts';
import { lightning } from '../../../plugins/lightning/index.ts';
import { serveCln } from './fake-cln.ts';
import { serveLnd } from './fake-lnd.ts';
import { FakeLightningNode } from './fake-node.ts';
import type { FakeGraph, FakeInvoice } from './fake-node.ts';
import { servePhoenixd } from './fake-phoenixd.ts';
import type { FakeServer } from './fake-server.ts';

/** The kinds of faked nodes. */
export type FakeKind = 'lnd' | 'cln' | 'phoenixd';

const MACAROON = '0201036c6e6402f801030a10';
const SECRET = 'a-secret-of-the-nodes-own';
const LONG_AGO_MS = 7_200_000;

interface Served {
  readonly server: FakeServer;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A fake node of a kind behind its interface, and the plugin's options for it. */
export async function serveKind(kind: FakeKind, node: FakeLightningNode, folder: string): Promise<Served> {
  const write = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  if (kind === 'phoenixd') {
    const server = await servePhoenixd(node, SECRET);
    return { server, options: { phoenixd: { url: server.url, passwordFile: write('password', `${SECRET}\n`) } } };
  }
  const server = kind === 'lnd' ? await serveLnd(node, MACAROON) : await serveCln(node, SECRET);
  const reach = { restUrl: server.url, tlsCertFile: write('tls.cert', server.certificate ?? '') };
  if (kind === 'lnd')
    return {
      server,
      options: { lnd: { ...reach, macaroonFile: write('admin.macaroon', Buffer.from(MACAROON, 'hex')) } },
    };
  return { server, options: { cln: { ...reach, runeFile: write('rune', `${SECRET}\n`) } } };
}

/** Opens a node through the plugin, as the host would. */
export async function openNode(options: Readonly<Record<string, unknown>>): Promise<LightningNode> {
  const wallet = { extendedPublicKey: () => Promise.reject(new Error('no seed is needed')) };
  return present((await setUpPlugin(lightning(options), { wallet })).lightning, 'a Lightning node');
}

/** The harness with which the kit controls a fake of each kind. */
export function fakeHarness(kind: FakeKind, lacks: LightningHarness['lacks']): LightningHarness {
  return {
    lacks,
    open: async () => {
      const graph: FakeGraph = new Map();
      const [till, customer] = [new FakeLightningNode(graph), new FakeLightningNode(graph)];
      const folder = mkdtempSync(join(tmpdir(), 'tillgate-lightning-'));
      const { server, options } = await serveKind(kind, till, folder);
      const opened: LightningNode[] = [];
      const open = async (more: Readonly<Record<string, unknown>> = {}): Promise<LightningNode> => {
        const node = await openNode({ ...options, network: 'regtest', ...more });
        opened.push(node);
        return node;
      };
      const tricks = tricksOf(till, customer, server, () => open({ network: 'main' }));
      return {
        node: await open(),
        reopen: () => open(),
        pay: (paymentRequest) => payFrom(customer, paymentRequest),
        invoice: async (msat) => customer.addInvoice({ msat }),
        received: async (paymentHash) => ({
          msat: customer.invoices.get(paymentHash)?.receivedMsat ?? 0n,
          times: till.payments.get(paymentHash)?.deliveries ?? 0,
        }),
        tricks: Object.fromEntries(Object.entries(tricks).filter(([name]) => !Object.hasOwn(lacks, name))),
        close: async () => {
          await Promise.all(opened.map((node) => node.close()));
          await server.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
  };
}

function tricksOf(
  till: FakeLightningNode,
  customer: FakeLightningNode,
  server: FakeServer,
  otherNetwork: LightningTricks['otherNetwork'],
): LightningTricks {
  const outage = async (on: boolean): Promise<void> => {
    server.manners.down = on;
    server.cut();
  };
  return {
    otherNetwork,
    heldHere: async (msat) => {
      const invoice = till.addInvoice({ msat, hold: true });
      customer.pay(invoice.paymentRequest, null, 0n);
      while (invoice.state !== 'accepted') await once(till, 'invoice');
      return held(till, invoice);
    },
    heldThere: async (msat) => held(customer, customer.addInvoice({ msat, hold: true })),
    cancel: async (paymentHash) => till.cancel(paymentHash),
    expired: async (msat) => customer.addInvoice({ msat, expirySeconds: 600, ageMs: LONG_AGO_MS }),
    unroutable: async (msat) => new FakeLightningNode(new Map()).addInvoice({ msat }),
    foreign: async (msat) => new FakeLightningNode(new Map(), 'mainnet').addInvoice({ msat }),
    routeFee: async (msat) => void (till.routeFeeMsat = msat),
    outage,
    losses: async (kind) => void (server.manners.loses = kind),
    restart: async () => {
      await outage(true);
      await outage(false);
    },
  };
}

function held(node: FakeLightningNode, invoice: FakeInvoice): HeldPayment {
  return {
    ...invoice,
    take: async () => node.take(invoice.paymentHash),
    giveBack: async () => node.cancel(invoice.paymentHash),
  };
}

/** @throws Error when the payment fails */
export async function payFrom(node: FakeLightningNode, paymentRequest: string): Promise<void> {
  const payment = node.pay(paymentRequest, null, 0n);
  while (payment.state === 'in-flight') await once(node, 'payment');
  if (payment.state === 'failed') throw new Error(`the payment failed: ${payment.reason}`);
}
