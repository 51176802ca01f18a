import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { startAnvil } from './support/anvil.ts';
import type { Anvil } from './support/anvil.ts';
import { deployContract, invoke, mint, read, receipt, transfer } from './support/contracts.ts';
import type { ContractName, DeployedContract } from './support/contracts.ts';
import { freePort } from './support/free-port.ts';
import { freshDatabase } from './support/postgres.ts';
import { waitFor } from './support/wait.ts';

const payee = '0x00000000000000000000000000000000000000aa';
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

describe('the EVM node of the tests', () => {
  let anvil: Anvil;
  let payer: `0x${string}`;

  before(async () => {
    anvil = await startAnvil({ chainId: 4242 });
    [payer] = await anvil.rpc<[`0x${string}`]>('eth_accounts');
  });
  after(() => anvil.stop());

  /** Deploys, mints 1000 to the payer, pays 100 to the payee, and tells what the chain says afterwards. */
  async function payHundred(
    name: ContractName,
    args: unknown[],
  ): Promise<{ received: bigint; logged: bigint | undefined }> {
    const token: DeployedContract = await deployContract(anvil, name, args);
    await mint(anvil, token, payer, 1000n);
    const hash = await transfer(anvil, token, payee, 100n);
    const { logs } = await receipt(anvil, hash);
    const log = logs.find(({ topics }) => topics[0] === transferTopic);
    return { received: await read(anvil, token, 'balanceOf', [payee]), logged: log && BigInt(log.data) };
  }

  it('answers with the chain id it was started with', async () => {
    assert.equal(await anvil.rpc('eth_chainId'), '0x1092');
  });

  it('mines when told, and only then while automatic mining is off', async () => {
    const height = async (): Promise<number> => Number(await anvil.rpc<string>('eth_blockNumber'));
    const before = await height();
    await anvil.setAutomine(false);
    const hash = await anvil.rpc('eth_sendTransaction', [{ from: payer, to: payee, value: '0x1' }]);
    assert.equal(await anvil.rpc('eth_getTransactionReceipt', [hash]), null);
    await anvil.mine(3);
    await anvil.setAutomine(true);
    assert.equal(await height(), before + 3);
    assert.notEqual(await anvil.rpc('eth_getTransactionReceipt', [hash]), null);
  });

  it('reports what the node refuses', async () => {
    await assert.rejects(anvil.rpc('no_such_method'), /no_such_method/);
  });

  it('has an honest token', async () => {
    assert.deepEqual(await payHundred('TestToken', ['USDT', 6]), { received: 100n, logged: 100n });
  });

  it('has a token that refuses by answering false', async () => {
    assert.deepEqual(await payHundred('FalseToken', ['NO', 6]), { received: 0n, logged: undefined });
  });

  it('has a token that keeps a fee and logs the gross value', async () => {
    assert.deepEqual(await payHundred('FeeToken', ['FEE', 6, 250n]), { received: 98n, logged: 100n });
  });

  it('has a token that logs what it does not move', async () => {
    assert.deepEqual(await payHundred('LyingToken', ['LIE', 6]), { received: 0n, logged: 100n });
  });

  it('has a contract that pays by an internal call, and one that takes it back', async () => {
    const forwarder = await deployContract(anvil, 'Forwarder');
    const to = '0x00000000000000000000000000000000000000bb';
    const balance = async (): Promise<bigint> => BigInt(await anvil.rpc<string>('eth_getBalance', [to, 'latest']));
    await receipt(anvil, await invoke(anvil, forwarder, 'forward', [to], { value: 7n }));
    assert.equal(await balance(), 7n);
    const undone = await invoke(anvil, forwarder, 'forwardThenRevert', [to], { value: 9n });
    assert.equal((await receipt(anvil, undone)).status, 'reverted');
    assert.equal(await balance(), 7n);
  });
});

describe('the PostgreSQL of the tests', () => {
  it('gives each caller an empty database of its own', async () => {
    const [one, two] = await Promise.all([freshDatabase(), freshDatabase()]);
    assert.notEqual(one.url, two.url);
    const clients = [one, two].map(({ url }) => new pg.Client({ connectionString: url }));
    try {
      for (const client of clients) {
        await client.connect();
        // The same name in both: neither sees the other's.
        await client.query('create table thing (units numeric(78, 0) not null)');
        await client.query('insert into thing values ($1)', [String(2n ** 255n)]);
        const { rows } = await client.query<{ units: string }>('select units from thing');
        assert.deepEqual(rows, [{ units: String(2n ** 255n) }]);
      }
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await Promise.all([one.drop(), two.drop()]);
    }
  });

  it('drops a database although a connection to it was forgotten', async () => {
    const database = await freshDatabase();
    const forgotten = new pg.Client({ connectionString: database.url });
    const ended = new Promise<Error>((resolve) => forgotten.on('error', resolve));
    await forgotten.connect();
    await database.drop();
    assert.match((await ended).message, /terminat/i);
  });
});

describe('waitFor', () => {
  it('returns the first truthy answer', async () => {
    let asked = 0;
    assert.equal(await waitFor(() => ++asked >= 3 && `after ${asked}`, { intervalMs: 1 }), 'after 3');
  });

  it('names what it waited for, with the last error as the cause', async () => {
    const waiting = waitFor(() => Promise.reject(new Error('not yet')), {
      timeoutMs: 5,
      intervalMs: 1,
      describe: () => 'a miracle',
    });
    await assert.rejects(waiting, (error: Error) => {
      assert.equal(error.message, 'waited 5 ms in vain for a miracle');
      assert.equal((error.cause as Error).message, 'not yet');
      return true;
    });
  });
});

describe('a free port', () => {
  it('is given once, is free, and is none that the system gives to others', async () => {
    const ports = await Promise.all(Array.from({ length: 100 }, () => freePort()));
    assert.equal(new Set(ports).size, ports.length);
    assert.ok(ports.every((port) => port >= 10_000 && port < 32_000));
    const server = createServer().listen(ports[0], '127.0.0.1');
    await once(server, 'listening');
    server.close();
  });
});
