import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { TopToolbar, useTranslate } from 'react-admin';
import type { ReactNode } from 'react';
import { AccountName } from '../../components/account-name.tsx';
import { ACCOUNT_FILTER_SHOWN } from '../../components/list-filters.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { Time } from '../../components/values.tsx';
import type { AuditItem } from '../../operator-records.ts';
import { AuditVerification } from './audit-verification.tsx';

const COLUMNS: readonly Column<AuditItem>[] = [
  {
    name: 'created_at',
    value: ({ created_at: at, ip }) => (
      <>
        <Time value={at} />
        <Below>{ip}</Below>
      </>
    ),
  },
  { name: 'actor', value: ({ actor }) => <Actor id={actor} /> },
  {
    name: 'action',
    value: ({ action, subject }) => (
      <>
        <Action action={action} />
        <Below>{subject}</Below>
      </>
    ),
  },
  { name: 'changes', value: ({ changes }) => <Changes changes={changes} /> },
];

const FILTERS = [ACCOUNT_FILTER_SHOWN];

export function AuditList() {
  return (
    <Box sx={{ mt: 2 }}>
      <AuditVerification />
      <Records filters={FILTERS} actions={<TopToolbar />}>
        <RecordTable columns={COLUMNS} />
      </Records>
    </Box>
  );
}

function Action({ action }: Pick<AuditItem, 'action'>) {
  const translate = useTranslate();
  return <span title={action}>{translate(`resources.audit.actions.${action}`, { _: action })}</span>;
}

/** Secondary text below the main text. */
function Below({ children }: { readonly children: ReactNode }) {
  return (
    <Typography component="div" variant="body2" color="textSecondary" sx={{ overflowWrap: 'anywhere' }}>
      {children}
    </Typography>
  );
}

function Actor({ id }: { readonly id: string | null }) {
  const translate = useTranslate();
  return id === null ? <>{translate('resources.audit.operator')}</> : <AccountName id={id} link />;
}

/** A value as text; other types are shown as JSON. */
const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function Changes({ changes }: Pick<AuditItem, 'changes'>) {
  const entries = Object.entries(changes);
  if (entries.length === 0) return <>–</>;
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, minWidth: { md: '16rem' }, overflowWrap: 'anywhere' }}>
      {entries.map(([name, { from, to }]) => (
        <li key={name}>
          <bdi dir="ltr">
            {name}: {from === null ? shown(to) : `${shown(from)} → ${shown(to)}`}
          </bdi>
        </li>
      ))}
    </Box>
  );
}
