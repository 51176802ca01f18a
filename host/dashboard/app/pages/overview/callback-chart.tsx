import Typography from '@mui/material/Typography';
import { useLocaleState, useTranslate } from 'react-admin';
import { BarTable } from '../../charts/bar-table.tsx';
import { Section } from '../../components/facts.tsx';
import type { OverviewRecord } from '../../records.ts';

const KEY = 'tillgate.overview';
const OUTCOMES = ['delivered', 'failed', 'waiting'] as const;

/** The number of callbacks and events by outcome. */
export function CallbackChart({ callbacks }: Pick<OverviewRecord, 'callbacks'>) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const finished = callbacks.delivered + callbacks.failed;
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const count = new Intl.NumberFormat(locale);
  return (
    <Section title={`${KEY}.callbacks`}>
      <Typography sx={{ mb: 1 }}>
        {finished === 0
          ? translate(`${KEY}.noCallbacks`)
          : translate(`${KEY}.callbackShare`, { share: share.format(callbacks.delivered / finished) })}
      </Typography>
      <BarTable
        label={translate(`${KEY}.callbackLabel`)}
        heads={[`${KEY}.outcome`, `${KEY}.callbackCount`].map((key) => translate(key))}
        rows={OUTCOMES.map((outcome) => ({
          name: translate(`${KEY}.outcomes.${outcome}`),
          cells: [count.format(callbacks[outcome])],
          parts: [callbacks[outcome]],
        }))}
      />
    </Section>
  );
}
