import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useLocaleState, useRecordContext, useTranslate } from 'react-admin';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { CartLines } from '../../components/cart-lines.tsx';
import { ActionButton } from '../../components/act.tsx';
import { EditLink } from '../../components/edit-link.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { Copyable, Time } from '../../components/values.tsx';
import type { BrandingRecord, LinkPairing, LinkRecord } from '../../records.ts';
import { useApi } from '../../till.ts';
import { QrCode } from '../security/qr-code.tsx';
import { buttonSnippet } from './button-snippet.ts';
import { LinkFace, LinkPrice } from './link-list.tsx';

const FIELD = 'resources.links.fields';
const POLL_MS = 5000;

/** A payment link with its URL, its QR code, its button and its orders. */
export function LinkShow() {
  return (
    <RecordPage<LinkRecord> pollMs={({ active }) => active && POLL_MS}>
      <LinkPage />
    </RecordPage>
  );
}

function LinkPage() {
  const link = useRecordContext<LinkRecord>();
  if (link === undefined) return null;
  return (
    <>
      <LinkFacts link={link} />
      {link.face === 'LINK' ? <Sharing link={link} /> : <Devices link={link} />}
    </>
  );
}

function LinkFacts({ link }: { readonly link: LinkRecord }) {
  const api = useApi();
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const percent = new Intl.NumberFormat(`${locale}-u-nu-latn`, { style: 'percent' });
  const { id, active } = link;
  const orders = `/orders?filter=${encodeURIComponent(JSON.stringify({ link: id }))}`;
  const sold = link.max_sales === null ? String(link.sold) : `${link.sold} / ${link.max_sales}`;
  return (
    <Section title="resources.links.about">
      <Facts
        of={[
          [`${FIELD}.title`, link.title],
          [`${FIELD}.state`, <StatusChip key="state" status={link.state} />],
          [`${FIELD}.face`, <LinkFace key="face" face={link.face} />],
          [`${FIELD}.price`, <LinkPrice key="price" link={link} />],
          [`${FIELD}.items`, link.items.length === 0 ? null : <Items key="items" link={link} />],
          [`${FIELD}.tips`, link.tips.map((tip) => percent.format(tip / 100)).join(', ')],
          [`${FIELD}.min_price`, link.min_price],
          [`${FIELD}.max_price`, link.max_price],
          [`${FIELD}.sold`, sold],
          [`${FIELD}.open`, String(link.open)],
          [`${FIELD}.coins`, link.coins?.join(', ')],
          [`${FIELD}.expires_at`, link.expires_at === null ? null : <Time key="end" value={link.expires_at} />],
          [`${FIELD}.description`, link.description],
          [`${FIELD}.return_url`, link.return_url],
          [`${FIELD}.callback_url`, link.callback_url],
          [`${FIELD}.reference_prefix`, link.reference_prefix],
          [`${FIELD}.created_at`, <Time key="created" value={link.created_at} />],
        ]}
      />
      <Box sx={{ mt: 2, display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        <Button variant="outlined" component={Link} to={orders}>
          {translate('resources.links.orders')}
        </Button>
        <EditLink resource="links" id={id} />
        {active ? (
          <ActionButton
            label="resources.links.deactivate"
            color="error"
            confirm
            work={() => api.post(`links/${id}/deactivate`)}
          />
        ) : (
          <ActionButton
            label="resources.links.activate"
            work={() => api.request('PATCH', `links/${id}`, { version: link.version, body: { active: true } })}
          />
        )}
      </Box>
    </Section>
  );
}

function Items({ link: { items, currency } }: { readonly link: LinkRecord }) {
  return <CartLines lines={items.map(({ id, name: text, price }) => ({ id, text, price }))} currency={currency} />;
}

function Sharing({ link: { url, title } }: { readonly link: LinkRecord }) {
  const translate = useTranslate();
  const api = useApi();
  // The button has the account's colour; without it, or without the right to read it, the till's.
  const { data: branding } = useQuery({
    queryKey: ['branding'],
    queryFn: ({ signal }) => api.get<BrandingRecord>('branding', {}, signal),
  });
  const [address, button] = [translate('resources.links.url'), translate('resources.links.snippet')];
  const snippet = buttonSnippet(url, title, branding?.colour);
  return (
    <Section title="resources.links.sharing">
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 1fr) auto' } }}>
        <Facts
          wide
          of={[
            [address, <Copyable key="url" value={url} label={address} />],
            [button, <Copyable key="button" value={snippet} label={button} />],
          ]}
        />
        <QrCode value={url} label={translate('resources.links.qr')} />
      </Box>
    </Section>
  );
}

function Devices({ link: { id, devices } }: { readonly link: LinkRecord }) {
  const api = useApi();
  const translate = useTranslate();
  const [pairing, setPairing] = useState<LinkPairing | null>(null);
  const address = translate('resources.links.pairingUrl');
  return (
    <Section title="resources.links.devices">
      <p>{translate('resources.links.devicesText', { count: devices.length })}</p>
      {pairing === null ? null : (
        <Box sx={{ mb: 2 }}>
          <Facts
            of={[
              [address, <Copyable key="url" value={pairing.pairing_url} label={address} />],
              ['resources.links.pairingUntil', <Time key="until" value={pairing.expires_at} />],
            ]}
          />
          <QrCode value={pairing.pairing_url} label={translate('resources.links.pairingQr')} />
        </Box>
      )}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        <ActionButton
          label="resources.links.pair"
          work={async () => setPairing(await api.post<LinkPairing>(`links/${id}/pairing`))}
        />
        <ActionButton
          label="resources.links.unpair"
          color="error"
          confirm
          work={async () => {
            await api.post(`links/${id}/unpair`);
            setPairing(null);
          }}
        />
      </Box>
    </Section>
  );
}
