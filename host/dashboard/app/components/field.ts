/** A field of a dialog's form. */
export interface Field {
  /** The API's name of the field. */
  readonly name: string;
  /** A key of the catalogue. */
  readonly label: string;
  readonly type?: 'text' | 'password' | 'datetime-local' | 'decimal' | 'code' | 'lines' | 'colour';
  /** The choices; their labels are not translated. */
  readonly choices?: readonly { readonly id: string; readonly label: string }[];
  /** Allows several choices. */
  readonly several?: boolean;
  readonly initial?: string;
  readonly help?: string;
  readonly autoComplete?: string;
  /** The most that can be entered, as a decimal of the API, which a button enters; absent for none. */
  readonly most?: (values: Values) => string | undefined;
  /** Whether the field is asked for, where that depends on the others; it always is by default. */
  readonly shown?: (values: Values) => boolean;
}

/** The input; several values of one field are separated by commas. */
export type Values = Readonly<Record<string, string>>;
