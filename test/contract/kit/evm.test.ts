// @parts: one-node two-nodes presets
import { describeChain } from '../../../adapters/testing/index.ts';
import { EVM_PRESETS } from '../../../plugins/evm/presets.ts';
import type { EvmPresetName } from '../../../plugins/evm/presets.ts';
import { chosenParts } from '../../support/parts.ts';
import { evmHarness, presetHarness } from './evm-harness.ts';

const PARTS = {
  'one-node': () => {
    describeChain('EVM: a token', evmHarness('USDT-ERC20'));
    describeChain('EVM: the coin', evmHarness('ETH'));
  },
  'two-nodes': () => {
    describeChain('an EVM chain’s coin by two nodes', evmHarness('ETH', 2));
    describeChain('a token of an EVM chain by two nodes', evmHarness('USDT-ERC20', 2));
  },
  presets: () => {
    for (const name of Object.keys(EVM_PRESETS) as EvmPresetName[]) {
      describeChain(`${name}: a token`, presetHarness(name, false));
      describeChain(`${name}: the coin`, presetHarness(name, true));
    }
  },
};

for (const part of chosenParts(PARTS)) PARTS[part]();
