import Box from '@mui/material/Box';
import { useRecordContext, useTranslate } from 'react-admin';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { Entries } from '../../components/entries.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { CopyButton, Time } from '../../components/values.tsx';
import { MONOSPACE } from '../../theme.ts';
import type { CallbackDetail } from '../../records.ts';
import { useApi } from '../../till.ts';

const FIELD = 'resources.callbacks.fields';
const POLL_MS = 3000;

/** A callback with the result of each attempt. */
export function CallbackShow() {
  return (
    <RecordPage pollMs={({ status }: CallbackDetail) => status === 'PENDING' && POLL_MS}>
      <CallbackPage />
    </RecordPage>
  );
}

/** JSON with a line for each field; any other text as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** The headers by which a receiver recognises and verifies a callback that is posted (Standard Webhooks). */
const headersOf = (id: string): string =>
  ['content-type: application/json', `webhook-id: ${id}`, 'webhook-timestamp: …', 'webhook-signature: v1,…'].join('\n');

function CallbackPage() {
  const api = useApi();
  const translate = useTranslate();
  const callback = useRecordContext<CallbackDetail>();
  if (callback === undefined) return null;
  const { id, status, log, body } = callback;
  return (
    <>
      <Section title="resources.callbacks.about">
        <Facts
          of={[
            [`${FIELD}.status`, <StatusChip key="status" status={status} />],
            [`${FIELD}.event`, callback.event],
            [`${FIELD}.url`, `${callback.method} ${callback.url}`],
            [`${FIELD}.order`, callback.order],
            [`${FIELD}.webhook`, callback.webhook],
            [`${FIELD}.created_at`, <Time key="created" value={callback.created_at} />],
            [`${FIELD}.delivered_at`, <Time key="delivered" value={callback.delivered_at} />],
            [
              `${FIELD}.next_attempt_at`,
              callback.next_attempt_at === null ? null : <Time key="next" value={callback.next_attempt_at} />,
            ],
          ]}
        />
        {body === null ? null : (
          <Facts
            of={[
              [
                `${FIELD}.headers`,
                <Box
                  key="headers"
                  component="pre"
                  dir="ltr"
                  sx={{ m: 0, fontFamily: MONOSPACE, fontSize: '0.8125rem', whiteSpace: 'pre-wrap' }}
                >
                  {headersOf(id)}
                </Box>,
              ],
            ]}
          />
        )}
        {body === null ? null : (
          <Box
            component="pre"
            dir="ltr"
            tabIndex={0}
            sx={{
              fontFamily: MONOSPACE,
              fontSize: '0.8125rem',
              whiteSpace: 'pre-wrap',
              overflowWrap: 'anywhere',
              mb: 0,
            }}
          >
            {readable(body)}
          </Box>
        )}
        {body === null ? null : <CopyButton value={body} label={translate(`${FIELD}.body`)} />}
        {status === 'PENDING' ? null : (
          <Box sx={{ mt: 2 }}>
            <ActionButton
              label="resources.callbacks.resend"
              success="resources.callbacks.resent"
              work={() => api.post(`callbacks/${id}/redeliver`)}
            />
          </Box>
        )}
      </Section>
      <Section title="resources.callbacks.log">
        <Entries
          empty="resources.callbacks.noLog"
          of={log.map(({ at, http_status: httpStatus, error, duration_ms: duration }) => ({
            id: at,
            content: (
              <Facts
                of={[
                  [`${FIELD}.at`, <Time key="at" value={at} />],
                  [`${FIELD}.http_status`, httpStatus === null ? null : String(httpStatus)],
                  [`${FIELD}.error`, error],
                  [`${FIELD}.duration`, `${duration} ms`],
                ]}
              />
            ),
          }))}
        />
      </Section>
    </>
  );
}
