import { x402Suite } from './x402-suite.ts';

x402Suite('sqlite');
