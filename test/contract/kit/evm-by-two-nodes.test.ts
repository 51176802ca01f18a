import { describeChain } from '../../../adapters/testing/index.ts';
import { evmHarness } from './evm-harness.ts';

describeChain('an EVM chain’s coin by two nodes', evmHarness('ETH', 2));
describeChain('a token of an EVM chain by two nodes', evmHarness('USDT-ERC20', 2));
