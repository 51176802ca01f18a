import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { parseEther } from 'viem';
import { createTillgateClient } from '../../../adapters/client/index.ts';
import type { Credentials, TillgateClient } from '../../../adapters/client/index.ts';
import { present } from '../../../core/index.ts';
import type { Anvil } from '../../support/anvil.ts';
import type { TillHost } from './till-host.ts';

const LOGIN = { email: 'shop@example.com', password: 'correct horse battery' } as const;
/** One attempt of a merchant, who then asks the next host as a balancer would. */
const ATTEMPT_MS = 4_000;
const RETRY_PAUSE_MS = 100;
/** What nobody answers for so long counts as not acknowledged. */
const LONGEST_MS = 60_000;
const BETWEEN_ORDERS_MS = 100;
const MOST_ORDERS = 150;
/** Of so many orders one is paid. */
const PAID_OF = 4;

export interface AskedOrder {
  readonly id: string;
  readonly address: string;
  paid: boolean;
}

export interface AskedKey {
  readonly app: string;
  readonly id: string;
  readonly text: string;
}

/** How a step's requests were answered. */
export interface Tally {
  asked: number;
  acknowledged: number;
  longestMs: number;
}

/** Merchants, payers and operators who use all hosts at once, and what they were told. */
export class Load {
  readonly hosts: readonly TillHost[];
  /** Those that were acknowledged. */
  readonly orders: AskedOrder[] = [];
  readonly withdrawals: string[] = [];
  readonly revoked: AskedKey[] = [];
  /** A revoked key that a host accepted after the revocation had been acknowledged. */
  readonly accepted: string[] = [];
  readonly #keys: AskedKey[] = [];
  readonly #clients: readonly TillgateClient[];
  readonly #anvil: Anvil;
  readonly #payer: string;
  readonly #callbackUrl: string;
  #withdrawn = 0;

  constructor(hosts: readonly TillHost[], credentials: Credentials, anvil: Anvil, payer: string, callbackUrl: string) {
    this.hosts = hosts;
    this.#anvil = anvil;
    this.#payer = payer;
    this.#callbackUrl = callbackUrl;
    this.#clients = hosts.map(({ url }) =>
      createTillgateClient({ baseUrl: url, credentials, timeoutMs: ATTEMPT_MS, retry: { tries: 1 } }),
    );
  }

  /** Makes keys of Apps, to be revoked under load. */
  async makeKeys(count: number): Promise<void> {
    for (let made = 0; made < count; made += 1) {
      const app = await this.#anyHost(made, (host) =>
        host.manage('/apps', { name: `wallet ${randomUUID()}`, chains: ['ETH'] }, LOGIN),
      );
      const { id, api_key: text } = app['key'] as { id: string; api_key: string };
      this.#keys.push({ app: String(app['id']), id, text });
    }
  }

  /** Orders, payments, withdrawals and revocations at every host until the work is over. */
  async run(work: () => Promise<void>): Promise<Tally> {
    const tally: Tally = { asked: 0, acknowledged: 0, longestMs: 0 };
    let over = false;
    const loops = this.hosts.map(async (_host, at) => {
      for (let made = 0; made < MOST_ORDERS && !over; made += 1) {
        await this.#order(tally, at);
        await pause(BETWEEN_ORDERS_MS);
      }
    });
    const others = [this.#withdrawals(tally, () => over), this.#revocations(tally, () => over)];
    try {
      await work();
    } finally {
      over = true;
      await Promise.all([...loops, ...others]);
    }
    return tally;
  }

  /** An order with a price that pays for withdrawals; it is paid at once. */
  async fund(): Promise<void> {
    await this.#order({ asked: 0, acknowledged: 0, longestMs: 0 }, 0, '100000');
  }

  async #order(tally: Tally, at: number, price = '25'): Promise<void> {
    const idempotencyKey = randomUUID();
    const coin = { chain: 'ETH', coin: 'ETH' };
    const callback = { callbackUrl: this.#callbackUrl, enablePostCallback: true };
    const made = await this.#until(tally, at, (client) =>
      client.orders.create({ price, currency: 'USD', ...coin, ...callback }, { idempotencyKey }),
    );
    if (made === null) return;
    const { amount, address } = present(made.payment, 'the payment of an order in a coin');
    const order = { id: made.id, address, paid: this.orders.length % PAID_OF === 0 };
    this.orders.push(order);
    if (!order.paid) return;
    const value = `0x${parseEther(amount).toString(16)}`;
    await this.#anvil.rpc('eth_sendTransaction', [{ from: this.#payer, to: order.address, value }]);
  }

  async #withdrawals(tally: Tally, over: () => boolean): Promise<void> {
    for (let made = 0; made < 6 && !over(); made += 1) {
      this.#withdrawn += 1;
      const amount = `0.05${String(this.#withdrawn).padStart(4, '0')}`;
      const idempotencyKey = randomUUID();
      const asked = await this.#until(tally, made, (client) =>
        client.payouts.create({ amount, chain: 'ETH', coin: 'ETH' }, { idempotencyKey }),
      );
      if (asked !== null) this.withdrawals.push(asked.id);
      await pause(1_000);
    }
  }

  async #revocations(tally: Tally, over: () => boolean): Promise<void> {
    for (let at = 0; this.#keys.length > 0 && !over(); at += 1) {
      const key = this.#keys.shift()!;
      tally.asked += 1;
      const began = performance.now();
      const revoke = (host: TillHost): Promise<unknown> =>
        host.manage(`/apps/${key.app}/keys/${key.id}/revoke`, {}, LOGIN);
      if ((await this.#anyHost(at, revoke).catch(() => null)) === null) continue;
      tally.acknowledged += 1;
      tally.longestMs = Math.max(tally.longestMs, performance.now() - began);
      this.revoked.push(key);
      await this.checkRevoked([key]);
      await pause(1_500);
    }
  }

  /** Asks every host that can be reached whether it accepts a revoked key. */
  async checkRevoked(keys: readonly AskedKey[] = this.revoked): Promise<void> {
    for (const key of keys) {
      const statuses = await Promise.all(this.hosts.map((host) => host.gate(key.text)));
      statuses.forEach((status, at) => {
        if (status === 200) this.accepted.push(`${this.hosts[at]?.machine} accepted key ${key.id}`);
      });
    }
  }

  /** Asks one host after another until one has answered well. */
  async #until<T>(tally: Tally, at: number, ask: (client: TillgateClient) => Promise<T>): Promise<T | null> {
    tally.asked += 1;
    const began = performance.now();
    for (let attempt = 0; performance.now() - began < LONGEST_MS; attempt += 1) {
      try {
        const answer = await ask(this.#clients[(at + attempt) % this.#clients.length]!);
        tally.acknowledged += 1;
        tally.longestMs = Math.max(tally.longestMs, performance.now() - began);
        return answer;
      } catch (error) {
        this.lastRefusal = error;
        await pause(RETRY_PAUSE_MS);
      }
    }
    tally.longestMs = Math.max(tally.longestMs, LONGEST_MS);
    return null;
  }

  /** The last answer that was none, for whoever looks into a step without acknowledgements. */
  lastRefusal: unknown = null;

  async #anyHost<T>(first: number, ask: (host: TillHost) => Promise<T>): Promise<T> {
    const began = performance.now();
    for (let at = first; ; at += 1) {
      try {
        return await ask(this.hosts[at % this.hosts.length]!);
      } catch (error) {
        if (performance.now() - began > LONGEST_MS) throw error;
        await pause(RETRY_PAUSE_MS);
      }
    }
  }
}

export { LOGIN };
