import { describeTronPairs } from '../e2e/tron-pairs.ts';

describeTronPairs('pg');
