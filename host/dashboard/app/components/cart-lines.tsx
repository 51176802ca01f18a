import Box from '@mui/material/Box';
import { Amount } from './values.tsx';

interface CartLinesProps {
  readonly lines: readonly { readonly id: string; readonly text: string; readonly price: string }[];
  readonly currency: string;
}

/** Items and their prices, one in each line. */
export function CartLines({ lines, currency }: CartLinesProps) {
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, overflowWrap: 'anywhere' }}>
      {lines.map(({ id, text, price }) => (
        <li key={id}>
          <bdi>{text}</bdi> · <Amount value={price} currency={currency} />
        </li>
      ))}
    </Box>
  );
}
