import { describeTronPairs } from './tron-pairs.ts';

describeTronPairs('sqlite');
