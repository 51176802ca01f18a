import { describeDeposits } from './utxo-deposits.ts';

describeDeposits('litecoind');
