import { killEverywhere } from './kill-suite.ts';
import { CANCELS_AND_FLOAT } from './scenarios.ts';

killEverywhere('pg', CANCELS_AND_FLOAT);
