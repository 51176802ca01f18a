import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChainAdapter } from '../../../core/index.ts';
import { KNOWN_CHAIN_DEFINITIONS } from '../../../plugins/definitions.ts';
import { chainDetails } from '../../../plugins/chain-definition.ts';
import { evm } from '../../../plugins/evm/index.ts';

const on = (mainNetwork: boolean): ChainAdapter => ({ nodes: { mainNetwork } }) as unknown as ChainAdapter;

describe('block explorers of chains', () => {
  test('every main network has one, for transactions and for addresses', () => {
    assert.ok(KNOWN_CHAIN_DEFINITIONS.length >= 10);
    for (const definition of KNOWN_CHAIN_DEFINITIONS) {
      const { explorer = '', addressExplorer = '' } = chainDetails(definition, on(true));
      assert.match(explorer, /^https:\/\/[^{}]+\{txid\}$/, definition.code);
      assert.match(addressExplorer, /^https:\/\/[^{}]+\{address\}$/, definition.code);
      assert.equal(new URL(explorer).host, new URL(addressExplorer).host, definition.code);
    }
  });

  test('test networks and development nodes have none', () => {
    for (const definition of KNOWN_CHAIN_DEFINITIONS) {
      assert.deepEqual(chainDetails(definition, on(false)), {}, definition.code);
      assert.deepEqual(chainDetails(definition, {} as ChainAdapter), {}, definition.code);
    }
  });

  test('of a preset or of a described chain are those of the settings, where they name some', () => {
    const explorer = 'https://scan.example/t/{txid}';
    const addressExplorer = 'https://scan.example/a/{address}';
    const given = { preset: 'polygon', rpcUrls: ['http://127.0.0.1:1'], explorer, addressExplorer } as const;
    const { definition } = evm.plugin.options(given);
    assert.deepEqual([definition.explorer, definition.addressExplorer], [explorer, addressExplorer]);
    for (const wrong of ['http://scan.example/{txid}', 'https://scan.example/', 'https://scan.example/"{txid}'])
      assert.throws(() => evm.plugin.options({ ...given, explorer: wrong }), { code: 'CONFIG_INVALID' });
  });
});
