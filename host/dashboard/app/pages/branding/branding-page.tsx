import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Title, useTranslate } from 'react-admin';
import { ActionButton } from '../../components/act.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useMoney } from '../../components/money.ts';
import { PayerPreview, useBranding } from '../../components/payer-preview.tsx';
import type { Values } from '../../components/field.ts';
import { useApi } from '../../till.ts';
import { LogoButton } from './logo-button.tsx';

const TEXTS = ['name', 'support', 'colour'] as const;
const labelOf = (field: string): string => `tillgate.branding.${field}`;

export function BrandingPage() {
  const api = useApi();
  const translate = useTranslate();
  const branding = useBranding();
  if (branding === undefined) return <Title title="tillgate.menu.branding" />;
  const { version, logo } = branding;
  const logoUrl = logo === null ? null : api.url(`../..${logo.path}`);
  const change = (body: object) => api.request('PATCH', 'branding', { body, version });
  return (
    <Box sx={{ mt: 2 }}>
      <Title title="tillgate.menu.branding" />
      <Section title="tillgate.branding.texts">
        <Typography sx={{ mb: 2 }}>{translate('tillgate.branding.text')}</Typography>
        <Facts
          of={[
            ['tillgate.branding.name', branding.name],
            ['tillgate.branding.support', branding.support],
            [
              'tillgate.branding.colour',
              branding.colour === null ? null : <Colour key="colour" of={branding.colour} />,
            ],
          ]}
        />
        <Box sx={{ mt: 2 }}>
          <FormDialog
            size="small"
            label="tillgate.branding.change"
            submitLabel="ra.action.save"
            success="tillgate.branding.saved"
            submit={(values) => change(textsOf(values))}
            fields={TEXTS.map((name) => ({
              name,
              label: labelOf(name),
              ...(name === 'colour' ? ({ type: 'colour' } as const) : {}),
              initial: branding[name] ?? '',
              help: `${labelOf(name)}Help`,
            }))}
            preview={(values) => <Preview brand={brandOf(values)} logo={logoUrl} />}
          />
        </Box>
        <Box sx={{ mt: 3, maxWidth: '28rem' }}>
          <Preview brand={branding} logo={logoUrl} />
        </Box>
      </Section>
      <Section title="tillgate.branding.logo">
        <Typography sx={{ mb: 2 }}>{translate('tillgate.branding.logoText')}</Typography>
        {logo === null ? null : (
          <Box
            component="img"
            src={logoUrl ?? undefined}
            alt={translate('tillgate.branding.logo')}
            sx={{ display: 'block', height: 64, maxWidth: 256, objectFit: 'contain', bgcolor: '#fff', mb: 2 }}
          />
        )}
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
          <LogoButton save={(data) => change({ logo: data })} />
          {logo === null ? null : (
            <ActionButton
              size="small"
              label="tillgate.branding.removeLogo"
              success="tillgate.branding.saved"
              work={() => change({ logo: null })}
            />
          )}
        </Box>
      </Section>
    </Box>
  );
}

type Brand = Readonly<Record<(typeof TEXTS)[number], string | null>>;

/** A payment page of the brand, of a sample of an order. */
function Preview({ brand, logo }: { readonly brand: Brand; readonly logo: string | null }) {
  const translate = useTranslate();
  const money = useMoney();
  return (
    <PayerPreview
      brand={brand}
      logo={logo}
      title={translate('resources.orders.name', { smart_count: 1 })}
      amount={money('49.90', 'EUR')}
    />
  );
}

const brandOf = ({ name = '', support = '', colour = '' }: Values): Brand => ({
  name: name === '' ? null : name,
  support: support === '' ? null : support,
  colour: colour === '' ? null : colour,
});

/** Emptied fields are removed. */
function textsOf(values: Values): Readonly<Record<string, string | null>> {
  return Object.fromEntries(TEXTS.map((name) => [name, values[name] === '' ? null : (values[name] ?? null)]));
}

function Colour({ of }: { readonly of: string }) {
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 1 }}>
      <Box component="span" sx={{ width: 20, height: 20, borderRadius: 1, border: 1, bgcolor: of }} />
      {of}
    </Box>
  );
}
