import SearchIcon from '@mui/icons-material/Search';
import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import { useTranslate } from 'react-admin';
import { Suspense, lazy, useEffect, useState } from 'react';

/** The palette is no part of the first load. */
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

const isMac = (): boolean => /mac|iphone|ipad/i.test(navigator.userAgent);

/** Opens the search, as Ctrl+K or ⌘K does. On a telephone it is an icon. */
export function SearchButton() {
  const translate = useTranslate();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const label = translate('tillgate.search.open');
  return (
    <>
      <ButtonBase
        aria-label={label}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
        sx={{
          gap: 1,
          p: 1,
          mx: 0.5,
          borderRadius: 1,
          color: 'text.secondary',
          fontSize: '0.875rem',
          border: { xs: 0, md: 1 },
          borderColor: { md: 'divider' },
          height: { md: '2.25rem' },
          minWidth: { md: '14rem' },
          justifyContent: 'start',
        }}
      >
        <SearchIcon fontSize="small" />
        <Box component="span" sx={{ display: { xs: 'none', md: 'inline' }, flex: 1, textAlign: 'start' }}>
          {label}
        </Box>
        <Box component="kbd" sx={{ display: { xs: 'none', md: 'inline' }, font: 'inherit' }} dir="ltr">
          {isMac() ? '⌘K' : 'Ctrl K'}
        </Box>
      </ButtonBase>
      {open ? (
        <Suspense fallback={null}>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
