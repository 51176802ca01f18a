import { killEverywhere } from './kill-suite.ts';
import { CANCELS_AND_FLOAT } from './scenarios.ts';

killEverywhere('sqlite', CANCELS_AND_FLOAT);
