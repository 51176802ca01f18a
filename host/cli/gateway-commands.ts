import { prepaidRecord, topUpRecord } from '../../adapters/http/manage/gateway/app-prepaid.ts';
import { usageCsv, usageRecord } from '../../adapters/http/manage/gateway/app-usage.ts';
import {
  formatInstant,
  invalidField,
  OPERATOR,
  shownUpstreamUrl,
  TillgateError,
  USAGE_GROUPS,
} from '../../core/index.ts';
import type { AccountId, AppId, AppKeyId, IssuedKey, Manage, RouteRecord, UpstreamId } from '../../core/index.ts';
import type { CommandCall } from './command.ts';
import { instantOption } from './options.ts';
import { withManage } from './with-till.ts';

const instant = (at: number | null): string | null => (at === null ? null : formatInstant(at));

/** The key as an AppKeyItem of the management API. */
function record({ key, text, state }: IssuedKey): Readonly<Record<string, string | null>> {
  return {
    id: key.id,
    api_key: text,
    state,
    expires_at: instant(key.expiresAt),
    revoked_at: instant(key.revokedAt),
    created_at: formatInstant(key.createdAt),
  };
}

export async function appCreate({ values, json, terminal }: CommandCall): Promise<number> {
  const input = {
    accountId: String(values['account']) as AccountId,
    name: String(values['name']),
    chains: String(values['chains']).split(','),
  };
  const { app, key } = await withManage(({ apps }) => apps.create(OPERATOR, input));
  const { id, name, enabled, version, chains } = app;
  if (json) terminal.out(JSON.stringify({ id, name, enabled, version, chains, key: record(key) }));
  else terminal.out(`App ${id} (${name}) for ${chains.join(', ')}\nApp key ${key.key.id}: ${key.text}`);
  return 0;
}

/** `app usage ID [--by day|hour|method|route] [--from TIME] [--to TIME]`: CSV, or with `--json` the rows of the management API. */
export async function appUsage({ values, operands, json, terminal }: CommandCall): Promise<number> {
  const by = USAGE_GROUPS.find((group) => group === (values['by'] ?? 'day'));
  if (by === undefined) throw invalidField('--by', `must be one of ${USAGE_GROUPS.join(', ')}`);
  const [from, to] = [instantOption(values['from'], '--from'), instantOption(values['to'], '--to')];
  const request = { by, ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
  const usage = usageRecord(
    await withManage(({ apps }) => apps.usage(OPERATOR, String(operands[0]) as AppId, request)),
  );
  terminal.out(json ? JSON.stringify(usage.rows) : usageCsv(usage).trimEnd());
  return 0;
}

/** `app prepaid ID`: what was bought for an App, and what is left of it. */
export async function appPrepaid({ operands, json, terminal }: CommandCall): Promise<number> {
  const { view, purchases } = await withManage(({ apps }) => apps.prepaid(OPERATOR, String(operands[0]) as AppId));
  const record = prepaidRecord(view, purchases);
  if (json) terminal.out(JSON.stringify(record));
  else {
    terminal.out(`${record.units_left} of ${record.units_bought} units are left. Buy more at ${record.top_up_url}`);
    for (const { created_at, plan, units, state, order } of record.purchases)
      terminal.out(`${created_at}  ${plan}  ${units}  ${state}  order ${order}`);
  }
  return 0;
}

/** `app top-up ID --plan NAME`: an order for a plan, and the page where it is paid. */
export async function appTopUp({ values, operands, json, terminal }: CommandCall): Promise<number> {
  const topUp = await withManage(({ apps }) =>
    apps.topUp(OPERATOR, String(operands[0]) as AppId, String(values['plan'])),
  );
  const record = topUpRecord(topUp);
  if (json) terminal.out(JSON.stringify(record));
  else terminal.out(`${record.units} units for ${record.price} ${record.currency}: pay at ${record.pay_url}`);
  return 0;
}

export async function keyRotate({ values, json, terminal }: CommandCall): Promise<number> {
  const grace = values['grace'] === undefined ? undefined : Number(values['grace']);
  const { key, replaced } = await withManage(({ apps }) =>
    apps.rotateKey(OPERATOR, String(values['app']) as AppId, grace),
  );
  if (json) terminal.out(JSON.stringify({ key: record(key), replaced: record(replaced) }));
  else
    terminal.out(
      `App key ${key.key.id}: ${key.text}\nThe old key, ${replaced.key.id}, is accepted until ${instant(replaced.key.expiresAt) ?? ''}.`,
    );
  return 0;
}

/** `key revoke --app ID --key ID`: returns once every instance refuses the key. */
export async function keyRevoke({ values, json, terminal }: CommandCall): Promise<number> {
  const revoked = await withManage(({ apps }) =>
    apps.revokeKey(OPERATOR, String(values['app']) as AppId, String(values['key']) as AppKeyId),
  );
  terminal.out(json ? JSON.stringify(record(revoked)) : `App key ${revoked.key.id} is ${revoked.state}.`);
  return 0;
}

export async function gatewayList({ json, terminal }: CommandCall): Promise<number> {
  const routes = await withManage(({ routes: managed }) => managed.all());
  const rows = routes.map(({ route, source }) => {
    const { id, host, chain, network, protocol, admission, enabled, upstreams } = route;
    return { id, host, chain, network, protocol, admission, enabled, upstreams: upstreams.length, source };
  });
  if (json) terminal.out(JSON.stringify(rows));
  else if (rows.length === 0) terminal.out('There are no gateways.');
  for (const { host, chain, network, protocol, admission, enabled } of json ? [] : rows) {
    terminal.out(`${host}  ${chain} ${network}  ${protocol}  ${admission}${enabled ? '' : '  disabled'}`);
  }
  return 0;
}

/** The gateway with this id or host. @throws TillgateError `NOT_FOUND` */
async function gatewayOf({ routes }: Manage, operand: string | undefined): Promise<RouteRecord> {
  const all = await routes.all();
  const found = all.find(({ route: { id, host } }) => id === operand || host === operand?.toLowerCase());
  if (found === undefined) throw new TillgateError('NOT_FOUND', 'There is no such gateway; see gateway list.');
  return found;
}

/** Without the part of a URL that may be a provider's key. */
const upstreamRows = ({ route, upstreams }: RouteRecord) =>
  upstreams.map(({ id, cordoned }, index) => ({
    id,
    url: shownUpstreamUrl(route.upstreams[index]?.url ?? ''),
    cordoned,
  }));

function printUpstreams({ json, terminal }: CommandCall, record: RouteRecord): void {
  const rows = upstreamRows(record);
  if (json) terminal.out(JSON.stringify(rows));
  for (const { id, url, cordoned } of json ? [] : rows) terminal.out(`${id}  ${url}${cordoned ? '  cordoned' : ''}`);
}

/** `gateway upstreams GATEWAY`: with the ids that `gateway cordon` takes. */
export async function gatewayUpstreams(call: CommandCall): Promise<number> {
  printUpstreams(call, await withManage((manage) => gatewayOf(manage, call.operands[0])));
  return 0;
}

/** `gateway cordon GATEWAY UPSTREAM`: returns once every instance obeys, and prints the upstreams. */
export async function gatewayCordon(call: CommandCall): Promise<number> {
  return setCordon(call, ({ routes }, ...which) => routes.cordon(OPERATOR, ...which));
}

export async function gatewayUncordon(call: CommandCall): Promise<number> {
  return setCordon(call, ({ routes }, ...which) => routes.uncordon(OPERATOR, ...which));
}

async function setCordon(
  call: CommandCall,
  set: (manage: Manage, id: RouteRecord['route']['id'], upstream: UpstreamId) => Promise<RouteRecord>,
): Promise<number> {
  const [gateway, upstream] = call.operands;
  const changed = await withManage(async (manage) =>
    set(manage, (await gatewayOf(manage, gateway)).route.id, String(upstream) as UpstreamId),
  );
  printUpstreams(call, changed);
  return 0;
}
