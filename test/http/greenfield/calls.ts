import { PLUGINS } from './plugins.ts';
import type { EventType, Plugin, RecordedRequest } from './recorded.ts';

/** Rows of a table: a first cell that names something, and a cell for each plugin. */
export type Rows = readonly (readonly string[])[];

export const CALLS_HEAD: readonly string[] = ['call', ...PLUGINS.map(({ name }) => name)];
export const PLUGINS_HEAD: readonly string[] = ['plugin', 'repository', 'commit', 'version', 'facts'];

const EVENT_TYPES: readonly EventType[] = [
  ...(['InvoiceCreated', 'InvoiceReceivedPayment', 'InvoicePaymentSettled', 'InvoiceProcessing'] as const),
  ...(['InvoiceExpired', 'InvoiceSettled', 'InvoiceInvalid'] as const),
];

const fileOf = ({ name }: Plugin): string => `\`${name.toLowerCase().replaceAll(' ', '')}.ts\``;

/** Where each plugin was read. */
export const pluginRows = (): Rows =>
  PLUGINS.map((plugin) => [
    plugin.name,
    plugin.repository,
    `\`${plugin.commit.slice(0, 12)}\``,
    plugin.version,
    fileOf(plugin),
  ]);

function callOf({ method, path, query = [] }: RecordedRequest): string {
  const names = [...new Set(query.map(([name]) => name))].filter((name) => name === 'orderId');
  const short = path.replaceAll('{storeId}', 'S').replaceAll('{invoiceId}', 'I').replaceAll('{webhookId}', 'W');
  return `\`${method} ${short}${names.length === 0 ? '' : `?${names.join('&')}`}\``;
}

/** The calls of a plugin; those that only name things as version 1 did are marked. */
function callsOf({ stories, former, authorization }: Plugin): Map<string, string> {
  const calls = new Map(former.map((request) => [callOf(request), 'former']));
  if (authorization !== null) calls.set('page `/api-keys/authorize`', 'yes');
  for (const step of stories.flatMap(({ steps }) => steps))
    if ('request' in step) calls.set(callOf(step.request), 'yes');
    else if ('page' in step) calls.set(`page \`${step.page.path}\``, 'yes');
  return calls;
}

/** Which plugin calls what, and handles which events. */
export function callRows(): Rows {
  const calls = PLUGINS.map(callsOf);
  const named = [...new Set(calls.flatMap((of) => [...of.keys()]))].toSorted();
  return [
    ...named.map((call) => [call, ...calls.map((of) => of.get(call) ?? '')]),
    ...EVENT_TYPES.map((type) => [
      `event \`${type}\``,
      ...PLUGINS.map(({ events }) => (events.some((event) => event.type === type) ? 'yes' : '')),
    ]),
  ];
}
