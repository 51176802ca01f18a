import { useLocaleState, useTranslate } from 'react-admin';
import { BarTable } from '../../charts/bar-table.tsx';
import { Section } from '../../components/facts.tsx';
import { durationText } from '../../components/values.tsx';
import type { OverviewRecord } from '../../records.ts';

const KEY = 'tillgate.overview';

/** The time since each chain was read to its head. */
export function LagChart({ chains }: { readonly chains: NonNullable<OverviewRecord['chains']> }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  return (
    <Section title={`${KEY}.lag`}>
      <BarTable
        label={translate(`${KEY}.lag`)}
        heads={[`${KEY}.chain`, `${KEY}.behind`].map((key) => translate(key))}
        rows={chains.map(({ name, lag_seconds: lag }) => ({
          name,
          cells: [lag === null ? translate(`${KEY}.neverRead`) : durationText(locale, lag)],
          parts: [lag ?? 0],
        }))}
      />
    </Section>
  );
}
