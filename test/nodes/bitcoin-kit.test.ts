import { describeChain } from '../../adapters/testing/index.ts';
import { utxoHarness } from './utxo-kit.ts';

describeChain('Bitcoin', utxoHarness('bitcoind'));
describeChain('Bitcoin by two nodes', utxoHarness('bitcoind', 2));
