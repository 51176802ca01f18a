import { killEverywhere } from './kill-suite.ts';
import { MONEY_OUT } from './stories.ts';

killEverywhere('sqlite', MONEY_OUT);
