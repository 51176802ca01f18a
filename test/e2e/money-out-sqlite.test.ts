import { moneyOut } from './money-out.ts';

moneyOut('sqlite', 'payments');
