import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { privateKeyToAccount } from 'viem/accounts';
import { encodeFunctionData } from 'viem';
import type { Address, Hash, Hex } from 'viem';
import { Merchant, startReceiver } from '../host/merchant.ts';
import type { Answer, Demo, ReceivedCallback } from '../host/merchant.ts';
import { freshDirectory, run, serve } from '../host/till-process.ts';
import type { TillProcess } from '../host/till-process.ts';
import { startAnvil } from '../support/anvil.ts';
import type { Anvil } from '../support/anvil.ts';
import { deployContract, mint } from '../support/contracts.ts';
import type { DeployedContract } from '../support/contracts.ts';
import { startRpcGate } from '../support/rpc-gate.ts';
import type { RpcGate } from '../support/rpc-gate.ts';
import { freshDatabase } from '../support/postgres.ts';
import { nextSecond, waitFor } from '../support/wait.ts';

/** Not anvil's, so that no payer is the till's own hot wallet, and that one begins without a coin. A vector of BIP-39. */
export const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
/** Of anvil's second account: everybody knows it. */
export const PAYER_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
/** The payer. */
export const PAYER = privateKeyToAccount(PAYER_KEY);

/** Confirmations that the till asks for in these tests. */
export const CONFIRMATIONS = 3;
/** How long an order waits in these tests, in seconds. */
export const TIMEOUT_SECONDS = 12;

/** How long orders wait, and are watched after that, in seconds. */
export interface OrderWindows {
  readonly timeoutSeconds?: number;
  readonly watchSeconds?: number;
}

/** What a till of these tests has besides. */
export interface TillOptions extends OrderWindows {
  /** More settings, which need the merchant's account. */
  readonly further?: (till: TillOnAnvil) => Promise<Record<string, unknown>>;
}

/** The tokens that the till knows by these names, with what is wrong with each. */
export interface Tokens {
  /** USDT-ERC20: honest, with EIP-3009. */
  readonly honest: DeployedContract;
  /** USDC-ERC20: keeps 1 % of each transfer and logs the gross value. */
  readonly fee: DeployedContract;
  /** DAI-ERC20: logs transfers that it does not make. */
  readonly lying: DeployedContract;
  /** SHIB-ERC20: answers false and moves nothing. */
  readonly refusing: DeployedContract;
  /** Unknown to the till, of the symbol USDT. */
  readonly foreign: DeployedContract;
  readonly forwarder: DeployedContract;
}

/** A real till as its own process, production mode, on a real EVM node and a real database. */
export class TillOnAnvil {
  readonly anvil: Anvil;
  /** What the till talks to its node through. */
  readonly gate: RpcGate;
  readonly tokens: Tokens;
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>;
  /** `null` on SQLite. */
  readonly databaseUrl: string | null;
  readonly #directory: ReturnType<typeof freshDirectory>;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #cleanUp: () => Promise<void>;
  #process: TillProcess | null = null;
  #merchant: Merchant | null = null;
  demo: Demo | null = null;

  private constructor(
    anvil: Anvil,
    gate: RpcGate,
    tokens: Tokens,
    receiver: TillOnAnvil['receiver'],
    directory: ReturnType<typeof freshDirectory>,
    environment: Readonly<Record<string, string>>,
    databaseUrl: string | null,
    cleanUp: () => Promise<void>,
  ) {
    this.databaseUrl = databaseUrl;
    this.anvil = anvil;
    this.gate = gate;
    this.tokens = tokens;
    this.receiver = receiver;
    this.#directory = directory;
    this.#environment = environment;
    this.#cleanUp = cleanUp;
  }

  /** Deploys the tokens, writes the settings, makes a merchant by the command line, and starts the server. */
  static async start(
    engine: 'sqlite' | 'pg',
    { timeoutSeconds = TIMEOUT_SECONDS, further, ...orders }: TillOptions = {},
  ): Promise<TillOnAnvil> {
    const anvil = await startAnvil();
    const tokens = await deployTokens(anvil);
    const receiver = await startReceiver();
    const gate = await startRpcGate(anvil.url);
    const directory = freshDirectory();
    const database = engine === 'pg' ? await freshDatabase() : null;
    const common = settings(anvil, gate, tokens, {
      databaseUrl: database?.url ?? null,
      orders: { timeoutSeconds, ...orders },
    });
    directory.write('tillgate.config.json', common);
    const environment = { TILLGATE_MASTER_KEY: randomBytes(32).toString('base64'), TILLGATE_MNEMONIC: MNEMONIC };
    const databaseUrl = database?.url ?? null;
    const till = new TillOnAnvil(anvil, gate, tokens, receiver, directory, environment, databaseUrl, async () => {
      await gate.close();
      await anvil.stop();
      await receiver.close();
      await database?.drop();
      directory.remove();
    });
    await till.#createMerchant();
    if (further !== undefined) directory.write('tillgate.config.json', { ...common, ...(await further(till)) });
    await till.startServer();
    return till;
  }

  get merchant(): Merchant {
    assert(this.#merchant !== null, 'the server was not started');
    return this.#merchant;
  }

  async startServer(): Promise<void> {
    this.#process = serve(this.#directory.path, this.#environment);
    assert(this.demo !== null);
    this.#merchant = new Merchant(await this.#process.url(), this.demo);
  }

  /** The till's folder. */
  get directory(): string {
    return this.#directory.path;
  }

  /** Where the server listens; another port after each start. */
  url(): Promise<string> {
    assert(this.#process !== null);
    return this.#process.url();
  }

  /** Another instance on the same database; it ends with the one that calls it. */
  async startBeside(): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const beside = serve(this.#directory.path, this.#environment);
    return { url: await beside.url(), stop: async () => void (await beside.signal('SIGKILL')) };
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    await this.#process?.signal('SIGKILL');
  }

  /** `SIGTERM`; answers with the exit code and how long it took, in milliseconds. */
  async terminate(): Promise<{ readonly code: number | null; readonly ms: number }> {
    assert(this.#process !== null);
    const began = performance.now();
    const { code } = await this.#process.signal('SIGTERM');
    return { code, ms: performance.now() - began };
  }

  /** Runs a command of the till beside the server. */
  command(...args: readonly string[]): ReturnType<typeof run> {
    return run(this.#directory.path, [...args, '--json'], this.#environment);
  }

  async close(): Promise<void> {
    await this.#process?.signal('SIGKILL');
    await this.#cleanUp();
  }

  /** Everything that the server has logged since it was started last. */
  get log(): string {
    return this.#process?.err ?? '';
  }

  /** A hosted order whose payer has chosen a coin: the address of its page. */
  async hostedOrder(currency = 'USDT-ERC20', price = '250'): Promise<{ id: string; page: string }> {
    const { data, message, code } = await this.merchant.call('POST', '/api/order/pay-url', {
      currency: 'USD',
      price,
      callback_url: `${this.receiver.url}/paid`,
      enable_post_callback: true,
    });
    assert.equal(code, 0, message);
    const page = String(data['pay_url']);
    const chosen = await fetch(`${page}/choice`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ chain: 'ETH', currency }),
    });
    assert.equal(chosen.status, 200, await chosen.text());
    const listed = await this.merchant.call('GET', '/api/v2/order/?page=1&size=1');
    const [newest] = (listed.data as { data: { order_id: string }[] }).data;
    assert(newest !== undefined);
    return { id: newest.order_id, page };
  }

  /** An order with both callbacks as POST. */
  async order(
    currency = 'USDT-ERC20',
    price = '10',
  ): Promise<{ id: string; address: Address; amount: string; page: string }> {
    const { data, message, code } = await this.merchant.payInfo(`${this.receiver.url}/paid`, {
      currency,
      vs_price: price,
      timeout_callback: `${this.receiver.url}/late`,
    });
    assert.equal(code, 0, message);
    return {
      ...{ id: String(data['order_id']), address: data['address'] as Address, amount: String(data['amount']) },
      page: String(data['pay_url']),
    };
  }

  /** Leaves the payer's address for a refund on the order's page, before a payment in any block from now on. */
  async leaveRefundAddress({ page }: { readonly page: string }, address: Address): Promise<void> {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
    const url = `${await this.url()}${new URL(page).pathname}/refund-address`;
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ address }) });
    assert.equal(reply.status, 200, await reply.text());
    // Blocks have their time in whole seconds, and the till's clock may be some milliseconds ahead of the node's.
    await nextSecond();
    await nextSecond();
  }

  detail(id: string): Promise<Answer> {
    return this.merchant.call('GET', `/api/v2/order/detail/${id}`);
  }

  async becomes(id: string, status: string): Promise<void> {
    await waitFor(async () => (await this.merchant.status(id)) === status, {
      timeoutMs: 120_000,
      intervalMs: 50,
      describe: `order ${id} to be ${status}; the log:\n${this.log.slice(-3000)}`,
    });
  }

  /** The callbacks of an order so far, in the order they came. */
  callbacks(id: string): readonly ReceivedCallback[] {
    return this.receiver.received.filter(({ body }) => body.includes(id));
  }

  async calledBack(id: string, count: number): Promise<readonly ReceivedCallback[]> {
    await waitFor(() => this.callbacks(id).length >= count, {
      timeoutMs: 120_000,
      describe: `${count} callbacks of ${id}`,
    });
    return this.callbacks(id);
  }

  /** Waits until the till has read the node's head. */
  async caughtUp(): Promise<void> {
    const head = Number(await this.anvil.rpc<Hex>('eth_blockNumber'));
    await waitFor(async () => (await this.#height()) >= head, {
      timeoutMs: 120_000,
      describe: `the till to reach block ${head}`,
    });
  }

  /** The payer's own transfer of tokens, signed by it; the same bytes can be sent again after a reorganisation. */
  async signTransfer(token: DeployedContract, to: Address, units: bigint): Promise<Hex> {
    const data = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [to, units] });
    const nonce = Number(await this.anvil.rpc<Hex>('eth_getTransactionCount', [PAYER.address, 'pending']));
    const fees = { gas: 200_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n };
    return PAYER.signTransaction({
      type: 'eip1559',
      chainId: this.anvil.chainId,
      nonce,
      to: token.address,
      data,
      ...fees,
    });
  }

  send(raw: Hex): Promise<Hash> {
    return this.anvil.rpc<Hash>('eth_sendRawTransaction', [raw]);
  }

  /** Pays by the payer's own transfer and mines until it is confirmed. */
  async payConfirmed(address: Address, units: bigint, token = this.tokens.honest): Promise<Hash> {
    const hash = await this.send(await this.signTransfer(token, address, units));
    await this.anvil.mine(CONFIRMATIONS);
    return hash;
  }

  async #height(): Promise<number> {
    assert(this.#process !== null);
    const reply = await fetch(`${await this.#process.url()}/metrics`);
    return Number(/^tillgate_chain_height\{chain="ETH"\} (\d+)/m.exec(await reply.text())?.[1] ?? -1);
  }

  async #createMerchant(): Promise<void> {
    const account = await this.command(
      'account',
      'create',
      '--email',
      'shop@example.com',
      '--password',
      'correct horse battery',
      '--verified',
      '*',
    );
    assert.equal(account.code, 0, account.err);
    const { id } = JSON.parse(account.out) as { id: string };
    const credential = await this.command('credential', 'create', '--account', id);
    assert.equal(credential.code, 0, credential.err);
    this.demo = { ...(JSON.parse(credential.out) as Demo), account_id: id };
  }
}

async function deployTokens(anvil: Anvil): Promise<Tokens> {
  const honest = await deployContract(anvil, 'AuthorizedToken', ['USDT', 6]);
  const fee = await deployContract(anvil, 'FeeToken', ['USDC', 6, 100]);
  const lying = await deployContract(anvil, 'LyingToken', ['DAI', 18]);
  const refusing = await deployContract(anvil, 'FalseToken', ['SHIB', 18]);
  const foreign = await deployContract(anvil, 'TestToken', ['USDT', 6]);
  for (const token of [honest, fee, lying, refusing, foreign]) await mint(anvil, token, PAYER.address, 10n ** 30n);
  return { honest, fee, lying, refusing, foreign, forwarder: await deployContract(anvil, 'Forwarder') };
}

function settings(
  anvil: Anvil,
  gate: RpcGate,
  tokens: Tokens,
  { databaseUrl, orders }: { readonly databaseUrl: string | null; readonly orders: OrderWindows },
): Record<string, unknown> {
  const token = ({ address }: DeployedContract, decimals: number): unknown => ({ address, decimals });
  return {
    mode: 'production',
    auth: { breachedPasswords: null },
    listen: { host: '127.0.0.1' },
    database: databaseUrl === null ? { client: 'sqlite' } : { client: 'pg', connection: databaseUrl },
    orders,
    callbacks: { allowPrivateNetworks: true, schedule: [1, 1, 1, 1, 1] },
    rates: {
      sources: [
        { use: 'static', prices: { USDT: '1', USDC: '1', DAI: '1', SHIB: '0.00001', ETH: '2500', EUR: '1.1' } },
      ],
    },
    plugins: [
      {
        use: 'ethereum',
        options: {
          rpcUrls: [gate.url],
          chainId: anvil.chainId,
          confirmations: CONFIRMATIONS,
          spendableConfirmations: 5,
          finalityBlocks: 64,
          pollIntervalMs: 100,
          tokens: {
            'USDT-ERC20': token(tokens.honest, 6),
            'USDC-ERC20': token(tokens.fee, 6),
            'DAI-ERC20': token(tokens.lying, 18),
            'SHIB-ERC20': token(tokens.refusing, 18),
          },
        },
      },
    ],
  };
}
