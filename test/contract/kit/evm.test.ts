import { describeChain } from '../../../adapters/testing/index.ts';
import { evmHarness } from './evm-harness.ts';

describeChain('EVM: a token', evmHarness('USDT-ERC20'));
describeChain('EVM: the coin', evmHarness('ETH'));
