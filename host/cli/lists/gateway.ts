import type { Command } from '../command.ts';
import { lazily, required } from './lazily.ts';

const gateway = lazily(() => import('../gateway-commands.ts'));

/** Apps, their keys and the gateways. */
export const GATEWAY_COMMANDS: readonly Command[] = [
  {
    words: ['app', 'create'],
    summary: 'creates an App with its first key',
    operands: [],
    options: { account: { required: true, value: 'ID' }, name: required, chains: { required: true, value: 'ETH,TRX' } },
    run: gateway((module) => module.appCreate),
  },
  {
    words: ['app', 'usage'],
    summary: 'writes what an App used as CSV, by day unless told otherwise',
    operands: ['ID'],
    options: { by: { value: 'day|hour|method|route' }, from: { value: 'TIME' }, to: { value: 'TIME' } },
    run: gateway((module) => module.appUsage),
  },
  {
    words: ['app', 'prepaid'],
    summary: 'shows what was bought for an App, and what is left',
    operands: ['ID'],
    options: {},
    run: gateway((module) => module.appPrepaid),
  },
  {
    words: ['app', 'top-up'],
    summary: 'orders a plan for an App and prints the page where it is paid',
    operands: ['ID'],
    options: { plan: required },
    run: gateway((module) => module.appTopUp),
  },
  {
    words: ['key', 'rotate'],
    summary: 'creates a new key; the former one stays valid for its grace period',
    operands: [],
    options: { app: { required: true, value: 'ID' }, grace: { value: 'SECONDS' } },
    run: gateway((module) => module.keyRotate),
  },
  {
    words: ['key', 'revoke'],
    summary: 'revokes a key on every server at once',
    operands: [],
    options: { app: { required: true, value: 'ID' }, key: { required: true, value: 'ID' } },
    run: gateway((module) => module.keyRevoke),
  },
  {
    words: ['gateway', 'list'],
    summary: 'lists the gateways',
    operands: [],
    options: {},
    run: gateway((module) => module.gatewayList),
  },
];
