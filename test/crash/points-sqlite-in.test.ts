import { killEverywhere } from './kill-suite.ts';
import { MONEY_IN } from './scenarios.ts';

killEverywhere('sqlite', MONEY_IN);
