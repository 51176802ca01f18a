import { TextInput } from 'react-admin';

interface SearchFieldProps {
  readonly source: string;
  /** Shown all the time, not only when it is added; read by the form of filters. */
  readonly alwaysOn?: boolean;
  /** A key of the catalogue: what can be searched for. */
  readonly label: string;
}

/** The search of a list. */
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
