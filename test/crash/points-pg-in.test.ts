import { killEverywhere } from './kill-suite.ts';
import { MONEY_IN } from './stories.ts';

killEverywhere('pg', MONEY_IN);
