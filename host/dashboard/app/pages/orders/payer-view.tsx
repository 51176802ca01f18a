import OpenInNewIcon from '@mui/icons-material/OpenInNew';
import QrCode2Icon from '@mui/icons-material/QrCode2';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslate } from 'react-admin';
import { useState } from 'react';
import { Copyable } from '../../components/values.tsx';
import { QrCode } from '../security/qr-code.tsx';

/** The page where a customer pays: to open, to send, or to show on this screen. */
export function PayerView({ url }: { readonly url: string }) {
  const translate = useTranslate();
  const [shown, setShown] = useState(false);
  return (
    <Box sx={{ mb: 2 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
        <Button variant="outlined" href={url} target="_blank" rel="noopener" endIcon={<OpenInNewIcon />}>
          {translate('resources.orders.openPage')}
        </Button>
        <Button
          variant="outlined"
          startIcon={<QrCode2Icon />}
          aria-expanded={shown}
          onClick={() => setShown((before) => !before)}
        >
          {translate(shown ? 'resources.orders.hideQr' : 'resources.orders.showQr')}
        </Button>
      </Box>
      <Box sx={{ mt: 1, minWidth: 0 }}>
        <Copyable value={url} label={translate('resources.orders.fields.pay_url')} />
      </Box>
      {shown ? (
        <Box sx={{ mt: 1 }}>
          <QrCode value={url} label={translate('resources.orders.qr')} />
        </Box>
      ) : null}
    </Box>
  );
}
