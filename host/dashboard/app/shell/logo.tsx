import Box from '@mui/material/Box';

/** The mark of the product: a gate with its till beneath. */
export function Logo({ size = 40 }: { readonly size?: number }) {
  return (
    <Box
      component="svg"
      viewBox="0 0 40 40"
      aria-hidden
      sx={{ width: size, height: size, flex: 'none', color: 'primary.main' }}
    >
      <rect width="40" height="40" rx="9" fill="currentColor" />
      <Box component="g" sx={{ fill: 'none', stroke: (theme) => theme.palette.primary.contrastText, strokeWidth: 3.2 }}>
        <path d="M11 30V18a9 9 0 0 1 18 0v12" strokeLinecap="round" />
        <path d="M7.5 30h25M20 18v6" strokeLinecap="round" />
      </Box>
    </Box>
  );
}
