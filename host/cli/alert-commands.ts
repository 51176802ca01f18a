import { alertRecord } from '../../adapters/http/manage/notify/alerts.ts';
import { ALERT_STATUSES, invalidField, OPERATOR } from '../../core/index.ts';
import type { CommandCall } from './command.ts';
import { withManage } from './with-till.ts';

const SHOWN = 100;

/** `alert list [--status OPEN]`: the newest hundred. */
export async function alertList({ values, json, terminal }: CommandCall): Promise<number> {
  const wanted = values['status'];
  const status = ALERT_STATUSES.find((one) => one === wanted) ?? null;
  if (wanted !== undefined && status === null)
    throw invalidField('--status', `must be one of ${ALERT_STATUSES.join(', ')}`);
  const { items } = await withManage((manage) => manage.alerts.list(OPERATOR, { status, limit: SHOWN }));
  const records = items.map(alertRecord);
  if (json) terminal.out(JSON.stringify(records));
  else if (records.length === 0) terminal.out('There are no alerts.');
  for (const each of json ? [] : records)
    terminal.out(
      `${each.id}  ${each.last_raised_at}  ${each.status}  ${each.kind}  ${each.subject}  ×${each.count}  ${each.reason}`,
    );
  return 0;
}
