import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { isTillgateError, present } from '../../core/index.ts';
import type { ChainAdapter, PluginContext, Signer, TransactionBuilder } from '../../core/index.ts';
import { PinoLogger } from '../../adapters/logging/index.ts';
import { MnemonicWallet } from '../../adapters/wallet/index.ts';
import { WATCH_ONLY } from '../../host/wallet/wallet.ts';
import { resolveConfig } from '../../host/index.ts';
import { openHostRuntime } from '../../host/boot/open.ts';
import type { HostRuntime } from '../../host/boot/open.ts';
import { setUpPlugins } from '../../host/boot/plugin-registry.ts';
import type { PluginPorts } from '../../host/boot/plugin-registry.ts';
import { importPlugins, satisfies } from '../../host/boot/plugins.ts';
import type { LoadedPlugin } from '../../host/boot/plugins.ts';
import { freshDirectory } from './till-process.ts';

const directory = freshDirectory();
after(() => directory.remove());

const logger = new PinoLogger({ level: 'silent' });
const portsOf = ({ clock, storage }: HostRuntime): PluginPorts => ({
  ...WATCH_ONLY,
  logger,
  clock,
  documents: storage.documents,
});

function plugin(name: string, more: string): void {
  directory.write(
    `${name}.mjs`,
    `export default { plugin: { name: '${name}', version: '1.0.0', requires: '^1.0.0', options: (input) => input, setup() {}, ${more} } };`,
  );
}

describe('the plugin loader', () => {
  test('checks the interface that a plugin was written for', () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['1.0.0', '^1.0.0', true],
      ['1.4.2', '^1.0.0', true],
      ['1.4.2', '^1.4.3', false],
      ['2.0.0', '^1.0.0', false],
      ['1.0.0', '^1.1.0', false],
      ['0.3.0', '^0.2.0', false],
      ['0.0.4', '^0.0.3', false],
      ['1.0.0', '1.0.0', true],
      ['1.0.1', '1.0.0', false],
      ['1.0.0', '>=1', false],
    ];
    for (const [version, range, fits] of cases) assert.equal(satisfies(version, range), fits, `${version} in ${range}`);
  });

  test('lists the problems of all plugins at once, each by its setting and name', async () => {
    plugin('modern', "requires: '^2.0.0'");
    plugin('toy', 'sandboxOnly: true');
    directory.write('nothing.mjs', 'export const a = 1;');
    const settings = ['./modern.mjs', './toy.mjs', './nothing.mjs', 'not-installed'].map((use) => ({ use }));
    const { plugins, problems } = await importPlugins(
      [...settings, { use: 'ethereum', options: { rpcUrl: 'http://typo' } }],
      'production',
      directory.path,
    );
    assert.equal(plugins.length, 0);
    const told = problems.map(({ path, message }) => `${path} ${message}`).join('\n');
    for (const part of [
      /plugins\.0 .*modern.*\^2\.0\.0/,
      /plugins\.1 .*sandbox only/,
      /plugins\.2 .*definePlugin/,
      /plugins\.3 .*not-installed/,
      /plugins\.4\.options\.rpcUrl/,
    ]) {
      assert.match(told, part);
    }
  });

  test('names the plugin that failed, refuses a chain that is there already, and closes what it had opened', async () => {
    const config = resolveConfig({}, { directory: directory.path });
    const runtime = await openHostRuntime(config, logger, 'command');
    const chain = "{ code: 'XYZ', name: 'Xyz', assets: [], policy: {} }";
    plugin(
      'first',
      `setup({ addChain, onClose }) { addChain(${chain}); onClose(() => { globalThis.closedFirst = true; }); }`,
    );
    plugin('second', `setup({ addChain }) { addChain(${chain}); }`);
    const { plugins } = await importPlugins(
      [{ use: './first.mjs' }, { use: './second.mjs' }],
      'sandbox',
      directory.path,
    );
    await assert.rejects(setUpPlugins(portsOf(runtime), plugins), (error) => {
      assert.ok(isTillgateError(error, 'CONFIG_INVALID'));
      assert.match(error.message, /plugin second .*chain XYZ .*plugin first/);
      return true;
    });
    assert.equal((globalThis as { closedFirst?: boolean }).closedFirst, true);
    await runtime.close();
  });

  test('gives each plugin documents of its own', async () => {
    const config = resolveConfig({}, { directory: directory.path });
    const runtime = await openHostRuntime(config, logger, 'command');
    plugin('writer', "async setup({ documents }) { await documents.write('host:wallet', 'mine', 0); }");
    const { plugins } = await importPlugins([{ use: './writer.mjs' }], 'sandbox', directory.path);
    await (await setUpPlugins(portsOf(runtime), plugins)).close();
    assert.equal(await runtime.storage.documents.read('host:wallet'), null);
    assert.equal((await runtime.storage.documents.read('plugin:writer:host:wallet'))?.value, 'mine');
    await runtime.close();
  });

  test('gives a plugin the keys of its own accounts only, and a rate source none', async () => {
    const config = resolveConfig({}, { directory: directory.path });
    const runtime = await openHostRuntime(config, logger, 'command');
    const wallet = new MnemonicWallet('test test test test test test test test test test test junk');
    const given: Record<string, Signer | null> = {};
    const keep = (name: string, accounts?: readonly string[]): LoadedPlugin => ({
      options: {},
      plugin: {
        ...{ name, version: '1.0.0', requires: '^1.0.0', options: () => ({}) },
        ...(accounts === undefined ? {} : { accounts: () => accounts }),
        setup: ({ signer }) => void (given[name] = signer),
      },
    });
    const ports = { ...portsOf(runtime), wallet, signer: wallet };
    const own = "m/44'/60'/0'";
    await setUpPlugins(ports, [keep('rates'), keep('chain', [own])]);
    assert.equal(given['rates'], null);
    const signer = present(given['chain'], 'the signer');
    const build =
      (...paths: readonly string[]): TransactionBuilder =>
      () => ({
        payments: [],
        feeUnits: 0n,
        spends: [],
        inputs: paths.map((path) => ({ path, digest: new Uint8Array(32) })),
      });
    const intent = { family: 'any', chain: 'XYZ' };
    const mine = `${own}/0/0`;
    assert.deepEqual(await signer.sign(intent, build(mine)), [await wallet.signDigest(mine, new Uint8Array(32))]);
    // Another account, of another chain, one that begins alike, and a foreign key behind an own one.
    const foreign = ["m/44'/60'/1'/0/0", "m/84'/0'/0'/0/0", "m/44'/60'/0'0'/0/0", `${own}/0/0/0`, 'm'];
    const refused = (error: unknown): boolean => isTillgateError(error, 'SIGNING_REFUSED');
    for (const path of foreign) {
      await assert.rejects(signer.sign(intent, build(path)), refused, path);
      await assert.rejects(signer.sign(intent, build(mine, path)), refused, path);
      await assert.rejects(signer.extendedPublicKey(path), refused, path);
    }
    let calls = 0;
    const changing: TransactionBuilder = (again) => build(calls++ === 0 ? mine : "m/84'/0'/0'/0/0")(again);
    assert.deepEqual(await signer.sign(intent, changing), [await wallet.signDigest(mine, new Uint8Array(32))]);
    await assert.rejects(
      setUpPlugins(ports, [keep('chain', [own]), keep('thief', [own])]),
      /thief.*m\/44'\/60'\/0'.*chain/,
    );
    await runtime.close();
  });

  test('completes a chain of interface 1.0 without changing the plugin’s own object', async () => {
    class OldChain {
      readonly code = 'OLD';
      readonly name = 'Old';
      readonly assets = [];
      #height = 7;
      head(): Promise<number> {
        return Promise.resolve(this.#height);
      }
    }
    const chain = Object.freeze(new OldChain());
    const old = {
      name: 'old',
      version: '1.0.0',
      requires: '^1.0.0',
      options: () => ({}),
      setup: ({ addChain }: PluginContext<unknown>) => addChain(chain as unknown as ChainAdapter),
    };
    const config = resolveConfig({}, { directory: directory.path });
    const runtime = await openHostRuntime(config, logger, 'command');
    const { chains } = await setUpPlugins(portsOf(runtime), [{ plugin: old, options: {} }]);
    const added = present(chains.get('OLD'), 'the chain');
    assert.deepEqual([added.payments, added.balances, 'payments' in added], [null, null, true]);
    assert.equal(await added.head(), 7);
    assert.equal('payments' in chain, false);
    await runtime.close();
  });
});
