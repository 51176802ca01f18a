import { killEverywhere } from './kill-suite.ts';
import { SWEEPS_AND_KEYS } from './scenarios.ts';

killEverywhere('pg', SWEEPS_AND_KEYS);
