import type { Command } from '../command.ts';
import { lazily, required } from './lazily.ts';

const gateway = lazily(() => import('../gateway-commands.ts'));

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
    summary: 'prints an App’s usage as CSV, by day unless --by says otherwise',
    operands: ['ID'],
    options: { by: { value: 'day|hour|method|route' }, from: { value: 'TIME' }, to: { value: 'TIME' } },
    run: gateway((module) => module.appUsage),
  },
  {
    words: ['app', 'prepaid'],
    summary: 'shows the units bought for an App, and those left',
    operands: ['ID'],
    options: {},
    run: gateway((module) => module.appPrepaid),
  },
  {
    words: ['app', 'top-up'],
    summary: 'orders a plan for an App and prints its payment page',
    operands: ['ID'],
    options: { plan: required },
    run: gateway((module) => module.appTopUp),
  },
  {
    words: ['key', 'rotate'],
    summary: 'creates a new key; the old one stays valid for its grace period',
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
  {
    words: ['gateway', 'upstreams'],
    summary: 'lists the upstreams of a gateway, by its ID or host',
    operands: ['GATEWAY'],
    options: {},
    run: gateway((module) => module.gatewayUpstreams),
  },
  {
    words: ['gateway', 'cordon'],
    summary: 'takes an upstream out of use on every server, until it is uncordoned',
    operands: ['GATEWAY', 'UPSTREAM'],
    options: {},
    run: gateway((module) => module.gatewayCordon),
  },
  {
    words: ['gateway', 'uncordon'],
    summary: 'lets an upstream get requests again',
    operands: ['GATEWAY', 'UPSTREAM'],
    options: {},
    run: gateway((module) => module.gatewayUncordon),
  },
];
