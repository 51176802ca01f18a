import { killEverywhere } from './kill-suite.ts';
import { MONEY_IN, MONEY_OUT, SWEEPS_AND_KEYS } from './stories.ts';

const ALL = [...MONEY_IN, ...MONEY_OUT, ...SWEEPS_AND_KEYS];
/** Leases of a dead instance have to lapse there, and most of what is written is written in the same way: a share, each day. */
const SHARE = ['a callback', 'a withdrawal, until it is sent', 'a withdrawal that is mined', 'a refund', 'a rotation of a key', 'a payment of an invoice'];

killEverywhere('pg', ALL, ALL.filter(({ name }) => SHARE.includes(name)));
