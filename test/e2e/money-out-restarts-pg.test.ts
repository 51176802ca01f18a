import { moneyOut } from './money-out.ts';

moneyOut('pg', 'restarts');
