import { killEverywhere } from './kill-suite.ts';
import { PAID_ORDER } from './stories.ts';

killEverywhere('sqlite', PAID_ORDER);
