import { moneyOut } from '../e2e/money-out.ts';

moneyOut('sqlite', 'kills');
moneyOut('sqlite', 'restarts');
