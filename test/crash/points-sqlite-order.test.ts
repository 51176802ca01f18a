import { killEverywhere } from './kill-suite.ts';
import { PAID_ORDER } from './scenarios.ts';

killEverywhere('sqlite', PAID_ORDER);
