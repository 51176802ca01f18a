import Alert from '@mui/material/Alert';
import Typography from '@mui/material/Typography';
import { useTranslate } from 'react-admin';
import { useState } from 'react';
import { formatAuditHead, parseAuditHead } from '../../../../../core/access/audit-chain.ts';
import type { AuditReport } from '../../../../../core/access/verify-audit.ts';
import { ApiError } from '../../api/api-error.ts';
import { Section } from '../../components/facts.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import type { Values } from '../../components/field.ts';
import { Copyable } from '../../components/values.tsx';
import { useApi } from '../../till.ts';
import { verifyChain } from './verify-chain.ts';

const KEY = 'resources.audit';

/** Verifies on demand, in this browser, that the audit log was not altered. */
export function AuditVerification() {
  const api = useApi();
  const translate = useTranslate();
  const [report, setReport] = useState<AuditReport | null>(null);
  const verify = async ({ noted = '' }: Values): Promise<void> => {
    const head = parseAuditHead(noted.trim());
    if (noted.trim() !== '' && head === null)
      throw new ApiError(0, `${KEY}.notedInvalid`, null, [
        { path: 'noted', message: translate(`${KEY}.notedInvalid`) },
      ]);
    setReport(await verifyChain(api, head));
  };
  return (
    <Section title={`${KEY}.chain`}>
      <Typography sx={{ mb: 2 }}>{translate(`${KEY}.chainText`)}</Typography>
      {report === null ? null : <Report report={report} />}
      <FormDialog
        label={`${KEY}.verify`}
        fields={[{ name: 'noted', label: `${KEY}.noted`, help: `${KEY}.notedHelp` }]}
        submit={verify}
      />
    </Section>
  );
}

function Report({ report: { head, breach } }: { readonly report: AuditReport }) {
  const translate = useTranslate();
  if (breach !== null)
    return (
      <Alert severity="error" sx={{ mb: 2 }}>
        {translate(`${KEY}.broken`, { reason: breach.reason })}
      </Alert>
    );
  return (
    <Alert severity="success" sx={{ mb: 2 }}>
      {translate(`${KEY}.whole`, { smart_count: head.seq })}{' '}
      <Copyable value={formatAuditHead(head)} label={translate(`${KEY}.head`)} />
    </Alert>
  );
}
