import { describeChain } from '../../../adapters/testing/index.ts';
import { EVM_PRESETS } from '../../../plugins/evm/index.ts';
import type { EvmPresetName } from '../../../plugins/evm/index.ts';
import { presetHarness } from './evm-harness.ts';

for (const name of Object.keys(EVM_PRESETS) as EvmPresetName[]) {
  describeChain(`${name}: a token`, presetHarness(name, false));
  describeChain(`${name}: the coin`, presetHarness(name, true));
}
