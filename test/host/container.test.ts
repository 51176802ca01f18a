import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as core from '../../core/index.ts';
import { PinoLogger } from '../../adapters/logging/index.ts';
import { MnemonicWallet, generateMnemonic } from '../../adapters/wallet/index.ts';
import { RECIPES, createContainer, provide, resolveManage, tokenOf } from '../../host/boot/container.ts';
import { resolveConfig } from '../../host/index.ts';
import { openHostRuntime } from '../../host/boot/open.ts';
import type { HostRuntime } from '../../host/boot/open.ts';
import { NO_PLUGINS } from '../../host/boot/plugin-registry.ts';
import { FakeLightning } from '../support/fake-lightning.ts';
import { freshDirectory } from './till-process.ts';

describe('the container', () => {
  const directory = freshDirectory();
  let runtime: HostRuntime;
  before(async () => {
    runtime = await openHostRuntime(
      resolveConfig({}, { directory: directory.path }),
      new PinoLogger({ level: 'silent' }),
      'command',
    );
    const wallet = new MnemonicWallet(generateMnemonic(12));
    const plugins = { ...NO_PLUGINS, lightning: new FakeLightning(() => 0) };
    provide(runtime.container, { wallet: { wallet, signer: wallet }, plugins, baseUrl: { url: 'http://localhost' } });
  });
  after(async () => {
    await runtime.close();
    directory.remove();
  });

  test('resolves every port and every part, each once', () => {
    const names = [...new Set([...(Object.keys(core.PORTS) as (keyof core.Ports)[]), ...RECIPES.names])];
    assert.ok(names.length >= 45, `only ${names.length} parts were found`);
    for (const name of names) {
      const resolved: unknown = runtime.container.get(tokenOf(name));
      assert.ok(resolved !== undefined && resolved !== null, name);
      assert.equal(runtime.container.get(tokenOf(name)), resolved, `${name} is made once`);
    }
  });

  test('has one recipe for each part, and a port for each token of the core', () => {
    const isToken = (value: unknown): boolean =>
      typeof value === 'symbol' &&
      value.toString().startsWith('Symbol(tillgate.') &&
      value !== Symbol.for('tillgate.error');
    const tokens = Object.values<unknown>(core).filter(isToken);
    assert.deepEqual(new Set<unknown>(Object.values(core.PORTS)), new Set(tokens));
  });
});

describe('overrides of ports', () => {
  const directory = freshDirectory();
  after(() => directory.remove());
  const open = (overrides: Parameters<typeof openHostRuntime>[3]): Promise<HostRuntime> =>
    openHostRuntime(
      resolveConfig({}, { directory: directory.path }),
      new PinoLogger({ level: 'silent' }),
      'command',
      overrides,
    );

  test('a wrapper gets the port in use, once, and everybody gets what it returns', async () => {
    const seen: core.Random[] = [];
    const wrap = (random: core.Random): core.Random => {
      seen.push(random);
      return { bytes: (length) => random.bytes(length) };
    };
    const runtime = await open({ wrap: { random: wrap } });
    assert.equal(seen.length, 1);
    assert.notEqual(runtime.random, seen[0]);
    assert.equal(runtime.container.get(core.RANDOM), runtime.random);
    await runtime.close();
  });

  test('a name that is not a port is refused', () => {
    const infrastructure = {} as Parameters<typeof createContainer>[0];
    assert.throws(
      () => createContainer(infrastructure, { replace: { storge: {} } as core.PortReplacements }),
      /replace\.storge is not a port; the ports are storage,/,
    );
  });

  test('a command has the management use cases without any plugin', async () => {
    const runtime = await open({});
    const { items } = await resolveManage(runtime.container, []).accounts.list(core.OPERATOR, { limit: 10 });
    assert.deepEqual(items, []);
    await runtime.close();
  });
});
