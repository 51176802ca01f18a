import Box from '@mui/material/Box';
import { TitlePortal } from 'react-admin';
import { useEffect, useRef } from 'react';
import { TYPE } from '../theme.ts';

export const PRODUCT = 'Tillgate';

/** Names the page and the product in the tab of the browser. */
export function setTabTitle(page: string): void {
  document.title = page === '' || page === PRODUCT ? PRODUCT : `${page} · ${PRODUCT}`;
}

/** The heading of the page. Pages write into it, so the tab's title follows what is written. */
export function PageTitle() {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const follow = (): void => setTabTitle(current.textContent.trim());
    const observer = new MutationObserver(follow);
    observer.observe(current, { childList: true, characterData: true, subtree: true });
    follow();
    return () => observer.disconnect();
  }, []);
  return (
    // What pages write is a block in the heading, at which an ellipsis would not be shown.
    <Box ref={box} sx={{ flex: 1, minWidth: 0, display: 'flex', '& h1 *': { display: 'inline' } }}>
      <TitlePortal component="h1" sx={{ fontSize: { xs: TYPE.section, sm: TYPE.part } }} />
    </Box>
  );
}
