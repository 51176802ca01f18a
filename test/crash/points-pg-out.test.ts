import { killEverywhere } from './kill-suite.ts';
import { MONEY_OUT } from './stories.ts';

killEverywhere('pg', MONEY_OUT);
