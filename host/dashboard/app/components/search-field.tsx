import { TextInput } from 'react-admin';

interface SearchFieldProps {
  readonly source: string;
  /** Makes the filter permanently visible; read by the filter form. */
  readonly alwaysOn?: boolean;
  /** A key of the catalogue. */
  readonly label: string;
}

export function SearchField({ source, label }: SearchFieldProps) {
  return (
    <TextInput
      source={source}
      label={label}
      type="search"
      resettable
      helperText={false}
      sx={{ minWidth: { sm: '22rem' } }}
    />
  );
}
