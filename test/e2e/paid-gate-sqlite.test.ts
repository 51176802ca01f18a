import { paidGateSuite } from './paid-gate-suite.ts';

paidGateSuite('sqlite');
