import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslate } from 'react-admin';
import { useQuery } from '@tanstack/react-query';
import { brandColours } from '../../../checkout/brand-colours.ts';
import type { BrandingRecord } from '../records.ts';
import { useApi } from '../till.ts';

/** The branding of the account; `undefined` until it is loaded. */
export function useBranding(): BrandingRecord | undefined {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['branding'],
    queryFn: ({ signal }) => api.get<BrandingRecord>('branding', {}, signal),
  });
  return data;
}

interface PayerPreviewProps {
  readonly brand: { readonly name: string | null; readonly colour: string | null; readonly support: string | null };
  /** The URL of the logo; `null` for none. */
  readonly logo: string | null;
  readonly title: string;
  readonly description?: string;
  /** `null` where the items have the prices. */
  readonly amount: string | null;
  /** The items that are sold, each with its price. */
  readonly lines?: readonly (readonly [name: string, price: string])[];
}

const HEX = /^#[0-9a-f]{6}$/i;
/** The colour of the payer's page without a brand. */
export const PLAIN_COLOUR = '#0a5bab';

/** How a payer sees a page, in its light colours and those of the brand, while it is typed. */
export function PayerPreview({ brand, logo, title, description = '', amount, lines = [] }: PayerPreviewProps) {
  const translate = useTranslate();
  const { fill, onFill, text } = brandColours(
    brand.colour !== null && HEX.test(brand.colour) ? brand.colour : PLAIN_COLOUR,
    'light',
  );
  return (
    <Box component="section" aria-label={translate('tillgate.preview.title')} sx={{ minWidth: 0 }}>
      <Typography variant="body2" color="textSecondary" sx={{ mb: 1 }}>
        {translate('tillgate.preview.title')}
      </Typography>
      <Box
        sx={{
          bgcolor: '#f2f4f7',
          color: '#16202c',
          border: 1,
          borderColor: 'divider',
          borderRadius: 2,
          p: 2,
          display: 'grid',
          gap: 2,
          justifyItems: 'center',
          overflowWrap: 'anywhere',
        }}
      >
        {logo === null ? null : (
          <Box component="img" src={logo} alt="" sx={{ height: 40, maxWidth: 160, objectFit: 'contain' }} />
        )}
        {brand.name === null ? null : (
          <Typography component="p" sx={{ fontWeight: 600 }}>
            <bdi>{brand.name}</bdi>
          </Typography>
        )}
        <Box
          sx={{
            ...{ bgcolor: '#ffffff', border: '1px solid #d5dbe2', borderRadius: 2, p: 2, width: '100%' },
            ...{ maxWidth: 320, display: 'grid', gap: 1.5, textAlign: 'start' },
          }}
        >
          <Typography component="p" variant="h6">
            <bdi>{title}</bdi>
          </Typography>
          {description === '' ? null : (
            <Typography component="p" variant="body2" sx={{ whiteSpace: 'pre-line' }}>
              <bdi>{description}</bdi>
            </Typography>
          )}
          {lines.map(([item, price], at) => (
            <Box key={at} sx={{ display: 'flex', justifyContent: 'space-between', gap: 2 }}>
              <bdi>{item}</bdi>
              <bdi>{price}</bdi>
            </Box>
          ))}
          {amount === null ? null : (
            <Typography component="p" variant="h5">
              <bdi>{amount}</bdi>
            </Typography>
          )}
          <Box
            component="span"
            sx={{
              bgcolor: fill,
              color: onFill,
              borderRadius: 2,
              py: 1.25,
              px: 2,
              textAlign: 'center',
              fontWeight: 600,
            }}
          >
            {translate('tillgate.preview.pay')}
          </Box>
        </Box>
        {brand.support === null || brand.support === '' ? null : (
          <Typography component="p" variant="body2" sx={{ color: text ?? PLAIN_COLOUR }}>
            <bdi>{brand.support}</bdi>
          </Typography>
        )}
      </Box>
    </Box>
  );
}
