import { killEverywhere } from './kill-suite.ts';
import { RETURNS_AND_RESTORES } from './scenarios.ts';

killEverywhere('pg', RETURNS_AND_RESTORES);
