import { TopToolbar } from 'react-admin';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { Time } from '../../components/values.tsx';
import type { SessionRecord } from '../../records.ts';
import { useApi } from '../../till.ts';
import { browserName } from './browser-name.ts';

const COLUMNS: readonly Column<SessionRecord>[] = [
  {
    name: 'user_agent',
    card: 'title',
    value: ({ user_agent: agent }) => (agent === null ? '–' : <bdi title={agent}>{browserName(agent)}</bdi>),
  },
  { name: 'created_at', card: 'detail', value: ({ created_at: at }) => <Time value={at} /> },
  { name: 'last_used_at', value: ({ last_used_at: at }) => <Time value={at} /> },
  { name: 'ip', value: ({ ip }) => ip ?? '–' },
  { name: 'actions', card: 'actions', value: (session) => <SessionActions session={session} /> },
];

export function SessionList() {
  return (
    <Records paged={false} actions={<SessionListActions />}>
      <RecordTable columns={COLUMNS} />
    </Records>
  );
}

function SessionActions({ session: { id, current } }: { readonly session: SessionRecord }) {
  const api = useApi();
  if (current) return <StatusChip status="CURRENT" />;
  return (
    <ActionButton
      size="small"
      label="resources.sessions.end"
      success="resources.sessions.ended"
      work={() => api.request('DELETE', `sessions/${id}`)}
    />
  );
}

function SessionListActions() {
  const api = useApi();
  return (
    <TopToolbar>
      <ActionButton
        size="small"
        label="resources.sessions.endOthers"
        success="resources.sessions.ended"
        confirm
        work={() => api.request('DELETE', 'sessions')}
      />
    </TopToolbar>
  );
}
