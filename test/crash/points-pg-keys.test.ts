import { killEverywhere } from './kill-suite.ts';
import { SWEEPS_AND_KEYS } from './stories.ts';

killEverywhere('pg', SWEEPS_AND_KEYS);
