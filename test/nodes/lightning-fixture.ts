import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { part } from '../../adapters/lightning/replies.ts';
import { freePort } from '../support/free-port.ts';
import { waitFor } from '../support/wait.ts';
import { startBitcoind } from './daemons.ts';
import type { Daemon } from './daemons.ts';
import { LndDaemon } from './lightning-daemon.ts';

const CHANNEL_SATS = 4_000_000;
/** Until a channel is announced to others. */
const ANNOUNCED_AFTER = 6;

/** An invoice that a node made. */
export interface MadeInvoice {
  readonly paymentHash: string;
  readonly paymentRequest: string;
}

/** A payment as lnd lists it. */
export interface ListedPayment {
  readonly paymentHash: string;
  readonly status: 'IN_FLIGHT' | 'SUCCEEDED' | 'FAILED' | 'INITIATED';
  readonly msat: bigint;
  readonly feeMsat: bigint;
}

/** A bitcoind on regtest and two lnd nodes with a channel between them, half of it on either side: the till's, and the one of its customers. */
export class LightningFixture {
  readonly bitcoind: Daemon;
  readonly till: LndDaemon;
  readonly customer: LndDaemon;

  private constructor(bitcoind: Daemon, till: LndDaemon, customer: LndDaemon) {
    this.bitcoind = bitcoind;
    this.till = till;
    this.customer = customer;
  }

  static async start(): Promise<LightningFixture> {
    const zmq = { block: await freePort(), transaction: await freePort() };
    const bitcoind = await startBitcoind({
      settings: [`zmqpubrawblock=tcp://127.0.0.1:${zmq.block}`, `zmqpubrawtx=tcp://127.0.0.1:${zmq.transaction}`],
    });
    const [till, customer] = await Promise.all([
      LndDaemon.start(bitcoind, zmq, 'till'),
      LndDaemon.start(bitcoind, zmq, 'customer'),
    ]);
    const fixture = new LightningFixture(bitcoind, till, customer);
    await fixture.#openChannel();
    return fixture;
  }

  /** The plugin's options for the till's node. */
  get options(): {
    readonly lnd: { readonly restUrl: string; readonly macaroonFile: string; readonly tlsCertFile: string };
    readonly network: 'regtest';
  } {
    const { restUrl, macaroonFile, tlsCertFile } = this.till;
    return { lnd: { restUrl, macaroonFile, tlsCertFile }, network: 'regtest' };
  }

  /** @param msat - `null` leaves the amount to the payer */
  async invoice(
    msat: bigint | null,
    { node = this.customer, expirySeconds = 3_600, memo = 'a test' } = {},
  ): Promise<MadeInvoice> {
    const body = { memo, expiry: String(expirySeconds), ...(msat === null ? {} : { value_msat: String(msat) }) };
    return madeBy(await node.rest('POST', '/v1/invoices', body));
  }

  /** An invoice whose payment the node holds until it is told, with the preimage that takes it. */
  async holdInvoice(msat: bigint, node = this.customer): Promise<MadeInvoice & { readonly preimage: Buffer }> {
    const preimage = randomBytes(32);
    const hash = createHash('sha256').update(preimage).digest();
    const reply = await node.rest('POST', '/v2/invoices/hodl', {
      hash: hash.toString('base64'),
      value_msat: String(msat),
      memo: 'held',
    });
    return { preimage, paymentHash: hash.toString('hex'), paymentRequest: String(part(reply, 'payment_request')) };
  }

  async takeHeld(preimage: Buffer, node = this.customer): Promise<void> {
    await node.rest('POST', '/v2/invoices/settle', { preimage: preimage.toString('base64') });
  }

  async cancelInvoice(paymentHash: string, node = this.customer): Promise<void> {
    await node.rest('POST', '/v2/invoices/cancel', {
      payment_hash: Buffer.from(paymentHash, 'hex').toString('base64'),
    });
  }

  /** Waits until an invoice of a node is in a state: OPEN, ACCEPTED, SETTLED or CANCELED. */
  async invoiceIs(paymentHash: string, state: string, node = this.customer): Promise<void> {
    await waitFor(async () => part(await node.rest('GET', `/v1/invoice/${paymentHash}`), 'state') === state, {
      timeoutMs: 30_000,
      intervalMs: 50,
      describe: `the invoice to be ${state}`,
    });
  }

  /** Has a node pay, and waits for the end. @throws AssertionError unless it was paid */
  async pay(paymentRequest: string, msat: bigint | null = null, node = this.customer): Promise<void> {
    const reply = await node.rest(
      'POST',
      '/v2/router/send',
      { ...payment(paymentRequest, msat), no_inflight_updates: true },
      90_000,
    );
    assert.equal(part(reply, 'result', 'status'), 'SUCCEEDED', JSON.stringify(reply));
  }

  /** Has a node begin a payment that its receiver holds. */
  async beginPayment(paymentRequest: string, paymentHash: string, node = this.customer): Promise<void> {
    // The answer ends with the payment: the request is left behind, and what counts is what the node lists.
    node.rest('POST', '/v2/router/send', payment(paymentRequest, null), 1_000).catch(() => null);
    await waitFor(async () => (await this.payments(node)).some((one) => one.paymentHash === paymentHash), {
      timeoutMs: 20_000,
      intervalMs: 50,
      describe: 'the payment to begin',
    });
  }

  /** Every payment that a node ever began; the till's, unless told. */
  async payments(node = this.till): Promise<readonly ListedPayment[]> {
    const listed = part(await node.rest('GET', '/v1/payments?include_incomplete=true'), 'payments') as readonly Record<
      string,
      string
    >[];
    return listed.map((one) => ({
      paymentHash: one['payment_hash'] ?? '',
      status: one['status'] as ListedPayment['status'],
      msat: BigInt(one['value_msat'] ?? '0'),
      feeMsat: BigInt(one['fee_msat'] ?? '0'),
    }));
  }

  /** Waits until the two nodes know a way to each other, at first or after one of them was away. */
  async connected(): Promise<void> {
    const keys = await Promise.all(
      [this.till, this.customer].map(async (node) =>
        String(part(await node.rest('GET', '/v1/getinfo'), 'identity_pubkey')),
      ),
    );
    await waitFor(
      async () => {
        await Promise.all([
          this.till.rest('GET', `/v1/graph/routes/${keys[1]}/1000`),
          this.customer.rest('GET', `/v1/graph/routes/${keys[0]}/1000`),
        ]);
        return true;
      },
      { timeoutMs: 60_000, intervalMs: 100, describe: 'the channel to be usable' },
    );
  }

  /** The till's node loses everything but its keys, and gets a new channel to its customers. */
  async beginAnew(): Promise<void> {
    await this.till.beginAnew();
    await this.#openChannel();
  }

  async stop(): Promise<void> {
    await Promise.all([this.till.remove(), this.customer.remove()]);
    await this.bitcoind.stop();
  }

  async #openChannel(): Promise<void> {
    const address = part(await this.till.rest('GET', '/v1/newaddress'), 'address') as string;
    await this.bitcoind.pay(address, '1');
    await this.bitcoind.mine(1);
    const key = part(await this.customer.rest('GET', '/v1/getinfo'), 'identity_pubkey') as string;
    await this.till.rest('POST', '/v1/peers', {
      addr: { pubkey: key, host: `127.0.0.1:${this.customer.peerPort}` },
      perm: true,
    });
    const funding = {
      node_pubkey_string: key,
      local_funding_amount: String(CHANNEL_SATS),
      push_sat: String(CHANNEL_SATS / 2),
      sat_per_vbyte: '2',
    };
    await waitFor(
      async () => {
        await this.till.rest('POST', '/v1/channels', funding, 60_000);
        return true;
      },
      { timeoutMs: 60_000, intervalMs: 200, describe: 'the till’s node to open a channel' },
    );
    await this.bitcoind.mine(ANNOUNCED_AFTER);
    await this.connected();
  }
}

function payment(paymentRequest: string, msat: bigint | null): Readonly<Record<string, unknown>> {
  return {
    payment_request: paymentRequest,
    timeout_seconds: 60,
    fee_limit_msat: '100000',
    ...(msat === null ? {} : { amt_msat: String(msat) }),
  };
}

function madeBy(reply: unknown): MadeInvoice {
  const { r_hash: hash, payment_request: paymentRequest } = reply as {
    readonly r_hash: string;
    readonly payment_request: string;
  };
  return { paymentHash: Buffer.from(hash, 'base64').toString('hex'), paymentRequest };
}
