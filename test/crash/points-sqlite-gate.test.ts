import { GATE_SALES } from './gate-sale.ts';
import { killEverywhere } from './kill-suite.ts';

killEverywhere('sqlite', GATE_SALES);
