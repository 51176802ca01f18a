import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as core from '../../core/index.ts';
import { PinoLogger } from '../../adapters/logging/index.ts';
import { MnemonicWallet, generateMnemonic } from '../../adapters/wallet/index.ts';
import { bindPlugins, bindWallet } from '../../host/container.ts';
import { resolveConfig } from '../../host/index.ts';
import { openBase } from '../../host/open.ts';
import type { Base } from '../../host/open.ts';
import * as hostTokens from '../../host/tokens.ts';
import { FakeLightning } from '../support/fake-lightning.ts';
import { freshDirectory } from './till-process.ts';

describe('the container', () => {
  const directory = freshDirectory();
  let base: Base;
  before(async () => {
    base = await openBase(resolveConfig({}, { directory: directory.path }), new PinoLogger({ level: 'silent' }), 'command');
    const wallet = new MnemonicWallet(generateMnemonic(12));
    bindWallet(base.container, { wallet, signer: wallet });
    bindPlugins(base.container, { chains: new Map(), chainNames: [], lightning: new FakeLightning(() => 0), rateSources: [], close: async () => undefined }, { url: 'http://localhost' });
  });
  after(async () => {
    await base.close();
    directory.remove();
  });

  test('resolves every token, ports and use cases alike, each once', () => {
    const others = ['Symbol(tillgate.error)'];
    const ports = Object.entries<unknown>({ ...core, ...hostTokens }).filter(
      ([, value]) => typeof value === 'symbol' && value.toString().startsWith('Symbol(tillgate.') && !others.includes(value.toString()),
    );
    assert.ok(ports.length >= 30, `only ${ports.length} tokens were found`);
    for (const [name, value] of ports) {
      const token = value as core.Token<unknown>;
      const resolved = base.container.get(token);
      assert.ok(resolved !== undefined && resolved !== null, name);
      assert.equal(base.container.get(token), resolved, `${name} is one for all`);
    }
  });
});
