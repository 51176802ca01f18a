import Button from '@mui/material/Button';
import { useTranslate } from 'react-admin';
import { useRef } from 'react';
import { useAct } from '../../components/act.tsx';

/** Uploads a chosen picture; the API validates it. */
export function LogoButton({ save }: { readonly save: (base64: string) => Promise<unknown> }) {
  const translate = useTranslate();
  const act = useAct();
  const input = useRef<HTMLInputElement>(null);
  const send = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    await act(async () => save(base64Of(new Uint8Array(await file.arrayBuffer()))), 'tillgate.branding.saved');
    if (input.current !== null) input.current.value = '';
  };
  return (
    <>
      <Button size="small" variant="outlined" onClick={() => input.current?.click()}>
        {translate('tillgate.branding.chooseLogo')}
      </Button>
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/webp"
        hidden
        aria-label={translate('tillgate.branding.logo')}
        onChange={({ target }) => void send(target.files?.[0])}
      />
    </>
  );
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
