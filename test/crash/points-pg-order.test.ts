import { killEverywhere } from './kill-suite.ts';
import { PAID_ORDER } from './scenarios.ts';

killEverywhere('pg', PAID_ORDER);
