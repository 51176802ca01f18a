import { describePayments } from './utxo-payments.ts';

describePayments('litecoind');
