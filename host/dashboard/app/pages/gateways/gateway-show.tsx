import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useLocaleState, useRecordContext, useTranslate } from 'react-admin';
import { ActionButton } from '../../components/act.tsx';
import { EditLink } from '../../components/edit-link.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { Entries } from '../../components/entries.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { Time } from '../../components/values.tsx';
import type { GatewayItem } from '../../operator-records.ts';
import { useApi } from '../../till.ts';
import { ratesText } from './gateway-form.ts';
import { statusOf } from './gateway-list.tsx';

const KEY = 'resources.gateways';
const FIELD = `${KEY}.fields`;

const POLL_MS = 10_000;

/** A gateway with its upstreams and rules; the health of its upstreams is read again while the page is visible. */
export function GatewayShow() {
  return (
    <RecordPage pollMs={() => POLL_MS}>
      <GatewayPage />
    </RecordPage>
  );
}

function GatewayPage() {
  const gateway = useRecordContext<GatewayItem>();
  if (gateway === undefined) return null;
  return (
    <>
      <GatewayHead gateway={gateway} />
      <Upstreams gateway={gateway} />
      <Rules gateway={gateway} />
      <Limits gateway={gateway} />
    </>
  );
}

interface GatewayProps {
  readonly gateway: GatewayItem;
}

function GatewayHead({ gateway }: GatewayProps) {
  const translate = useTranslate();
  const { source } = gateway;
  return (
    <Section title={`${KEY}.about`}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center', mb: 2 }}>
        <Typography component="p" variant="h5" sx={{ overflowWrap: 'anywhere' }}>
          {gateway.host}
        </Typography>
        <StatusChip status={statusOf(gateway.enabled)} />
      </Box>
      <Facts
        of={[
          [`${FIELD}.chain`, gateway.chain],
          [`${FIELD}.network`, gateway.network],
          [`${FIELD}.protocol`, translate(`${KEY}.words.${gateway.protocol}`)],
          [`${FIELD}.admission`, translate(`${KEY}.words.${gateway.admission}`)],
          [`${FIELD}.created_at`, gateway.created_at === null ? null : <Time key="made" value={gateway.created_at} />],
          [
            `${FIELD}.updated_at`,
            gateway.updated_at === null ? null : <Time key="changed" value={gateway.updated_at} />,
          ],
        ]}
      />
      {source === 'managed' ? (
        <GatewayActions gateway={gateway} />
      ) : (
        <Alert severity="info" sx={{ mt: 2 }}>
          {translate(`${KEY}.ofConfiguration`)}
        </Alert>
      )}
    </Section>
  );
}

function GatewayActions({ gateway }: GatewayProps) {
  const api = useApi();
  const { id, enabled } = gateway;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 2 }}>
      <EditLink resource="gateways" id={id} />
      <ActionButton
        label={`${KEY}.${enabled ? 'disable' : 'enable'}`}
        success={`${KEY}.${enabled ? 'disabled' : 'enabled'}`}
        confirm={enabled}
        {...(enabled ? { color: 'warning' as const } : {})}
        work={() => api.request('PATCH', `gateways/${id}`, { body: { enabled: !enabled } })}
      />
    </Box>
  );
}

function Upstreams({ gateway }: GatewayProps) {
  return (
    <Section title={`${FIELD}.upstreams`}>
      <Entries
        empty={`${KEY}.noUpstreams`}
        of={gateway.upstreams.map((upstream, index) => ({
          id: String(index),
          content: (
            <>
              <Upstream upstream={upstream} />
              <Health health={gateway.upstream_health[index] ?? null} />
              <Cordon gateway={gateway} upstream={upstream} />
            </>
          ),
        }))}
      />
    </Section>
  );
}

interface UpstreamProps {
  readonly upstream: GatewayItem['upstreams'][number];
}

function Upstream({ upstream: { url, header_names: names, cordoned } }: UpstreamProps) {
  const translate = useTranslate();
  return (
    <>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
        <Box component="span" dir="ltr" sx={{ overflowWrap: 'anywhere' }}>
          {url}
        </Box>
        {cordoned ? <StatusChip status="cordoned" /> : null}
      </Box>
      {names.length === 0 ? null : (
        <Typography variant="body2" color="textSecondary">
          {translate(`${KEY}.withHeaders`, { names: names.join(', ') })}
        </Typography>
      )}
    </>
  );
}

/** Takes an upstream out of use or puts it back, also of a gateway of the settings file. */
function Cordon({ gateway, upstream: { id, cordoned } }: GatewayProps & UpstreamProps) {
  const api = useApi();
  const word = cordoned ? 'uncordon' : 'cordon';
  return (
    <Box sx={{ mt: 1 }}>
      <ActionButton
        label={`${KEY}.${word}`}
        success={`${KEY}.${word}ed`}
        confirm={!cordoned}
        size="small"
        {...(cordoned ? {} : { color: 'warning' as const })}
        work={() => api.request('POST', `gateways/${gateway.id}/upstreams/${id}/${word}`)}
      />
    </Box>
  );
}

/** The upstream's health, as seen by the instance that answered. */
function Health({ health }: { readonly health: GatewayItem['upstream_health'][number] }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  if (health === null) {
    return (
      <Typography variant="body2" color="textSecondary">
        {translate(`${KEY}.healthUnknown`)}
      </Typography>
    );
  }
  const { state, head, lag_blocks: lag, latency_ms: latency, error_rate: errors, missing_methods: missing } = health;
  const { oldest_state: oldest } = health;
  const number = new Intl.NumberFormat(locale);
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  return (
    <Box sx={{ mt: 1 }}>
      <Facts
        of={[
          [`${FIELD}.state`, <StatusChip key="state" status={state} />],
          [`${FIELD}.head`, head === null ? null : number.format(head)],
          [`${FIELD}.lag_blocks`, lag === null ? null : number.format(lag)],
          [`${FIELD}.latency_ms`, latency === null ? null : `${number.format(latency)} ms`],
          [`${FIELD}.error_rate`, errors === null ? null : share.format(errors)],
          [`${FIELD}.missing_methods`, missing.length === 0 ? null : missing.join(', ')],
          [`${FIELD}.oldest_state`, oldest === null ? null : number.format(oldest)],
        ]}
      />
    </Box>
  );
}

function Rules({ gateway }: GatewayProps) {
  const translate = useTranslate();
  const { methods, cors, units, plans, reads } = gateway;
  const yesNo = (on: boolean): string => translate(on ? 'ra.boolean.true' : 'ra.boolean.false');
  const cost = Object.entries(units).map(([name, value]) => `${name}: ${value}`);
  return (
    <Section title={`${KEY}.rules`}>
      <Facts
        of={[
          [`${FIELD}.methods.allow`, methods.allow.join(', ') || translate(`${KEY}.usualMethods`)],
          [`${FIELD}.methods.deny`, methods.deny.join(', ')],
          [`${FIELD}.cors.origins`, cors.origins.join(', ') || '–'],
          [`${FIELD}.units`, cost.join(', ')],
          [`${FIELD}.plans`, plans.join(', ') || '–'],
          [`${FIELD}.reads.head_lag_blocks`, reads.head_lag_blocks === null ? null : String(reads.head_lag_blocks)],
          [`${FIELD}.reads.logs.max_range`, reads.logs === null ? null : String(reads.logs.max_range)],
          [`${FIELD}.reads.logs.split_into`, reads.logs === null ? null : String(reads.logs.split_into)],
          [`${FIELD}.reads.logs.max_results`, reads.logs === null ? null : String(reads.logs.max_results)],
          [`${FIELD}.reads.monotonic`, yesNo(reads.monotonic)],
          [`${FIELD}.reads.dedupe`, yesNo(reads.dedupe)],
          [`${FIELD}.reads.cache`, yesNo(reads.cache)],
          [`${FIELD}.reads.subscriptions`, translate(`${KEY}.words.${reads.subscriptions}`)],
        ]}
      />
    </Section>
  );
}

function Limits({ gateway }: GatewayProps) {
  const translate = useTranslate();
  const { limits, timeouts } = gateway;
  const most = (limit: number | null): string => (limit === null ? translate(`${KEY}.noLimit`) : String(limit));
  return (
    <Section title={`${KEY}.limits`}>
      <Facts
        of={[
          [`${FIELD}.limits.requests_per_second`, most(limits.requests_per_second)],
          [`${FIELD}.limits.burst`, most(limits.burst)],
          [`${FIELD}.limits.concurrency`, most(limits.concurrency)],
          [`${FIELD}.limits.methods`, ratesText(limits.methods).join(', ')],
          [`${FIELD}.timeouts.connect_ms`, String(timeouts.connect_ms)],
          [`${FIELD}.timeouts.first_byte_ms`, String(timeouts.first_byte_ms)],
          [`${FIELD}.timeouts.idle_ms`, String(timeouts.idle_ms)],
          [`${FIELD}.max_body_bytes`, String(gateway.max_body_bytes)],
          [`${FIELD}.max_batch`, String(gateway.max_batch)],
        ]}
      />
    </Section>
  );
}
