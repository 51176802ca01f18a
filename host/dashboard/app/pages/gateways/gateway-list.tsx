import { useTranslate } from 'react-admin';
import { StatusChip } from '../../components/chips.tsx';
import { CreateLink } from '../../components/create-link.tsx';
import { ListActions } from '../../components/list-actions.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { ChainName } from '../../components/values.tsx';
import type { GatewayItem } from '../../operator-records.ts';

const COLUMNS: readonly Column<GatewayItem>[] = [
  { name: 'host', card: 'title', value: ({ host }) => host },
  {
    name: 'chain',
    card: 'detail',
    value: ({ chain, network }) => (
      <>
        <ChainName code={chain} /> · {network}
      </>
    ),
  },
  { name: 'protocol', card: 'detail', value: ({ protocol }) => <Word of={protocol} /> },
  { name: 'upstream_count', numeric: true, value: ({ upstreams }) => String(upstreams.length) },
  { name: 'admission', value: ({ admission }) => <Word of={admission} /> },
  { name: 'enabled', card: 'aside', value: ({ enabled }) => <StatusChip status={statusOf(enabled)} /> },
];

function Word({ of }: { readonly of: GatewayItem['protocol' | 'admission'] }) {
  const translate = useTranslate();
  return <>{translate(`resources.gateways.words.${of}`)}</>;
}

/** A gateway's state as a status for display. */
export const statusOf = (enabled: boolean): string => (enabled ? 'active' : 'disabled');

export function GatewayList() {
  return (
    <Records actions={<ListActions create={<CreateLink />} />}>
      <RecordTable columns={COLUMNS} opens />
    </Records>
  );
}
