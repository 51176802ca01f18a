import { describeOrders } from './utxo-orders.ts';

describeOrders('litecoind');
