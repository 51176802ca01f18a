import { killEverywhere } from './kill-suite.ts';
import { MONEY_IN } from './stories.ts';

killEverywhere('sqlite', MONEY_IN);
