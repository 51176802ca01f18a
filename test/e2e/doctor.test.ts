import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { CryptoDigest } from '../../adapters/crypto/index.ts';
import { SettingsAgreement } from '../../core/index.ts';
import { resolveConfig } from '../../host/index.ts';
import { openHostRuntime } from '../../host/boot/open.ts';
import type { HostRuntime } from '../../host/boot/open.ts';
import { freshDirectory, run } from '../host/till-process.ts';
import { startAnvil } from '../support/anvil.ts';
import { deployContract } from '../support/contracts.ts';
import type { Anvil } from '../support/anvil.ts';
import { silentLogger } from '../support/storage.ts';

/** Nothing listens there on any machine: the port is `discard`'s, which nobody serves. */
const NOBODY = 'http://127.0.0.1:9';
const PASSWORD = 'not-the-password-of-it';

/** A program that answers everything with one status. */
async function startAnswering(status: number): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((_request, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

describe('the doctor’s words about nodes', () => {
  const directory = freshDirectory();
  const environment = {
    TILLGATE_MASTER_KEY: randomBytes(32).toString('base64'),
    TILLGATE_MNEMONIC: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
  };
  let anvil: Anvil;
  let closed: Awaited<ReturnType<typeof startAnswering>>;
  let foreign: Awaited<ReturnType<typeof startAnswering>>;
  const settingsOf = (plugins: readonly unknown[]) => {
    const prices = { ETH: '2500', BNB: '600', BTC: '60000', LTC: '80', USDT: '1', USDC: '1', TRX: '0.25', DAI: '1' };
    return {
      mode: 'production',
      database: { client: 'sqlite' },
      rates: { sources: [{ use: 'static', prices }] },
      plugins,
    };
  };
  const examine = async (
    plugins: readonly unknown[],
  ): Promise<{ readonly code: number | null; readonly out: string; readonly about: (chain: string) => string }> => {
    directory.write('tillgate.config.json', settingsOf(plugins));
    const { code, out, err } = await run(directory.path, ['doctor'], environment);
    return {
      code,
      out: out + err,
      about: (chain) =>
        out.split('\n').find((line) => line.includes(` chain ${chain}: `)) ?? `nothing of ${chain} in ${out}${err}`,
    };
  };

  before(async () => {
    [anvil, closed, foreign] = await Promise.all([
      startAnvil({ chainId: 56 }),
      startAnswering(401),
      startAnswering(404),
    ]);
  });
  after(async () => {
    await Promise.all([anvil.stop(), closed.stop(), foreign.stop()]);
    directory.remove();
  });

  test('another network, another chain’s port, a wrong password, a node that is down: each is said with what to look at', async () => {
    const { code, out, about } = await examine([
      { use: 'ethereum', options: { rpcUrls: [anvil.url] } },
      { use: 'bsc', options: { rpcUrls: [NOBODY] } },
      { use: 'bitcoin', options: { rpcUrl: closed.url, rpcUser: 'till', rpcPassword: PASSWORD } },
      { use: 'litecoin', options: { rpcUrl: anvil.url, rpcUser: 'till', rpcPassword: PASSWORD } },
      { use: 'tron', options: { apiUrls: [foreign.url] } },
    ]);
    assert.equal(code, 1);
    assert.match(
      about('ETH'),
      /^WRONG .* is on chain 56, but ETH is configured as chain 1 \(is it another network’s node\?/,
    );
    assert.match(about('BSC'), /^WRONG .*ECONNREFUSED \(nothing listens there/);
    assert.match(about('BTC'), /^WRONG .*HTTP 401 \(it does not accept the configured user, password or key/);
    assert.match(about('LTC'), /^WRONG .*Method not found.*no node of this chain/);
    assert.match(about('TRX'), /^WRONG .*HTTP 404 \(something answers there, but no node of this chain/);
    assert.ok(!out.includes(PASSWORD));
  });

  test('a chain that is well says where it pays out from, and which of its nodes does not serve', async () => {
    const { code, out, about } = await examine([{ use: 'bsc', options: { rpcUrls: [NOBODY, anvil.url], quorum: 1 } }]);
    assert.equal(code, 0, out);
    assert.match(
      about('BSC'),
      /^ok .*eip155:56\/.*, pays out from 0x35dbDb98d7e85585E516554836550fb570653C55; another of its nodes does not answer: 127\.0\.0\.1:9: ECONNREFUSED \(nothing/,
    );
  });

  test('a chain with tokens says when the till has no coins of its own to move them', async () => {
    const token = await deployContract(anvil, 'TestToken', ['USDT', 6]);
    const tokens = { 'USDT-ERC20': { address: token.address, decimals: 6 } };
    const look = () => examine([{ use: 'ethereum', options: { rpcUrls: [anvil.url], chainId: 56, tokens } }]);
    const { code, out, about } = await look();
    assert.equal(code, 0, out);
    const [, hot] =
      /; the hot wallet has no ETH for fees, so tokens are neither swept nor paid out: send some to (0x\w{40})/.exec(
        about('ETH'),
      ) ?? [about('ETH')];
    await anvil.rpc('anvil_setBalance', [hot, '0xde0b6b3a7640000']);
    assert.doesNotMatch((await look()).about('ETH'), /for fees/);
  });

  test('fault 392: coins in the hot wallet that the ledger lacks are named, with what to do', async () => {
    const plugins = [{ use: 'bsc', options: { rpcUrls: [anvil.url] } }];
    const hot = '0x35dbDb98d7e85585E516554836550fb570653C55';
    await anvil.rpc('anvil_setBalance', [hot, '0x0']);
    assert.match((await examine(plugins)).out, /^ok {4}coins BSC: the ledger has all/m);
    await anvil.rpc('anvil_setBalance', [hot, '0xde0b6b3a7640000']);
    const { code, out } = await examine(plugins);
    assert.equal(code, 0, out);
    assert.match(
      out,
      new RegExp(`^weak  coins BSC: more than the ledger has: ${hot} holds 1 BNB\n .*\n .*deposit rescan`, 'm'),
    );
    const compared = await run(directory.path, ['wallet', 'reconcile'], environment);
    assert.equal(compared.code, 0, compared.out + compared.err);
    assert.match(compared.out, new RegExp(`EXCESS: ${hot} holds 1 more than the ledger`));
  });

  test('fault 393: a chain that a running instance has not read for a minute is wrong; one that no instance should read is not', async () => {
    const plugins = [{ use: 'bsc', options: { rpcUrls: [anvil.url] } }];
    const config = resolveConfig(settingsOf(plugins), { environment, directory: directory.path });
    const withStorage = async (work: (runtime: HostRuntime) => Promise<unknown>): Promise<void> => {
      const runtime = await openHostRuntime(config, silentLogger, 'command');
      await work(runtime);
      await runtime.close();
    };
    await withStorage(({ storage, clock }) => storage.chains.begin('BSC', clock.now() - 120_000));
    const idle = await examine(plugins);
    assert.equal(idle.code, 0, idle.out);
    await withStorage(({ storage: { documents }, clock }) => {
      // It counts as running for long enough, however slow this machine is.
      const late = { now: () => clock.now() + 600_000 };
      const digest = new CryptoDigest();
      return new SettingsAgreement({ documents, clock: late, digest, instance: 'another', settings: {} }).join();
    });
    assert.match((await examine(plugins)).about('BSC'), /^WRONG .*never read, although an instance runs/);
    await withStorage(({ storage, clock }) => storage.chains.setRead('BSC', clock.now()));
    assert.match((await examine(plugins)).about('BSC'), /^ok /);
  });
});
