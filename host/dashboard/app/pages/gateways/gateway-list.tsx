import { CreateButton, TopToolbar } from 'react-admin';
import { StatusChip } from '../../components/chips.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import type { GatewayItem } from '../../operator-records.ts';

const COLUMNS: readonly Column<GatewayItem>[] = [
  { name: 'host', value: ({ host }) => host },
  { name: 'chain', value: ({ chain, network }) => `${chain} · ${network}` },
  { name: 'protocol', value: ({ protocol }) => protocol },
  { name: 'upstream_count', numeric: true, value: ({ upstreams }) => String(upstreams.length) },
  { name: 'admission', value: ({ admission }) => admission },
  { name: 'enabled', value: ({ enabled }) => <StatusChip status={statusOf(enabled)} /> },
];

/** Whether a gateway serves, as a status. */
export const statusOf = (enabled: boolean): string => (enabled ? 'active' : 'disabled');

/** The gateways, newest first. */
export function GatewayList() {
  return (
    <Records
      actions={
        <TopToolbar>
          <CreateButton label="resources.gateways.create" />
        </TopToolbar>
      }
    >
      <RecordTable columns={COLUMNS} opens />
    </Records>
  );
}
