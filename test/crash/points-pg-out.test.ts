import { killEverywhere } from './kill-suite.ts';
import { MONEY_OUT } from './scenarios.ts';

killEverywhere('pg', MONEY_OUT);
